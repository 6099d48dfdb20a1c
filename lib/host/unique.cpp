// Distinct elements on the host. Integers of a small range are counted in a table, chunk by chunk;
// where a sample has few distinct elements, these are counted in a hash table; others are sorted,
// and the runs of the sorted ones found. float16 is not sorted itself, its ranks are. Method:
// counting sort and hashing, textbook.
// SPDX-License-Identifier: MIT
#include "host/unique.h"

#include "core/size.h"
#include "host/order.h"
#include "host/parallel.h"
#include "host/sort.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>

namespace gpcl::host {
namespace {

constexpr size_t kChunk = size_t{1} << 16; // elements of a thread's turn
constexpr size_t kMostCells = size_t{1} << 16;

// Nanoseconds an element.
constexpr double kBoundsCost = 0.25, kCountCost = 1, kLookUpCost = 0.5, kHashCost = 1.2, kScatterCost = 4;

template <class F> void for_chunks(size_t n, double cost, const F &f) {
    parallel_for(ceil_div(n, kChunk), static_cast<size_t>(static_cast<double>(std::min(n, kChunk)) * cost),
                 [&](size_t chunk) { f(chunk * kChunk, std::min((chunk + 1) * kChunk, n)); });
}

// The least and the greatest code.
template <class Bits> struct Bounds { Bits least, most; };

template <class Bits> Bounds<Bits> bounds_of(const Bits *keys, size_t begin, size_t end, Bits flip) {
    Bounds<Bits> result{std::numeric_limits<Bits>::max(), 0};
    for (size_t i = begin; i < end; ++i) {
        const auto code = static_cast<Bits>(keys[i] ^ flip);
        result.least = std::min(result.least, code);
        result.most = std::max(result.most, code);
    }
    return result;
}

// The bounds of n integers, unless they lie so far apart that sorting takes less than counting.
template <class Bits> std::optional<Bounds<Bits>> narrow_bounds(const Bits *keys, size_t n, Bits flip) {
    const size_t most_cells = std::clamp<size_t>(n, 256, kMostCells);
    const auto is_narrow = [&](const Bounds<Bits> &b) { return uint64_t{b.most} - b.least < most_cells; };
    constexpr size_t kSample = 256;
    Bounds<Bits> all = bounds_of(keys, 0, std::min(n, kSample), flip);
    if (!is_narrow(all)) return {};
    std::mutex mutex;
    for_chunks(n, kBoundsCost, [&](size_t begin, size_t end) {
        const auto part = bounds_of(keys, begin, end, flip);
        const std::lock_guard lock(mutex);
        all = {std::min(all.least, part.least), std::max(all.most, part.most)};
    });
    if (!is_narrow(all)) return {};
    return all;
}

// What is told of each code from `least` on: how many elements have it, and where the first one is.
struct Table {
    std::vector<uint64_t> counts, firsts;
};

template <bool wants_firsts, class Bits>
void count(const Bits *keys, size_t begin, size_t end, Bits flip, Bits least, Table &table) {
    uint64_t *const counts = table.counts.data(), *const firsts = table.firsts.data();
    for (size_t i = begin; i < end; ++i) {
        const auto cell = static_cast<size_t>(static_cast<Bits>((keys[i] ^ flip) - least));
        if constexpr (wants_firsts)
            if (counts[cell] == 0) firsts[cell] = i;
        ++counts[cell];
    }
}

// A table of all elements, from one for each part of them.
template <class Bits> Table table_of(const Bits *keys, size_t n, Bits flip, const Bounds<Bits> &bounds, bool firsts) {
    const size_t cells = static_cast<size_t>(bounds.most - bounds.least) + 1;
    // A part is worth a table of its own when it has several times as many elements.
    const size_t parts = std::clamp(n / std::max(8 * cells, kChunk), size_t{1}, workers());
    std::vector<Table> tables(parts);
    const size_t part = ceil_div(n, parts);
    parallel_for(parts, static_cast<size_t>(static_cast<double>(part) * kCountCost), [&](size_t k) {
        Table &table = tables[k];
        table.counts.resize(cells);
        const size_t begin = std::min(k * part, n), end = std::min(begin + part, n);
        if (firsts) {
            table.firsts.resize(cells);
            count<true>(keys, begin, end, flip, bounds.least, table);
        } else {
            count<false>(keys, begin, end, flip, bounds.least, table);
        }
    });
    Table &all = tables[0];
    for (size_t k = 1; k < parts; ++k)
        for (size_t cell = 0; cell < cells; ++cell) {
            if (firsts && all.counts[cell] == 0) all.firsts[cell] = tables[k].firsts[cell];
            all.counts[cell] += tables[k].counts[cell];
        }
    return std::move(all);
}

template <class Bits, class Index> uint64_t by_counts(const Unique &call, Bits flip, const Bounds<Bits> &bounds) {
    const Runs &r = call.runs;
    const auto *const keys = static_cast<const Bits *>(r.keys);
    auto *const values = static_cast<Bits *>(r.out_keys);
    auto *const counts = static_cast<Index *>(r.results), *const firsts = static_cast<Index *>(r.firsts);
    Table table = table_of(keys, r.n, flip, bounds, firsts != nullptr);
    uint64_t found = 0;
    for (size_t cell = 0; cell < table.counts.size(); ++cell) {
        const uint64_t some = table.counts[cell];
        if (some == 0) continue;
        if (found < r.capacity) {
            if (values != nullptr) values[found] = static_cast<Bits>((bounds.least + cell) ^ flip);
            if (counts != nullptr) counts[found] = static_cast<Index>(some);
            if (firsts != nullptr) firsts[found] = static_cast<Index>(table.firsts[cell]);
        }
        table.counts[cell] = found++; // now the number of the value
    }
    auto *const inverse = static_cast<Index *>(call.inverse);
    if (inverse != nullptr)
        for_chunks(r.n, kLookUpCost, [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i)
                inverse[i] = static_cast<Index>(
                    table.counts[static_cast<size_t>(static_cast<Bits>((keys[i] ^ flip) - bounds.least))]);
        });
    return found;
}

// A hash table of few patterns of bits with open addressing. The pattern that it is made with is
// there, and marks the slots that are free.
template <class Bits> class FewPatterns {
  public:
    static constexpr size_t kSlots = 2048, kMost = kSlots / 4;

    FewPatterns(Bits one, size_t first) : one_(one), home_of_one_(home(one)), patterns_(kSlots, one), firsts_(kSlots) {
        firsts_[home_of_one_] = first;
    }

    // The slot of a pattern, which element i has; kSlots where there are too many.
    size_t slot_of(Bits pattern, size_t i) {
        size_t slot = home(pattern);
        while (patterns_[slot] != pattern) {
            if (is_free(slot)) {
                if (++used_ >= kMost) return kSlots;
                patterns_[slot] = pattern;
                firsts_[slot] = i;
                return slot;
            }
            slot = (slot + 1) % kSlots;
        }
        return slot;
    }

    size_t used() const { return used_; }
    bool is_free(size_t slot) const { return patterns_[slot] == one_ && slot != home_of_one_; }
    Bits pattern(size_t slot) const { return patterns_[slot]; }
    size_t first(size_t slot) const { return firsts_[slot]; }

  private:
    static size_t home(Bits pattern) {
        constexpr uint64_t kGolden = 0x9e3779b97f4a7c15; // 2^64 / the golden ratio
        return static_cast<size_t>((uint64_t{pattern} * kGolden) >> (64 - std::bit_width(kSlots - 1)));
    }

    Bits one_;
    size_t home_of_one_, used_ = 1;
    std::vector<Bits> patterns_;
    std::vector<size_t> firsts_;
};

// Are there few patterns in a sample?
template <class Bits> bool has_few(const Bits *keys, size_t n) {
    constexpr size_t kLeast = 1024, kSample = 256, kFew = kSample / 2;
    if (n < kLeast) return false;
    FewPatterns<Bits> seen(keys[0], 0);
    for (size_t i = 0; i < kSample && seen.used() <= kFew; ++i) seen.slot_of(keys[i * (n / kSample)], i);
    return seen.used() <= kFew;
}

// A pattern of a part of the elements.
template <class Bits> struct Pattern {
    Bits rank;
    size_t first, part, slot;
};

// Of elements of which a sample has few patterns. Nothing is written where all have too many.
template <class Bits, class Index> std::optional<uint64_t> by_hash(const Unique &call) {
    using Few = FewPatterns<Bits>;
    const Runs &r = call.runs;
    const auto *const keys = static_cast<const Bits *>(r.keys);
    auto *const inverse = static_cast<Index *>(call.inverse);
    const size_t parts = std::clamp(r.n / kChunk, size_t{1}, 4 * workers()), part = ceil_div(r.n, parts);
    std::vector<std::optional<Few>> tables(parts);
    std::vector<std::vector<uint64_t>> counts(parts);
    std::atomic<bool> too_many = false;
    const auto of_part = [&](size_t k, const auto &f) {
        for (size_t i = std::min(k * part, r.n), end = std::min(i + part, r.n); i < end; ++i)
            if (!f(i)) return;
    };
    parallel_for(parts, static_cast<size_t>(static_cast<double>(part) * kHashCost), [&](size_t k) {
        const size_t begin = std::min(k * part, r.n - 1);
        Few &table = tables[k].emplace(keys[begin], begin);
        uint64_t *const counted =
            r.results != nullptr ? (counts[k].resize(Few::kSlots + 1), counts[k].data()) : nullptr;
        const auto add = [&](auto counts_too, auto inverts) {
            of_part(k, [&](size_t i) {
                const size_t slot = table.slot_of(keys[i], i);
                if constexpr (counts_too) ++counted[slot];
                if constexpr (inverts) inverse[i] = static_cast<Index>(slot);
                return slot < Few::kSlots;
            });
        };
        if (inverse != nullptr)
            counted != nullptr ? add(std::true_type{}, std::true_type{}) : add(std::false_type{}, std::true_type{});
        else
            counted != nullptr ? add(std::true_type{}, std::false_type{}) : add(std::false_type{}, std::false_type{});
        if (table.used() >= Few::kMost) too_many = true;
    });
    if (too_many) return {};

    const Order<Bits> order(r.key, false);
    std::vector<Pattern<Bits>> all;
    for (size_t k = 0; k < parts; ++k)
        for (size_t slot = 0; slot < Few::kSlots; ++slot)
            if (!tables[k]->is_free(slot))
                all.push_back({order.rank(tables[k]->pattern(slot)), tables[k]->first(slot), k, slot});
    std::sort(all.begin(), all.end(),
              [](const auto &a, const auto &b) { return a.rank != b.rank ? a.rank < b.rank : a.first < b.first; });
    auto *const values = static_cast<Bits *>(r.out_keys);
    auto *const lengths = static_cast<Index *>(r.results), *const firsts = static_cast<Index *>(r.firsts);
    std::vector<std::vector<Index>> numbers(inverse != nullptr ? parts : 0, std::vector<Index>(Few::kSlots));
    uint64_t found = 0;
    for (size_t i = 0; i < all.size();) {
        const Pattern<Bits> &first = all[i];
        uint64_t count = 0;
        for (; i < all.size() && all[i].rank == first.rank; ++i) {
            if (lengths != nullptr) count += counts[all[i].part][all[i].slot];
            if (inverse != nullptr) numbers[all[i].part][all[i].slot] = static_cast<Index>(found);
        }
        if (found < r.capacity) {
            if (values != nullptr) values[found] = keys[first.first];
            if (lengths != nullptr) lengths[found] = static_cast<Index>(count);
            if (firsts != nullptr) firsts[found] = static_cast<Index>(first.first);
        }
        ++found;
    }
    if (inverse != nullptr)
        parallel_for(parts, static_cast<size_t>(static_cast<double>(part) * kLookUpCost), [&](size_t k) {
            of_part(k, [&](size_t i) {
                inverse[i] = numbers[k][static_cast<size_t>(inverse[i])];
                return true;
            });
        });
    return found;
}

// inverse[order[j]] = the run of element j of the sorted ones; without an order, they are the
// input.
template <class Place, class Index>
void invert(const Index *begins, size_t runs, const Place *order, size_t n, Index *inverse) {
    for_chunks(n, order != nullptr ? kScatterCost : kLookUpCost, [&](size_t begin, size_t end) {
        auto run = static_cast<size_t>(std::upper_bound(begins, begins + runs, begin) - begins) - 1;
        for (size_t j = begin; j < end;) {
            const size_t next = run + 1 < runs ? static_cast<size_t>(begins[run + 1]) : n, stop = std::min(next, end);
            if (order != nullptr)
                for (; j < stop; ++j) inverse[order[j]] = static_cast<Index>(run);
            else
                std::fill(inverse + j, inverse + stop, static_cast<Index>(run));
            j = stop;
            ++run;
        }
    });
}

template <class Place, class Index> uint64_t by_runs(const Unique &call) {
    Runs r = call.runs;
    const size_t n = r.n;
    auto *const firsts = static_cast<Index *>(r.firsts);
    const bool has_order = !call.sorted && (firsts != nullptr || call.inverse != nullptr);
    std::unique_ptr<std::byte[]> keys;
    std::unique_ptr<Place[]> order;
    if (!call.sorted) {
        const size_t bytes = n * gpcl::dtype(r.key).size;
        keys = std::make_unique_for_overwrite<std::byte[]>(bytes);
        std::memcpy(keys.get(), r.keys, bytes);
        r.keys = keys.get();
    }
    if (has_order) {
        order = std::make_unique_for_overwrite<Place[]>(n);
        for_chunks(n, kLookUpCost, [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) order[i] = static_cast<Place>(i);
        });
        sort_pairs(r.key, n, keys.get(), sizeof(Place), order.get(), {});
    } else if (!call.sorted) {
        sort(r.key, n, keys.get(), {});
    }

