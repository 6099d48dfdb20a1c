// Selection of the first k elements on the host. A few of a short row are found by their places
// among few others, or kept in order by insertion. In a longer row for one thread, a sample tells a
// bound before which there are probably k elements. Where the CPU sorts numbers by vectors
// (simd_sort.h), the first k of those, or of all where k is not small, are found by numbers that
// hold an element's rank and place; else they are sorted. Of rows for several threads, each thread
// reads its part by vectors and keeps what comes before the k-th of what it has seen.
// SPDX-License-Identifier: MIT
#include "host/top_k.h"

#include "core/cpu.h"
#include "core/scratch.h"
#include "core/size.h"
#include "host/arg_reduce.h"
#include "host/order.h"
#include "host/parallel.h"
#include "host/read.h"
#include "host/semiring.h"
#include "host/simd_sort.h"
#include "host/sort.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>

#if defined(GPCL_HAVE_X86)
#include <immintrin.h>
#endif

namespace gpcl::host {
namespace {

// An element's rank, a number that is smaller for those that come first, and its position.
template <class Bits> struct Place {
    Bits rank;
    uint64_t position;
    static Place of(Bits rank, uint64_t position) { return {rank, position}; }
    uint64_t at() const { return position; }
    Bits its_rank() const { return rank; }
    bool operator<(const Place &other) const {
        return rank != other.rank ? rank < other.rank : position < other.position;
    }
};

// The same as one number.
struct ShortPlace {
    uint64_t both;
    static ShortPlace of(uint32_t rank, uint64_t position) { return {uint64_t{rank} << 32 | position}; }
    uint64_t at() const { return static_cast<uint32_t>(both); }
    uint32_t its_rank() const { return static_cast<uint32_t>(both >> 32); }
    bool operator<(const ShortPlace &other) const { return both < other.both; }
};

// Is any of kBlock numbers before `bound`? A NaN never is.
constexpr size_t kBlock = 256;
template <bool descending, class T> [[gnu::always_inline]] inline bool any_before_inline(const T *in, T bound) {
    constexpr size_t kLanes = sizeof(Vector<T>) / sizeof(T);
    static_assert(kBlock % kLanes == 0);
    using Mask = decltype(Vector<T>{} < Vector<T>{});
    Mask any{};
    for (size_t i = 0; i < kBlock; i += kLanes) {
        Vector<T> x;
        load_vector(in + i, x);
        any |= descending ? x > bound : x < bound;
    }
    bool result = false;
    for (size_t lane = 0; lane < kLanes; ++lane) result |= any[lane] != 0;
    return result;
}
template <bool descending, class T> bool any_before_portable(const T *in, T bound) {
    return any_before_inline<descending>(in, bound);
}
#if defined(GPCL_HAVE_X86)
template <bool descending, class T> [[gnu::target("avx2")]] bool any_before_avx2(const T *in, T bound) {
    return any_before_inline<descending>(in, bound);
}
#endif
template <bool descending, class T> auto any_before() {
#if defined(GPCL_HAVE_X86)
    if (has_avx2()) return any_before_avx2<descending, T>;
#endif
    return any_before_portable<descending, T>;
}

// The type that elements are compared as: float for float16.
inline gp_dtype compared(gp_dtype dtype) { return dtype == GP_FLOAT16 ? GP_FLOAT32 : dtype; }

struct Row {
    gp_dtype dtype;
    const void *in; // the first element
    size_t step;

