// For programs that use OpenCL themselves: the C entry points of <gpcl/opencl.h>.
// SPDX-License-Identifier: MIT
#include "cl/task.h"
#include "core/threads.h"

#include <gpcl/opencl.h>

using namespace gpcl;
using gpcl::cl::api;
using gpcl::cl::check;

namespace {

std::shared_ptr<cl::Context> opencl_context(const gp_context *handle) {
    auto context = cl::contexts().get(handle, "context");
    require(!context->is_host(), GP_ERROR_UNSUPPORTED_DEVICE, "the device is \"host\", which has no OpenCL objects");
    return context;
}

} // namespace

gp_status gp_open_opencl(cl_context opencl_context, cl_device_id device, cl_command_queue queue, gp_context **context) {
    return guard("gp_open_opencl", [&] {
        require_pointer(context, "context");
        require_pointer(opencl_context, "opencl_context");
        require_pointer(device, "device");
        require_pointer(queue, "queue");
        count_workers();
        require(api().present, GP_ERROR_OPENCL, "there is no OpenCL loader: ", api().trouble);
        *context = cl::contexts().insert(
            std::make_shared<cl::Context>(opencl_context, device, queue, cl::bound_of_environment()));
    });
}

gp_status gp_opencl_context(gp_context *context, cl_context *opencl_context) {
    return guard("gp_opencl_context", [&] {
        require_pointer(opencl_context, "opencl_context");
        *opencl_context = ::opencl_context(context)->opencl();
    });
}

gp_status gp_opencl_device(gp_context *context, cl_device_id *device) {
    return guard("gp_opencl_device", [&] {
        require_pointer(device, "device");
        *device = opencl_context(context)->device().id;
    });
}

gp_status gp_opencl_queue(gp_context *context, cl_command_queue *queue) {
    return guard("gp_opencl_queue", [&] {
        require_pointer(queue, "queue");
        *queue = opencl_context(context)->queue();
    });
}

gp_status gp_buffer_wrap(gp_context *context, cl_mem memory, gp_buffer **buffer) {
    return guard("gp_buffer_wrap", [&] {
        require_pointer(buffer, "buffer");
        auto owner = opencl_context(context);
        require_pointer(memory, "memory");
        cl_context its_context = nullptr;
        cl_mem_object_type type = 0;
        size_t bytes = 0;
        const auto query = [&](cl_mem_info what, auto &value) {
            check(api().GetMemObjectInfo(memory, what, sizeof value, &value, nullptr), "clGetMemObjectInfo",
                  "the caller's memory");
        };
        query(CL_MEM_CONTEXT, its_context);
        query(CL_MEM_TYPE, type);
        query(CL_MEM_SIZE, bytes);
        require(its_context == owner->opencl(), GP_ERROR_WRONG_CONTEXT, "memory belongs to another cl_context");
        require(type == CL_MEM_OBJECT_BUFFER, GP_ERROR_OPTION, "memory is of type ", type, "; expected a buffer");
        auto object = std::make_shared<cl::Buffer>();
        object->bytes = bytes;
        object->memory = cl::Memory(cl::Ref<cl_mem>::retained(memory));
        query(CL_MEM_ASSOCIATED_MEMOBJECT, object->parent);
        query(CL_MEM_OFFSET, object->parent_offset);
        object->memory.set_address(owner->address_of(memory));
        if (object->parent != nullptr) object->parent_address = owner->address_of(object->parent);
        object->context = std::move(owner);
        *buffer = cl::buffers().insert(std::move(object));
    });
}

gp_status gp_opencl_mem(gp_buffer *buffer, cl_mem *memory) {
    return guard("gp_opencl_mem", [&] {
        require_pointer(memory, "memory");
        const auto object = cl::buffers().get(buffer, "buffer");
        require(static_cast<bool>(object->memory), GP_ERROR_UNSUPPORTED_DEVICE,
                "the device is \"host\", which has no OpenCL objects");
        *memory = object->memory.get();
    });
}

gp_status gp_event_wrap(gp_context *context, cl_event opencl_event, gp_event **event) {
    return guard("gp_event_wrap", [&] {
        require_pointer(event, "event");
        auto owner = opencl_context(context);
        require_pointer(opencl_event, "opencl_event");
        cl_context its_context = nullptr;
        check(api().GetEventInfo(opencl_event, CL_EVENT_CONTEXT, sizeof its_context, &its_context, nullptr),
              "clGetEventInfo", "the caller's event");
        require(its_context == owner->opencl(), GP_ERROR_WRONG_CONTEXT, "opencl_event belongs to another cl_context");
        auto object = std::make_shared<cl::Event>();
        object->last = cl::Ref<cl_event>::retained(opencl_event);
        object->context = std::move(owner);
        *event = cl::events().insert(std::move(object));
    });
}

gp_status gp_opencl_event(gp_event *event, cl_event *opencl_event) {
    return guard("gp_opencl_event", [&] {
        require_pointer(opencl_event, "opencl_event");
        const auto object = cl::events().get(event, "event");
        require(static_cast<bool>(object->last), GP_ERROR_UNSUPPORTED_DEVICE,
                "the event has no cl_event behind it: its work was complete at once");
        *opencl_event = object->last.get();
    });
}
