// What stands behind a gp_buffer: memory of a context's device, or plain memory on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/context.h"

namespace gpcl::cl {

struct Buffer {
    std::shared_ptr<Context> context;
    size_t bytes = 0;
    Ref<cl_mem> memory;                // OpenCL devices
    std::unique_ptr<std::byte[]> host; // "host"

    std::mutex maps_mutex;
    std::vector<void *> maps; // what gp_buffer_map gave out and was not unmapped yet
};

using BufferTable = HandleTable<Buffer, gp_buffer>;
BufferTable &buffers();

// The buffer behind a handle, checked to belong to the context and to hold [offset_bytes, offset_bytes + bytes).
std::shared_ptr<Buffer> buffer_of(const Context &context, const gp_buffer *handle, const char *argument);
void require_range(const Buffer &buffer, size_t offset_bytes, size_t bytes, const char *argument);

} // namespace gpcl::cl