    // Do the elements lie side by side as they are compared?
    bool is_direct() const { return dtype != GP_FLOAT16 && step == 1; }
};

// Of the elements begin .. begin + count - 1 the first k, or all where there are no more, in any
// order.
template <bool descending, class T, class P>
std::vector<P> first_of_part(const Row &row, size_t begin, size_t count, size_t k) {
    using Bits = BitsOf<T>;
    const Order<Bits> order(compared(row.dtype), descending);
    const auto any = any_before<descending, T>();
    const bool direct = row.is_direct();
    const size_t room = std::min(count, 2 * k + 2 * kBlock);
    std::vector<P> kept;
    kept.reserve(room);
    T bound{};            // the k-th of those kept, as soon as it is known and a number
    bool bounded = false; // is it?
    Bits worst = Order<Bits>::kMax;
    const auto shrink = [&] {
        if (kept.size() <= k) return;
        const auto last = kept.begin() + static_cast<ptrdiff_t>(k - 1);
        std::nth_element(kept.begin(), last, kept.end());
        worst = static_cast<Bits>(last->its_rank());
        kept.erase(last + 1, kept.end());
        const auto code = worst;
        bounded = !(order.is_float_type() && code == Order<Bits>::kMax);
        if (bounded) bound = std::bit_cast<T>(order.decode(code));
    };
    std::array<T, kBlock> piece;
    for (size_t done = 0; done < count; done += kBlock) {
        const size_t some = std::min(kBlock, count - done);
        const T *block = static_cast<const T *>(row.in) + begin + done;
        if (!direct) {
            read(row.dtype, row.in, (begin + done) * row.step, row.step, some, piece.data());
            block = piece.data();
        }
        if (bounded && some == kBlock && !any(block, bound)) continue;
        const bool full = worst != Order<Bits>::kMax || bounded;
        constexpr size_t kStep = 16; // compared without a branch; most have none to keep
        for (size_t first = 0; first < some; first += kStep) {
            const size_t end = std::min(first + kStep, some);
            bool found = !bounded;
            for (size_t i = first; i < end; ++i) found |= descending ? block[i] > bound : block[i] < bound;
            if (!found) continue;
            for (size_t i = first; i < end; ++i) {
                const Bits rank = order.rank(std::bit_cast<Bits>(block[i]));
                if (!full || rank < worst) kept.push_back(P::of(rank, begin + done + i));
            }
        }
        if (kept.size() + kBlock > 2 * k + 2 * kBlock) shrink();
    }
    shrink();
    return kept;
}

// Writes the positions of the elements that come before `bound` or are equal to it, in order. Gives
// up when there are more than `room`. Returns how many it found. `positions` has room for kChunk
// more.
constexpr size_t kChunk = 32;
template <bool descending, class T> [[gnu::always_inline]] inline size_t
positions_to_inline(const T *in, size_t n, T bound, size_t room, uint32_t *positions) {
    constexpr size_t kLanes = sizeof(Vector<T>) / sizeof(T);
    static_assert(kChunk % kLanes == 0);
    using Mask = decltype(Vector<T>{} <= Vector<T>{});
    size_t count = 0;
    const auto take = [&](size_t first, size_t end) {
        for (size_t i = first; i < end; ++i) {
            positions[count] = static_cast<uint32_t>(i);
            count += (descending ? in[i] >= bound : in[i] <= bound) ? 1 : 0;
        }
    };
    size_t done = 0;
    for (; done + kChunk <= n && count <= room; done += kChunk) {
        Mask any{};
        for (size_t i = 0; i < kChunk; i += kLanes) {
            Vector<T> x;
            load_vector(in + done + i, x);
            any |= descending ? x >= bound : x <= bound;
        }
        std::array<uint64_t, sizeof any / sizeof(uint64_t)> words;
        std::memcpy(words.data(), &any, sizeof any);
        uint64_t found = 0;
        for (const uint64_t word : words) found |= word;
        if (found != 0) take(done, done + kChunk);
    }
    if (count <= room) take(done, n);
    return count;
}
template <bool descending, class T>
size_t positions_to_portable(const T *in, size_t n, T bound, size_t room, uint32_t *positions) {
    return positions_to_inline<descending>(in, n, bound, room, positions);
}
#if defined(GPCL_HAVE_X86)
// Of kChunk numbers, a bit for each that comes before the bound or is equal to it.
template <bool descending, class T>
[[gnu::target("avx2"), gnu::always_inline]] inline uint32_t chunk_to(const T *in, T bound) {
    constexpr size_t kLanes = sizeof(Vector<T>) / sizeof(T), kVectors = kChunk / kLanes;
    static_assert(sizeof(Vector<T>) == sizeof(__m256i) && kChunk == 32);
    __m256i found[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
        Vector<T> x;
        load_vector(in + v * kLanes, x);
        found[v] = (__m256i)(descending ? x >= bound : x <= bound);
    }
    uint32_t bits = 0;
    if constexpr (sizeof(T) == 1) return static_cast<uint32_t>(_mm256_movemask_epi8(found[0]));
    if constexpr (sizeof(T) == 2)
        return static_cast<uint32_t>(
            _mm256_movemask_epi8(_mm256_permute4x64_epi64(_mm256_packs_epi16(found[0], found[kVectors - 1]), 0xd8)));
    for (size_t v = 0; v < kVectors; ++v) {
        const int some = sizeof(T) == 4 ? _mm256_movemask_ps(_mm256_castsi256_ps(found[v]))
                                        : _mm256_movemask_pd(_mm256_castsi256_pd(found[v]));
        bits |= static_cast<uint32_t>(some) << (v * kLanes % kChunk);
    }
    return bits;
}

template <bool descending, class T>
[[gnu::target("avx2")]] size_t positions_to_avx2(const T *in, size_t n, T bound, size_t room, uint32_t *positions) {
    size_t count = 0, done = 0;
    for (; done + kChunk <= n && count <= room; done += kChunk)
        for (uint32_t bits = chunk_to<descending>(in + done, bound); bits != 0; bits &= bits - 1)
            positions[count++] = static_cast<uint32_t>(done) + static_cast<uint32_t>(std::countr_zero(bits));
    for (; done < n && count <= room; ++done)
        if (descending ? in[done] >= bound : in[done] <= bound) positions[count++] = static_cast<uint32_t>(done);
    return count;
}
#endif
template <bool descending, class T> auto positions_to() {
#if defined(GPCL_HAVE_X86)
    if (has_avx2()) return positions_to_avx2<descending, T>;
#endif
    return positions_to_portable<descending, T>;
}

template <class P> void sort_places(std::vector<P> &places) {
    if constexpr (std::is_same_v<P, ShortPlace>) {
        static_assert(sizeof(ShortPlace) == sizeof(uint64_t));
        sort(GP_UINT64, places.size(), places.data(), {});
    } else {
        std::sort(places.begin(), places.end());
    }
}

// Where results of a row go.
struct Results {
    gp_dtype dtype, index;
    void *positions, *values;
    size_t at; // the first
};

template <class At> void write(const Row &row, const Results &to, size_t k, const At &at) {
    if (to.positions != nullptr && to.index == GP_UINT32) {
        auto *positions = static_cast<uint32_t *>(to.positions) + to.at;
        for (size_t i = 0; i < k; ++i) positions[i] = static_cast<uint32_t>(at(i));
    } else if (to.positions != nullptr) {
        auto *positions = static_cast<uint64_t *>(to.positions) + to.at;
        for (size_t i = 0; i < k; ++i) positions[i] = at(i);
    }
    if (to.values == nullptr) return;
    with_bits(row.dtype, [&](auto zero) {
        using Bits = decltype(zero);
        auto *values = static_cast<Bits *>(to.values) + to.at;
        for (size_t i = 0; i < k; ++i) values[i] = static_cast<const Bits *>(row.in)[at(i) * row.step];
    });
}

// A row's elements as they are compared, one after the other.
template <class T> class Elements {
  public:
    Elements(const Row &row, size_t n) : copy_(row.is_direct() ? 0 : n) {
        if (!row.is_direct()) read(row.dtype, row.in, 0, row.step, n, copy_.data());
        data_ = row.is_direct() ? static_cast<const T *>(row.in) : copy_.data();
    }
    const T *data() const { return data_; }

  private:
    std::vector<T> copy_;
    const T *data_;
};

#if defined(GPCL_HAVE_SIMD_SORT)
// Numbers of 64 bits whose ascending order is that of some elements: an element's rank, and behind
// it its place among these, which tells equal ones apart. Ranks of 64 bits lose the least one of
// them first, and then as many low bits as the places need.
template <class T> class Codes {
  public:
    // rank(i) is called for each i below n > 0 in order.
    template <class Rank> [[gnu::always_inline]] inline Codes(size_t n, int64_t *codes, const Rank &rank) {
        if constexpr (sizeof(T) <= 4) {
            for (size_t i = 0; i < n; ++i) codes[i] = static_cast<int64_t>((uint64_t{rank(i)} << 32 | i) ^ kSign);
        } else {
            uint64_t least = ~uint64_t{0}, greatest = 0, all = 0, common = ~uint64_t{0};
            for (size_t i = 0; i < n; ++i) {
                const uint64_t one = rank(i);
                codes[i] = static_cast<int64_t>(one);
                least = std::min(least, one);
                greatest = std::max(greatest, one);
                all |= one;
                common &= one;
            }
            place_bits_ = static_cast<unsigned>(std::bit_width(n - 1));
            const unsigned bits = static_cast<unsigned>(std::bit_width(greatest - least)) + place_bits_;
            const unsigned lost = bits > 64 ? bits - 64 : 0;
            is_whole_ = ((all ^ common) & ((uint64_t{1} << lost) - 1)) == 0;
            for (size_t i = 0; i < n; ++i) {
                const uint64_t beyond = (static_cast<uint64_t>(codes[i]) - least) >> lost;
                codes[i] = static_cast<int64_t>((beyond << place_bits_ | i) ^ kSign);
            }
        }
    }

    // Do numbers order as the elements do, whatever the ranks?
    bool is_whole() const { return is_whole_; }
    // Where ranks lost bits: do the first `count` of the sorted numbers differ in those left?
    bool are_apart(size_t count, const int64_t *sorted) const {
        bool apart = true;
        for (size_t i = 1; i < count; ++i) apart &= sorted[i - 1] >> place_bits_ != sorted[i] >> place_bits_;
        return apart;
    }
    size_t place_of(int64_t code) const {
        return static_cast<size_t>(static_cast<uint64_t>(code) & ((uint64_t{1} << place_bits_) - 1));
    }

  private:
    static constexpr uint64_t kSign = uint64_t{1} << 63;
    unsigned place_bits_ = 32;
    bool is_whole_ = true;
};

// The first k of n elements by numbers. at(i) is the position of the i-th element, ascending.
// False, and nothing written, where ranks of 64 bits differ too little.
template <class T, class At>
bool top_by_numbers(const Row &row, const T *in, bool descending, size_t n, const At &at, const Results &to, size_t k) {
    using Bits = BitsOf<T>;
    const Order<Bits> order(compared(row.dtype), descending);
    Scratch memory(multiply(n, sizeof(int64_t), "numbers"));
    auto *const numbers = memory.as<int64_t>();
    const Codes<T> codes(n, numbers, [&](size_t i) { return order.rank(std::bit_cast<Bits>(in[at(i)])); });
    const size_t wanted = codes.is_whole() ? k : std::min(n, k + 1);
    simd_sort_first(numbers, n, wanted);
    if (!codes.is_whole() && !codes.are_apart(wanted, numbers)) return false;
    write(row, to, k, [&](size_t i) { return uint64_t{at(codes.place_of(numbers[i]))}; });
    return true;
}
#endif

// Where k is not small beside n: sorts all.
template <class T> void top_of_sorted(const Row &row, bool descending, size_t n, const Results &to, size_t k) {
    const Elements<T> elements(row, n);
    const auto with_index = [&](auto zero, gp_dtype index) {
        std::vector<decltype(zero)> order(n);
        argsort(compared(row.dtype), n, elements.data(), index, order.data(), {descending});
        write(row, to, k, [&](size_t i) { return uint64_t{order[i]}; });
    };
    n <= std::numeric_limits<uint32_t>::max() ? with_index(uint32_t{}, GP_UINT32) : with_index(uint64_t{}, GP_UINT64);
}

// A few of a short row: the first of what was seen are kept in order.
constexpr size_t kFewest = 32;
template <class T> void top_of_short(const Row &row, bool descending, size_t n, const Results &to, size_t k) {
    using Bits = BitsOf<T>;
    const Elements<T> elements(row, n);
    const Order<Bits> order(compared(row.dtype), descending);
    std::array<Bits, kFewest> ranks;
    std::array<uint32_t, kFewest> positions;
    size_t kept = 0;
    for (size_t i = 0; i < n; ++i) {
        const Bits rank = order.rank(std::bit_cast<Bits>(elements.data()[i]));
        if (kept == k && rank >= ranks[k - 1]) continue;
        size_t at = kept < k ? kept++ : k - 1;
        for (; at > 0 && ranks[at - 1] > rank; --at) {
            ranks[at] = ranks[at - 1];
            positions[at] = positions[at - 1];
        }
        ranks[at] = rank;
        positions[at] = static_cast<uint32_t>(i);
    }
    write(row, to, k, [&](size_t i) { return uint64_t{positions[i]}; });
}

#if defined(GPCL_HAVE_X86)
// The place of each of some numbers in ascending order, which is how many come before it. Both
// arrays have room for kFewest.
template <class Number> [[gnu::target("avx2")]] void places_among(const Number *numbers, size_t n, Number *places) {
    constexpr size_t kLanes = sizeof(Vector<Number>) / sizeof(Number);
    Vector<Number> at, mine;
    for (size_t lane = 0; lane < kLanes; ++lane) at[lane] = static_cast<Number>(lane);
    for (size_t first = 0; first < n; first += kLanes, at += static_cast<Number>(kLanes)) {
        load_vector(numbers + first, mine);
        Vector<Number> place{};
        for (size_t i = 0; i < n; ++i) {
            const Vector<Number> other = numbers[i] - Vector<Number>{};
            place -= (other < mine) | ((other == mine) & (static_cast<Number>(i) < at));
        }
        store_vector(place, places + first);
    }
}

// The first element of each column, where kFewest elements are a row; those behind the last row are
// left out. A column that begins with NaN has that.
template <bool descending, class T> [[gnu::target("avx2")]] void first_of_columns(const T *in, size_t n, T *firsts) {
    constexpr size_t kLanes = sizeof(Vector<T>) / sizeof(T), kVectors = kFewest / kLanes;
    Vector<T> first[kVectors]; // NOLINT(modernize-avoid-c-arrays): of vectors
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) load_vector(in + v * kLanes, first[v]);
    for (size_t done = kFewest; done + kFewest <= n; done += kFewest) {
#pragma GCC unroll 8
        for (size_t v = 0; v < kVectors; ++v) {
            Vector<T> x;
            load_vector(in + done + v * kLanes, x);
            first[v] = (descending ? x > first[v] : x < first[v]) ? x : first[v];
        }
    }
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) store_vector(first[v], firsts + v * kLanes);
}

