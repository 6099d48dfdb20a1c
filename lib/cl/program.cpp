// Builds programs, keeps their binaries on disk, lends their kernels.
// SPDX-License-Identifier: MIT
#include "cl/program.h"

#include "cl/cache.h"

#include <sstream>

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

const char *address_space(cl_kernel_arg_address_qualifier address) {
    switch (address) {
    case CL_KERNEL_ARG_ADDRESS_GLOBAL: return "global";
    case CL_KERNEL_ARG_ADDRESS_CONSTANT: return "constant";
    case CL_KERNEL_ARG_ADDRESS_LOCAL: return "local";
    default: return "private";
    }
}

// The parameters of all kernels, as Program::parameters_ holds them, as far as OpenCL tells.
std::string all_parameters(cl_program program) {
    if (api().GetKernelArgInfo == nullptr) return {};
    std::istringstream names(query_text([&](size_t n, void *to, size_t *size) {
        return api().GetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, n, to, size);
    }));
    std::string result;
    for (std::string name; std::getline(names, name, ';');) {
        cl_int code = CL_SUCCESS;
        const Ref kernel(api().CreateKernel(program, name.c_str(), &code));
        cl_uint count = 0;
        if (code != CL_SUCCESS || api().GetKernelInfo(kernel.get(), CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr))
            continue;
        for (cl_uint i = 0; i < count; ++i) {
            const auto get = [&](cl_kernel_arg_info what) {
                return query_text([&](size_t n, void *to, size_t *size) {
                    return api().GetKernelArgInfo(kernel.get(), i, what, n, to, size);
                });
            };
            cl_kernel_arg_address_qualifier address = 0;
            code = api().GetKernelArgInfo(kernel.get(), i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address,
                                          nullptr);
            const std::string type = get(CL_KERNEL_ARG_TYPE_NAME);
            if (code == CL_SUCCESS && !type.empty())
                result += text(name, '\t', address_space(address), '\t', type, '\t', get(CL_KERNEL_ARG_NAME), '\n');
        }
    }
    return result;
}

// All that the binary depends on.
std::string cache_key(const Device &device, const std::string &source, const std::string &options,
                      size_t groups_per_unit) {
    const auto &info = device.info;
    return text(GPCL_VERSION, '\n', info.platform, '\n', info.platform_version, '\n', info.name, '\n', info.driver,
                '\n', options, '\n', groups_per_unit, '\n', source);
}

// OpenCL C has no word for registers, and -cl-nv-maxrregcount does nothing (driver 580). But the
// binary is PTX, which has: a directive of kernels whose work-group size is fixed. Without such
// kernels, or if it is not PTX, it stays as it is.
void limit_registers(std::string &ptx, size_t groups_per_unit) {
    constexpr std::string_view kFixedSize = "\n.reqntid ";
    const std::string directive = text("\n.minnctapersm ", groups_per_unit);
    for (size_t at = 0; (at = ptx.find(kFixedSize, at)) != std::string::npos; at += directive.size() + 1)
        ptx.insert(at, directive);
}

// OpenCL C is compiled for "sm_90", which lacks the instructions that only this architecture has.
// Assembly in kernels writes them as comments behind this mark, one in a line; without the marks,
// and for this target, the binary is built again.
constexpr std::string_view kOwnMark = "//sm_90a ";

void use_own_instructions(std::string &ptx) {
    constexpr std::string_view kTarget = ".target sm_90";
    constexpr std::string_view kOwnTarget = ".target sm_90a";
    std::string unmarked;
    unmarked.reserve(ptx.size() + 1);
    std::string_view rest = ptx;
    for (size_t at = 0; (at = rest.find(kOwnMark)) != std::string_view::npos; rest.remove_prefix(at + kOwnMark.size()))
        unmarked.append(rest.substr(0, at));
    unmarked.append(rest);
    const size_t target = unmarked.find(kTarget);
    if (target != std::string::npos) unmarked.replace(target, kTarget.size(), kOwnTarget);
    ptx = std::move(unmarked);
}

// What the first build's binary is built again for.
bool has_own_instructions(const std::string &source) { return source.find(kOwnMark) != std::string::npos; }

} // namespace

std::string build_options(const Device &device, const ProgramKey &key) {
    const bool is_named = key.options.find("-cl-std=") != std::string::npos;
    // -w: compilers count warnings on the standard error.
    return text(is_named ? "" : "-cl-std=CL1.2 ", "-w ", device.options, key.options);
}

