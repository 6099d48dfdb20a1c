// Select on the host: a bit for each element that is kept, 64 in a word; then elements go out word
// by word: none, all, or those whose bits are set, with AVX-512 by compressed vectors.
// SPDX-License-Identifier: MIT
#include "host/select.h"

#include "core/cpu.h"
#include "core/dtype.h"
#include "core/scratch.h"
#include "core/size.h"
#include "host/lane_bits.h"
#include "host/parallel.h"

#include <array>
#include <bit>
#include <cstring>

#if defined(GPCL_HAVE_X86)
#include <immintrin.h>
#endif

namespace gpcl::host {
namespace {

constexpr size_t kBits = 64;
constexpr size_t kWords = 512;            // of bits, for a thread at a time
constexpr size_t kChunk = kWords * kBits; // elements

// The bits of a word's first elements.
uint64_t first_bits(size_t count) { return count >= kBits ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

// ---- Which are kept -----------------------------------------------------------------------------

// `sign` is what -0 has, of floats; else 0.
template <class Key> uint64_t bits_of(const Key *keys, size_t count, Key sign) {
    uint64_t bits = 0;
    for (size_t i = 0; i < count; ++i) bits |= uint64_t{(keys[i] & static_cast<Key>(~sign)) != 0} << i;
    return bits;
}

// A byte's top bit for each of eight that are not zero, then these side by side.
template <> uint64_t bits_of(const uint8_t *keys, size_t count, uint8_t) {
    uint64_t bits = 0;
    size_t i = 0;
    if constexpr (std::endian::native == std::endian::little) {
        for (; i + 8 <= count; i += 8) {
            uint64_t eight = 0;
            std::memcpy(&eight, keys + i, sizeof eight);
            const uint64_t low = 0x7f7f7f7f7f7f7f7f;
            const uint64_t top = (((eight & low) + low) | eight) & ~low;
            bits |= ((top >> 7) * 0x0102040810204080 >> 56) << i;
        }
    }
    for (; i < count; ++i) bits |= uint64_t{keys[i] != 0} << i;
    return bits;
}

// Writes the bits of `count` elements, and returns how many are set.
template <class Key> size_t find_portable(const void *keys, size_t count, Key sign, uint64_t *bits) {
    const Key *const from = static_cast<const Key *>(keys);
    size_t kept = 0;
    for (size_t i = 0; i < count; i += kBits) {
        *bits = bits_of(from + i, std::min(kBits, count - i), sign);
        kept += static_cast<size_t>(std::popcount(*bits++));
    }
    return kept;
}

#if defined(GPCL_HAVE_X86)
// A bit for each of the keys in 32 bytes that is zero.
template <class Key> [[gnu::target("avx2")]] inline uint32_t zeros_of(__m256i x, __m256i mask) {
    x = _mm256_and_si256(x, mask);
    const __m256i zero = _mm256_setzero_si256();
    if constexpr (sizeof(Key) == 1) return lane_bits<1>(_mm256_cmpeq_epi8(x, zero));
    if constexpr (sizeof(Key) == 2) return lane_bits<2>(_mm256_cmpeq_epi16(x, zero));
    if constexpr (sizeof(Key) == 4) return lane_bits<4>(_mm256_cmpeq_epi32(x, zero));
    return lane_bits<8>(_mm256_cmpeq_epi64(x, zero));
}

template <class Key>
[[gnu::target("avx2,popcnt")]] size_t find_avx2(const void *keys, size_t count, Key sign, uint64_t *bits) {
    constexpr size_t kLanes = 32 / sizeof(Key);
    const Key *const from = static_cast<const Key *>(keys);
    const auto kept = static_cast<Key>(~sign);
    __m256i mask;
    if constexpr (sizeof(Key) == 1) mask = _mm256_set1_epi8(static_cast<char>(kept));
    if constexpr (sizeof(Key) == 2) mask = _mm256_set1_epi16(static_cast<int16_t>(kept));
    if constexpr (sizeof(Key) == 4) mask = _mm256_set1_epi32(static_cast<int32_t>(kept));
    if constexpr (sizeof(Key) == 8) mask = _mm256_set1_epi64x(static_cast<int64_t>(kept));
    size_t i = 0, kept_count = 0;
    for (; i + kBits <= count; i += kBits) {
        uint64_t zeros = 0;
        for (size_t lane = 0; lane < kBits; lane += kLanes) {
            const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from + i + lane));
            zeros |= uint64_t{zeros_of<Key>(x, mask)} << lane;
        }
        *bits++ = ~zeros;
        kept_count += static_cast<size_t>(std::popcount(~zeros));
    }
    if (i < count) {
        *bits = bits_of(from + i, count - i, sign);
        kept_count += static_cast<size_t>(std::popcount(*bits));
    }
    return kept_count;
}
#endif

using Find = size_t (*)(const void *, size_t, uint64_t *);

template <class Key, Key sign> size_t find(const void *keys, size_t count, uint64_t *bits) {
#if defined(GPCL_HAVE_X86)
    if (has_avx2()) return find_avx2<Key>(keys, count, sign, bits);
#endif
    return find_portable<Key>(keys, count, sign, bits);
}

Find find_of(gp_dtype type) {
    switch (type) {
    case GP_FLOAT16: return find<uint16_t, 0x8000>;
    case GP_FLOAT32: return find<uint32_t, 0x80000000>;
    case GP_FLOAT64: return find<uint64_t, 0x8000000000000000>;
    default: break;
    }
    switch (dtype(type).size) {
    case 1: return find<uint8_t, 0>;
    case 2: return find<uint16_t, 0>;
    case 4: return find<uint32_t, 0>;
    default: return find<uint64_t, 0>;
    }
}

// ---- Where they go ------------------------------------------------------------------------------

// Elements first + i whose bit i is set go to `to` and behind, in order; what lies at `limit` and
// behind stays as it is. `count` is how many bits are set, and that many fit.
template <size_t Size> struct Elements {
    const std::byte *from;
    std::byte *to;
    size_t size; // where Size is 0
    size_t bytes() const { return Size != 0 ? Size : size; }
    void whole(size_t first, size_t at) const {
        std::memcpy(to + at * bytes(), from + first * bytes(), kBits * bytes());
    }
    void one(size_t place, size_t at) const { std::memcpy(to + at * bytes(), from + place * bytes(), bytes()); }
};

template <class Index> struct Positions {
    Index *to;
    void whole(size_t first, size_t at) const {
        for (size_t i = 0; i < kBits; ++i) to[at + i] = static_cast<Index>(first + i);
    }
    void one(size_t place, size_t at) const { to[at] = static_cast<Index>(place); }
};

template <class Out> void take_bits(const Out &out, uint64_t bits, size_t first, size_t at) {
    for (; bits != 0; bits &= bits - 1) out.one(first + static_cast<size_t>(std::countr_zero(bits)), at++);
}

#if defined(GPCL_HAVE_X86)
bool has_compress() {
    static const bool has = has_avx512() && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2");
    return has;
}

#define GP_AVX512 [[gnu::target("avx512f,avx512bw,avx512vbmi2,popcnt,bmi,bmi2")]]

// Stores the first `count` lanes of a vector: all of it where that stays before the limit.
template <size_t Size> GP_AVX512 inline void store_lanes(std::byte *to, __m512i x, size_t count, size_t room) {
    constexpr size_t kLanes = 64 / Size;
    if (room >= kLanes) return _mm512_storeu_si512(to, x);
    const uint64_t lanes = first_bits(count);
    if constexpr (Size == 1) _mm512_mask_storeu_epi8(to, lanes, x);
    if constexpr (Size == 2) _mm512_mask_storeu_epi16(to, static_cast<__mmask32>(lanes), x);
    if constexpr (Size == 4) _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(lanes), x);
    if constexpr (Size == 8) _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(lanes), x);
}

