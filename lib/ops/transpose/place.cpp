// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/transpose/transpose.h"

#include "ops/place.h"

#include <cmath>

namespace gpcl::transpose {
namespace {

void sample(place::Sample &s) {
    const auto side = static_cast<size_t>(std::sqrt(real(s.work)));
    const size_t size = dtype(s.dtype).size;
    const void *const in = s.values(s.dtype, side * side);
    void *const out = s.room(side * side * size);
    s.time([&] { return gp_transpose_matrix(s.context, size, side, side, in, side, out, side, nullptr); });
}

} // namespace

const place::Kind kKind = {"transpose", "words", sample};

} // namespace gpcl::transpose
