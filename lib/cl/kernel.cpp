// The caller's own kernels: C entry points.
// SPDX-License-Identifier: MIT
#include "cl/task.h"

#include "core/dtype.h"
#include "core/options.h"

#include <string_view>

namespace gpcl::cl {
namespace {

enum Kind : unsigned { kBuffer = 1, kValue = 2, kLocal = 4 };

// What a kernel takes for an argument.
struct Parameter {
    unsigned kinds;
    size_t bytes;         // of a value; 0: of any number
    std::string declared; // such as "global float* x"
};

// What stands behind a gp_kernel.
struct UserKernel {
    std::shared_ptr<Context> context;
    std::shared_ptr<Program> program;
    std::string name;
    cl_uint argument_count = 0;
    std::vector<Parameter> parameters; // none where OpenCL does not tell
    uint64_t local_bytes = 0;          // of its own arrays in local memory

    const std::shared_ptr<DeviceState> &state() const { return context->state(); }
};

using KernelTable = HandleTable<UserKernel, gp_kernel>;

KernelTable &kernels() {
    static auto *table = new KernelTable("gp_kernel"); // never destroyed: no OpenCL call when the process ends
    return *table;
}

unsigned kinds_of(const KernelParameter &parameter) {
    if (parameter.address == "local") return kLocal;
    if (parameter.address == "private") return kValue;
    return parameter.type.ends_with('*') ? kBuffer : kBuffer | kValue; // images' handles are values
}

// Bytes of a value of an OpenCL type; 0 of those that callers define, of images and samplers.
size_t bytes_of(std::string_view type) {
    constexpr std::pair<std::string_view, size_t> kWidths[] = {{"", 1},  {"2", 2}, {"3", 4},
                                                               {"4", 4}, {"8", 8}, {"16", 16}};
    for (const Dtype &one : kDtypes) {
        const std::string_view name = one.opencl;
        for (const auto &[width, elements] : kWidths) {
            if (type.starts_with(name) && type.substr(name.size()) == width) return one.size * elements;
        }
    }
    return 0;
}

std::shared_ptr<UserKernel> build(std::shared_ptr<Context> context, const char *source, const char *options,
                                  const char *name) {
    require(!context->is_host(), GP_ERROR_UNSUPPORTED_DEVICE,
            "the device is \"host\", which can't run OpenCL C; open an OpenCL device");
    auto kernel = std::make_shared<UserKernel>();
    kernel->program = context->program_from(source, options != nullptr ? options : "");
    kernel->name = name;
    const Ref first = kernel->program->create(kernel->name);
    check(api().GetKernelInfo(first.get(), CL_KERNEL_NUM_ARGS, sizeof kernel->argument_count, &kernel->argument_count,
                              nullptr),
          "clGetKernelInfo", kernel->name);
    for (const KernelParameter &one : kernel->program->parameters(kernel->name))
        kernel->parameters.push_back(
            {kinds_of(one), bytes_of(one.type), text(one.address, ' ', one.type, ' ', one.name)});
    if (kernel->parameters.size() != kernel->argument_count) kernel->parameters.clear();
    cl_ulong local_bytes = 0;
    if (!context->is_rusticl()) // which counts arrays twice
        api().GetKernelWorkGroupInfo(first.get(), context->device().id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local_bytes,
                                     &local_bytes, nullptr);
    kernel->local_bytes = local_bytes;
    kernel->context = std::move(context);
    return kernel;
}

Range read_range(const gp_device_info &info, uint32_t dimensions, const size_t *global, const size_t *local) {
    require(dimensions >= 1 && dimensions <= 3, GP_ERROR_WORK_SIZE, "dimensions is ", dimensions,
            "; expected 1, 2 or 3");
    require_pointer(global, "global_size");
    Range range;
    range.dimensions = dimensions;
    size_t group = 1;
    for (uint32_t d = 0; d < dimensions; ++d) {
        require(global[d] > 0, GP_ERROR_WORK_SIZE, "global_size[", d, "] is 0; expected at least 1");
        range.global[d] = global[d];
        if (local == nullptr) continue;
        require(local[d] > 0 && global[d] % local[d] == 0, GP_ERROR_WORK_SIZE, "local_size[", d, "] is ", local[d],
                ", which does not divide global_size[", d, "] = ", global[d]);
        range.local[d] = local[d];
        group *= local[d];
    }
    require(group <= info.work_group_size, GP_ERROR_WORK_SIZE, "local_size asks for work-groups of ", group, "; ",
            info.name, " has at most ", info.work_group_size);
    return range;
}

// What an argument is.
Kind kind_of(const gp_argument &argument) {
    return argument.buffer != nullptr ? kBuffer : argument.value != nullptr ? kValue : kLocal;
}

// Drivers check sizes at most. They pass a buffer's address as a number, and take a number for a
// buffer, which crashes.
void require_kinds(const UserKernel &user, const gp_argument *arguments) {
    for (size_t i = 0; i < user.parameters.size(); ++i) {
        const gp_argument &given = arguments[i];
        const Kind kind = kind_of(given);
        const Parameter &parameter = user.parameters[i];
        if ((parameter.kinds & kind) != 0 && (kind != kValue || parameter.bytes == 0 || parameter.bytes == given.bytes))
            continue;
        const auto name_of = [](unsigned kinds) {
            return (kinds & kBuffer) != 0 ? "a buffer" : (kinds & kValue) != 0 ? "a value" : "local memory";
        };
        const auto size_text = [](size_t bytes) { return text(" of ", bytes, bytes == 1 ? " byte" : " bytes"); };
        fail(GP_ERROR_KERNEL_ARGUMENT, "arguments[", i, "] is ", name_of(kind),
             kind != kBuffer ? size_text(given.bytes) : "", "; kernel ", user.name, " declares \"", parameter.declared,
             "\", which takes ", name_of(parameter.kinds), parameter.bytes != 0 ? size_text(parameter.bytes) : "");
    }
}

// PoCL ends the process where local memory is more than the device's.
void require_local_memory(const UserKernel &user, size_t count, const gp_argument *arguments) {
    const gp_device_info &device = user.context->info();
    const bool fits = user.local_bytes <= device.local_bytes;
    require(user.local_bytes <= user.context->features().local_bytes, GP_ERROR_TOO_LARGE, "kernel ", user.name, " has ",
            user.local_bytes, " bytes of arrays in local memory; ", device.name, " has ", device.local_bytes,
            " in all");
    uint64_t left = device.local_bytes - (fits ? user.local_bytes : 0);
    for (size_t i = 0; i < count; ++i) {
        if (kind_of(arguments[i]) != kLocal) continue;
        require(arguments[i].bytes <= left, GP_ERROR_TOO_LARGE, "arguments[", i, "] asks for ", arguments[i].bytes,
                " bytes of local memory; ", left, " are left of the ", device.local_bytes, " that ", device.name,
                " has, beside kernel ", user.name, "'s own arrays and other arguments");
        left -= arguments[i].bytes;
    }
}

void launch(const UserKernel &user, const Range &range, size_t count, const gp_argument *arguments,
            const Waits &waits) {
    require(count == user.argument_count, GP_ERROR_KERNEL_ARGUMENT, "argument_count is ", count, "; kernel ", user.name,
            " has ", user.argument_count);
    if (count > 0) require_pointer(arguments, "arguments");
    require_kinds(user, arguments);
    require_local_memory(user, count, arguments);
    const Kernel kernel(*user.program, user.name);
    std::vector<std::shared_ptr<Buffer>> used;
    for (cl_uint i = 0; i < count; ++i) {
        const gp_argument &argument = arguments[i];
        if (argument.buffer == nullptr) {
            require(argument.bytes > 0, GP_ERROR_KERNEL_ARGUMENT, "arguments[", i, "] has 0 bytes; kernel ", user.name,
                    " needs some"); // PoCL ends the process
            Task::set(kernel, i, argument.bytes, argument.value);
            continue;
        }
        used.push_back(buffer_of(*user.context, argument.buffer, "arguments[].buffer"));
        const cl_mem memory = used.back()->memory.get();
        Task::set(kernel, i, sizeof memory, &memory);
    }
    Task task(user.context, waits);
    task.enqueue(kernel, range);
    task.end();
}

} // namespace
} // namespace gpcl::cl

using namespace gpcl;
using gpcl::cl::kernels;

gp_status gp_kernel_build(gp_context *context, const char *source, const char *options, const char *name,
                          gp_kernel **kernel) {
    return guard("gp_kernel_build", [&] {
        require_pointer(kernel, "kernel");
        auto device = cl::contexts().get(context, "context");
        require_pointer(source, "source");
        require_pointer(name, "name");
        *kernel = kernels().insert(cl::build(std::move(device), source, options, name));
    });
}

gp_status gp_kernel_free(gp_kernel *kernel) {
    return guard("gp_kernel_free", [&] {
        if (kernel != nullptr) kernels().free(kernel, "kernel");
    });
}

gp_status gp_enqueue_kernel(gp_kernel *kernel, uint32_t dimensions, const size_t *global_size, const size_t *local_size,
                            size_t argument_count, const gp_argument *arguments, size_t wait_count,
                            gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_kernel", [&] {
        const auto user = kernels().get(kernel, "kernel");
        const auto range = cl::read_range(user->context->info(), dimensions, global_size, local_size);
        cl::launch(*user, range, argument_count, arguments, {wait_count, wait, event});
    });
}
