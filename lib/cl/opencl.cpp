// Finds OpenCL's functions, and puts its error codes into words.
// SPDX-License-Identifier: MIT
#include "cl/opencl.h"

#include "core/files.h"

#include <atomic>
#include <dlfcn.h>
#include <pthread.h>

namespace gpcl::cl {
namespace {

std::atomic<bool> is_forked = false;

void fill(Api &table, void *library, const char *file) {
    const char *missing = nullptr;
#define GPCL_LOOK_UP(name)                                                                                             \
    table.name = reinterpret_cast<decltype(table.name)>(dlsym(library, "cl" #name));                                   \
    if (table.name == nullptr && missing == nullptr) missing = "cl" #name;
    GPCL_OPENCL_FUNCTIONS(GPCL_LOOK_UP)
#undef GPCL_LOOK_UP
    table.GetKernelArgInfo = reinterpret_cast<decltype(table.GetKernelArgInfo)>(dlsym(library, "clGetKernelArgInfo"));
    table.present = missing == nullptr;
    table.trouble = table.present ? "" : text(file, " has no ", missing);
}

Api load() {
    Api table;
    // A program that links OpenCL itself, or runs under a tool that stands in for it, must share it
    // with us.
    const char *named = variable("GPCL_OPENCL_LIBRARY");
    if (named == nullptr) fill(table, RTLD_DEFAULT, "the process");
    if (!table.present) {
        const char *file = named != nullptr ? named : "libOpenCL.so.1";
        // Never closed: handles may be used until the process ends.
        void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (library != nullptr)
            fill(table, library, file);
        else
            table.trouble = dlerror();
        if (named != nullptr) table.trouble.insert(0, "GPCL_OPENCL_LIBRARY: ");
    }
    if (table.present) pthread_atfork(nullptr, nullptr, [] { is_forked = true; });
    return table;
}

gp_status status_of(cl_int code) {
    switch (code) {
    case CL_OUT_OF_HOST_MEMORY: return GP_ERROR_HOST_MEMORY;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE: return GP_ERROR_DEVICE_MEMORY;
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: return GP_ERROR_LAUNCH;
    case CL_INVALID_BUFFER_SIZE: return GP_ERROR_TOO_LARGE;
    default: return GP_ERROR_OPENCL;
    }
}

} // namespace

bool forked() noexcept { return is_forked; }

const Api &api() {
    static const Api table = load();
    require(!forked(), GP_ERROR_FORK,
            "this process was forked from one that had used OpenCL, which does not come along; "
            "expected \"host\", or a fork before OpenCL is used");
    return table;
}

void fail_call(cl_int code, const char *function, const std::string &about) {
    throw Error(status_of(code), text(function, " returned ", error_name(code), about.empty() ? "" : " for ", about),
                code);
}

std::string error_name(cl_int code) {
    switch (code) {
#define GPCL_NAME(name)                                                                                                \
    case name: return #name
        GPCL_NAME(CL_SUCCESS);
        GPCL_NAME(CL_DEVICE_NOT_FOUND);
        GPCL_NAME(CL_DEVICE_NOT_AVAILABLE);
        GPCL_NAME(CL_COMPILER_NOT_AVAILABLE);
        GPCL_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        GPCL_NAME(CL_OUT_OF_RESOURCES);
        GPCL_NAME(CL_OUT_OF_HOST_MEMORY);
        GPCL_NAME(CL_PROFILING_INFO_NOT_AVAILABLE);
        GPCL_NAME(CL_MEM_COPY_OVERLAP);
        GPCL_NAME(CL_IMAGE_FORMAT_MISMATCH);
        GPCL_NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED);
        GPCL_NAME(CL_BUILD_PROGRAM_FAILURE);
        GPCL_NAME(CL_MAP_FAILURE);
        GPCL_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET);
        GPCL_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        GPCL_NAME(CL_COMPILE_PROGRAM_FAILURE);
        GPCL_NAME(CL_LINKER_NOT_AVAILABLE);
        GPCL_NAME(CL_LINK_PROGRAM_FAILURE);
        GPCL_NAME(CL_DEVICE_PARTITION_FAILED);
        GPCL_NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
        GPCL_NAME(CL_INVALID_VALUE);
        GPCL_NAME(CL_INVALID_DEVICE_TYPE);
        GPCL_NAME(CL_INVALID_PLATFORM);
        GPCL_NAME(CL_INVALID_DEVICE);
        GPCL_NAME(CL_INVALID_CONTEXT);
        GPCL_NAME(CL_INVALID_QUEUE_PROPERTIES);
        GPCL_NAME(CL_INVALID_COMMAND_QUEUE);
        GPCL_NAME(CL_INVALID_HOST_PTR);
        GPCL_NAME(CL_INVALID_MEM_OBJECT);
        GPCL_NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        GPCL_NAME(CL_INVALID_IMAGE_SIZE);
        GPCL_NAME(CL_INVALID_SAMPLER);
        GPCL_NAME(CL_INVALID_BINARY);
        GPCL_NAME(CL_INVALID_BUILD_OPTIONS);
        GPCL_NAME(CL_INVALID_PROGRAM);
        GPCL_NAME(CL_INVALID_PROGRAM_EXECUTABLE);
        GPCL_NAME(CL_INVALID_KERNEL_NAME);
        GPCL_NAME(CL_INVALID_KERNEL_DEFINITION);
        GPCL_NAME(CL_INVALID_KERNEL);
        GPCL_NAME(CL_INVALID_ARG_INDEX);
        GPCL_NAME(CL_INVALID_ARG_VALUE);
        GPCL_NAME(CL_INVALID_ARG_SIZE);
        GPCL_NAME(CL_INVALID_KERNEL_ARGS);
        GPCL_NAME(CL_INVALID_WORK_DIMENSION);
        GPCL_NAME(CL_INVALID_WORK_GROUP_SIZE);
        GPCL_NAME(CL_INVALID_WORK_ITEM_SIZE);
        GPCL_NAME(CL_INVALID_GLOBAL_OFFSET);
        GPCL_NAME(CL_INVALID_EVENT_WAIT_LIST);
        GPCL_NAME(CL_INVALID_EVENT);
        GPCL_NAME(CL_INVALID_OPERATION);
        GPCL_NAME(CL_INVALID_BUFFER_SIZE);
        GPCL_NAME(CL_INVALID_GLOBAL_WORK_SIZE);
        GPCL_NAME(CL_INVALID_PROPERTY);
#undef GPCL_NAME
    case -1001: return "CL_PLATFORM_NOT_FOUND_KHR";
    default: return text("OpenCL error ", code);
    }
}

} // namespace gpcl::cl