Program::Program(cl_context context, const Device &device, const std::string &source, const std::string &options,
                 size_t groups_per_unit) {
    const std::string key = cache_key(device, source, options, groups_per_unit);
    if (const auto cached = cache_load(key)) {
        // OpenCL may not tell the parameters of a program that was made of a binary, so they are
        // stored before it.
        const size_t end = cached->find('\0');
        if (end != std::string::npos && load(std::string_view(*cached).substr(end + 1), context, device, options)) {
            parameters_ = cached->substr(0, end);
            return;
        }
    }
    const char *text_pointer = source.c_str();
    const size_t length = source.size();
    cl_int code = CL_SUCCESS;
    program_ = Ref(api().CreateProgramWithSource(context, 1, &text_pointer, &length, &code));
    check(code, "clCreateProgramWithSource");
    code = api().BuildProgram(program_.get(), 1, &device.id, options.c_str(), nullptr, nullptr);
    if (code == CL_OUT_OF_HOST_MEMORY) check(code, "clBuildProgram");
    if (code != CL_SUCCESS) {
        fail_with(GP_ERROR_BUILD, code,
                  text("OpenCL C does not build for ", device.info.name, " (clBuildProgram returned ", error_name(code),
                       "); gp_error_build_log() has the whole log"),
                  build_log(program_.get(), device.id));
    }
    const bool has_own = device.features.ptx != 0 && has_own_instructions(source);
    if ((groups_per_unit != 0 && device.features.ptx != 0) || has_own) {
        auto edited = binary();
        if (edited) {
            if (groups_per_unit != 0) limit_registers(*edited, groups_per_unit);
            if (has_own) use_own_instructions(*edited);
        }
        const bool loaded = edited && load(*edited, context, device, options);
        require(loaded || !has_own, GP_ERROR_BUILD, "the instructions of ", device.info.name,
                "'s own do not build; GPCL_FEATURES=ptx80 leaves them out");
    }
    parameters_ = options.find(kTellParameters) != std::string::npos ? all_parameters(program_.get()) : std::string();
    cache_store(key, [this] {
        auto built = binary();
        if (built) built->insert(0, parameters_ + '\0');
        return built;
    });
}

bool Program::load(std::string_view binary, cl_context context, const Device &device, const std::string &options) {
    const auto *data = reinterpret_cast<const unsigned char *>(binary.data());
    const size_t bytes = binary.size();
    cl_int status = CL_SUCCESS;
    cl_int code = CL_SUCCESS;
    Ref program(api().CreateProgramWithBinary(context, 1, &device.id, &bytes, &data, &status, &code));
    if (code != CL_SUCCESS || status != CL_SUCCESS) return false;
    code = api().BuildProgram(program.get(), 1, &device.id, options.c_str(), nullptr, nullptr);
    if (code != CL_SUCCESS) return false;
    program_ = std::move(program);
    return true;
}

// None of a caller's context with several devices.
std::optional<std::string> Program::binary() const {
    cl_uint devices = 0;
    size_t bytes = 0;
    const auto get = [&](cl_program_info what, size_t size, void *to) {
        return api().GetProgramInfo(program_.get(), what, size, to, nullptr) == CL_SUCCESS;
    };
    if (!get(CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices) || devices != 1) return std::nullopt;
    if (!get(CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes) || bytes == 0) return std::nullopt;
    std::string binary(bytes, '\0');
    char *to = binary.data();
    if (!get(CL_PROGRAM_BINARIES, sizeof to, &to)) return std::nullopt;
    return binary;
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
    return create(name);
}

Ref<cl_kernel> Program::create(const std::string &name) const {
    cl_int code = CL_SUCCESS;
    Ref kernel(api().CreateKernel(program_.get(), name.c_str(), &code));
    if (code == CL_INVALID_KERNEL_NAME) {
        throw Error(GP_ERROR_KERNEL_NAME, text("the program has no kernel \"", name, "\""), code);
    }
    check(code, "clCreateKernel", name);
    return kernel;
}

std::vector<KernelParameter> Program::parameters(const std::string &kernel) const {
    std::vector<KernelParameter> result;
    std::istringstream lines(parameters_);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        KernelParameter one;
        std::string of;
        std::getline(std::getline(std::getline(std::getline(words, of, '\t'), one.address, '\t'), one.type, '\t'),
                     one.name);
        if (of == kernel) result.push_back(std::move(one));
    }
    return result;
}

void Program::give_back(const std::string &name, Ref<cl_kernel> kernel) {
    const std::lock_guard lock(mutex_);
    idle_[name].push_back(std::move(kernel));
}

Kernel::~Kernel() {
    if (!kernel_) return;
    try {
        program_->give_back(name_, std::move(kernel_));
    } catch (...) {
        // No memory to keep it: the reference goes with it.
    }
}

} // namespace gpcl::cl
