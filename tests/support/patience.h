// Limits of time that grow with the load of the machine.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>

namespace test {

// So many seconds, times what run.sh found in GPCL_TEST_PATIENCE.
inline unsigned patience(unsigned seconds) {
    const char *factor = std::getenv("GPCL_TEST_PATIENCE");
    const long times = factor != nullptr ? std::strtol(factor, nullptr, 10) : 1;
    return seconds * static_cast<unsigned>(times > 1 ? times : 1);
}

} // namespace test
