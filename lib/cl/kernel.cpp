// The caller's own kernels: C entry points.
// SPDX-License-Identifier: MIT
#include "cl/task.h"

#include "core/options.h"

namespace gpcl::cl {
namespace {

// What stands behind a gp_kernel.
struct UserKernel {
    std::shared_ptr<Context> context;
    std::shared_ptr<Program> program;
    std::string name;
    cl_uint argument_count = 0;
};

using KernelTable = HandleTable<UserKernel, gp_kernel>;

KernelTable &kernels() {
    static auto *table = new KernelTable("gp_kernel"); // never destroyed: no OpenCL call when the process ends
    return *table;
}

std::shared_ptr<UserKernel> build(std::shared_ptr<Context> context, const char *source, const char *options,
                                  const char *name) {
    require(!context->is_host(), GP_ERROR_UNSUPPORTED_DEVICE,
            "the device is \"host\", which can't run OpenCL C; open an OpenCL device");
    auto kernel = std::make_shared<UserKernel>();
    kernel->program = context->program_from(source, options != nullptr ? options : "");
    kernel->name = name;
    const Kernel first(*kernel->program, kernel->name);
    check(api().GetKernelInfo(first.get(), CL_KERNEL_NUM_ARGS, sizeof kernel->argument_count, &kernel->argument_count,
                              nullptr),
          "clGetKernelInfo", kernel->name);
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
        require(global[d] > 0, GP_ERROR_WORK_SIZE, "global_size[", d, "] is 0");
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

void launch(const UserKernel &user, const Range &range, size_t count, const gp_argument *arguments,
            const Waits &waits) {
    require(count == user.argument_count, GP_ERROR_KERNEL_ARGUMENT, "argument_count is ", count, "; kernel ", user.name,
            " has ", user.argument_count);
    if (count > 0) require_pointer(arguments, "arguments");
    const Kernel kernel(*user.program, user.name);
    std::vector<std::shared_ptr<Buffer>> used;
    for (cl_uint i = 0; i < count; ++i) {
        const gp_argument &argument = arguments[i];
        if (argument.buffer == nullptr) {
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
        *kernel = nullptr;
        auto device = cl::contexts().get(context, "context");
        require_pointer(source, "source");
        require_pointer(name, "name");
        *kernel = kernels().insert(cl::build(std::move(device), source, options, name));
    });
}

gp_status gp_kernel_free(gp_kernel *kernel) {
    return guard("gp_kernel_free", [&] {
        if (kernel != nullptr) kernels().remove(kernel, "kernel");
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
