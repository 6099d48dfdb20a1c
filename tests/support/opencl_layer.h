// What every layer of the OpenCL loader tells it and takes from it. A layer includes this once, and
// defines layer_name(), and hook(), which puts its own calls into `table`. See the
// loader's documentation of layers, and CL/cl_layer.h.
// SPDX-License-Identifier: MIT
#pragma once

#include <CL/cl_layer.h>

#include <algorithm>
#include <cstring>

#define VISIBLE extern "C" __attribute__((visibility("default")))

namespace {

const cl_icd_dispatch *driver = nullptr; // the next layer, or the driver itself
cl_icd_dispatch table;                   // what the loader calls

const char *layer_name();
void hook();

} // namespace

VISIBLE cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t bytes, void *value, size_t *bytes_needed) {
    const char *const name = layer_name();
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const void *from = what == CL_LAYER_API_VERSION ? static_cast<const void *>(&version) : name;
    const size_t needed = what == CL_LAYER_API_VERSION ? sizeof version : std::strlen(name) + 1;
    if (what != CL_LAYER_API_VERSION && what != CL_LAYER_NAME) return CL_INVALID_VALUE;
    if (value != nullptr && bytes < needed) return CL_INVALID_VALUE;
    if (value != nullptr) std::memcpy(value, from, needed);
    if (bytes_needed != nullptr) *bytes_needed = needed;
    return CL_SUCCESS;
}

VISIBLE cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target, cl_uint *entries_needed,
                                       const cl_icd_dispatch **result) {
    constexpr auto kEntries = static_cast<cl_uint>(sizeof(cl_icd_dispatch) / sizeof(void *));
    if (target == nullptr || entries_needed == nullptr || result == nullptr) return CL_INVALID_VALUE;
    driver = target;
    std::memcpy(static_cast<void *>(&table), target, std::min<size_t>(entries, kEntries) * sizeof(void *));
    hook();
    *result = &table;
    *entries_needed = std::min(entries, kEntries);
    return CL_SUCCESS;
}