    // An inverse takes where all runs begin, though there may be less room for what is told of
    // them.
    std::unique_ptr<Index[]> all_begins;
    const Index *begins = firsts;
    if (call.inverse != nullptr) {
        all_begins = std::make_unique_for_overwrite<Index[]>(n);
        begins = all_begins.get();
        if (r.capacity < n) {
            Runs all = r;
            all.capacity = n;
            all.out_keys = all.results = nullptr;
            all.firsts = all_begins.get();
            run_lengths(all, call.index);
            r.firsts = nullptr;
        } else {
            r.firsts = all_begins.get();
        }
    }
    const uint64_t runs = run_lengths(r, call.index);
    if (firsts != nullptr)
        for (size_t k = 0, most = std::min<uint64_t>(runs, r.capacity); k < most; ++k)
            firsts[k] = has_order ? static_cast<Index>(order[begins[k]]) : begins[k];
    if (call.inverse != nullptr) invert(begins, runs, order.get(), n, static_cast<Index *>(call.inverse));
    return runs;
}

template <class Index> uint64_t unique_of(const Unique &call) {
    const Runs &r = call.runs;
    if (!call.sorted) {
        std::optional<uint64_t> count;
        with_bits(r.key, [&](auto zero) {
            using Bits = decltype(zero);
            const auto *const keys = static_cast<const Bits *>(r.keys);
            if (!is_float(r.key)) {
                const Bits flip = Order<Bits>(r.key, false).zero();
                if (const auto bounds = narrow_bounds(keys, r.n, flip)) {
                    count = by_counts<Bits, Index>(call, flip, *bounds);
                    return;
                }
            }
            if constexpr (sizeof(Bits) >= 4)
                if (has_few(keys, r.n)) count = by_hash<Bits, Index>(call);
        });
        if (count) return *count;
    }
    return r.n <= std::numeric_limits<uint32_t>::max() ? by_runs<uint32_t, Index>(call)
                                                       : by_runs<uint64_t, Index>(call);
}

