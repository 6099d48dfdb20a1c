// The calling thread's last error, and the names of all statuses.
// SPDX-License-Identifier: MIT
#include "core/error.h"

#include <new>

namespace gpcl {
namespace {

struct Record {
    std::string message;
    std::string build_log;
    const char *last_resort = nullptr; // stands in for `message` when there was no memory to write it
    int32_t opencl = 0;
};

Record &record() noexcept {
    thread_local Record mine;
    return mine;
}

gp_status keep(const char *function, gp_status status, const char *message, int32_t opencl = 0,
               const std::string &log = {}) noexcept {
    Record &mine = record();
    mine.opencl = opencl;
    mine.build_log.clear();
    mine.last_resort = nullptr;
    try {
        mine.message = text(function, ": ", message);
        mine.build_log = log;
    } catch (...) {
        mine.last_resort = "out of host memory while an error was being reported";
    }
    return status;
}

} // namespace

void clear_error() noexcept {
    Record &mine = record();
    mine.message.clear();
    mine.build_log.clear();
    mine.last_resort = nullptr;
    mine.opencl = 0;
}

gp_status record_error(const char *function) noexcept {
    try {
        throw;
    } catch (const Error &error) { // all threads that wait for one program get the same object
        return keep(function, error.status, error.what(), error.opencl, error.build_log);
    } catch (const std::bad_alloc &) {
        return keep(function, GP_ERROR_HOST_MEMORY, "out of host memory");
    } catch (const std::exception &error) {
        return keep(function, GP_ERROR_INTERNAL, error.what());
    } catch (...) {
        return keep(function, GP_ERROR_INTERNAL, "unknown exception");
    }
}

} // namespace gpcl

const char *gp_error_message(void) {
    const auto &mine = gpcl::record();
    return mine.last_resort != nullptr ? mine.last_resort : mine.message.c_str();
}

int32_t gp_error_opencl(void) { return gpcl::record().opencl; }

const char *gp_error_build_log(void) { return gpcl::record().build_log.c_str(); }

const char *gp_status_name(gp_status status) {
    switch (status) {
#define GPCL_NAME(code)                                                                                                \
    case code: return #code
        GPCL_NAME(GP_SUCCESS);
        GPCL_NAME(GP_ERROR_NO_DEVICE);
        GPCL_NAME(GP_ERROR_OPENCL);
        GPCL_NAME(GP_ERROR_UNSUPPORTED_TYPE);
        GPCL_NAME(GP_ERROR_UNSUPPORTED_DEVICE);
        GPCL_NAME(GP_ERROR_NO_PROFILING);
        GPCL_NAME(GP_ERROR_FILE);
        GPCL_NAME(GP_ERROR_FORK);
        GPCL_NAME(GP_ERROR_TIMEOUT);
        GPCL_NAME(GP_ERROR_DEVICE_LOST);
        GPCL_NAME(GP_ERROR_NULL_POINTER);
        GPCL_NAME(GP_ERROR_HANDLE);
        GPCL_NAME(GP_ERROR_WRONG_CONTEXT);
        GPCL_NAME(GP_ERROR_DTYPE);
        GPCL_NAME(GP_ERROR_OPERATOR);
        GPCL_NAME(GP_ERROR_SEMIRING);
        GPCL_NAME(GP_ERROR_OPTION);
        GPCL_NAME(GP_ERROR_STRUCT_SIZE);
        GPCL_NAME(GP_ERROR_LEADING_DIMENSION);
        GPCL_NAME(GP_ERROR_BATCH_STRIDE);
        GPCL_NAME(GP_ERROR_OVERLAP);
        GPCL_NAME(GP_ERROR_OUT_OF_BOUNDS);
        GPCL_NAME(GP_ERROR_SIZE_OVERFLOW);
        GPCL_NAME(GP_ERROR_VALUE_SIZE);
        GPCL_NAME(GP_ERROR_ALIGNMENT);
        GPCL_NAME(GP_ERROR_ALGORITHM);
        GPCL_NAME(GP_ERROR_ALGORITHM_REFUSED);
        GPCL_NAME(GP_ERROR_INDEX);
        GPCL_NAME(GP_ERROR_WORK_SIZE);
        GPCL_NAME(GP_ERROR_OPERATION);
        GPCL_NAME(GP_ERROR_NOT_PINNED);
        GPCL_NAME(GP_ERROR_PINNED);
        GPCL_NAME(GP_ERROR_EMPTY);
        GPCL_NAME(GP_ERROR_BUILD);
        GPCL_NAME(GP_ERROR_KERNEL_NAME);
        GPCL_NAME(GP_ERROR_KERNEL_ARGUMENT);
        GPCL_NAME(GP_ERROR_LAUNCH);
        GPCL_NAME(GP_ERROR_HOST_MEMORY);
        GPCL_NAME(GP_ERROR_DEVICE_MEMORY);
        GPCL_NAME(GP_ERROR_TOO_LARGE);
        GPCL_NAME(GP_ERROR_INTERNAL);
#undef GPCL_NAME
    default: return "unknown status";
    }
}