template <size_t Size> GP_AVX512 inline __m512i compress(__m512i x, uint64_t lanes) {
    if constexpr (Size == 1) return _mm512_maskz_compress_epi8(lanes, x);
    if constexpr (Size == 2) return _mm512_maskz_compress_epi16(static_cast<__mmask32>(lanes), x);
    if constexpr (Size == 4) return _mm512_maskz_compress_epi32(static_cast<__mmask16>(lanes), x);
    return _mm512_maskz_compress_epi64(static_cast<__mmask8>(lanes), x);
}

template <size_t Size>
requires(Size == 1 || Size == 2 || Size == 4 || Size == 8) GP_AVX512
    void compress_bits(const Elements<Size> &out, uint64_t bits, size_t first, size_t at, size_t limit) {
    constexpr size_t kLanes = 64 / Size;
    for (size_t i = 0; i < kBits; i += kLanes) {
        const uint64_t lanes = bits >> i & first_bits(kLanes);
        const auto count = static_cast<size_t>(std::popcount(lanes));
        if (count == 0) continue;
        const __m512i x = _mm512_loadu_si512(out.from + (first + i) * Size);
        store_lanes<Size>(out.to + at * Size, compress<Size>(x, lanes), count, limit - at);
        at += count;
    }
}

template <class Index>
GP_AVX512 void compress_bits(const Positions<Index> &out, uint64_t bits, size_t first, size_t at, size_t limit) {
    constexpr size_t kLanes = 64 / sizeof(Index);
    const __m512i ascending = sizeof(Index) == 4
                                  ? _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
                                  : _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    for (size_t i = 0; i < kBits; i += kLanes) {
        const uint64_t lanes = bits >> i & first_bits(kLanes);
        const auto count = static_cast<size_t>(std::popcount(lanes));
        if (count == 0) continue;
        const __m512i x = sizeof(Index) == 4
                              ? _mm512_add_epi32(ascending, _mm512_set1_epi32(static_cast<int32_t>(first + i)))
                              : _mm512_add_epi64(ascending, _mm512_set1_epi64(static_cast<int64_t>(first + i)));
        store_lanes<sizeof(Index)>(reinterpret_cast<std::byte *>(out.to + at), compress<sizeof(Index)>(x, lanes), count,
                                   limit - at);
        at += count;
    }
}
#endif