// The distinct ranks, unsigned numbers that equal each other where elements do, and the elements
// that come first of each.
template <class Index> uint64_t by_ranks(const Unique &call) {
    const size_t n = call.runs.n;
    const auto *const keys = static_cast<const uint16_t *>(call.runs.keys);
    const auto ranks = std::make_unique_for_overwrite<uint16_t[]>(n);
    const Order<uint16_t> order(call.runs.key, false);
    for_chunks(n, kLookUpCost, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) ranks[i] = order.rank(keys[i]);
    });
    auto *const values = static_cast<uint16_t *>(call.runs.out_keys);
    Unique of_ranks = call;
    Runs &r = of_ranks.runs;
    r.key = GP_UINT16;
    r.keys = ranks.get();
    r.out_keys = nullptr;
    std::unique_ptr<Index[]> room;
    if (values != nullptr && r.firsts == nullptr) {
        room = std::make_unique_for_overwrite<Index[]>(r.capacity);
        r.firsts = room.get();
    }
    const uint64_t count = unique_of<Index>(of_ranks);
    const auto *const firsts = static_cast<const Index *>(r.firsts);
    if (values != nullptr)
        for (size_t k = 0, most = std::min<uint64_t>(count, r.capacity); k < most; ++k) values[k] = keys[firsts[k]];
    return count;
}

template <class Index> uint64_t unique_by(const Unique &call) {
    return call.runs.key == GP_FLOAT16 && !call.sorted ? by_ranks<Index>(call) : unique_of<Index>(call);
}

} // namespace

uint64_t unique(const Unique &call) {
    if (call.runs.n == 0) return 0;
    return call.index == GP_UINT32 ? unique_by<uint32_t>(call) : unique_by<uint64_t>(call);
}

} // namespace gpcl::host