// The same by places among few elements, without a branch that depends on them: in a longer row
// among those that don't come behind the k-th of the first ones of columns. False, and nothing
// written, where these are too many, or k are no numbers.
template <bool descending, class T> bool top_by_places(const Row &row, size_t n, const Results &to, size_t k) {
    using Bits = BitsOf<T>;
    using Number = std::make_signed_t<Bits>;
    const Elements<T> elements(row, n);
    const T *const in = elements.data();
    const Order<Bits> order(compared(row.dtype), descending);
    const auto number = [&](T x) {
        return static_cast<Number>(order.rank(std::bit_cast<Bits>(x)) ^ Order<Bits>::kSign);
    };
    std::array<Number, kFewest> numbers{}, places;
    std::array<uint32_t, kFewest + kChunk> positions;
    size_t found = n;
    if (n <= kFewest) {
        for (size_t i = 0; i < n; ++i) positions[i] = static_cast<uint32_t>(i);
    } else {
        std::array<T, kFewest> firsts;
        first_of_columns<descending>(in, n, firsts.data());
        size_t columns = kFewest;
        for (; columns >= 4 * k; columns /= 2) {
            const size_t half = columns / 2;
            for (size_t i = 0; i < half; ++i) {
                const T x = firsts[i], y = firsts[half + i];
                firsts[i] = (descending ? y > x : y < x) ? y : x;
            }
        }
        for (size_t i = 0; i < columns; ++i) numbers[i] = number(firsts[i]);
        places_among(numbers.data(), columns, places.data());
        T bound{};
        for (size_t i = 0; i < columns; ++i) bound = static_cast<size_t>(places[i]) == k - 1 ? firsts[i] : bound;
        found = positions_to<descending, T>()(in, n, bound, kFewest, positions.data());
        if (found < k || found > kFewest) return false;
    }
    for (size_t i = 0; i < found; ++i) numbers[i] = number(in[positions[i]]);
    places_among(numbers.data(), found, places.data());
    std::array<uint32_t, kFewest> first;
    for (size_t i = 0; i < found; ++i) first[static_cast<uint8_t>(places[i])] = positions[i];
    write(row, to, k, [&](size_t i) { return uint64_t{first[i]}; });
    return true;
}
#endif

