// Quicksort by vectors, for the instruction set that GPCL_TARGET and GPCL_TARGET_INLINE name: simd_sort.cpp includes this
// file once for each. L has a vector of keys and what it does.
// SPDX-License-Identifier: MIT

template <class L> class Sort {
  public:
    using Key = typename L::Key;

    static void sort(Key *keys, size_t n) {
        if (n <= kFew) return sort_few(keys, keys, n);
        Sort sort; // without values
        sort.sort(keys, n, std::numeric_limits<Key>::max(), 2 * static_cast<unsigned>(std::bit_width(n)));
    }

  private:
    using Vector = typename L::Vector;
    static constexpr size_t kLanes = L::kLanes;
    static constexpr size_t kFew = 32 * kLanes; // keys that a network sorts
    static constexpr size_t kNear = 16384 / sizeof(Key);

    template <size_t... index>
    GPCL_TARGET_INLINE void exchange_all(Vector *v, const Pair *pairs, std::index_sequence<index...>) {
        (L::exchange(v[pairs[index].first], v[pairs[index].second]), ...);
    }

    // Sorts the columns of some rows.
    template <size_t rows> GPCL_TARGET_INLINE void sort_columns(Vector *v) {
        if constexpr (rows == 2) {
            L::exchange(v[0], v[1]);
        } else if constexpr (rows == 4) {
            L::exchange(v[0], v[2]);
            L::exchange(v[1], v[3]);
            L::exchange(v[0], v[1]);
            L::exchange(v[2], v[3]);
            L::exchange(v[1], v[2]);
        } else if constexpr (rows == 8) {
            exchange_all(v, kNetwork8, std::make_index_sequence<std::size(kNetwork8)>());
        } else if constexpr (rows == 16) {
            exchange_all(v, kNetwork16, std::make_index_sequence<std::size(kNetwork16)>());
        } else if constexpr (rows == 32) {
            sort_columns<16>(v);
            sort_columns<16>(v + 16);
#pragma GCC unroll 16
            for (size_t i = 0; i < 16; ++i) L::exchange(v[i], v[31 - i]);
            merge_columns<16>(v);
            merge_columns<16>(v + 16);
        }
    }

    // Each column rises and then falls, or the other way round.
    template <size_t rows> GPCL_TARGET_INLINE void merge_columns(Vector *v) {
        if constexpr (rows > 1) {
#pragma GCC unroll 16
            for (size_t i = 0; i < rows / 2; ++i) L::exchange(v[i], v[i + rows / 2]);
            merge_columns<rows / 2>(v);
            merge_columns<rows / 2>(v + rows / 2);
        }
    }

    template <size_t group, size_t rows> GPCL_TARGET_INLINE void merge_rows(Vector *v) {
        if constexpr (rows > 1) {
#pragma GCC unroll 16
            for (size_t i = 0; i < rows / 2; ++i) {
                Vector other = L::template reversed<group>(v[rows - 1 - i]);
                L::exchange(v[i], other);
                v[rows - 1 - i] = other;
            }
            merge_rows<group, rows / 2>(v);
            merge_rows<group, rows / 2>(v + rows / 2);
        }
    }

    template <size_t distance> GPCL_TARGET_INLINE Vector merge_lanes(Vector v) {
        if constexpr (distance == 0) {
            return v;
        } else {
            Vector other = L::template swapped<distance>(v);
            L::exchange(v, other);
            return merge_lanes<distance / 2>(L::template blend<distance>(v, other));
        }
    }

    // Merges sorted groups of columns, each as wide as half of the last `group`, whose keys lie row by row.
    template <size_t group, size_t rows> GPCL_TARGET_INLINE void merge_groups(Vector *v) {
        if constexpr (group <= kLanes) {
            merge_rows<group, rows>(v);
#pragma GCC unroll 32
            for (size_t i = 0; i < rows; ++i) {
                Vector other = L::template reversed<group>(v[i]);
                L::exchange(v[i], other);
                v[i] = merge_lanes<group / 4>(L::template blend<group / 2>(v[i], other));
            }
            merge_groups<2 * group, rows>(v);
        }
    }

    // Sorts n keys, more than half as many as the rows hold, to `to`, which may be `from`.
    template <size_t rows> GPCL_TARGET static void sort_rows(const Key *from, Key *to, size_t n) {
        constexpr size_t kWhole = rows / 2;
        Vector v[rows];
#pragma GCC unroll 32
        for (size_t i = 0; i < kWhole; ++i) v[i] = L::load(from + i * kLanes);
#pragma GCC unroll 32
        for (size_t i = kWhole; i < rows; ++i) {
            const size_t left = std::min(n - std::min(n, i * kLanes), kLanes);
            v[i] = L::load_first(from + i * kLanes, left);
        }
        sort_columns<rows>(v);
        merge_groups<2, rows>(v);
#pragma GCC unroll 32
        for (size_t i = 0; i < kWhole; ++i) L::store(v[i], to + i * kLanes);
#pragma GCC unroll 32
        for (size_t i = kWhole; i < rows; ++i) {
            if ((i + 1) * kLanes <= n)
                L::store(v[i], to + i * kLanes);
            else if (i * kLanes < n)
                L::store_first(v[i], n - i * kLanes, to + i * kLanes);
        }
    }

    static void sort_few(const Key *from, Key *to, size_t n) {
        if (n <= kLanes) return sort_rows<1>(from, to, n);
        if (n <= 2 * kLanes) return sort_rows<2>(from, to, n);
        if (n <= 4 * kLanes) return sort_rows<4>(from, to, n);
        if (n <= 8 * kLanes) return sort_rows<8>(from, to, n);
        if (n <= 16 * kLanes) return sort_rows<16>(from, to, n);
        sort_rows<32>(from, to, n);
    }

    // About the middle key, by vectors at even distances.
    GPCL_TARGET static Key pivot_of(const Key *keys, size_t n) {
        Key sample[16 * kLanes];
        if (n >= 128 * kLanes) {
            const size_t step = (n - kLanes) / 15;
            for (size_t i = 0; i < 16; ++i) L::store(L::load(keys + i * step), sample + i * kLanes);
            sort_rows<16>(sample, sample, 16 * kLanes);
            return sample[8 * kLanes];
        }
        const size_t step = (n - kLanes) / 7;
        Vector v[8];
#pragma GCC unroll 8
        for (size_t i = 0; i < 8; ++i) v[i] = L::load(keys + i * step);
        sort_columns<8>(v);
        merge_groups<2, 1>(v + 3);
        L::store(v[3], sample);
        return sample[kLanes / 2];
    }

    // Copies keys that are greater than the pivot behind the others, and returns how many the others are.
    GPCL_TARGET static size_t partition(const Key *from, Key *to, size_t n, Key pivot) {
        // Vectors that are stored whole end where others begin while there is room for two.
        constexpr size_t kUnroll = 4;
        const Vector pivots = L::all(pivot);
        const Key *const end = from + n;
        Key *left = to, *right = to + n;
        while (end - from >= static_cast<ptrdiff_t>((kUnroll + 1) * kLanes)) {
#pragma GCC unroll 4
            for (size_t i = 0; i < kUnroll; ++i) L::put(L::load(from + i * kLanes), pivots, left, right);
            from += kUnroll * kLanes;
        }
        while (end - from >= static_cast<ptrdiff_t>(2 * kLanes)) {
            L::put(L::load(from), pivots, left, right);
            from += kLanes;
        }
        while (from < end) {
            const Key key = *from++;
            const bool greater = key > pivot;
            *left = key;
            right[-1] = key;
            left += !greater;
            right -= greater;
        }
        return static_cast<size_t>(left - to);
    }

    // The same in place. Keys are read from the end with less room, so that none is overwritten.
    GPCL_TARGET static size_t partition_here(Key *keys, size_t n, Key pivot) {
        constexpr size_t kUnroll = 8, kStep = kUnroll * kLanes;
        const Vector pivots = L::all(pivot);
        Key rest[3 * kStep];
        Key *left = keys, *right = keys + n;                   // what is written
        const Key *begin = keys + kStep, *end = right - kStep; // what is to be read
        std::copy_n(keys, kStep, rest);
        std::copy_n(end, kStep, rest + kStep);
        while (end - begin >= static_cast<ptrdiff_t>(kStep)) {
            const Key *from = begin;
            if (begin - left <= right - end) {
                begin += kStep;
            } else {
                end -= kStep;
                from = end;
            }
            Vector v[kUnroll];
#pragma GCC unroll 8
            for (size_t i = 0; i < kUnroll; ++i) v[i] = L::load(from + i * kLanes);
#pragma GCC unroll 8
            for (size_t i = 0; i < kUnroll; ++i) L::put(v[i], pivots, left, right);
        }
        std::copy(begin, end, rest + 2 * kStep);
        const auto room = static_cast<size_t>(right - left);
        return static_cast<size_t>(left - keys) + partition(rest, left, room, pivot);
    }

    // Splits keys of which none is greater than `most`; calls f with the number of those in front, with the most that
    // these can be, and whether those behind are all `most`.
    template <class Partition, class F>
    static void split(const Key *keys, size_t n, Key most, const Partition &partition, const F &f) {
        const Key pivot = pivot_of(keys, n);
        const bool is_most = pivot == most;
        const Key limit = is_most && most > std::numeric_limits<Key>::min() ? most - 1 : pivot;
        f(partition(limit), limit, is_most);
    }

    // In place.
    void sort(Key *keys, size_t n, Key most, unsigned levels) {
        if (n <= kNear) return sort_near(keys, near_, keys, n, most, levels);
        if (levels == 0) return std::sort(keys, keys + n);
        split(
            keys, n, most, [&](Key limit) { return partition_here(keys, n, limit); },
            [&](size_t count, Key limit, bool is_done) {
                if (!is_done) sort(keys + count, n - count, most, levels - 1);
                if (limit < most) sort(keys, count, limit, levels - 1);
            });
    }

    // To `to`, which is `keys` or `other`.
    static void sort_near(Key *keys, Key *other, Key *to, size_t n, Key most, unsigned levels) {
        if (n <= kFew) return sort_few(keys, to, n);
        if (levels == 0) {
            if (to != keys) std::copy_n(keys, n, to);
            return std::sort(to, to + n);
        }
        split(
            keys, n, most, [&](Key limit) { return partition(keys, other, n, limit); },
            [&](size_t count, Key limit, bool is_done) {
                if (is_done)
                    std::fill(to + count, to + n, most);
                else
                    sort_near(other + count, keys + count, to + count, n - count, most, levels - 1);
                if (limit < most)
                    sort_near(other, keys, to, count, limit, levels - 1);
                else
                    std::fill(to, to + count, most);
            });
    }

    Key near_[kNear]; // what sort_near() copies to
};
