// What stands behind a gp_buffer: memory of a context's device, or plain memory on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/context.h"
#include "core/size.h"

namespace gpcl::cl {

struct Buffer {
    std::shared_ptr<Context> context;
    size_t bytes = 0;
    Memory memory;                     // OpenCL devices
    std::unique_ptr<std::byte[]> host; // "host"
    cl_mem parent = nullptr;           // the buffer that sub-buffer `memory` is a part of, else NULL
    size_t parent_offset = 0;          // where in it `memory` begins, in bytes
    void *parent_address = nullptr;    // as Memory::address
    const uint64_t serial = new_serial();

    const std::shared_ptr<DeviceState> &state() const { return context->state(); }

    // The same for the same bytes, whichever handle or sub-buffer they are reached through.
    Extent extent(size_t offset_bytes, size_t count) const {
        if (host) return gpcl::extent(host.get() + offset_bytes, count);
        return {parent != nullptr ? parent : memory.get(), parent_offset + offset_bytes, count};
    }

    std::mutex maps_mutex;
    std::vector<void *> maps; // what gp_buffer_map gave out and was not unmapped yet
};

using BufferTable = HandleTable<Buffer, gp_buffer>;
BufferTable &buffers();

// The buffer behind a handle, checked to belong to the context and to hold [offset_bytes,
// offset_bytes + bytes).
std::shared_ptr<Buffer> buffer_of(const Context &context, const gp_buffer *handle, const char *argument);
void require_range(const Buffer &buffer, size_t offset_bytes, size_t bytes, const char *argument);

} // namespace gpcl::cl
