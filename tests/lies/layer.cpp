// The layer of lies.h. See the OpenCL loader's documentation of layers, and CL/cl_layer.h.
// SPDX-License-Identifier: MIT
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "lies.h"

#include "../support/opencl_layer.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace {

std::mutex mutex;
std::string spoiled;
cl_uint spoiled_argument = 0;
std::map<cl_kernel, cl_mem> arguments; // those of that number, as they were set last
std::atomic<long> launches = 0;
std::atomic<bool> remote = false;

cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info what, size_t bytes, void *value,
                                   size_t *needed) {
    if (what == CL_DEVICE_VERSION && remote) {
        constexpr std::string_view kVersion = "OpenCL 3.0 PoCL HSTR: cpu HSTR: pocl-remote: cpu";
        if (value != nullptr && bytes <= kVersion.size()) return CL_INVALID_VALUE;
        if (value != nullptr) std::memcpy(value, kVersion.data(), kVersion.size() + 1);
        if (needed != nullptr) *needed = kVersion.size() + 1;
        return CL_SUCCESS;
    }
    const cl_int status = driver->clGetDeviceInfo(device, what, bytes, value, needed);
    if (status != CL_SUCCESS || value == nullptr) return status;
    if (what == CL_DEVICE_TYPE) {
        const cl_device_type type = CL_DEVICE_TYPE_GPU;
        std::memcpy(value, &type, sizeof type);
    }
    return CL_SUCCESS;
}

cl_int CL_API_CALL set_kernel_arg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value) {
    {
        const std::lock_guard lock(mutex);
        if (index == spoiled_argument && bytes == sizeof(cl_mem) && value != nullptr)
            std::memcpy(&arguments[kernel], value, bytes);
    }
    return driver->clSetKernelArg(kernel, index, bytes, value);
}

std::string name_of(cl_kernel kernel) {
    char name[256] = {};
    driver->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, nullptr);
    return name;
}

// The spoiling follows the kernel in a queue that runs in order; in others it waits for the
// kernel's event.
cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                                  const size_t *global, const size_t *local, cl_uint count, const cl_event *wait,
                                  cl_event *event) {
    cl_mem memory = nullptr;
    {
        const std::lock_guard lock(mutex);
        if (!spoiled.empty() && name_of(kernel) == spoiled) memory = arguments[kernel];
    }
    if (memory == nullptr)
        return driver->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, wait, event);
    ++launches;
    cl_event launched = nullptr;
    cl_int status =
        driver->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, wait, &launched);
    if (status != CL_SUCCESS) return status;
    const cl_uint wrong = 0x5a5a5a5a;
    status = driver->clEnqueueFillBuffer(queue, memory, &wrong, sizeof wrong, 0, sizeof wrong, 1, &launched, event);
    driver->clReleaseEvent(launched);
    return status;
}

const char *layer_name() { return "gpcl lies"; }

void hook() {
    table.clGetDeviceInfo = get_device_info;
    table.clSetKernelArg = set_kernel_arg;
    table.clEnqueueNDRangeKernel = enqueue_kernel;
}

} // namespace

VISIBLE void lies_spoil(const char *kernel, unsigned argument) {
    const std::lock_guard lock(mutex);
    spoiled = kernel != nullptr ? kernel : "";
    spoiled_argument = argument;
    launches = 0;
}
VISIBLE long lies_launches() { return launches; }
VISIBLE void lies_remote() { remote = true; }