// Finds a bound, such that probably some more than k of n elements come before it or are equal to
// it. False where the sample has none that is a number.
template <class T> bool bound_of_sample(const Row &row, bool descending, size_t n, const T *in, size_t k, T &bound) {
    using Bits = BitsOf<T>;
    constexpr size_t kMost = 8192, kFew = 512;
    const Order<Bits> order(compared(row.dtype), descending);
    const size_t count = std::clamp<size_t>(n / 256, std::clamp<size_t>(n / 32, 64, kFew), kMost);
    const double expected = static_cast<double>(k) * static_cast<double>(count) / static_cast<double>(n);
    const auto rank = static_cast<size_t>(expected + 2 * std::sqrt(expected)) + 2; // two standard deviations more
    if (rank > count) return false;
    std::array<Bits, kMost> sample;
    for (size_t i = 0; i < count; ++i) sample[i] = order.rank(std::bit_cast<Bits>(in[i * n / count]));
    sort(sizeof(Bits) == 8   ? GP_UINT64
         : sizeof(Bits) == 4 ? GP_UINT32
         : sizeof(Bits) == 2 ? GP_UINT16
                             : GP_UINT8,
         count, sample.data(), {});
    const Bits code = sample[rank - 1];
    if (order.is_float_type() && code == Order<Bits>::kMax) return false;
    bound = std::bit_cast<T>(order.decode(code));
    return true;
}

