// Shortest paths on the host, by Floyd and Warshall's algorithm in blocks of nodes (Park, Penner
// and Prasanna, "Optimizing Graph Algorithms for Improved Cache Performance", 2004). Without
// predecessors a block's nodes reach all others by min-plus products, as lib/ops/paths/products.cpp
// tells. With predecessors the results are those of three nested loops, as kernels/paths/tiles.cl
// tells.
// SPDX-License-Identifier: MIT
#include "host/paths.h"

#include "core/cpu.h"
#include "core/size.h"
#include "host/matmul.h"
#include "host/parallel.h"
#include "host/semiring.h"

namespace gpcl::host {
namespace {

constexpr int32_t kNoNode = -9999;

// Of integers, "no path" is half of the largest value while paths are looked for, so that no sum of
// two overflows; what is longer than a sixth of it in the end goes by way of such an edge.
template <class T> constexpr T kNoPath = std::is_integral_v<T> ? largest<T>() / 2 : largest<T>();
template <class T> constexpr T kLongest = std::is_integral_v<T> ? largest<T>() / 6 : largest<T>();

constexpr size_t kLanes = 8;
template <class T> using Lanes [[gnu::vector_size(kLanes * sizeof(T))]] = T;

// d[j] = the lesser of d[j] and a + up[j]; where that is lesser, nodes[j] = up_nodes[j].
template <class T> struct Line {
    T *d;
    int32_t *nodes; // NULL: not wanted, nor are up's
    const T *up;
    const int32_t *up_nodes;
};

template <class T, bool kNodes> [[gnu::always_inline]] inline void relax_line(const Line<T> &line, size_t n, T a) {
    using W = Lanes<typename Wrapping<T>::type>;
    const Lanes<T> first = a - Lanes<T>{}; // in all lanes
    size_t j = 0;
    for (; j + kLanes <= n; j += kLanes) {
        Lanes<T> old, up;
        load_vector(line.d + j, old);
        load_vector(line.up + j, up);
        const auto sum = (Lanes<T>)((W)first + (W)up);
        const auto lesser = sum < old;
        const Lanes<T> least = lesser ? sum : old;
        store_vector(least, line.d + j);
        if constexpr (kNodes) {
            Lanes<int32_t> node, before;
            load_vector(line.nodes + j, node);
            load_vector(line.up_nodes + j, before);
            const auto taken = __builtin_convertvector(lesser, Lanes<int32_t>);
            const Lanes<int32_t> now = (before & taken) | (node & ~taken);
            store_vector(now, line.nodes + j);
        }
    }
    for (; j < n; ++j) {
        const T sum = wrapping_add(a, line.up[j]);
        if (!(sum < line.d[j])) continue;
        line.d[j] = sum;
        if constexpr (kNodes) line.nodes[j] = line.up_nodes[j];
    }
}

// The same by one stage's nodes after the other: their distances from the line's node are a[s *
// a_stride], their own lines lie `pitch` apart.
template <class T, bool kNodes> [[gnu::always_inline]] inline void
relax_lines(Line<T> line, size_t n, const T *a, size_t a_stride, size_t count, size_t pitch) {
    for (size_t s = 0; s < count; ++s) {
        if (a[s * a_stride] < kNoPath<T>) relax_line<T, kNodes>(line, n, a[s * a_stride]);
        line.up += pitch;
        if constexpr (kNodes) line.up_nodes += pitch;
    }
}

template <class T, bool kNodes>
void relax_portable(const Line<T> &line, size_t n, const T *a, size_t a_stride, size_t count, size_t pitch) {
    relax_lines<T, kNodes>(line, n, a, a_stride, count, pitch);
}

#if defined(GPCL_HAVE_X86)
template <class T, bool kNodes> [[gnu::target("avx2")]] void relax_avx2(const Line<T> &line, size_t n, const T *a,
                                                                        size_t a_stride, size_t count, size_t pitch) {
    relax_lines<T, kNodes>(line, n, a, a_stride, count, pitch);
}

template <class T, bool kNodes> auto best_relax() {
    return has_avx2() ? relax_avx2<T, kNodes> : relax_portable<T, kNodes>;
}
#else
template <class T, bool kNodes> auto best_relax() { return relax_portable<T, kNodes>; }
#endif

template <class T> struct Search {
    const PathsProblem &x;
    size_t n = x.n, ld = x.ld_out;
    T *out = static_cast<T *>(x.out);

    T *row(size_t i) const { return out + i * ld; }
    int32_t *nodes(size_t i) const { return x.predecessors + i * x.ld_predecessors; }

    // Calls f with ranges of 0 to `count` on several threads, each item of which takes so many
    // nanoseconds.
    template <class F> static void in_ranges(size_t count, size_t step, size_t cost, const F &f) {
        parallel_for(ceil_div(count, step), step * cost,
                     [&](size_t k) { f(k * step, std::min(count, (k + 1) * step)); });
    }

    void begin() const {
        in_ranges(n, 16, n, [&](size_t from, size_t to) {
            for (size_t i = from; i < to; ++i) {
                const T *const in = static_cast<const T *>(x.in) + i * x.ld_in;
                for (size_t j = 0; j < n; ++j) {
                    T length = in[j];
                    if (length != length || length > kLongest<T>) length = kNoPath<T>;
                    if (i == j && length > 0) length = 0;
                    row(i)[j] = length;
                    if (x.predecessors != nullptr)
                        nodes(i)[j] = i == j || length == kNoPath<T> ? kNoNode : static_cast<int32_t>(i);
                }
            }
        });
    }

    void end() const {
        if (x.negative_cycle != nullptr) {
            *x.negative_cycle = 0;
            for (size_t i = 0; i < n; ++i)
                if (row(i)[i] < 0) *x.negative_cycle = 1;
        }
        if constexpr (std::is_integral_v<T>) {
            in_ranges(n, 16, n, [&](size_t from, size_t to) {
                for (size_t i = from; i < to; ++i) {
                    for (size_t j = 0; j < n; ++j) {
                        if (row(i)[j] <= kLongest<T>) continue;
                        row(i)[j] = largest<T>();
                        if (x.predecessors != nullptr) nodes(i)[j] = kNoNode;
                    }
                }
            });
        }
    }

    struct Factor {
        const T *data;
        size_t ld;
    };
    // C = A B, or the lesser of that and C; A is m x k, and C lies apart from both.
    void multiply(size_t m, size_t width, size_t k, Factor a, Factor b, T *c, size_t ldc, bool keeps_lesser) const {
        const T one = 0;
        host::matmul({x.dtype, x.dtype, GP_MIN_PLUS, m,    width,         k, a.data, a.ld, 1, b.data, b.ld, 1,
                      c,       ldc,     &one,        &one, !keeps_lesser, 1, 0,      0,    0});
    }

    // The paths among `count` nodes, by way of these alone. Blocks of a few nodes are for the first
    // cache, blocks of them for products that are deep enough.
    void by_products(T *corner, size_t count) const {
        constexpr size_t kFew = 64, kBlock = 256;
        if (count <= kFew) return by_rows(corner, count);
        const size_t most = count > kBlock ? kBlock : kFew;
        std::vector<T> rows(most * count), columns(count * most);
        for (size_t first = 0; first < count; first += most) {
            const size_t k = std::min(most, count - first);
            T *const d = corner + first * ld + first, *const strip = corner + first * ld,
                     *const beside = corner + first;
            by_products(d, k);
            multiply(k, count, k, {d, ld}, {strip, ld}, rows.data(), count, false);
            in_ranges(count, 64, k / 8 + 1, [&](size_t from, size_t to) {
                for (size_t i = from; i < to; ++i) std::copy_n(beside + i * ld, k, columns.data() + i * k);
            });
            multiply(count, count, k, {columns.data(), k}, {rows.data(), count}, corner, ld, true);
        }
    }

    // Three loops.
    void by_rows(T *corner, size_t count) const {
        const auto relax = best_relax<T, false>();
        std::vector<T> up(count);
        for (size_t s = 0; s < count; ++s) {
            std::copy_n(corner + s * ld, count, up.data());
            for (size_t i = 0; i < count; ++i)
                relax({corner + i * ld, nullptr, up.data(), nullptr}, count, corner + i * ld + s, 1, 1, 0);
        }
    }

    // Each node's row, its predecessors and its column are kept as they are when it is that node's
    // turn: `up` and `up_nodes` by lines of n, `left` by lines of kBlock.
    void by_lines() const {
        constexpr size_t kBlock = 64, kColumns = 512;
        constexpr size_t kPerNs = 4; // elements
        const auto relax = best_relax<T, true>();
        std::vector<T> up(std::min(n, kBlock) * n), left(n * kBlock);
        std::vector<int32_t> up_nodes(up.size());
        for (size_t first = 0; first < n; first += kBlock) {
            const size_t count = std::min(kBlock, n - first), last = first + count;
            const auto keep_row = [&](size_t s, size_t j0, size_t width) {
                std::copy_n(row(first + s) + j0, width, up.data() + s * n + j0);
                std::copy_n(nodes(first + s) + j0, width, up_nodes.data() + s * n + j0);
            };
            const auto line = [&](size_t i, size_t j0, size_t s) -> Line<T> {
                return {row(i) + j0, nodes(i) + j0, up.data() + s * n + j0, up_nodes.data() + s * n + j0};
            };
            // The block's own rows, of its own columns first.
            const auto take_rows = [&](size_t j0, size_t width, bool own) {
                for (size_t s = 0; s < count; ++s) {
                    keep_row(s, j0, width);
                    for (size_t i = first; own && i < last; ++i) left[i * kBlock + s] = row(i)[first + s];
                    for (size_t i = first; i < last; ++i) relax(line(i, j0, s), width, &left[i * kBlock + s], 1, 1, 0);
                }
            };
            take_rows(first, count, true);
            const size_t behind = n - last;
            for (const auto &[from, width] : {std::pair{size_t{0}, first}, std::pair{last, behind}})
                in_ranges(width, kColumns / 4, count * count / kPerNs,
                          [&, start = from](size_t a, size_t b) { take_rows(start + a, b - a, false); });
            // All others: their elements in the block's columns, node by node, then the rest.
            in_ranges(n, 16, count * n / kPerNs, [&](size_t from, size_t to) {
                for (size_t i = from; i < to; ++i) {
                    if (i >= first && i < last) continue;
                    for (size_t s = 0; s < count; ++s) {
                        left[i * kBlock + s] = row(i)[first + s];
                        relax(line(i, first, s), count, &left[i * kBlock + s], 1, 1, 0);
                    }
                }
                for (const auto &[start, end] : {std::pair{size_t{0}, first}, std::pair{last, n}}) {
                    for (size_t j0 = start; j0 < end; j0 += kColumns) {
                        const size_t width = std::min(kColumns, end - j0);
                        for (size_t i = from; i < to; ++i)
                            if (i < first || i >= last) relax(line(i, j0, 0), width, &left[i * kBlock], 1, count, n);
                    }
                }
            });
        }
    }
};

template <class T> void search(const PathsProblem &x) {
    const Search<T> search{x};
    search.begin();
    x.predecessors != nullptr ? search.by_lines() : search.by_products(search.out, search.n);
    search.end();
}

} // namespace

void paths(const PathsProblem &x) {
    switch (x.dtype) {
    case GP_INT16: return search<int16_t>(x);
    case GP_INT32: return search<int32_t>(x);
    case GP_FLOAT32: return search<float>(x);
    case GP_FLOAT64: return search<double>(x);
    default: fail(GP_ERROR_INTERNAL, "paths has no ", gpcl::dtype(x.dtype).name);
    }
}

} // namespace gpcl::host
