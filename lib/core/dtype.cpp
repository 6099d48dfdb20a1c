// The C entry points about element types and the version.
// SPDX-License-Identifier: MIT
#include "core/dtype.h"

size_t gp_dtype_size(gp_dtype dtype) {
    const auto *known = gpcl::find_dtype(dtype);
    return known != nullptr ? known->size : 0;
}

const char *gp_dtype_name(gp_dtype dtype) {
    const auto *known = gpcl::find_dtype(dtype);
    return known != nullptr ? known->name : "unknown";
}

const char *gp_version(void) { return GPCL_VERSION; }
