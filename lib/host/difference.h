// Differences of neighbouring elements, on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/rows.h"

namespace gpcl::host {

// For every row: kept: out[0] = in[0], out[i] = in[i] - in[i - 1]; else out[i] = in[i + 1] - in[i].
// to.n elements of each row are written; integers wrap.
void difference(gp_dtype dtype, bool kept, const Rows &from, const void *in, const Rows &to, void *out);

} // namespace gpcl::host
