// Buffers and their C entry points.
// SPDX-License-Identifier: MIT
#include "cl/buffer.h"

#include "cl/task.h"
#include "core/options.h"
#include "core/size.h"

namespace gpcl::cl {

BufferTable &buffers() {
    static auto *table = new BufferTable("gp_buffer"); // never destroyed: no OpenCL call when the process ends
    return *table;
}

std::shared_ptr<Buffer> buffer_of(const Context &context, const gp_buffer *handle, const char *argument) {
    auto buffer = buffers().get(handle, argument);
    require(buffer->context.get() == &context, GP_ERROR_WRONG_CONTEXT, argument, " belongs to another context");
    return buffer;
}

void require_range(const Buffer &buffer, size_t offset_bytes, size_t bytes, const char *argument) {
    require(offset_bytes <= buffer.bytes && bytes <= buffer.bytes - offset_bytes, GP_ERROR_OUT_OF_BOUNDS, argument,
            ": ", Shown{bytes}, " bytes at byte ", Shown{offset_bytes}, " reach past the end of a buffer of ",
            buffer.bytes, " bytes");
}

namespace {

std::shared_ptr<Buffer> create(std::shared_ptr<Context> context, size_t bytes) {
    auto buffer = std::make_shared<Buffer>();
    buffer->bytes = bytes;
    if (context->is_host()) {
        context->require_allocation(bytes, "buffer");
        buffer->host.reset(new std::byte[std::max(bytes, size_t{1})]);
    } else {
        buffer->memory = context->allocate(bytes);
    }
    buffer->context = std::move(context);
    return buffer;
}

void require_pattern(size_t offset_bytes, size_t bytes, size_t pattern_bytes) {
    require(pattern_bytes >= 1 && pattern_bytes <= 128 && (pattern_bytes & (pattern_bytes - 1)) == 0, GP_ERROR_OPTION,
            "pattern_bytes is ", pattern_bytes, "; expected 1, 2, 4, 8, 16, 32, 64 or 128");
    require(offset_bytes % pattern_bytes == 0 && bytes % pattern_bytes == 0, GP_ERROR_OPTION, "offset_bytes (",
            offset_bytes, ") and bytes (", bytes, ") are not multiples of pattern_bytes (", pattern_bytes, ")");
}

// Each transfer below is one task, with or without a wait list; `blocking` waits before it returns.

void write(gp_buffer *handle, size_t offset, size_t bytes, const void *source, const Waits &waits, bool blocking) {
    const auto buffer = buffers().get(handle, "buffer");
    if (bytes > 0) require_pointer(source, "source");
    require_range(*buffer, offset, bytes, "buffer");
    Task task(buffer->context, waits);
    if (buffer->host) {
        task.on_host(GP_UPLOAD, "upload", [&] {
            if (bytes > 0) std::memcpy(buffer->host.get() + offset, source, bytes);
        });
    } else {
        task.write(buffer->memory.get(), offset, bytes, source, blocking, Task::Of::kCaller);
    }
    task.end();
}

void read(gp_buffer *handle, size_t offset, size_t bytes, void *destination, const Waits &waits, bool blocking) {
    const auto buffer = buffers().get(handle, "buffer");
    if (bytes > 0) require_pointer(destination, "destination");
    require_range(*buffer, offset, bytes, "buffer");
    Task task(buffer->context, waits);
    if (buffer->host) {
        task.on_host(GP_DOWNLOAD, "download", [&] {
            if (bytes > 0) std::memcpy(destination, buffer->host.get() + offset, bytes);
        });
    } else {
        task.read(buffer->memory.get(), offset, bytes, destination, blocking, Task::Of::kCaller);
    }
    task.end();
}

void copy(gp_buffer *source, size_t source_offset, gp_buffer *destination, size_t destination_offset, size_t bytes,
          const Waits &waits) {
    const auto from = buffers().get(source, "source");
    const auto to = buffer_of(*from->context, destination, "destination");
    require_range(*from, source_offset, bytes, "source");
    require_range(*to, destination_offset, bytes, "destination");
    require(!overlap(from->extent(source_offset, bytes), to->extent(destination_offset, bytes)), GP_ERROR_OVERLAP,
            "source and destination overlap in the same memory");
    Task task(from->context, waits);
    if (from->host) {
        task.on_host(GP_COPY, "copy", [&] {
            if (bytes > 0) std::memcpy(to->host.get() + destination_offset, from->host.get() + source_offset, bytes);
        });
    } else {
        task.copy_bytes(from->memory.get(), source_offset, to->memory.get(), destination_offset, bytes);
    }
    task.end();
}

void fill(gp_buffer *handle, size_t offset, size_t bytes, const void *pattern, size_t pattern_bytes,
          const Waits &waits) {
    const auto buffer = buffers().get(handle, "buffer");
    require_pointer(pattern, "pattern");
    require_pattern(offset, bytes, pattern_bytes);
    require_range(*buffer, offset, bytes, "buffer");
    Task task(buffer->context, waits);
    if (buffer->host) {
        task.on_host(GP_FILL, "fill", [&] {
            for (size_t at = 0; at < bytes; at += pattern_bytes) {
                std::memcpy(buffer->host.get() + offset + at, pattern, pattern_bytes);
            }
        });
    } else {
        task.fill(buffer->memory.get(), offset, bytes, pattern, pattern_bytes);
    }
    task.end();
}

// Runs an enqueuing body and waits for its event: the blocking forms of copy and fill.
template <class Enqueue> void and_wait(Enqueue &&enqueue) {
    gp_event *handle = nullptr;
    enqueue(Waits{0, nullptr, &handle});
    events().remove(handle, "event")->wait();
}

void *map(Buffer &buffer, gp_access access, size_t offset, size_t bytes) {
    if (buffer.host) return buffer.host.get() + offset;
    if (bytes == 0) return &buffer; // any pointer will do: nothing is behind it
    const cl_map_flags flags = access == GP_READ    ? CL_MAP_READ
                               : access == GP_WRITE ? CL_MAP_WRITE_INVALIDATE_REGION
                                                    : CL_MAP_READ | CL_MAP_WRITE;
    buffer.context->keep_order();
    return map_memory(buffer.context->queue(), buffer.memory.get(), flags, offset, bytes, {},
                      text(bytes, " bytes on ", buffer.context->info().name));
}

} // namespace
} // namespace gpcl::cl

