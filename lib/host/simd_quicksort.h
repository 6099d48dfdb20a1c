// Quicksort by vectors, for the instruction set that GPCL_TARGET and GPCL_TARGET_INLINE name:
// simd_sort.cpp includes this file once for each. L has a vector of keys and what it does.
// SPDX-License-Identifier: MIT

template <class L> class Sort {
  public:
    using Key = typename L::Key;
    using Range = SimdRange<Key>;

    static void sort(const Range &range) { sort(range, range.n); }

    // The keys behind the first `wanted` are undefined afterwards.
    static void sort(const Range &range, size_t wanted) {
        if (range.n <= kFew) return sort_few(range.keys, range.keys, range.n);
        Sort sort; // without values
        sort.sort_here(range, wanted);
    }

    // Each of some rows.
    static void sort_each(Key *keys, size_t n, size_t count, size_t stride) {
        if (n <= kLanes) return sort_together<1>(keys, n, count, stride);
        if (n <= 2 * kLanes) return sort_together<2>(keys, n, count, stride);
        if (n <= 4 * kLanes) return sort_together<4>(keys, n, count, stride);
        for (size_t row = 0; row < count; ++row) sort(Range(keys + row * stride, n));
    }

    static std::array<Range, 2> split(Range range) {
        static_assert(kLeastSimdSplit > kNear);
        std::array<Range, 2> parts;
        split(
            range, [&](Key limit) { return partition_here(range.keys, range.n, limit); },
            [&](const Range &front, const Range &back) {
                parts = {front, back};
            });
        return parts;
    }

    // Keys of an array that are still to be merged.
    struct Run {
        Run(const Key *keys, size_t n) : next(keys), end(keys + n) {}
        size_t left() const { return static_cast<size_t>(end - next); }
        const Key *next, *end;
    };

    // A vector holds the greatest keys seen. It is merged with the next ones of that run whose
    // first key comes first, and keeps the greater half.
    GPCL_TARGET static void merge(Run a, Run b, Key flip, Key *out) {
        if (a.left() + b.left() == 0) return;
        Key *const end = out + a.left() + b.left();
        const auto is_before = [flip](const Key *x, const Key *y) { return flipped(*x, flip) < flipped(*y, flip); };
        const auto takes_b = [&] { return a.left() == 0 || (b.left() != 0 && is_before(b.next, a.next)); };
        const Key last = b.left() == 0 || (a.left() != 0 && is_before(b.end - 1, a.end - 1)) ? a.end[-1] : b.end[-1];
        const Vector flips = L::all(flip);
        Vector lesser, v = take(takes_b() ? b : a, last) ^ flips;
        while (a.left() >= kLanes && b.left() >= kLanes) {
            const bool from_b = is_before(b.next, a.next);
            const Key *const from = from_b ? b.next : a.next;
            a.next += from_b ? 0 : kLanes;
            b.next += from_b ? kLanes : 0;
            lesser = merge_vectors(v, L::load(from) ^ flips);
            L::store(lesser ^ flips, out);
            out += kLanes;
        }
        while (a.left() + b.left() > 0) {
            lesser = merge_vectors(v, take(takes_b() ? b : a, last) ^ flips);
            const size_t some = std::min(kLanes, static_cast<size_t>(end - out));
            L::store_first(lesser ^ flips, some, out);
            out += some;
        }
        L::store_first(v ^ flips, static_cast<size_t>(end - out), out);
    }

  private:
    using Vector = typename L::Vector;
    static constexpr size_t kLanes = L::kLanes;
    // Keys that a network sorts. Exchanges of integers of 64 bits take three instructions by AVX2,
    // so that larger ones don't pay. Of floats, twice as many keys pay.
    static constexpr size_t kFew = (sizeof(Key) == 4 || std::is_floating_point_v<Key> ? 32 : 16) * kLanes;
    static constexpr size_t kNear = 16384 / sizeof(Key);

    // A network of more rows than there are leaves out the exchanges with the others, as if
    // greatest keys stood there.
    template <const auto &network, size_t rows, size_t... index>
    GPCL_TARGET_INLINE void exchange_all(Vector *v, std::index_sequence<index...>) {
        ((network[index].second < rows ? L::exchange(v[network[index].first], v[network[index].second]) : void()), ...);
    }
    template <const auto &network, size_t rows> GPCL_TARGET_INLINE void exchange_all(Vector *v) {
        exchange_all<network, rows>(v, std::make_index_sequence<std::size(network)>());
    }

    // Sorts the columns of some rows.
    template <size_t rows> GPCL_TARGET_INLINE void sort_columns(Vector *v) {
        if constexpr (rows <= 4)
            exchange_all<kNetwork4, rows>(v);
        else if constexpr (rows <= 8)
            exchange_all<kNetwork8, rows>(v);
        else if constexpr (rows <= 16)
            exchange_all<kNetwork16, rows>(v);
        else {
            sort_columns<16>(v);
            sort_columns<rows - 16>(v + 16);
#pragma GCC unroll 16
            for (size_t i = 32 - rows; i < 16; ++i) L::exchange(v[i], v[31 - i]);
            merge_columns<16>(v);
            merge_columns<rows - 16>(v + 16);
        }
    }

    // Each column rises and then falls, or the other way round.
    template <size_t rows> GPCL_TARGET_INLINE void merge_columns(Vector *v) {
        if constexpr (rows > 1) {
            constexpr size_t kHalf = std::bit_ceil(rows) / 2;
#pragma GCC unroll 16
            for (size_t i = 0; i < rows - kHalf; ++i) L::exchange(v[i], v[i + kHalf]);
            merge_columns<kHalf>(v);
            merge_columns<rows - kHalf>(v + kHalf);
        }
    }

    // The row part of a merge: keys lie row by row in groups of columns, and each group rises and
    // then falls, or the other way round.
    template <size_t group, size_t rows> GPCL_TARGET_INLINE void merge_rows(Vector *v) {
        if constexpr (rows > 1) {
            constexpr size_t kWhole = std::bit_ceil(rows);
#pragma GCC unroll 16
            for (size_t i = kWhole - rows; i < kWhole / 2; ++i) {
                Vector other = L::template reversed<group>(v[kWhole - 1 - i]);
                L::exchange(v[i], other);
                v[kWhole - 1 - i] = other;
            }
            merge_rows<group, kWhole / 2>(v);
            merge_rows<group, rows - kWhole / 2>(v + kWhole / 2);
        }
    }

    template <size_t distance> GPCL_TARGET_INLINE Vector merge_lanes(Vector v) {
        if constexpr (distance == 0) {
            return v;
        } else {
            return merge_lanes<distance / 2>(L::template merged<distance>(v, L::template swapped<distance>(v)));
        }
    }

    // Merges sorted groups of columns, each as wide as half of the last `group`, whose keys lie row
    // by row.
    template <size_t group, size_t rows> GPCL_TARGET_INLINE void merge_groups(Vector *v) {
        if constexpr (group <= kLanes) {
            merge_rows<group, rows>(v);
#pragma GCC unroll 32
            for (size_t i = 0; i < rows; ++i) {
                const Vector other = L::template reversed<group>(v[i]);
                v[i] = merge_lanes<group / 4>(L::template merged<group / 2>(v[i], other));
            }
            merge_groups<2 * group, rows>(v);
        }
    }

    static Key flipped(Key key, Key flip) {
        using Bits = std::conditional_t<sizeof(Key) == 4, uint32_t, uint64_t>;
        return std::bit_cast<Key>(std::bit_cast<Bits>(key) ^ std::bit_cast<Bits>(flip));
    }

    // The next keys, and `last` where there are no more.
    GPCL_TARGET_INLINE Vector take(Run &run, Key last) {
        Key keys[kLanes];
        const size_t n = std::min(run.left(), kLanes);
        std::fill_n(keys, kLanes, last);
        std::copy_n(run.next, n, keys);
        run.next += n;
        return L::load(keys);
    }

    // Returns the lesser half of the keys of two sorted vectors and leaves the greater one in `v`.
    GPCL_TARGET_INLINE Vector merge_vectors(Vector &v, Vector other) {
        Vector greater = L::template reversed<kLanes>(other);
        L::exchange(v, greater);
        const Vector lesser = merge_lanes<kLanes / 2>(v);
        v = merge_lanes<kLanes / 2>(greater);
        return lesser;
    }

    // Sorts n keys to `to`, which may be `from`. The first half of the rows is full.
    template <size_t rows> GPCL_TARGET static void sort_rows(const Key *from, Key *to, size_t n) {
        constexpr size_t kFull = rows / 2;
        Vector v[rows];
#pragma GCC unroll 32
        for (size_t i = 0; i < kFull; ++i) v[i] = L::load(from + i * kLanes);
#pragma GCC unroll 32
        for (size_t i = kFull; i < rows; ++i)
            v[i] = L::load_first(from + i * kLanes, std::min(n - std::min(n, i * kLanes), kLanes));
        sort_columns<rows>(v);
        merge_groups<2, rows>(v);
#pragma GCC unroll 32
        for (size_t i = 0; i < kFull; ++i) L::store(v[i], to + i * kLanes);
#pragma GCC unroll 32
        for (size_t i = kFull; i < rows; ++i) {
            if ((i + 1) * kLanes <= n)
                L::store(v[i], to + i * kLanes);
            else if (i * kLanes < n)
                L::store_first(v[i], n - i * kLanes, to + i * kLanes);
        }
    }

    // Each of some rows of so many vectors. A store by a mask holds up the next row's load, so a
    // few rows are loaded before.
    template <size_t vectors> GPCL_TARGET static void sort_together(Key *keys, size_t n, size_t count, size_t stride) {
        constexpr size_t kRows = 8 / vectors, kFull = vectors / 2;
        size_t row = 0;
        for (; row + kRows <= count; row += kRows) {
            Vector v[kRows * vectors];
#pragma GCC unroll 8
            for (size_t i = 0; i < kRows * vectors; ++i) {
                const size_t at = i % vectors * kLanes;
                const Key *const from = keys + (row + i / vectors) * stride + at;
                v[i] = i % vectors < kFull ? L::load(from) : L::load_first(from, std::min(n - std::min(n, at), kLanes));
            }
#pragma GCC unroll 8
            for (size_t k = 0; k < kRows; ++k) {
                sort_columns<vectors>(v + k * vectors);
                merge_groups<2, vectors>(v + k * vectors);
            }
#pragma GCC unroll 8
            for (size_t i = 0; i < kRows * vectors; ++i) {
                const size_t at = i % vectors * kLanes;
                if (at >= n) continue;
                Key *const to = keys + (row + i / vectors) * stride + at;
                if (n - at >= kLanes)
                    L::store(v[i], to);
                else
                    L::store_first(v[i], n - at, to);
            }
        }
        for (; row < count; ++row) sort_few(keys + row * stride, keys + row * stride, n);
    }

    static void sort_few(const Key *from, Key *to, size_t n) {
        if (n <= kLanes) return sort_rows<1>(from, to, n);
        if (n <= 2 * kLanes) return sort_rows<2>(from, to, n);
        if (n <= 4 * kLanes) return sort_rows<4>(from, to, n);
        if (n <= 6 * kLanes) return sort_rows<6>(from, to, n);
        if (n <= 8 * kLanes) return sort_rows<8>(from, to, n);
        if (n <= 10 * kLanes) return sort_rows<10>(from, to, n);
        if (n <= 12 * kLanes) return sort_rows<12>(from, to, n);
        if (n <= 14 * kLanes) return sort_rows<14>(from, to, n);
        if (n <= 16 * kLanes) return sort_rows<16>(from, to, n);
        if constexpr (kFew > 16 * kLanes) {
            if (n <= 20 * kLanes) return sort_rows<20>(from, to, n);
            if (n <= 24 * kLanes) return sort_rows<24>(from, to, n);
            if (n <= 28 * kLanes) return sort_rows<28>(from, to, n);
            sort_rows<32>(from, to, n);
        }
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

    // Copies keys that are greater than the pivot behind the others, and returns how many the
    // others are.
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

    static constexpr Key kLeast =
        std::numeric_limits<Key>::has_infinity ? -kGreatestKey<Key> : std::numeric_limits<Key>::lowest();

    // The key before another but the least. Of floats by their bits: arithmetic that meets
    // subnormal numbers may trap.
    static Key before(Key key) {
        if constexpr (std::is_floating_point_v<Key>) {
            using Bits = std::conditional_t<sizeof(Key) == 4, int32_t, int64_t>;
            const auto bits = std::bit_cast<Bits>(key);
            if ((bits & std::numeric_limits<Bits>::max()) == 0) return -std::numeric_limits<Key>::denorm_min();
            return std::bit_cast<Key>(bits > 0 ? bits - 1 : bits + 1);
        } else {
            return key - 1;
        }
    }

    // Calls f with the range in front and the one behind. A range whose keys are all the same is
    // empty, and left as is.
    template <class Partition, class F> static void split(const Range &range, const Partition &partition, const F &f) {
        const Key pivot = pivot_of(range.keys, range.n);
        const bool is_most = pivot == range.most, is_least = pivot == kLeast;
        Range front = range, back = range;
        front.most = is_most && !is_least ? before(pivot) : pivot;
        if (is_most) back.most = pivot; // the key: that in `range` may be another zero
        front.n = partition(front.most);
        back.keys += front.n;
        back.n -= front.n;
        if (is_most) back.n = 0;
        if (is_most && is_least) front.n = 0;
        --front.levels;
        --back.levels;
        f(front, back);
    }

    void sort_here(const Range &range, size_t wanted) {
        if (range.n <= kNear) return sort_near(range, near_, range.keys, wanted);
        if (range.levels == 0) return std::sort(range.keys, range.keys + range.n);
        for (const Range &part : split(range)) {
            const auto begin = static_cast<size_t>(part.keys - range.keys);
            if (begin < wanted) sort_here(part, wanted - begin);
        }
    }

    // To `to`, which is where the keys are or `other`.
    static void sort_near(const Range &range, Key *other, Key *to, size_t wanted) {
        const size_t n = range.n;
        if (n <= kFew) return sort_few(range.keys, to, n);
        if (range.levels == 0) {
            if (to != range.keys) std::copy_n(range.keys, n, to);
            return std::sort(to, to + n);
        }
        split(
            range, [&](Key limit) { return partition(range.keys, other, n, limit); },
            [&](const Range &front, const Range &back) {
                const auto count = static_cast<size_t>(back.keys - range.keys);
                const auto sort_part = [&](const Range &part, size_t begin, size_t size) {
                    if (begin >= wanted) return;
                    if (part.n < size) {
                        std::fill_n(to + begin, size, part.most);
                        return;
                    }
                    Range there = part;
                    there.keys = other + begin;
                    sort_near(there, range.keys + begin, to + begin, wanted - begin);
                };
                sort_part(front, 0, count);
                sort_part(back, count, n - count);
            });
    }

    Key near_[kNear]; // what sort_near() copies to
};
