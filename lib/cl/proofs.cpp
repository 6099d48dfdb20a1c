// SPDX-License-Identifier: MIT
#include "cl/proofs.h"

#include "core/files.h"

#include <string_view>

namespace gpcl::cl {

void Proofs::begin() {
    const char *use = variable("GPCL_PROVE");
    are_wanted_ = use == nullptr || (std::string_view(use) != "off" && std::string_view(use) != "0");
}

} // namespace gpcl::cl