using namespace gpcl;
using gpcl::cl::buffers;
using gpcl::cl::Waits;

gp_status gp_buffer_create(gp_context *context, size_t bytes, gp_buffer **buffer) {
    return guard("gp_buffer_create", [&] {
        require_pointer(buffer, "buffer");
        *buffer = buffers().insert(cl::create(cl::contexts().get(context, "context"), bytes));
    });
}

gp_status gp_buffer_free(gp_buffer *buffer) {
    return guard("gp_buffer_free", [&] {
        if (buffer != nullptr) buffers().free(buffer, "buffer");
    });
}

gp_status gp_buffer_bytes(gp_buffer *buffer, size_t *bytes) {
    return guard("gp_buffer_bytes", [&] {
        require_pointer(bytes, "bytes");
        *bytes = buffers().get(buffer, "buffer")->bytes;
    });
}

gp_status gp_buffer_write(gp_buffer *buffer, size_t offset_bytes, size_t bytes, const void *source) {
    return guard("gp_buffer_write", [&] { cl::write(buffer, offset_bytes, bytes, source, {}, true); });
}

gp_status gp_buffer_read(gp_buffer *buffer, size_t offset_bytes, size_t bytes, void *destination) {
    return guard("gp_buffer_read", [&] { cl::read(buffer, offset_bytes, bytes, destination, {}, true); });
}

gp_status gp_buffer_copy(gp_buffer *source, size_t source_offset_bytes, gp_buffer *destination,
                         size_t destination_offset_bytes, size_t bytes) {
    return guard("gp_buffer_copy", [&] {
        cl::and_wait([&](const Waits &waits) {
            cl::copy(source, source_offset_bytes, destination, destination_offset_bytes, bytes, waits);
        });
    });
}

gp_status gp_buffer_fill(gp_buffer *buffer, size_t offset_bytes, size_t bytes, const void *pattern,
                         size_t pattern_bytes) {
    return guard("gp_buffer_fill", [&] {
        cl::and_wait([&](const Waits &waits) { cl::fill(buffer, offset_bytes, bytes, pattern, pattern_bytes, waits); });
    });
}

gp_status gp_buffer_map(gp_buffer *buffer, gp_access access, size_t offset_bytes, size_t bytes, void **pointer) {
    return guard("gp_buffer_map", [&] {
        require_pointer(pointer, "pointer");
        const auto object = buffers().get(buffer, "buffer");
        require(access >= GP_READ && access <= GP_READ_WRITE, GP_ERROR_OPTION, "access is ", access,
                "; expected GP_READ, GP_WRITE or GP_READ_WRITE");
        cl::require_range(*object, offset_bytes, bytes, "buffer");
        void *mapped = cl::map(*object, access, offset_bytes, bytes);
        const std::lock_guard lock(object->maps_mutex);
        object->maps.push_back(mapped);
        *pointer = mapped;
    });
}

gp_status gp_buffer_unmap(gp_buffer *buffer, void *pointer) {
    return guard("gp_buffer_unmap", [&] {
        const auto object = buffers().get(buffer, "buffer");
        require_pointer(pointer, "pointer");
        {
            const std::lock_guard lock(object->maps_mutex);
            const auto found = std::find(object->maps.begin(), object->maps.end(), pointer);
            require(found != object->maps.end(), GP_ERROR_OPTION, "pointer (", pointer,
                    ") is none that gp_buffer_map gave for this buffer, or was unmapped before");
            object->maps.erase(found);
        }
        if (object->host || pointer == object.get()) return;
        cl::check(cl::api().EnqueueUnmapMemObject(object->context->queue(), object->memory.get(), pointer, 0, nullptr,
                                                  nullptr),
                  "clEnqueueUnmapMemObject", object->context->info().name);
    });
}

gp_status gp_enqueue_write(gp_buffer *buffer, size_t offset_bytes, size_t bytes, const void *source, size_t wait_count,
                           gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_write", [&] {
        cl::write(buffer, offset_bytes, bytes, source, {wait_count, wait, event}, false);
    });
}

gp_status gp_enqueue_read(gp_buffer *buffer, size_t offset_bytes, size_t bytes, void *destination, size_t wait_count,
                          gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_read", [&] {
        cl::read(buffer, offset_bytes, bytes, destination, {wait_count, wait, event}, false);
    });
}

gp_status gp_enqueue_copy(gp_buffer *source, size_t source_offset_bytes, gp_buffer *destination,
                          size_t destination_offset_bytes, size_t bytes, size_t wait_count, gp_event *const *wait,
                          gp_event **event) {
    return guard("gp_enqueue_copy", [&] {
        cl::copy(source, source_offset_bytes, destination, destination_offset_bytes, bytes, {wait_count, wait, event});
    });
}

gp_status gp_enqueue_fill(gp_buffer *buffer, size_t offset_bytes, size_t bytes, const void *pattern,
                          size_t pattern_bytes, size_t wait_count, gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_fill", [&] {
        cl::fill(buffer, offset_bytes, bytes, pattern, pattern_bytes, {wait_count, wait, event});
    });
}