// May a word's elements, and those that go with it, be compressed by vectors?
template <size_t Size> bool compresses(const Elements<Size> &) {
#if defined(GPCL_HAVE_X86)
    if constexpr (Size == 1 || Size == 2 || Size == 4 || Size == 8) return has_compress();
#endif
    return false;
}
template <class Index> bool compresses(const Positions<Index> &) {
#if defined(GPCL_HAVE_X86)
    return has_compress();
#else
    return false;
#endif
}

constexpr size_t kFewOf = 16; // elements of a chunk of which one or less is kept
constexpr size_t kFew = 4;    // bits, up to which one after the other is faster than vectors

// The same of a chunk with few bits: where they are first, so that reads that miss the caches do
// not wait for each other.
template <class Out>
void move_few(const Out &out, const uint64_t *bits, size_t first, size_t count, size_t at, size_t limit) {
    constexpr size_t kMost = kChunk / kFewOf;
    std::array<uint16_t, kMost> places;
    size_t here = 0;
    for (size_t i = 0; i < count; i += kBits)
        for (uint64_t word = *bits++ & first_bits(count - i); word != 0; word &= word - 1)
            places[here++] = static_cast<uint16_t>(i + static_cast<size_t>(std::countr_zero(word)));
    here = std::min(here, limit - std::min(at, limit));
    for (size_t k = 0; k < here; ++k) out.one(first + places[k], at + k);
}

// The elements of `count` from `first` on whose bits equal `set` go to places from `at` on, and
// none to `limit` or behind.
template <class Out>
void move_chunk(const Out &out, const uint64_t *bits, bool set, size_t first, size_t count, size_t at, size_t limit) {
    [[maybe_unused]] const bool vectors = compresses(out);
    for (size_t i = 0; i < count && at < limit; i += kBits, ++bits) {
        uint64_t word = (set ? *bits : ~*bits) & first_bits(count - i);
        if (word == 0) continue;
        auto here = static_cast<size_t>(std::popcount(word));
        if (here > limit - at) { // only the first of them
            for (; here > limit - at; --here) word &= ~(uint64_t{1} << (63 - std::countl_zero(word)));
        }
        if (here == kBits) out.whole(first + i, at);
#if defined(GPCL_HAVE_X86)
        else if constexpr (requires { compress_bits(out, word, first, at, limit); }) {
            if (vectors && here > kFew && count - i >= kBits)
                compress_bits(out, word, first + i, at, limit);
            else
                take_bits(out, word, first + i, at);
        }
#endif
        else
            take_bits(out, word, first + i, at);
        at += here;
    }
}

