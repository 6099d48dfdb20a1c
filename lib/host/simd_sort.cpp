// Quicksort by vectors. Few keys are sorted by a network: the columns of some rows of vectors
// first, then groups of columns are merged until one is left. Ranges that fit the first-level cache
// are partitioned from one array to another, larger ones in place.
// SPDX-License-Identifier: MIT
#include "host/simd_sort.h"

#if defined(GPCL_HAVE_SIMD_SORT)

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <type_traits>
#include <utility>

#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized" // GCC's own functions for AVX-512 begin with such a vector
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

namespace gpcl::host {
namespace {

// Sorting networks of 4, 8 and 16 rows with the fewest exchanges (of 16: Green's).
using Pair = std::pair<uint8_t, uint8_t>;
constexpr Pair kNetwork4[] = {{0, 2}, {1, 3}, {0, 1}, {2, 3}, {1, 2}};
constexpr Pair kNetwork8[] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 1}, {2, 3},
                              {4, 5}, {6, 7}, {2, 4}, {3, 5}, {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};
constexpr Pair kNetwork16[] = {
    {0, 1},  {2, 3},  {4, 5},   {6, 7},   {8, 9},  {10, 11}, {12, 13}, {14, 15}, {0, 2},  {1, 3},   {4, 6},   {5, 7},
    {8, 10}, {9, 11}, {12, 14}, {13, 15}, {0, 4},  {1, 5},   {2, 6},   {3, 7},   {8, 12}, {9, 13},  {10, 14}, {11, 15},
    {0, 8},  {1, 9},  {2, 10},  {3, 11},  {4, 12}, {5, 13},  {6, 14},  {7, 15},  {5, 10}, {6, 9},   {3, 12},  {13, 14},
    {4, 8},  {7, 11}, {1, 2},   {1, 4},   {7, 13}, {2, 8},   {11, 14}, {2, 4},   {5, 6},  {9, 10},  {11, 13}, {3, 8},
    {7, 12}, {6, 8},  {10, 12}, {3, 5},   {7, 9},  {3, 4},   {5, 6},   {7, 8},   {9, 10}, {11, 12}, {6, 7},   {8, 9}};

// The instruction sets: vectors of keys, and what simd_quicksort.h does with them. first(n) are the
// first n lanes; load_first() has the greatest key in the others. merged<distance>() has the
// greater keys in lanes in whose number the bit `distance` is set, the lesser ones in the others.
// put() stores the lanes that are greater than the pivot before `right` and the others behind
// `left`; it may overwrite what lies between.

namespace avx2 {

#define GPCL_TARGET [[gnu::target("avx2,popcnt")]]
#define GPCL_TARGET_INLINE [[gnu::target("avx2,popcnt"), gnu::always_inline]] static inline

// For each set of lanes, which lane of `parts` times 32 bits goes where so that those of the set
// come last.
template <size_t lanes, size_t parts> constexpr auto orders() {
    std::array<std::array<uint32_t, lanes * parts>, size_t{1} << lanes> result{};
    for (size_t set = 0; set < result.size(); ++set) {
        size_t place = 0;
        for (const bool last : {false, true})
            for (size_t lane = 0; lane < lanes; ++lane) {
                if (((set >> lane & 1) != 0) != last) continue;
                for (size_t part = 0; part < parts; ++part)
                    result[set][place++] = static_cast<uint32_t>(lane * parts + part);
            }
    }
    return result;
}

// Ones, and as many zeros.
template <class Int, size_t lanes> constexpr std::array<Int, 2 * lanes> ones_and_zeros() {
    std::array<Int, 2 * lanes> result{};
    for (size_t i = 0; i < lanes; ++i) result[i] = -1;
    return result;
}

template <class K> struct Lanes {
    using Key = K;
    using Vector = __m256i;
    static constexpr size_t kLanes = sizeof(Vector) / sizeof(Key);
    static constexpr size_t kParts = sizeof(Key) / 4;
    alignas(32) static constexpr auto kOrders = orders<kLanes, kParts>();
    using Int = std::conditional_t<sizeof(Key) == 4, int32_t, int64_t>;
    static constexpr bool kFloats = std::is_floating_point_v<Key>;
    static constexpr auto kFirst = ones_and_zeros<Int, kLanes>();

    GPCL_TARGET_INLINE Vector load(const void *from) { return _mm256_loadu_si256(static_cast<const Vector *>(from)); }
    GPCL_TARGET_INLINE void store(Vector v, void *to) { _mm256_storeu_si256(static_cast<Vector *>(to), v); }
    GPCL_TARGET_INLINE Vector first(size_t n) { return load(kFirst.data() + kLanes - n); }
    // All ones where the bit `distance` of the lane's number is set.
    template <size_t distance> GPCL_TARGET_INLINE Vector upper() {
        constexpr size_t kBit = distance * kParts;
        return _mm256_setr_epi32(0, -((1 & kBit) != 0), -((2 & kBit) != 0), -((3 & kBit) != 0), -((4 & kBit) != 0),
                                 -((5 & kBit) != 0), -((6 & kBit) != 0), -((7 & kBit) != 0));
    }
    GPCL_TARGET_INLINE void put(Vector v, int greater, Key *&left, Key *&right) {
        const auto &order = kOrders[static_cast<size_t>(greater)];
        const Vector both =
            _mm256_permutevar8x32_epi32(v, _mm256_load_si256(reinterpret_cast<const Vector *>(order.data())));
        store(both, left);
        store(both, right - kLanes);
        const auto count = static_cast<size_t>(_mm_popcnt_u32(static_cast<unsigned>(greater)));
        left += kLanes - count;
        right -= count;
    }
};

template <class K> struct Lanes32 : Lanes<K> {
    using typename Lanes<K>::Vector;
    GPCL_TARGET_INLINE Vector all(K key) {
        if constexpr (Lanes<K>::kFloats)
            return _mm256_castps_si256(_mm256_set1_ps(key));
        else
            return _mm256_set1_epi32(key);
    }
    GPCL_TARGET_INLINE Vector load_first(const K *from, size_t n) {
        const Vector mask = Lanes<K>::first(n), some = _mm256_maskload_epi32(reinterpret_cast<const int *>(from), mask);
        return _mm256_blendv_epi8(all(kGreatestKey<K>), some, mask);
    }
    GPCL_TARGET_INLINE void store_first(Vector v, size_t n, K *to) {
        _mm256_maskstore_epi32(reinterpret_cast<int *>(to), Lanes<K>::first(n), v);
    }
    GPCL_TARGET_INLINE void exchange(Vector &a, Vector &b) {
        const Vector first = a;
        if constexpr (Lanes<K>::kFloats) {
            a = _mm256_castps_si256(_mm256_min_ps(_mm256_castsi256_ps(first), _mm256_castsi256_ps(b)));
            b = _mm256_castps_si256(_mm256_max_ps(_mm256_castsi256_ps(first), _mm256_castsi256_ps(b)));
        } else {
            a = _mm256_min_epi32(first, b);
            b = _mm256_max_epi32(first, b);
        }
    }
    template <size_t distance> GPCL_TARGET_INLINE Vector merged(Vector v, Vector other) {
        constexpr int kUpper = distance == 1 ? 0xaa : distance == 2 ? 0xcc : 0xf0;
        exchange(v, other);
        return _mm256_blend_epi32(v, other, kUpper);
    }
    template <size_t group> GPCL_TARGET_INLINE Vector reversed(Vector v) {
        if constexpr (group == 2) return _mm256_shuffle_epi32(v, 0xb1);
        const Vector result = _mm256_shuffle_epi32(v, 0x1b);
        return group == 4 ? result : _mm256_permute4x64_epi64(result, 0x4e);
    }
    template <size_t distance> GPCL_TARGET_INLINE Vector swapped(Vector v) {
        if constexpr (distance == 4) return _mm256_permute4x64_epi64(v, 0x4e);
        return _mm256_shuffle_epi32(v, distance == 1 ? 0xb1 : 0x4e);
    }
    GPCL_TARGET_INLINE void put(Vector v, Vector pivot, K *&left, K *&right) {
        __m256 greater;
        if constexpr (Lanes<K>::kFloats)
            greater = _mm256_cmp_ps(_mm256_castsi256_ps(v), _mm256_castsi256_ps(pivot), _CMP_GT_OQ);
        else
            greater = _mm256_castsi256_ps(_mm256_cmpgt_epi32(v, pivot));
        Lanes<K>::put(v, _mm256_movemask_ps(greater), left, right);
    }
};

template <class K> struct Lanes64 : Lanes<K> {
    using typename Lanes<K>::Vector;
    GPCL_TARGET_INLINE Vector all(K key) {
        if constexpr (Lanes<K>::kFloats)
            return _mm256_castpd_si256(_mm256_set1_pd(key));
        else
            return _mm256_set1_epi64x(key);
    }
    GPCL_TARGET_INLINE Vector load_first(const K *from, size_t n) {
        const Vector mask = Lanes<K>::first(n);
        const Vector some = _mm256_maskload_epi64(reinterpret_cast<const long long *>(from), mask);
        return _mm256_blendv_epi8(all(kGreatestKey<K>), some, mask);
    }
    GPCL_TARGET_INLINE void store_first(Vector v, size_t n, K *to) {
        _mm256_maskstore_epi64(reinterpret_cast<long long *>(to), Lanes<K>::first(n), v);
    }
    GPCL_TARGET_INLINE void exchange(Vector &a, Vector &b) {
        const Vector first = a;
        if constexpr (Lanes<K>::kFloats) {
            a = _mm256_castpd_si256(_mm256_min_pd(_mm256_castsi256_pd(first), _mm256_castsi256_pd(b)));
            b = _mm256_castpd_si256(_mm256_max_pd(_mm256_castsi256_pd(first), _mm256_castsi256_pd(b)));
        } else {
            const Vector swap = _mm256_cmpgt_epi64(first, b);
            a = _mm256_blendv_epi8(first, b, swap);
            b = _mm256_blendv_epi8(b, first, swap);
        }
    }
    template <size_t distance> GPCL_TARGET_INLINE Vector merged(Vector v, Vector other) {
        if constexpr (Lanes<K>::kFloats) {
            exchange(v, other);
            return _mm256_blend_epi32(v, other, distance == 1 ? 0xcc : 0xf0);
        } else {
            const Vector upper = Lanes<K>::template upper<distance>();
            return _mm256_blendv_epi8(v, other, _mm256_xor_si256(_mm256_cmpgt_epi64(v, other), upper));
        }
    }
    template <size_t group> GPCL_TARGET_INLINE Vector reversed(Vector v) {
        return group == 2 ? _mm256_shuffle_epi32(v, 0x4e) : _mm256_permute4x64_epi64(v, 0x1b);
    }
    template <size_t distance> GPCL_TARGET_INLINE Vector swapped(Vector v) {
        return distance == 1 ? _mm256_shuffle_epi32(v, 0x4e) : _mm256_permute4x64_epi64(v, 0x4e);
    }
    GPCL_TARGET_INLINE void put(Vector v, Vector pivot, K *&left, K *&right) {
        __m256d greater;
        if constexpr (Lanes<K>::kFloats)
            greater = _mm256_cmp_pd(_mm256_castsi256_pd(v), _mm256_castsi256_pd(pivot), _CMP_GT_OQ);
        else
            greater = _mm256_castsi256_pd(_mm256_cmpgt_epi64(v, pivot));
        Lanes<K>::put(v, _mm256_movemask_pd(greater), left, right);
    }
};

#include "host/simd_quicksort.h"

#undef GPCL_TARGET
#undef GPCL_TARGET_INLINE

} // namespace avx2

namespace avx512 {

#define GPCL_TARGET [[gnu::target("avx512f,popcnt")]]
#define GPCL_TARGET_INLINE [[gnu::target("avx512f,popcnt"), gnu::always_inline]] static inline

template <class K> struct Lanes32 {
    using Key = K;
    using Vector = __m512i;
    static constexpr bool kFloats = std::is_floating_point_v<Key>;
    static constexpr size_t kLanes = 16;
    GPCL_TARGET_INLINE __mmask16 first(size_t n) { return static_cast<__mmask16>((1U << n) - 1); }
    GPCL_TARGET_INLINE Vector load(const Key *from) { return _mm512_loadu_si512(from); }
    GPCL_TARGET_INLINE void store(Vector v, Key *to) { _mm512_storeu_si512(to, v); }
    GPCL_TARGET_INLINE Vector all(Key key) {
        if constexpr (kFloats)
            return _mm512_castps_si512(_mm512_set1_ps(key));
        else
            return _mm512_set1_epi32(key);
    }
    GPCL_TARGET_INLINE Vector load_first(const Key *from, size_t n) {
        return _mm512_mask_loadu_epi32(all(kGreatestKey<Key>), first(n), from);
    }
    GPCL_TARGET_INLINE void store_first(Vector v, size_t n, Key *to) { _mm512_mask_storeu_epi32(to, first(n), v); }
    GPCL_TARGET_INLINE void exchange(Vector &a, Vector &b) {
        const Vector first = a;
        if constexpr (kFloats) {
            a = _mm512_castps_si512(_mm512_min_ps(_mm512_castsi512_ps(first), _mm512_castsi512_ps(b)));
            b = _mm512_castps_si512(_mm512_max_ps(_mm512_castsi512_ps(first), _mm512_castsi512_ps(b)));
        } else {
            a = _mm512_min_epi32(first, b);
            b = _mm512_max_epi32(first, b);
        }
    }
    template <size_t distance> GPCL_TARGET_INLINE Vector merged(Vector v, Vector other) {
        constexpr auto kUpper = distance == 1 ? 0xaaaa : distance == 2 ? 0xcccc : distance == 4 ? 0xf0f0 : 0xff00;
        if constexpr (kFloats) {
            const auto a = _mm512_castsi512_ps(v), b = _mm512_castsi512_ps(other);
            return _mm512_castps_si512(_mm512_mask_max_ps(_mm512_min_ps(a, b), static_cast<__mmask16>(kUpper), a, b));
        } else {
            return _mm512_mask_max_epi32(_mm512_min_epi32(v, other), static_cast<__mmask16>(kUpper), v, other);
        }
    }
    template <size_t group> GPCL_TARGET_INLINE Vector reversed(Vector v) {
        if constexpr (group == 2) return _mm512_shuffle_epi32(v, _MM_PERM_CDAB);
        const Vector result = _mm512_shuffle_epi32(v, _MM_PERM_ABCD);
        if constexpr (group == 4) return result;
        return _mm512_shuffle_i64x2(result, result, group == 8 ? 0xb1 : 0x1b);
    }
    template <size_t distance> GPCL_TARGET_INLINE Vector swapped(Vector v) {
        if constexpr (distance >= 4) return _mm512_shuffle_i64x2(v, v, distance == 4 ? 0xb1 : 0x4e);
        return _mm512_shuffle_epi32(v, distance == 1 ? _MM_PERM_CDAB : _MM_PERM_BADC);
    }
    GPCL_TARGET_INLINE void put(Vector v, Vector pivot, Key *&left, Key *&right) {
        __mmask16 greater;
        if constexpr (kFloats)
            greater = _mm512_cmp_ps_mask(_mm512_castsi512_ps(v), _mm512_castsi512_ps(pivot), _CMP_GT_OQ);
        else
            greater = _mm512_cmpgt_epi32_mask(v, pivot);
        const auto count = static_cast<size_t>(_mm_popcnt_u32(greater));
        store(_mm512_maskz_compress_epi32(static_cast<__mmask16>(~greater), v), left);
        left += kLanes - count;
        right -= count;
        store_first(_mm512_maskz_compress_epi32(greater, v), count, right);
    }
};

template <class K> struct Lanes64 {
    using Key = K;
    using Vector = __m512i;
    static constexpr bool kFloats = std::is_floating_point_v<Key>;
    static constexpr size_t kLanes = 8;
    GPCL_TARGET_INLINE __mmask8 first(size_t n) { return static_cast<__mmask8>((1U << n) - 1); }
    GPCL_TARGET_INLINE Vector load(const Key *from) { return _mm512_loadu_si512(from); }
    GPCL_TARGET_INLINE void store(Vector v, Key *to) { _mm512_storeu_si512(to, v); }
    GPCL_TARGET_INLINE Vector all(Key key) {
        if constexpr (kFloats)
            return _mm512_castpd_si512(_mm512_set1_pd(key));
        else
            return _mm512_set1_epi64(key);
    }
    GPCL_TARGET_INLINE Vector load_first(const Key *from, size_t n) {
        return _mm512_mask_loadu_epi64(all(kGreatestKey<Key>), first(n), from);
    }
    GPCL_TARGET_INLINE void store_first(Vector v, size_t n, Key *to) { _mm512_mask_storeu_epi64(to, first(n), v); }
    GPCL_TARGET_INLINE void exchange(Vector &a, Vector &b) {
        const Vector first = a;
        if constexpr (kFloats) {
            a = _mm512_castpd_si512(_mm512_min_pd(_mm512_castsi512_pd(first), _mm512_castsi512_pd(b)));
            b = _mm512_castpd_si512(_mm512_max_pd(_mm512_castsi512_pd(first), _mm512_castsi512_pd(b)));
        } else {
            a = _mm512_min_epi64(first, b);
            b = _mm512_max_epi64(first, b);
        }
    }
    template <size_t distance> GPCL_TARGET_INLINE Vector merged(Vector v, Vector other) {
        constexpr auto kUpper = distance == 1 ? 0xaa : distance == 2 ? 0xcc : 0xf0;
        if constexpr (kFloats) {
            const auto a = _mm512_castsi512_pd(v), b = _mm512_castsi512_pd(other);
            return _mm512_castpd_si512(_mm512_mask_max_pd(_mm512_min_pd(a, b), static_cast<__mmask8>(kUpper), a, b));
        } else {
            return _mm512_mask_max_epi64(_mm512_min_epi64(v, other), static_cast<__mmask8>(kUpper), v, other);
        }
    }
    template <size_t group> GPCL_TARGET_INLINE Vector reversed(Vector v) {
        const Vector result = _mm512_shuffle_epi32(v, _MM_PERM_BADC);
        if constexpr (group == 2) return result;
        return _mm512_shuffle_i64x2(result, result, group == 4 ? 0xb1 : 0x1b);
    }
    template <size_t distance> GPCL_TARGET_INLINE Vector swapped(Vector v) {
        if constexpr (distance >= 2) return _mm512_shuffle_i64x2(v, v, distance == 2 ? 0xb1 : 0x4e);
        return _mm512_shuffle_epi32(v, _MM_PERM_BADC);
    }
    GPCL_TARGET_INLINE void put(Vector v, Vector pivot, Key *&left, Key *&right) {
        __mmask8 greater;
        if constexpr (kFloats)
            greater = _mm512_cmp_pd_mask(_mm512_castsi512_pd(v), _mm512_castsi512_pd(pivot), _CMP_GT_OQ);
        else
            greater = _mm512_cmpgt_epi64_mask(v, pivot);
        const auto count = static_cast<size_t>(_mm_popcnt_u32(greater));
        store(_mm512_maskz_compress_epi64(static_cast<__mmask8>(~greater), v), left);
        left += kLanes - count;
        right -= count;
        store_first(_mm512_maskz_compress_epi64(greater, v), count, right);
    }
};

#include "host/simd_quicksort.h"

#undef GPCL_TARGET
#undef GPCL_TARGET_INLINE

} // namespace avx512

} // namespace

