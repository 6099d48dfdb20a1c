// Runs on the host, in one pass over memory: chunks of fixed size (so the result does not depend on
// the number of threads) find where runs begin in them, then write, still in cache, behind what the
// chunk before hands on. Method: the chained scan of Yan, Long and Zhang, "StreamScan", 2013, on
// the segmented operator of Blelloch, "Prefix Sums and Their Applications", 1990.
// SPDX-License-Identifier: MIT
#include "host/runs.h"

#include "core/cpu.h"
#include "core/size.h"
#include "host/lane_bits.h"
#include "host/operators.h"
#include "host/order.h"
#include "host/parallel.h"
#include "host/read.h"
#include "host/semiring.h"
#include "host/sort.h"

#include <array>
#include <bit>
#include <functional>

namespace gpcl::host {
namespace {

constexpr size_t kChunk = 8192;
using Place = uint16_t; // in a chunk
using Places = std::array<Place, kChunk + 1>;

// Are two keys, bit for bit, different ones? -0 equals 0, all NaN equal each other.
template <bool floating, class Bits> bool differ(Bits a, Bits b, Bits infinity) {
    if constexpr (!floating) return a != b;
    constexpr auto kMagnitude = static_cast<Bits>(Order<Bits>::kMax / 2);
    // Without branches, which keys in no order would mislead.
    const int zeros = static_cast<int>(((a | b) & kMagnitude) == 0);
    const int nan = static_cast<int>((a & kMagnitude) > infinity) & static_cast<int>((b & kMagnitude) > infinity);
    return (static_cast<int>(a != b) & (zeros ^ 1) & (nan ^ 1)) != 0;
}

// Adds those of keys begin .. end - 1 that differ from the one before them to `found` places, and
// returns how many there are now.
template <bool floating, class Bits> [[gnu::always_inline]] inline size_t
add_heads(const Bits *keys, size_t begin, size_t end, Bits infinity, Place *places, size_t found) {
    for (size_t i = begin; i < end; ++i) {
        places[found] = static_cast<Place>(i);
        found += differ<floating>(keys[static_cast<ptrdiff_t>(i) - 1], keys[i], infinity) ? 1 : 0;
    }
    return found;
}

// Which of n keys differ from the one before them, the first from keys[-1]: their places, and how
// many they are.
template <bool floating, class Bits>
[[gnu::always_inline]] inline size_t find_heads_inline(const Bits *keys, size_t n, Bits infinity, Place *places) {
    constexpr size_t kLanes = sizeof(Vector<Bits>) / sizeof(Bits), kVectors = 8; // at a time
    constexpr size_t kStep = kVectors * kLanes;
    size_t found = 0, i = 0;
    for (; i + kStep <= n; i += kStep) {
        Vector<Bits> any{};
#pragma GCC unroll 8
        for (size_t v = 0; v < kVectors; ++v) {
            Vector<Bits> before, here;
            load_vector(keys + i + v * kLanes - 1, before);
            load_vector(keys + i + v * kLanes, here);
            any |= before ^ here;
        }
        const auto words = (Vector<uint64_t>)any;
        if ((words[0] | words[1] | words[2] | words[3]) != 0)
            found = add_heads<floating>(keys, i, i + kStep, infinity, places, found);
    }
    return add_heads<floating>(keys, i, n, infinity, places, found);
}

template <bool floating, class Bits>
size_t find_heads_portable(const Bits *keys, size_t n, Bits infinity, Place *places) {
    return find_heads_inline<floating>(keys, n, infinity, places);
}
#if defined(GPCL_HAVE_X86)
// A bit for each of 64 keys that differs from the one before it; as bits alone, or as keys.
template <bool floating, class Bits> [[gnu::target("avx2")]] inline uint64_t heads_of(const Bits *keys, Bits infinity) {
    using Signed = std::make_signed_t<Bits>; // magnitudes compare alike
    constexpr size_t kLanes = sizeof(Vector<Signed>) / sizeof(Signed);
    constexpr auto kMagnitude = static_cast<Signed>(Order<Bits>::kMax / 2);
    uint64_t equal = 0;
#pragma GCC unroll 16
    for (size_t i = 0; i < 64; i += kLanes) {
        Vector<Signed> before, here;
        load_vector(keys + i - 1, before);
        load_vector(keys + i, here);
        Vector<Signed> same = before == here;
        if constexpr (floating) {
            same |= ((before | here) & kMagnitude) == 0;
            same |= ((before & kMagnitude) > static_cast<Signed>(infinity)) &
                    ((here & kMagnitude) > static_cast<Signed>(infinity));
        }
        equal |= uint64_t{lane_bits<sizeof(Bits)>((__m256i)same)} << i;
    }
    return ~equal;
}

template <bool floating, class Bits>
[[gnu::target("avx2")]] size_t find_heads_avx2(const Bits *keys, size_t n, Bits infinity, Place *places) {
    size_t found = 0, i = 0;
    for (; i + 64 <= n; i += 64) {
        uint64_t heads = heads_of<false>(keys + i, infinity);
        if (floating && heads != 0) heads = heads_of<floating>(keys + i, infinity);
        for (; heads != 0; heads &= heads - 1) places[found++] = static_cast<Place>(i + std::countr_zero(heads));
    }
    return add_heads<floating>(keys, i, n, infinity, places, found);
}
#endif

// Where runs begin among elements begin .. begin + count - 1 of an array; the first element begins
// one.
template <bool floating, class Bits>
size_t find_heads(const Bits *keys, size_t begin, size_t count, Bits infinity, Place *places) {
    size_t first = 0;
    if (begin == 0) *places = static_cast<Place>(first++);
    const Bits *const from = keys + begin + first;
#if defined(GPCL_HAVE_X86)
    if (has_avx2())
        count = find_heads_avx2<floating>(from, count - first, infinity, places + first);
    else
#endif
        count = find_heads_portable<floating>(from, count - first, infinity, places + first);
    if (first != 0) // places count from the chunk's beginning
        for (size_t j = 1; j <= count; ++j) ++places[j];
    return count + first;
}

// What a chunk hands on: how many runs have begun, and what has come since the last one did.
template <class Tail> struct Link {
    uint64_t runs = 0;
    Tail tail{};
    std::atomic<bool> ready = false;
};

// What is written of a chunk's heads. Head j begins run number `before` + j, and ends the one
// before that, if there is any: those up to `begins` have room for their own run, those from
// `first_end` to `ends` for the other one's result.
struct Room {
    uint64_t before;
    size_t begins, first_end, ends;
};

Room room_of(const Runs &runs, uint64_t before, size_t heads) {
    const auto up_to = [&](uint64_t capacity) {
        return static_cast<size_t>(std::min<uint64_t>(heads, capacity - std::min(before, capacity)));
    };
    return {before, up_to(runs.capacity), before == 0 ? size_t{1} : size_t{0}, up_to(uint64_t{runs.capacity} + 1)};
}

// The heads of a chunk.
struct Heads {
    size_t begin, count; // the chunk's elements
    size_t heads;
    const Place *places;
};

// Finds heads among the keys: of elements begin .. begin + count - 1.
using Finder = std::function<size_t(size_t begin, size_t count, Place *places)>;
Finder finder(const Runs &runs) {
    Finder result;
    with_bits(runs.key, [&](auto zero) {
        using Bits = decltype(zero);
        const auto *keys = static_cast<const Bits *>(runs.keys);
        const Bits infinity = Order<Bits>(runs.key, false).infinity();
        const bool floating = is_float(runs.key);
        result = [=](size_t begin, size_t count, Place *places) {
            if constexpr (sizeof(Bits) > 1)
                if (floating) return find_heads<true>(keys, begin, count, infinity, places);
            return find_heads<false>(keys, begin, count, infinity, places);
        };
    });
    return result;
}

// Goes through all chunks and returns what the last one hands on. tail_of(heads): what comes since
// the last head of a chunk, or in all of it where there is none. join(past, tail): the tail of two
// chunks, the second of which has no head. write(heads, room, past) writes results.
template <class Tail, class TailOf, class Join, class Write>
void chain(const Runs &runs, size_t cost, std::vector<Link<Tail>> &links, const TailOf &tail_of, const Join &join,
           const Write &write) {
    const Finder find = finder(runs);
    links[0].ready = true;
    parallel_for(links.size() - 1, std::min(runs.n, kChunk) * cost / 2, [&](size_t chunk) {
        Places places;
        Heads heads{chunk * kChunk, std::min(kChunk, runs.n - chunk * kChunk), 0, places.data()};
        heads.heads = find(heads.begin, heads.count, places.data());
        const Tail tail = tail_of(heads);
        // Threads take chunks in order, and none waits for one behind it, so the one before ends.
        Link<Tail> &past = links[chunk], &next = links[chunk + 1];
        past.ready.wait(false, std::memory_order_acquire);
        next.runs = past.runs + heads.heads;
        next.tail = heads.heads > 0 ? tail : join(past.tail, tail);
        next.ready.store(true, std::memory_order_release);
        next.ready.notify_one();
        const Room room = room_of(runs, past.runs, heads.heads);
        if (runs.out_keys != nullptr) {
            with_bits(runs.key, [&](auto zero) {
                using Bits = decltype(zero);
                const Bits *const from = static_cast<const Bits *>(runs.keys) + heads.begin;
                Bits *const to = static_cast<Bits *>(runs.out_keys) + room.before;
                for (size_t j = 0; j < room.begins; ++j) to[j] = from[places[j]];
            });
        }
        write(heads, room, past.tail);
    });
}

template <class Index> uint64_t lengths_of(const Runs &runs) {
    std::vector<Link<uint64_t>> links(ceil_div(runs.n, kChunk) + 1); // the tail is where the last run begins
    auto *const lengths = static_cast<Index *>(runs.results), *const firsts = static_cast<Index *>(runs.firsts);
    chain(
        runs, 1, links,
        [](const Heads &heads) {
            return static_cast<uint64_t>(heads.begin + (heads.heads > 0 ? heads.places[heads.heads - 1] : 0));
        },
        [](uint64_t past, uint64_t) { return past; },
        [&](const Heads &heads, const Room &room, uint64_t last) {
            const Place *const places = heads.places;
            if (firsts != nullptr)
                for (size_t j = 0; j < room.begins; ++j)
                    firsts[room.before + j] = static_cast<Index>(heads.begin + places[j]);
            if (lengths == nullptr) return;
            if (room.first_end == 0 && room.ends > 0)
                lengths[room.before - 1] = static_cast<Index>(heads.begin + places[0] - last);
            for (size_t j = 1; j < room.ends; ++j)
                lengths[room.before + j - 1] = static_cast<Index>(places[j] - places[j - 1]);
        });
    const Link<uint64_t> &end = links.back();
    if (lengths != nullptr && end.runs > 0 && end.runs <= runs.capacity)
        lengths[end.runs - 1] = static_cast<Index>(runs.n - end.tail);
    return end.runs;
}

constexpr size_t kLanes = 16; // independent sums that the compiler keeps in vectors; the operators commute

template <class T, class Operator> T fold(const T *in, size_t n, Operator combine) {
    T result = Operator::identity;
    size_t i = 0;
    if (n >= 2 * kLanes) {
        T lanes[kLanes];
        std::fill(lanes, lanes + kLanes, Operator::identity);
        for (; i + kLanes <= n; i += kLanes) {
#pragma GCC unroll 16
            for (size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = combine(lanes[lane], in[i + lane]);
        }
        for (const T lane : lanes) result = combine(result, lane);
    }
    for (; i < n; ++i) result = combine(result, in[i]);
    return result;
}

// Elements of a chunk from `first` on as numbers of T: those in memory, or a copy.
template <class T> using Copy = std::array<T, kChunk>;
template <class T> struct Values {
    gp_dtype from;
    bool direct;
    const void *values;
    const T *operator()(const Heads &heads, size_t first, size_t count, Copy<T> &copy) const {
        if (direct) return static_cast<const T *>(values) + heads.begin + first;
        read(from, values, heads.begin + first, 1, count, copy.data());
        return copy.data();
    }
};

template <class T, class Operator>
uint64_t combinations_of(const Runs &runs, gp_dtype from, bool direct, const void *values, Operator combine) {
    std::vector<Link<T>> links(ceil_div(runs.n, kChunk) + 1);
    links[0].tail = Operator::identity;
    auto *const results = static_cast<T *>(runs.results);
    const Values<T> values_of{from, direct, values};
    chain(
        runs, 1, links,
        [&](const Heads &heads) {
            const size_t last = heads.heads > 0 ? heads.places[heads.heads - 1] : 0;
            Copy<T> copy;
            return fold(values_of(heads, last, heads.count - last, copy), heads.count - last, combine);
        },
        combine,
        [&](const Heads &heads, const Room &room, T past) {
            if (room.ends == 0) return;
            Copy<T> copy;
            const T *const x = values_of(heads, 0, heads.places[room.ends - 1], copy);
            const Place *const places = heads.places;
            if (room.first_end == 0 && room.ends > 0)
                results[room.before - 1] = combine(past, fold(x, places[0], combine));
            for (size_t j = 1; j < room.ends; ++j)
                results[room.before + j - 1] =
                    fold(x + places[j - 1], static_cast<size_t>(places[j] - places[j - 1]), combine);
        });
    const Link<T> &end = links.back();
    if (end.runs > 0 && end.runs <= runs.capacity) results[end.runs - 1] = end.tail;
    return end.runs;
}

// in == out is allowed.
template <class T, class Operator>
void scan_run(const T *in, T *out, size_t n, bool exclusive, T running, Operator combine) {
    for (size_t i = 0; i < n; ++i) {
        const T before = running;
        running = combine(before, in[i]);
        out[i] = exclusive ? before : running;
    }
}

template <class T, class Operator>
void scans_of(const Runs &runs, const Values<T> &values_of, T *out, bool exclusive, T initial, Operator combine) {
    std::vector<Link<T>> links(ceil_div(runs.n, kChunk) + 1);
    chain(
        runs, 2, links,
        [&](const Heads &heads) {
            const size_t last = heads.heads > 0 ? heads.places[heads.heads - 1] : 0;
            Copy<T> copy;
            const T sum = fold(values_of(heads, last, heads.count - last, copy), heads.count - last, combine);
            return heads.heads > 0 ? combine(initial, sum) : sum;
        },
        combine,
        [&](const Heads &heads, const Room &, T past) {
            Copy<T> copy;
            const T *const x = values_of(heads, 0, heads.count, copy);
            T *const to = out + heads.begin;
            size_t at = 0;
            for (size_t j = 0; j <= heads.heads; ++j) {
                const size_t end = j < heads.heads ? heads.places[j] : heads.count;
                scan_run(x + at, to + at, end - at, exclusive, j > 0 ? initial : past, combine);
                at = end;
            }
        });
}

} // namespace

uint64_t run_lengths(const Runs &runs, gp_dtype index) {
    return index == GP_UINT32 ? lengths_of<uint32_t>(runs) : lengths_of<uint64_t>(runs);
}

uint64_t reduce_by_key(const Runs &runs, gp_dtype dtype, gp_operator op, gp_dtype from, const void *values,
                       bool any_order) {
    if (any_order && runs.n > 1) {
        const size_t key_size = gpcl::dtype(runs.key).size, value_size = gpcl::dtype(from).size;
        const auto copy = [&](const void *array, size_t size) {
            const auto *bytes = static_cast<const std::byte *>(array);
            return std::vector<std::byte>(bytes, bytes + runs.n * size);
        };
        std::vector<std::byte> sorted_keys = copy(runs.keys, key_size), sorted_values = copy(values, value_size);
        sort_pairs(runs.key, runs.n, sorted_keys.data(), value_size, sorted_values.data(), {});
        Runs sorted = runs;
        sorted.keys = sorted_keys.data();
        return reduce_by_key(sorted, dtype, op, from, sorted_values.data(), false);
    }
    uint64_t count = 0;
    with_operator(dtype, op, [&](auto zero, auto combine) {
        count = combinations_of<decltype(zero)>(runs, from, from == dtype, values, combine);
    });
    return count;
}

void scan_by_key(const Runs &runs, gp_dtype dtype, gp_operator op, gp_dtype from, const void *values, void *out,
                 bool exclusive, const void *initial) {
    with_operator(dtype, op, [&](auto zero, auto combine) {
        using T = decltype(zero);
        scans_of<T>(runs, {from, from == dtype, values}, static_cast<T *>(out), exclusive,
                    initial != nullptr ? *static_cast<const T *>(initial) : T(decltype(combine)::identity), combine);
    });
}

} // namespace gpcl::host