// Calls f with what moves a column, if there is one.
template <class F> void with_elements(const Column &column, const F &f) {
    const auto *const from = static_cast<const std::byte *>(column.from);
    auto *const to = static_cast<std::byte *>(column.to);
    switch (column.size) {
    case 0: return;
    case 1: return f(Elements<1>{from, to, 1});
    case 2: return f(Elements<2>{from, to, 2});
    case 4: return f(Elements<4>{from, to, 4});
    case 8: return f(Elements<8>{from, to, 8});
    case 16: return f(Elements<16>{from, to, 16});
    default: return f(Elements<0>{from, to, column.size});
    }
}

class Mover {
  public:
    Mover(const Selection &s) : s_(s) {}

    // A chunk of `count` elements from `first` on, of which `here` are kept; `before` are kept
    // before it, `whole` of all.
    void move(const uint64_t *bits, size_t first, size_t count, size_t here, size_t before, size_t whole) const {
        const auto go = [&](const auto &out) {
            const size_t limit = std::min(before + here, s_.capacity);
            if (here * kFewOf > count)
                move_chunk(out, bits, true, first, count, before, limit);
            else if (here > 0)
                move_few(out, bits, first, count, before, limit);
            if (!s_.rest || here == count) return;
            const size_t at = whole + first - before;
            move_chunk(out, bits, false, first, count, at, at + count - here);
        };
        if (s_.index_size == 4) go(Positions<uint32_t>{static_cast<uint32_t *>(s_.positions)});
        if (s_.index_size == 8) go(Positions<uint64_t>{static_cast<uint64_t *>(s_.positions)});
        with_elements(s_.elements, go);
        with_elements(s_.values, go);
    }

  private:
    const Selection &s_;
};

} // namespace

uint64_t select(const Selection &s) {
    const Find find_bits = find_of(s.key_type);
    const size_t key_size = dtype(s.key_type).size;
    const auto *const keys = static_cast<const std::byte *>(s.keys);
    const Mover mover(s);
    const size_t chunks = ceil_div(s.n, kChunk);
    const auto length = [&](size_t chunk) { return std::min(kChunk, s.n - chunk * kChunk); };
    // Nanoseconds of a chunk: keys at some 32 bytes a nanosecond, as they come from caches.
    const size_t find_cost = kChunk * key_size / 32;
    Scratch bits_space(ceil_div(s.n, kBits) * sizeof(uint64_t)), begins_space((chunks + 1) * sizeof(size_t));
    auto *const bits = bits_space.as<uint64_t>();
    auto *const begins = begins_space.as<size_t>();
    parallel_for(chunks, find_cost, [&](size_t chunk) {
        begins[chunk + 1] = find_bits(keys + chunk * kChunk * key_size, length(chunk), bits + chunk * kWords);
    });
    begins[0] = 0;
    for (size_t chunk = 0; chunk < chunks; ++chunk) begins[chunk + 1] += begins[chunk];
    const size_t whole = begins[chunks];
    // A nanosecond for a word of bits, and what is moved at some 8 bytes a nanosecond.
    const size_t moved = (s.rest ? s.n : whole) * (s.elements.size + s.values.size + s.index_size);
    const size_t move_cost = kWords + moved / 8 / std::max(chunks, size_t{1});
    parallel_for(chunks, move_cost, [&](size_t chunk) {
        mover.move(bits + chunk * kWords, chunk * kChunk, length(chunk), begins[chunk + 1] - begins[chunk],
                   begins[chunk], whole);
    });
    return whole;
}

} // namespace gpcl::host