#define GPCL_SIMD_SORT(Key, Lanes)                                                                                     \
    template <> void simd_sort(const SimdRange<Key> &range) {                                                          \
        has_avx512() ? avx512::Sort<avx512::Lanes<Key>>::sort(range) : avx2::Sort<avx2::Lanes<Key>>::sort(range);      \
    }                                                                                                                  \
    template <> void simd_sort_rows(Key *keys, size_t n, size_t count, size_t stride) {                                \
        has_avx512() ? avx512::Sort<avx512::Lanes<Key>>::sort_each(keys, n, count, stride)                             \
                     : avx2::Sort<avx2::Lanes<Key>>::sort_each(keys, n, count, stride);                                \
    }                                                                                                                  \
    template <> void simd_merge(const Key *a, size_t n_a, const Key *b, size_t n_b, Key flip, Key *out) {              \
        has_avx512() ? avx512::Sort<avx512::Lanes<Key>>::merge({a, n_a}, {b, n_b}, flip, out)                          \
                     : avx2::Sort<avx2::Lanes<Key>>::merge({a, n_a}, {b, n_b}, flip, out);                             \
    }                                                                                                                  \
    template <> std::array<SimdRange<Key>, 2> simd_split(const SimdRange<Key> &range) {                                \
        return has_avx512() ? avx512::Sort<avx512::Lanes<Key>>::split(range)                                           \
                            : avx2::Sort<avx2::Lanes<Key>>::split(range);                                              \
    }
GPCL_SIMD_SORT(int32_t, Lanes32)
GPCL_SIMD_SORT(int64_t, Lanes64)
GPCL_SIMD_SORT(float, Lanes32)
GPCL_SIMD_SORT(double, Lanes64)
#undef GPCL_SIMD_SORT

template <> void simd_sort_first(int64_t *keys, size_t n, size_t wanted) {
    using Key = int64_t;
    const SimdRange<Key> range(keys, n);
    has_avx512() ? avx512::Sort<avx512::Lanes64<Key>>::sort(range, wanted)
                 : avx2::Sort<avx2::Lanes64<Key>>::sort(range, wanted);
}

} // namespace gpcl::host

#endif