// Of a row of less than 2^32 elements, in parts for several threads. Returns false where the sample
// misleads; nothing is written then.
template <bool descending, class T>
bool top_by_sample(const Row &row, size_t n, size_t parts, const Results &to, size_t k) {
    const Elements<T> elements(row, n);
    T bound;
    if (!bound_of_sample(row, descending, n, elements.data(), k, bound)) return false;
    const size_t room = std::min(n, 4 * k + 1024 + n / 1024), part = ceil_div(n, parts);
    const size_t room_of_part = std::min(room, part) + 2 * kChunk;
    const auto positions = std::make_unique_for_overwrite<uint32_t[]>(parts * room_of_part);
    std::vector<size_t> counts(parts);
    parallel_for(parts, part * sizeof(T) / 16, [&](size_t index) {
        const size_t begin = std::min(n, index * part), some = std::min(part, n - begin);
        uint32_t *const own = positions.get() + index * room_of_part;
        counts[index] = positions_to<descending, T>()(elements.data() + begin, some, bound, room, own);
        for (size_t i = 0; begin > 0 && i < counts[index]; ++i) own[i] += static_cast<uint32_t>(begin);
    });
    size_t found = 0;
    for (size_t index = 0; index < parts && found <= room; found += counts[index++])
        std::copy_n(positions.get() + index * room_of_part, counts[index], positions.get() + found);
    if (found < k || found > room) return false;
#if defined(GPCL_HAVE_SIMD_SORT)
    const auto at = [&](size_t i) { return positions[i]; };
    if (has_simd_sort() && top_by_numbers(row, elements.data(), descending, found, at, to, k)) return true;
#endif
    const auto keys = std::make_unique_for_overwrite<T[]>(found);
    const auto order = std::make_unique_for_overwrite<uint32_t[]>(found);
    for (size_t i = 0; i < found; ++i) keys[i] = elements.data()[positions[i]];
    argsort(compared(row.dtype), found, keys.get(), GP_UINT32, order.get(), {descending});
    write(row, to, k, [&](size_t i) { return uint64_t{positions[order[i]]}; });
    return true;
}

