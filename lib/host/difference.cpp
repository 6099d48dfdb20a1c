// Differences of neighbouring elements, on the host: one array less another, an element apart, by
// vectors.
// SPDX-License-Identifier: MIT
#include "host/difference.h"

#include "core/cpu.h"
#include "core/size.h"
#include "host/parallel.h"
#include "host/read.h"
#include "host/vectors.h"

#include <array>
#include <cstdint>

namespace gpcl::host {
namespace {

constexpr size_t kChunk = size_t{1} << 16; // what a thread takes at a time

// out[i] = here[i] - before[i] for n elements, which fill a vector or more. The last vector may
// have elements that another one had, too: out lies apart from the others.
template <class V, class T>
[[gnu::always_inline]] inline void subtract_vectors(const T *before, const T *here, T *out, size_t n) {
    constexpr size_t kLanes = sizeof(V) / sizeof(T), kVectors = 4; // at a time
    const auto subtract_at = [&](size_t i) __attribute__((always_inline)) {
        V a, b;
        load_vector(before + i, a);
        load_vector(here + i, b);
        b -= a;
        store_vector(b, out + i);
    };
    size_t i = 0;
    if (n >= 8 * kVectors * kLanes) { // vectors that are stored across two lines of the cache take longer
        subtract_at(0);
        i = (sizeof(V) - reinterpret_cast<uintptr_t>(out) % sizeof(V)) / sizeof(T);
    }
    for (; i + kVectors * kLanes <= n; i += kVectors * kLanes) {
#pragma GCC unroll 4
        for (size_t v = 0; v < kVectors; ++v) subtract_at(i + v * kLanes);
    }
    for (; i + kLanes <= n; i += kLanes) subtract_at(i);
    if (i < n) subtract_at(n - kLanes);
}

// Integers of T have no sign, so they wrap.
template <class T>
[[gnu::always_inline]] inline void subtract_inline(const T *before, const T *here, T *out, size_t n) {
    if (n * sizeof(T) >= sizeof(Vector<T>)) return subtract_vectors<Vector<T>>(before, here, out, n);
    if (n * sizeof(T) >= 16) return subtract_vectors<VectorOf<T, 16>>(before, here, out, n);
    if constexpr (sizeof(T) < 8)
        if (n * sizeof(T) >= 8) return subtract_vectors<VectorOf<T, 8>>(before, here, out, n);
    for (size_t i = 0; i < n; ++i) out[i] = static_cast<T>(here[i] - before[i]);
}

template <class T> void subtract_portable(const T *before, const T *here, T *out, size_t n) {
    subtract_inline(before, here, out, n);
}
#if defined(GPCL_HAVE_X86)
template <class T> [[gnu::target("avx2")]] void subtract_avx2(const T *before, const T *here, T *out, size_t n) {
    subtract_inline(before, here, out, n);
}
#endif

template <class T> void subtract(const T *before, const T *here, T *out, size_t n) {
#if defined(GPCL_HAVE_X86)
    if (has_avx2()) return subtract_avx2(before, here, out, n);
#endif
    subtract_portable(before, here, out, n);
}

struct Half {
    uint16_t bits;
};

void subtract(const Half *before, const Half *here, Half *out, size_t n) {
    for (size_t i = 0; i < n; ++i)
        out[i].bits = float_to_half(half_to_float(here[i].bits) - half_to_float(before[i].bits));
}

// Elements begin .. end - 1 of a row's results.
template <class T>
void subtract_part(bool kept, const T *in, size_t step_in, T *out, size_t step_out, size_t begin, size_t end) {
    if (kept && begin == 0 && end > 0) {
        out[0] = in[0];
        begin = 1;
    }
    if (begin >= end) return;
    const T *before = in + (begin - (kept ? 1 : 0)) * step_in;
    if (step_in == 1 && step_out == 1) return subtract(before, before + 1, out + begin, end - begin);
    for (size_t i = begin; i < end; ++i, before += step_in) subtract(before, before + step_in, out + i * step_out, 1);
}

// `width` neighbouring rows, as the columns of a matrix: elements begin .. end - 1 of each. Where
// no other columns lie between theirs they are one row, whose neighbours lie `width` elements
// apart.
template <class T> void subtract_columns(bool kept, const T *in, size_t step_in, T *out, size_t step_out, size_t width,
                                         size_t begin, size_t end) {
    if (kept && begin == 0 && end > 0) {
        std::copy_n(in, width, out);
        begin = 1;
    }
    if (begin >= end) return;
    const T *const before = in + (begin - (kept ? 1 : 0)) * step_in;
    T *const to = out + begin * step_out;
    if (step_in == width && (step_out == width || end - begin == 1))
        return subtract(before, before + width, to, (end - begin) * width);
    for (size_t i = 0; i < end - begin; ++i)
        subtract(before + i * step_in, before + (i + 1) * step_in, to + i * step_out, width);
}

template <class T> void of_rows(bool kept, const Rows &from, const T *in, const Rows &to, T *out) {
    const size_t n = to.n, batch = to.batch;
    // Nanoseconds, in cache: from memory more threads pay soon enough.
    const auto cost = [](size_t elements) {
        return std::is_same_v<T, Half> ? 2 * elements : elements * sizeof(T) / 64;
    };
    if (from.are_columns() && from.stride == 1 && to.stride == 1) {
        const size_t width = std::min(batch, kChunk), pieces = ceil_div(batch, width);
        const size_t part = std::max(kChunk / width, size_t{1});
        return parallel_for(pieces * ceil_div(n, part), cost(part * width), [&](size_t index) {
            const size_t row = index % pieces * width, begin = index / pieces * part;
            subtract_columns(kept, in + row, from.step, out + row, to.step, std::min(width, batch - row), begin,
                             std::min(begin + part, n));
        });
    }
    const size_t parts = ceil_div(n, kChunk), rows = std::max(kChunk / n, size_t{1}); // of a row; at a time
    const size_t each = std::min(n * std::min(rows, batch), kChunk);
    parallel_for(ceil_div(batch, rows) * parts, cost(each), [&](size_t index) {
        const size_t first = index / parts * rows, begin = index % parts * kChunk;
        for (size_t row = first; row < std::min(first + rows, batch); ++row)
            subtract_part(kept, in + row * from.stride, from.step, out + row * to.stride, to.step, begin,
                          std::min(begin + kChunk, n));
    });
}

} // namespace

void difference(gp_dtype dtype, bool kept, const Rows &from, const void *in, const Rows &to, void *out) {
    if (to.n == 0) return;
    const auto run = [&](auto zero) {
        using T = decltype(zero);
        of_rows(kept, from, static_cast<const T *>(in), to, static_cast<T *>(out));
    };
    if (dtype == GP_FLOAT16) return run(Half{});
    if (dtype == GP_FLOAT32) return run(float{});
    if (dtype == GP_FLOAT64) return run(double{});
    switch (gpcl::dtype(dtype).size) {
    case 1: return run(uint8_t{});
    case 2: return run(uint16_t{});
    case 4: return run(uint32_t{});
    default: return run(uint64_t{});
    }
}

} // namespace gpcl::host
