// Builds programs, keeps their binaries on disk, lends their kernels.
// SPDX-License-Identifier: MIT
#include "cl/program.h"

#include "cl/cache.h"

namespace gpcl::cl {
namespace {

std::string build_log(cl_program program, cl_device_id device) {
    size_t bytes = 0;
    if (api().GetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) != CL_SUCCESS) return {};
    std::string log(bytes, '\0');
    if (api().GetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr) != CL_SUCCESS) {
        return {};
    }
    while (!log.empty() && log.back() == '\0') log.pop_back();
    return log;
}

// All that the binary depends on.
std::string cache_key(const Device &device, const std::string &source, const std::string &options) {
    const auto &info = device.info;
    return text(GPCL_VERSION, '\n', info.platform, '\n', info.platform_version, '\n', info.name, '\n', info.driver,
                '\n', options, '\n', source);
}

} // namespace

Program::Program(cl_context context, const Device &device, const std::string &source, const std::string &options) {
    const std::string key = cache_key(device, source, options);
    if (load(key, context, device, options)) return;
    const char *text_pointer = source.c_str();
    const size_t length = source.size();
    cl_int code = CL_SUCCESS;
    program_ = Ref(api().CreateProgramWithSource(context, 1, &text_pointer, &length, &code));
    check(code, "clCreateProgramWithSource");
    code = api().BuildProgram(program_.get(), 1, &device.id, options.c_str(), nullptr, nullptr);
    if (code == CL_OUT_OF_HOST_MEMORY) check(code, "clBuildProgram");
    if (code != CL_SUCCESS) {
        throw Error(GP_ERROR_BUILD,
                    text("OpenCL C does not build for ", device.info.name, " (clBuildProgram returned ",
                         error_name(code), "); gp_error_build_log() has the whole log"),
                    code, build_log(program_.get(), device.id));
    }
    store(key);
}

bool Program::load(const std::string &key, cl_context context, const Device &device, const std::string &options) {
    const auto binary = cache_load(key);
    if (!binary) return false;
    const unsigned char *data = binary->data();
    const size_t bytes = binary->size();
    cl_int status = CL_SUCCESS;
    cl_int code = CL_SUCCESS;
    Ref program(api().CreateProgramWithBinary(context, 1, &device.id, &bytes, &data, &status, &code));
    if (code != CL_SUCCESS || status != CL_SUCCESS) return false;
    code = api().BuildProgram(program.get(), 1, &device.id, options.c_str(), nullptr, nullptr);
    if (code != CL_SUCCESS) return false;
    program_ = std::move(program);
    return true;
}

void Program::store(const std::string &key) const {
    if (cache_folder().empty()) return;
    cl_uint devices = 0;
    size_t bytes = 0;
    if (api().GetProgramInfo(program_.get(), CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices, nullptr) != CL_SUCCESS ||
        devices != 1) {
        return; // a caller's context with several devices has no single binary
    }
    if (api().GetProgramInfo(program_.get(), CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS ||
        bytes == 0) {
        return;
    }
    std::vector<unsigned char> binary(bytes);
    unsigned char *to = binary.data();
    if (api().GetProgramInfo(program_.get(), CL_PROGRAM_BINARIES, sizeof to, &to, nullptr) == CL_SUCCESS) {
        cache_store(key, binary);
    }
}

Ref<cl_kernel> Program::take(const std::string &name) {
    {
        const std::lock_guard lock(mutex_);
        auto &idle = idle_[name];
        if (!idle.empty()) {
            Ref<cl_kernel> kernel = std::move(idle.back());
            idle.pop_back();
            return kernel;
        }
    }
    cl_int code = CL_SUCCESS;
    Ref kernel(api().CreateKernel(program_.get(), name.c_str(), &code));
    if (code == CL_INVALID_KERNEL_NAME) {
        throw Error(GP_ERROR_KERNEL_NAME, text("the program has no kernel \"", name, "\""), code);
    }
    check(code, "clCreateKernel", name);
    return kernel;
}

void Program::give_back(const std::string &name, Ref<cl_kernel> kernel) {
    const std::lock_guard lock(mutex_);
    idle_[name].push_back(std::move(kernel));
}

Kernel::~Kernel() {
    try {
        program_.give_back(name_, std::move(kernel_));
    } catch (...) {
        // No memory to keep it: the reference goes with it.
    }
}

} // namespace gpcl::cl