template <bool descending, class T, class P>
void top_of_row(const Row &row, bool sorted, size_t n, size_t parts, const Results &to, size_t k) {
    std::vector<std::vector<P>> firsts(parts);
    const size_t part = ceil_div(n, parts);
    parallel_for(parts, part * sizeof(T) / 16, [&](size_t index) {
        const size_t begin = std::min(n, index * part);
        firsts[index] = first_of_part<descending, T, P>(row, begin, std::min(part, n - begin), k);
    });
    std::vector<P> all = std::move(firsts[0]);
    for (size_t index = 1; index < parts; ++index) all.insert(all.end(), firsts[index].begin(), firsts[index].end());
    if (all.size() > k) {
        std::nth_element(all.begin(), all.begin() + static_cast<ptrdiff_t>(k - 1), all.end());
        all.erase(all.begin() + static_cast<ptrdiff_t>(k), all.end());
    }
    if (sorted) sort_places(all);
    write(row, to, k, [&](size_t i) { return all[i].at(); });
}

// The first element alone, where it is no NaN: an arg-reduction finds it.
template <class T> bool is_number(const Row &row, uint64_t at) {
    if constexpr (std::is_floating_point_v<T>) {
        T x;
        read(row.dtype, row.in, at * row.step, 1, 1, &x);
        return x == x;
    } else {
        return true;
    }
}

} // namespace

