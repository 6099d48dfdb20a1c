// Scan on the host, in one pass over memory: chunks of fixed size (so the result does not depend on
// the number of threads) are scanned on their own, then combined, still in cache, with what the
// chunk before hands on. Chunks of integers are reduced first, and then scanned from there on.
// Method: the chained scan of Yan, Long and Zhang, "StreamScan", 2013.
// SPDX-License-Identifier: MIT
#include "host/scan.h"

#include "core/cpu.h"
#include "core/size.h"
#include "host/operators.h"
#include "host/parallel.h"
#include "host/read.h"
#include "host/vectors.h"

#include <array>
#include <cstring>
#include <iterator>
#include <utility>

namespace gpcl::host {
namespace {

constexpr size_t kLanes = 8;         // parts of a chunk scanned side by side, to hide the operator's latency
constexpr size_t kLaneLength = 2064; // not a multiple of a page, which would put all lanes into one cache set
constexpr size_t kChunk = kLanes * kLaneLength;

// What a chunk hands on: the combination of everything before the next one.
template <class T> struct Link {
    T total{};
    std::atomic<bool> ready = false;
};

// Scans each lane on its own and returns the lanes' totals.
template <class T, class In, class Out, class Operator>
std::array<T, kLanes> scan_lanes(In in, Out out, size_t length, Operator combine, bool exclusive) {
    std::array<T, kLanes> total;
    total.fill(Operator::identity);
    const auto stride = static_cast<ptrdiff_t>(length);
    for (size_t i = 0; i < length; ++i, ++in, ++out) {
#pragma GCC unroll 8
        for (size_t lane = 0; lane < kLanes; ++lane) { // unrolled, the totals stay in registers
            const auto at = static_cast<ptrdiff_t>(lane) * stride;
            const T before = total[lane];
            total[lane] = combine(before, in[at]);
            out[at] = exclusive ? before : total[lane];
        }
    }
    return total;
}

template <class T, class In, class Out, class Operator>
T scan_one_by_one(In in, Out out, size_t n, Operator combine, bool exclusive, T running) {
    for (size_t i = 0; i < n; ++i, ++in, ++out) {
        const T before = running;
        running = combine(before, *in);
        *out = exclusive ? before : running;
    }
    return running;
}

// Sums of integers that lie side by side, by vectors: within one, elements are added to those 1, 2,
// 4 ... places on.
template <class V, size_t step, size_t... lane>
[[gnu::always_inline]] inline void add_moved(V &x, std::index_sequence<lane...>) {
    x += __builtin_shufflevector(V{}, x, (lane < step ? lane : sizeof...(lane) + lane - step)...);
}
template <class V, size_t lanes, size_t step = 1> [[gnu::always_inline]] inline void add_up_within(V &x) {
    if constexpr (step < lanes) {
        add_moved<V, step>(x, std::make_index_sequence<lanes>());
        add_up_within<V, lanes, 2 * step>(x);
    }
}
template <class V, class T>
[[gnu::always_inline]] inline T add_up_inline(const T *in, T *out, size_t n, bool exclusive, T running) {
    constexpr size_t kLanesOfV = sizeof(V) / sizeof(T);
    size_t i = 0;
    for (; i + kLanesOfV <= n; i += kLanesOfV) {
        V x;
        std::memcpy(&x, in + i, sizeof x);
        V sums = x;
        add_up_within<V, kLanesOfV>(sums);
        const V results = (exclusive ? sums - x : sums) + running;
        running += sums[kLanesOfV - 1];
        std::memcpy(out + i, &results, sizeof results);
    }
    return scan_one_by_one(in + i, out + i, n - i, Add<T>(), exclusive, running);
}
template <class T> T add_up_any(const T *in, T *out, size_t n, bool exclusive, T running) {
    return add_up_inline<VectorOf<T, 16>>(in, out, n, exclusive, running);
}
#ifdef GPCL_HAVE_X86
template <class T> [[gnu::target("avx2")]] T add_up_avx2(const T *in, T *out, size_t n, bool exclusive, T running) {
    return add_up_inline<Vector<T>>(in, out, n, exclusive, running);
}
#endif
template <class T> T add_up(const T *in, T *out, size_t n, bool exclusive, T running) {
#ifdef GPCL_HAVE_X86
    static const bool is_wide = has_avx2();
    if (is_wide) return add_up_avx2(in, out, n, exclusive, running);
#endif
    return add_up_any(in, out, n, exclusive, running);
}

// A scan of integers, from what comes before on.
template <class T, class In, class Out, class Operator>
T scan_integers(In in, Out out, size_t n, Operator combine, bool exclusive, T running) {
    if constexpr (std::is_integral_v<T> && std::is_same_v<Operator, Add<T>> && std::is_pointer_v<In> &&
                  sizeof(T) >= 4) {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(
            add_up(reinterpret_cast<const U *>(in), reinterpret_cast<U *>(out), n, exclusive, static_cast<U>(running)));
    }
    return scan_one_by_one(in, out, n, combine, exclusive, running);
}

// In and Out are pointers, or reverse iterators for a scan from the end. Returns what the end hands
// on.
template <class T, class In, class Out, class Operator>
T scan_all(In in, Out out, size_t n, Operator combine, bool exclusive, T initial) {
    // Integers give the same bits in any order, and in one thread one loop is the shortest way.
    if (std::is_integral_v<T> && threads_for(static_cast<double>(n) / 2) <= 1)
        return scan_integers(in, out, n, combine, exclusive, initial);
    const size_t chunks = ceil_div(n, kChunk);
    std::vector<Link<T>> links(chunks + 1);
    links[0].total = initial;
    links[0].ready = true;
    parallel_for(chunks, kChunk / 2, [&](size_t chunk) {
        const size_t begin = chunk * kChunk;
        const size_t size = std::min(kChunk, n - begin);
        const size_t length = size / kLanes;
        const In from = in + static_cast<ptrdiff_t>(begin);
        const Out to = out + static_cast<ptrdiff_t>(begin);
        // Threads take chunks in order, and none waits for one behind it, so the one before ends.
        const auto take = [&] {
            links[chunk].ready.wait(false, std::memory_order_acquire);
            return links[chunk].total;
        };
        const auto give = [&](T total) {
            links[chunk + 1].total = total;
            links[chunk + 1].ready.store(true, std::memory_order_release);
            links[chunk + 1].ready.notify_one();
        };
        if constexpr (std::is_integral_v<T>) { // vectors find the total, and then each result is written once
            T total = Operator::identity;
            for (size_t i = 0; i < size; ++i) total = combine(total, from[static_cast<ptrdiff_t>(i)]);
            const T before = take();
            give(combine(before, total));
            scan_integers(from, to, size, combine, exclusive, before);
            return;
        }
        const auto totals = scan_lanes<T>(from, to, length, combine, exclusive);
        T rest_total = Operator::identity; // the last elements of an incomplete chunk
        for (size_t i = kLanes * length; i < size; ++i) {
            const auto index = static_cast<ptrdiff_t>(i);
            const T before = rest_total;
            rest_total = combine(before, from[index]);
            to[index] = exclusive ? before : rest_total;
        }
        std::array<T, kLanes + 1> offsets;
        offsets[0] = take();
        for (size_t lane = 0; lane < kLanes; ++lane) offsets[lane + 1] = combine(offsets[lane], totals[lane]);
        give(combine(offsets[kLanes], rest_total));
        const auto shift = [&](size_t first, size_t last, T offset) {
            for (size_t i = first; i < last; ++i) {
                const auto index = static_cast<ptrdiff_t>(i);
                to[index] = combine(offset, to[index]);
            }
        };
        for (size_t lane = 0; lane < kLanes; ++lane) shift(lane * length, (lane + 1) * length, offsets[lane]);
        shift(kLanes * length, size, offsets[kLanes]);
    });
    return links[chunks].total;
}

// The carry of a row, and where to put the one that it hands on.
template <class T, class Operator> T initial_of(const Carries &carries, size_t row, Operator) {
    return carries.initial != nullptr ? static_cast<const T *>(carries.initial)[row] : T(Operator::identity);
}
template <class T> void hand_on(const Carries &carries, size_t row, T value) {
    if (carries.last != nullptr) static_cast<T *>(carries.last)[row] = value;
}

// Elements of type S as numbers of T, forwards or, for a scan from the end, from the one before
// `at` on backwards.
template <class T, class S, bool Backwards> class Widened {
  public:
    explicit Widened(const S *at) : at_(at) {}
    T operator[](ptrdiff_t i) const { return static_cast<T>(at_[Backwards ? -1 - i : i]); }
    T operator*() const { return (*this)[0]; }
    Widened operator+(ptrdiff_t i) const { return Widened(Backwards ? at_ - i : at_ + i); }
    Widened &operator++() { return *this = *this + 1; }

  private:
    const S *at_;
};

// Calls f(in, out, identity, combine) with pointers of the type, or with iterators that run
// backwards.
template <class F>
void with_iterators(gp_dtype dtype, gp_operator op, size_t n, const void *in, void *out, bool reverse, const F &f) {
    if (n == 0) return;
    with_operator(dtype, op, [&](auto zero, auto combine) {
        using T = decltype(zero);
        const auto *from = static_cast<const T *>(in);
        auto *to = static_cast<T *>(out);
        if (reverse)
            f(std::make_reverse_iterator(from + n), std::make_reverse_iterator(to + n), zero, combine);
        else
            f(from, to, zero, combine);
    });
}

// One row whose elements lie side by side, from its beginning. Returns what its end hands on.
template <class T, class S, class Operator>
T scan_plain(const S *in, T *out, size_t n, Operator combine, bool exclusive, T running) {
    if constexpr (std::is_same_v<T, S>) return scan_integers(in, out, n, combine, exclusive, running);
    return exclusive ? scan_one_by_one(Widened<T, S, false>(in), out, n, combine, true, running)
                     : scan_one_by_one(Widened<T, S, false>(in), out, n, combine, false, running);
}

// One row, piece by piece, so that out may be in. Returns what its end hands on.
template <class T, class Operator> T scan_row(gp_dtype from, size_t n, const std::byte *in, size_t step_in, T *out,
                                              size_t step_out, const uint8_t *heads, Operator combine, bool exclusive,
                                              bool reverse, T running) {
    std::array<T, kPiece> piece;
    for (size_t done = 0; done < n; done += kPiece) {
        const size_t count = std::min(kPiece, n - done);
        const size_t first = reverse ? n - done - count : done;
        read(from, in, first * step_in, step_in, count, piece.data());
        if (heads == nullptr && !reverse) {
            for (size_t i = 0; i < count; ++i) {
                const T next = combine(running, piece[i]);
                out[(first + i) * step_out] = exclusive ? running : next;
                running = next;
            }
            continue;
        }
        for (size_t k = 0; k < count; ++k) {
            const size_t i = reverse ? count - 1 - k : k;
            const size_t head = first + i + (reverse ? 1 : 0); // in reverse a segment ends where the next one begins
            if (heads != nullptr && head < n && heads[head * step_in] != 0) running = Operator::identity;
            const T next = combine(running, piece[i]);
            piece[i] = exclusive ? running : next;
            running = next;
        }
        for (size_t i = 0; i < count; ++i) out[(first + i) * step_out] = piece[i];
    }
    // What goes on in reverse lies before the first element, whose head closes its segment.
    return reverse && n > 0 && heads != nullptr && heads[0] != 0 ? T(Operator::identity) : running;
}

// Some neighbouring rows that lie side by side, as the columns of a matrix, one element of each
// after the other.
template <class T, class Operator> void scan_columns(gp_dtype from, const Rows &rows_in, const void *in,
                                                     const Rows &rows_out, T *out, const uint8_t *heads, size_t first,
                                                     size_t width, Operator combine, bool exclusive, bool reverse,
                                                     const Carries &carries) {
    const bool is_direct = rows_in.stride == 1 && gpcl::dtype(from).size == sizeof(T) && from != GP_FLOAT16;
    std::array<T, kPiece> piece, running;
    for (size_t c = 0; c < width; ++c) running[c] = initial_of<T>(carries, first + c, combine);
    // A head begins a segment; in reverse a segment ends where the next one begins.
    const auto take_heads = [&](size_t position) {
        if (heads == nullptr || position >= rows_in.n) return;
        const uint8_t *flags = heads + position * rows_in.step + first * rows_in.stride;
        for (size_t c = 0; c < width; ++c)
            if (flags[c * rows_in.stride] != 0) running[c] = Operator::identity;
    };
    for (size_t k = 0; k < rows_in.n; ++k) {
        const size_t i = reverse ? rows_in.n - 1 - k : k;
        const size_t at = i * rows_in.step + first * rows_in.stride;
        const T *x = static_cast<const T *>(in) + at;
        if (!is_direct) {
            read(from, in, at, rows_in.stride, width, piece.data());
            x = piece.data();
        }
        take_heads(i + (reverse ? 1 : 0));
        T *const to = out + i * rows_out.step + first * rows_out.stride;
        const auto take = [&](size_t c, size_t stride) {
            const T before = running[c];
            running[c] = combine(before, x[c]);
            to[c * stride] = exclusive ? before : running[c];
        };
        if (rows_out.stride == 1)
            for (size_t c = 0; c < width; ++c) take(c, 1);
        else
            for (size_t c = 0; c < width; ++c) take(c, rows_out.stride);
    }
    if (reverse) take_heads(0);
    for (size_t c = 0; c < width; ++c) hand_on(carries, first + c, running[c]);
}

} // namespace

void scan_rows(gp_dtype dtype, gp_operator op, gp_dtype from, const Rows &rows_in, const void *in, const Rows &rows_out,
               void *out, const uint8_t *heads, bool exclusive, bool reverse, const Carries &carries) {
    const size_t n = rows_in.n, size = gpcl::dtype(from).size;
    with_operator(dtype, op, [&](auto zero, auto combine) {
        using T = decltype(zero);
        if (rows_in.are_columns()) {
            // Enough parts for all threads, and lines of the cache that two of them write to are
            // few.
            const size_t width = std::clamp(ceil_div(rows_in.batch, 4 * workers()), size_t{64}, kPiece);
            parallel_for(ceil_div(rows_in.batch, width), n * width, [&](size_t part) {
                scan_columns(from, rows_in, in, rows_out, static_cast<T *>(out), heads, part * width,
                             std::min(width, rows_in.batch - part * width), combine, exclusive, reverse, carries);
            });
            return;
        }
        const bool is_plain = rows_in.step == 1 && rows_out.step == 1 && heads == nullptr && !reverse;
        parallel_for(rows_in.batch, n, [&](size_t row) {
            const size_t begin = row * rows_in.stride;
            const auto *const first = static_cast<const std::byte *>(in) + begin * size;
            T *const to = static_cast<T *>(out) + row * rows_out.stride;
            T last = initial_of<T>(carries, row, combine);
            if (!is_plain || !with_elements(from, combine, [&](auto element) {
                    last =
                        scan_plain(reinterpret_cast<const decltype(element) *>(first), to, n, combine, exclusive, last);
                }))
                last = scan_row(from, n, first, rows_in.step, to, rows_out.step,
                                heads != nullptr ? heads + begin : nullptr, combine, exclusive, reverse, last);
            hand_on(carries, row, last);
        });
    });
}

void scan(gp_dtype dtype, gp_operator op, size_t n, const void *in, void *out, bool exclusive, bool reverse,
          const Carries &carries) {
    with_iterators(dtype, op, n, in, out, reverse, [&](auto from, auto to, auto zero, auto combine) {
        using T = decltype(zero);
        hand_on(carries, 0, scan_all(from, to, n, combine, exclusive, initial_of<T>(carries, 0, combine)));
    });
}

bool scan_widens(gp_dtype from, gp_dtype dtype) {
    return (from == GP_INT32 && dtype == GP_INT64) ||
           (from == GP_UINT32 && (dtype == GP_INT64 || dtype == GP_UINT64)) ||
           (from == GP_FLOAT32 && dtype == GP_FLOAT64);
}

void scan_wider(gp_dtype dtype, gp_operator op, gp_dtype from, size_t n, const void *in, void *out, bool exclusive,
                bool reverse, const Carries &carries) {
    with_operator(dtype, op, [&](auto zero, auto combine) {
        using T = decltype(zero);
        const auto run = [&](const auto *elements) {
            using S = std::remove_const_t<std::remove_pointer_t<decltype(elements)>>;
            auto *const to = static_cast<T *>(out);
            const T initial = initial_of<T>(carries, 0, combine);
            hand_on(carries, 0,
                    reverse ? scan_all<T>(Widened<T, S, true>(elements + n), std::make_reverse_iterator(to + n), n,
                                          combine, exclusive, initial)
                            : scan_all<T>(Widened<T, S, false>(elements), to, n, combine, exclusive, initial));
        };
        if constexpr (std::is_same_v<T, double>)
            run(static_cast<const float *>(in));
        else if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
            from == GP_INT32 ? run(static_cast<const int32_t *>(in)) : run(static_cast<const uint32_t *>(in));
        else
            fail(GP_ERROR_INTERNAL, "scan does not widen to ", gpcl::dtype(dtype).name);
    });
}

void scan_loop(gp_dtype dtype, gp_operator op, size_t n, const void *in, void *out, bool exclusive, bool reverse,
               const Carries &carries) {
    with_iterators(dtype, op, n, in, out, reverse, [&](auto from, auto to, auto zero, auto combine) {
        using T = decltype(zero);
        hand_on(carries, 0, scan_one_by_one(from, to, n, combine, exclusive, initial_of<T>(carries, 0, combine)));
    });
}

} // namespace gpcl::host
