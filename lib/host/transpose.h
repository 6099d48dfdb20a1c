// Transposes of matrices on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace gpcl::host {

// out[b][j][i] = in[b][i][j]: `batch` matrices of rows x columns elements of `size` bytes. Rows
// begin ld elements apart, matrices `stride`.
struct Transpose {
    size_t size, rows, columns, batch;
    const void *in;
    size_t ld_in, stride_in;
    void *out;
    size_t ld_out, stride_out;
};

void transpose(const Transpose &work);

} // namespace gpcl::host