void top_k(gp_dtype dtype, bool descending, bool sorted, const Rows &rows, const void *in, size_t k, gp_dtype index,
           size_t stride_out, void *positions, void *values) {
    constexpr size_t kFew = 16;               // elements for each of the k from which on it pays not to sort all
    constexpr size_t kPart = size_t{1} << 16; // the least that is worth a thread
    constexpr size_t kShort = 512, kLeastForSample = 256;
    const size_t n = rows.n, size = gpcl::dtype(dtype).size;
    // Several rows that are many or short are dealt out; else threads share each row.
    const bool dealt = rows.batch > 1 && (rows.batch >= workers() || n < 2 * kPart);
    const size_t parts = dealt ? 1 : std::clamp<size_t>(n / std::max(kPart, 4 * k), 1, 4 * workers());
    std::vector<uint64_t> bests(k == 1 ? rows.batch : 0);
    if (k == 1) arg_reduce(dtype, descending, rows, in, GP_UINT64, 1, bests.data(), nullptr);
    const auto run = [&](auto zero, auto is_descending) {
        using T = decltype(zero);
        const auto take = [&](size_t number) {
            const Row row{dtype, static_cast<const std::byte *>(in) + number * rows.stride * size, rows.step};
            const Results to{dtype, index, positions, values, number * stride_out};
            if (k == 1 && is_number<T>(row, bests[number]))
                return write(row, to, 1, [&](size_t) { return bests[number]; });
            if (k <= kFewest && n <= kShort) {
#if defined(GPCL_HAVE_X86)
                if (has_avx2() && top_by_places<is_descending, T>(row, n, to, k)) return;
#endif
                return top_of_short<T>(row, descending, n, to, k);
            }
            const bool by_sample = parts == 1
                                       ? k <= n / 4 && n <= 4 * kPart
                                       : row.is_direct() && k <= n / 64 && n <= std::numeric_limits<uint32_t>::max();
            if (n >= kLeastForSample && by_sample && top_by_sample<is_descending, T>(row, n, parts, to, k)) return;
#if defined(GPCL_HAVE_SIMD_SORT)
            // Half of n = 100, 1000 and 10^4 elements of float32 took 0.83, 3.5 and 36 us by
            // numbers, by the ways below 1.2, 5.5 and 58 us; of int64 0.95, 5.0 and 45 us, else
            // 1.3, 8.8 and 92 us (Xeon with AVX-512, 2026-11-27).
            constexpr size_t kMostNumbers = size_t{1} << 14;
            if (n <= kMostNumbers && has_simd_sort()) {
                const Elements<T> elements(row, n);
                if (top_by_numbers(
                        row, elements.data(), descending, n, [](size_t i) { return i; }, to, k))
                    return;
            }
#endif
            if (k > n / kFew && n > kBlock) return top_of_sorted<T>(row, descending, n, to, k);
            if constexpr (sizeof(T) <= 4) {
                if (n <= std::numeric_limits<uint32_t>::max())
                    return top_of_row<is_descending, T, ShortPlace>(row, sorted, n, parts, to, k);
            }
            top_of_row<is_descending, T, Place<BitsOf<T>>>(row, sorted, n, parts, to, k);
        };
        if (!dealt) {
            for (size_t number = 0; number < rows.batch; ++number) take(number);
            return;
        }
        const size_t longer = n <= kShort ? 50 + n : n * sizeof(T) / 16; // nanoseconds
        parallel_for(rows.batch, k == 1 ? 1 : longer, [&](size_t number) {
            const OneThread alone;
            take(number);
        });
    };
    const auto with_direction = [&](auto zero) {
        descending ? run(zero, std::true_type{}) : run(zero, std::false_type{});
    };
    if (dtype == GP_FLOAT16) return with_direction(float{});
    with_type(dtype, with_direction);
}

} // namespace gpcl::host
