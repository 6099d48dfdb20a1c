// Calls whose n is a number in a buffer: each operation that takes it, by each algorithm that does,
// and chains of calls that nobody waits for.
// SPDX-License-Identifier: MIT
#include "compare.h"

#include "../reference/arg_reduce.h"
#include "../reference/difference.h"
#include "../reference/histogram.h"
#include "../reference/histogram_weighted.h"
#include "../reference/operators.h"
#include "../reference/runs.h"
#include "../reference/scan.h"
#include "../reference/search.h"
#include "../reference/sort.h"
#include "../reference/top_k.h"
#include "../reference/unique.h"

#include <map>
#include <numeric>
#include <set>

namespace {

using namespace test;

// The algorithms that take it; the others refuse, and say why.
const std::map<gp_operation, std::set<std::string>> kTakers = {
    {GP_SCAN,
     {"staged-look-back", "look-back", "chunks", "reduce-then-scan", "host", "host-loop", "look-back-fallback",
      "staged-look-back-fallback"}},
    {GP_REDUCE, {"chunks", "staged", "rows", "tree", "host"}},
    {GP_SORT,
     {"local-bins", "sample-bins", "onesweep", "radix-tiles", "radix-chunks", "host", "host-qsort", "host-std-sort",
      "host-radix16"}},
    {GP_ARG_REDUCE, {"chunks", "rows", "tree", "host"}},
    {GP_DIFFERENCE, {"chunks", "vectors", "host"}},
    {GP_SEARCH, {"tiles", "chunks", "host"}},
    {GP_IS_SORTED, {"chunks", "rows", "host"}},
    {GP_HISTOGRAM,
     {"chunks", "lanes", "local", "local-even", "local-cells", "chunk-bins", "local-bins", "global-bins", "host",
      "host-loop"}},
    {GP_MERGE, {"tiles", "chunks", "host"}},
    {GP_HISTOGRAM_WEIGHTED, {"chunks", "local", "global", "host"}},
    {GP_TOP_K, {"warps", "sorted-rows", "groups", "rounds", "digits", "host"}},
};

// Did a call run that names an algorithm? It must, unless the algorithm refuses. Reads
// gp_error_message(), so it comes right after the call.
class Runs {
  public:
    Runs(gp_operation operation, const char *algorithm) : operation_(operation), algorithm_(algorithm) {}
    bool operator()(gp_status status) const {
        const bool by_count = status == GP_ERROR_ALGORITHM_REFUSED &&
                              std::string(gp_error_message()).find("it takes its n from the host") != std::string::npos;
        if (by_count) {
            EXPECT_TRUE(algorithm_ != nullptr && !kTakers.at(operation_).contains(algorithm_)) << gp_error_message();
            return false;
        }
        if (refused(operation_, algorithm_, status)) return false;
        EXPECT_OK(status);
        return status == GP_SUCCESS;
    }

  private:
    gp_operation operation_;
    const char *algorithm_;
};

std::vector<size_t> most_sizes() {
    std::vector<size_t> result;
    for (const size_t n : {size_t{1}, size_t{100}, size_t{4999}, size_t{70'001}, (size_t{1} << 20) + 1})
        if (n <= max_n() && (n < 100'000 || !is_brief())) result.push_back(n);
    return result;
}

// What n_buffer may say where n is the most there may be.
std::vector<size_t> counts_of(size_t n) {
    if (n > 100'000) return {n / 2 + 7, n, 0};
    std::vector<size_t> result;
    for (const size_t count : {n, size_t{0}, size_t{1}, size_t{33}, n - 1, size_t{4095}, size_t{4097}, n + 5})
        if (count <= n + 5) result.push_back(count);
    return result;
}

template <class T> std::vector<T> first(const std::vector<T> &values, size_t count) {
    return {values.begin(), values.begin() + static_cast<ptrdiff_t>(std::min(count, values.size()))};
}

// What an array holds when the first results have been written to it.
template <class T> std::vector<T> over(std::vector<T> array, const std::vector<T> &results) {
    std::copy(results.begin(), results.end(), array.begin());
    return array;
}

template <class T> std::vector<T> random_values(size_t n, uint64_t most = 1000) {
    std::mt19937_64 random(n + most);
    std::vector<T> values(n);
    for (T &value : values) value = static_cast<T>(random() % most);
    return values;
}

template <class Options> void set_number(Options &options, const DeviceArray<uint64_t> &number) {
    options.n_buffer = number.buffer();
    options.n_offset = number.offset();
}
void set_number(gp_merge_options &options, const DeviceArray<uint64_t> &number) {
    options.n_a_buffer = number.buffer();
    options.n_a_offset = number.offset();
}

// Calls test(n, count, options, runs) for each algorithm, most and count. Calls of one n are the
// same but for their buffers, so that the later ones repeat what an earlier one did. CPUs take long
// for what is made for GPUs.
template <class Options, class Test> void for_counts(gp_operation operation, Options options, const Test &test) {
    const size_t most_named = device().kind == GP_DEVICE_CPU && !thorough() ? 10'000 : 100'000;
    for (const char *algorithm : algorithms(operation)) {
        options.algorithm = algorithm;
        for (const size_t n : most_sizes()) {
            if (algorithm != nullptr && n > most_named) continue;
            for (const size_t count : counts_of(n)) {
                if (testing::Test::HasFailure()) return;
                SCOPED_TRACE(text(count) + " of " + text(n) + ", " + name(algorithm));
                DeviceArray<uint64_t> number(std::vector<uint64_t>{count});
                set_number(options, number);
                test(n, count, options, Runs(operation, algorithm));
                ASSERT_EQ(count, number.values()[0]);
            }
        }
    }
}

TEST(NBuffer, Scan) {
    for (const auto &choice : combinations_of({2, 2, 2, 2})) {
        const bool exclusive = choice[0] != 0, reverse = choice[1] != 0, in_place = choice[2] != 0,
                   carries = choice[3] != 0;
        SCOPED_TRACE(text(exclusive) + text(reverse) + text(in_place) + text(carries));
        gp_scan_options options = GP_SCAN_OPTIONS_INIT;
        options.kind = exclusive ? GP_EXCLUSIVE : GP_INCLUSIVE;
        options.direction = reverse ? GP_REVERSE : GP_FORWARD;
        for_counts(GP_SCAN, options, [&](size_t n, size_t count, gp_scan_options &given, const Runs &runs) {
            const auto values = random_values<int32_t>(n);
            DeviceArray<int32_t> in(values, 4), out(std::vector<int32_t>(n, 77), 4);
            DeviceArray<int32_t> carry(std::vector<int32_t>{1000, 77});
            if (carries) {
                given.initial_buffer = given.final_buffer = carry.buffer();
                given.initial_offset = carry.offset();
                given.final_offset = carry.offset() + 1;
            }
            const DeviceArray<int32_t> &to = in_place ? in : out;
            const gp_status status = gp_enqueue_scan(context(), GP_INT32, n, in.buffer(), in.offset(), to.buffer(),
                                                     to.offset(), &given, 0, nullptr, nullptr);
            if (!runs(status)) return;
            const auto some = first(values, count);
            const auto plus = [](int32_t a, int32_t b) { return reference::wrapping_add(a, b); };
            const auto results = reference::scan(some, carries ? 1000 : 0, plus, exclusive, reverse);
            EXPECT_TRUE(same_bits(over(in_place ? values : std::vector<int32_t>(n, 77), results), to.values()));
            EXPECT_EQ(carries ? std::accumulate(some.begin(), some.end(), 1000) : 77, carry.values()[1]);
        });
    }
}

TEST(NBuffer, Reduce) {
    for (const int32_t accumulate : {0, 1}) {
        SCOPED_TRACE(accumulate);
        gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
        options.accumulate = accumulate;
        for_counts(GP_REDUCE, options, [&](size_t n, size_t count, gp_reduce_options &given, const Runs &runs) {
            const auto values = random_values<int32_t>(n);
            DeviceArray<int32_t> in(values, 4), out(std::vector<int32_t>{77});
            const gp_status status = gp_enqueue_reduce(context(), GP_INT32, n, in.buffer(), in.offset(), out.buffer(),
                                                       out.offset(), &given, 0, nullptr, nullptr);
            if (!runs(status)) return;
            const auto some = first(values, count);
            EXPECT_EQ(std::accumulate(some.begin(), some.end(), accumulate != 0 ? 77 : 0), out.values()[0]);
        });
    }
}

// The operands of the caller's operator stay in order.
TEST(NBuffer, ReduceWithText) {
    if (on_host()) GTEST_SKIP() << "operator text is for OpenCL devices";
    gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
    options.operator_source = "b == -1 ? a : b"; // the last element
    options.operator_identity = "-1";
    for_counts(GP_REDUCE, options, [&](size_t n, size_t count, gp_reduce_options &given, const Runs &runs) {
        const auto values = random_values<int32_t>(n);
        DeviceArray<int32_t> in(values, 4), out(std::vector<int32_t>{77});
        const gp_status status = gp_enqueue_reduce(context(), GP_INT32, n, in.buffer(), in.offset(), out.buffer(),
                                                   out.offset(), &given, 0, nullptr, nullptr);
        if (!runs(status)) return;
        EXPECT_EQ(count == 0 ? -1 : values[std::min(count, n) - 1], out.values()[0]);
    });
}

template <class T> std::vector<T> in_order(const std::vector<T> &values, const std::vector<size_t> &order) {
    std::vector<T> result;
    for (const size_t i : order) result.push_back(values[i]);
    return result;
}

template <class K> void check_sort(gp_sort_options options, uint64_t most) {
    for_counts(GP_SORT, options, [&](size_t n, size_t count, gp_sort_options &given, const Runs &runs) {
        const auto values = random_values<K>(n, most);
        DeviceArray<K> keys(values);
        const gp_status status =
            gp_enqueue_sort(context(), dtype<K>(), n, keys.buffer(), keys.offset(), &given, 0, nullptr, nullptr);
        if (!runs(status)) return;
        const auto order = reference::order(first(values, count), given.order == GP_DESCENDING);
        EXPECT_TRUE(same_bits(over(values, in_order(values, order)), keys.values()));
    });
}

TEST(NBuffer, Sort) {
    check_sort<uint32_t>(GP_SORT_OPTIONS_INIT, uint64_t{1} << 32);
    gp_sort_options descending = GP_SORT_OPTIONS_INIT;
    descending.order = GP_DESCENDING;
    check_sort<float>(descending, 5000);
}

// An odd number of passes ends in copies.
TEST(NBuffer, SortByOnePass) { check_sort<uint8_t>(GP_SORT_OPTIONS_INIT, 256); }

// Values that travel with their keys, and others; in an even number of passes and an odd one.
template <class K, class V> void check_pairs() {
    for_counts(GP_SORT, gp_sort_options GP_SORT_OPTIONS_INIT,
               [&](size_t n, size_t count, gp_sort_options &given, const Runs &runs) {
                   const auto all = random_values<K>(n, 200);
                   std::vector<V> places(n);
                   for (size_t i = 0; i < n; ++i) std::memcpy(&places[i], &i, std::min(sizeof i, sizeof(V)));
                   DeviceArray<K> keys(all);
                   DeviceArray<V> values(places);
                   const gp_status status =
                       gp_enqueue_sort_pairs(context(), dtype<K>(), n, keys.buffer(), keys.offset(), sizeof(V),
                                             values.buffer(), values.offset(), &given, 0, nullptr, nullptr);
                   if (!runs(status)) return;
                   const auto order = reference::order(first(all, count), false);
                   EXPECT_TRUE(same_bits(over(all, in_order(all, order)), keys.values()));
                   const auto expected = over(places, in_order(places, order)), got = values.values();
                   EXPECT_EQ(0, std::memcmp(expected.data(), got.data(), n * sizeof(V)));
               });
}
struct Odd {
    uint8_t bytes[7];
};
TEST(NBuffer, SortPairs) {
    check_pairs<int32_t, uint32_t>();
    check_pairs<uint8_t, uint64_t>();
}
TEST(NBuffer, SortPairsOfOddValues) {
    check_pairs<int32_t, Odd>();
    check_pairs<uint8_t, Odd>();
}

template <class K, class I> void check_argsort() {
    for_counts(GP_SORT, gp_sort_options GP_SORT_OPTIONS_INIT,
               [&](size_t n, size_t count, gp_sort_options &given, const Runs &runs) {
                   const auto values = random_values<K>(n, 200);
                   DeviceArray<K> keys(values);
                   DeviceArray<I> indices(std::vector<I>(n, 77));
                   const gp_status status =
                       gp_enqueue_argsort(context(), dtype<K>(), n, keys.buffer(), keys.offset(), dtype<I>(),
                                          indices.buffer(), indices.offset(), &given, 0, nullptr, nullptr);
                   if (!runs(status)) return;
                   const auto order = reference::order(first(values, count), false);
                   EXPECT_TRUE(same_bits(over(std::vector<I>(n, 77), std::vector<I>(order.begin(), order.end())),
                                         indices.values()));
                   EXPECT_TRUE(same_bits(values, keys.values()));
               });
}
TEST(NBuffer, Argsort) {
    check_argsort<int32_t, uint32_t>();
    check_argsort<int32_t, uint64_t>();
    check_argsort<uint8_t, uint64_t>();
}

// The work space that a sort tells of does.
TEST(NBuffer, SortInLentMemory) {
    const size_t n = std::min<size_t>(max_n(), 5000), count = n / 2;
    const auto values = random_values<uint32_t>(n);
    DeviceArray<uint32_t> keys(values);
    DeviceArray<uint64_t> number(std::vector<uint64_t>{count});
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.n_buffer = number.buffer();
    options.n_offset = number.offset();
    size_t bytes = 0;
    ASSERT_OK(gp_sort_work_bytes(context(), GP_UINT32, n, 0, 0, &options, &bytes));
    DeviceArray<uint8_t> work(std::vector<uint8_t>(bytes, 1));
    options.work = work.buffer();
    options.work_offset = work.offset();
    options.work_bytes = bytes;
    ASSERT_OK(gp_enqueue_sort(context(), GP_UINT32, n, keys.buffer(), keys.offset(), &options, 0, nullptr, nullptr));
    const auto order = reference::order(first(values, count), false);
    EXPECT_TRUE(same_bits(over(values, in_order(values, order)), keys.values()));
    work.values(); // whose canaries it checks
}

TEST(NBuffer, ArgReduce) {
    for (const gp_operator op : {GP_MINIMUM, GP_MAXIMUM}) {
        for_counts(GP_ARG_REDUCE, gp_arg_reduce_options GP_ARG_REDUCE_OPTIONS_INIT,
                   [&](size_t n, size_t count, gp_arg_reduce_options &given, const Runs &runs) {
                       const auto values = random_values<int32_t>(n);
                       DeviceArray<int32_t> in(values), best(std::vector<int32_t>{77});
                       DeviceArray<uint64_t> position(std::vector<uint64_t>{78});
                       const gp_status status = gp_enqueue_arg_reduce(
                           context(), op, GP_INT32, n, in.buffer(), in.offset(), GP_UINT64, position.buffer(),
                           position.offset(), best.buffer(), best.offset(), &given, 0, nullptr, nullptr);
                       if (!runs(status)) return;
                       const size_t at = reference::arg_reduce(first(values, count), op == GP_MAXIMUM);
                       EXPECT_EQ(count == 0 ? 78 : at, position.values()[0]);
                       EXPECT_EQ(count == 0 ? 77 : values[at], best.values()[0]);
                   });
    }
}

// A k that local memory holds, and one that is sorted in launches of its own; results in any order.
template <class K, class I> void check_top_k(size_t k_of, int32_t unsorted) {
    gp_top_k_options options = GP_TOP_K_OPTIONS_INIT;
    options.unsorted = unsorted;
    for_counts(GP_TOP_K, options, [&](size_t n, size_t count, gp_top_k_options &given, const Runs &runs) {
        const size_t k = std::min(n, k_of), results = std::min({k, count, n});
        const auto all = random_values<K>(n, 300);
        DeviceArray<K> in(all), values(std::vector<K>(k, 77));
        DeviceArray<I> positions(std::vector<I>(k, 77));
        const gp_status status = gp_enqueue_top_k(context(), GP_DESCENDING, dtype<K>(), n, in.buffer(), in.offset(), k,
                                                  dtype<I>(), positions.buffer(), positions.offset(), values.buffer(),
                                                  values.offset(), &given, 0, nullptr, nullptr);
        if (!runs(status)) return;
        const auto best = reference::top_k(first(all, count), results, true);
        const auto got = positions.values();
        std::vector<I> expected(best.begin(), best.end()), places = first(got, results);
        if (unsorted != 0) {
            std::sort(expected.begin(), expected.end());
            std::sort(places.begin(), places.end());
        }
        EXPECT_TRUE(same_bits(expected, places));
        EXPECT_EQ(std::vector<I>(k - results, 77),
                  std::vector<I>(got.begin() + static_cast<ptrdiff_t>(results), got.end()));
        EXPECT_TRUE(same_bits(
            over(std::vector<K>(k, 77), in_order(all, {got.begin(), got.begin() + static_cast<ptrdiff_t>(results)})),
            values.values()));
    });
}
TEST(NBuffer, TopK) {
    check_top_k<int32_t, uint32_t>(40, 0);
    check_top_k<float, uint64_t>(3000, 0);
    check_top_k<double, uint32_t>(70'001, 0);
}
TEST(NBuffer, TopKInAnyOrder) {
    check_top_k<int16_t, uint64_t>(40, 1);
    check_top_k<int32_t, uint32_t>(20'000, 1);
}

// Elements that are all the worst there are.
TEST(NBuffer, ArgReduceOfTheWorst) {
    for_counts(GP_ARG_REDUCE, gp_arg_reduce_options GP_ARG_REDUCE_OPTIONS_INIT,
               [&](size_t n, size_t count, gp_arg_reduce_options &given, const Runs &runs) {
                   DeviceArray<uint8_t> in(std::vector<uint8_t>(n, 255));
                   DeviceArray<uint32_t> position(std::vector<uint32_t>{78});
                   const gp_status status = gp_enqueue_arg_reduce(
                       context(), GP_MINIMUM, GP_UINT8, n, in.buffer(), in.offset(), GP_UINT32, position.buffer(),
                       position.offset(), nullptr, 0, &given, 0, nullptr, nullptr);
                   if (!runs(status)) return;
                   EXPECT_EQ(count == 0 ? 78u : 0u, position.values()[0]);
               });
}

TEST(NBuffer, Difference) {
    for (const gp_first kept : {GP_FIRST_KEPT, GP_FIRST_LEFT_OUT}) {
        SCOPED_TRACE(kept);
        gp_difference_options options = GP_DIFFERENCE_OPTIONS_INIT;
        options.first = kept;
        for_counts(GP_DIFFERENCE, options, [&](size_t n, size_t count, gp_difference_options &given, const Runs &runs) {
            const auto values = random_values<int32_t>(n);
            DeviceArray<int32_t> in(values), out(std::vector<int32_t>(n, 77));
            const gp_status status = gp_enqueue_difference(context(), GP_INT32, n, in.buffer(), in.offset(),
                                                           out.buffer(), out.offset(), &given, 0, nullptr, nullptr);
            if (!runs(status)) return;
            const auto results = reference::differences(first(values, count), kept == GP_FIRST_KEPT);
            EXPECT_TRUE(same_bits(over(std::vector<int32_t>(n, 77), results), out.values()));
        });
    }
}

TEST(NBuffer, IsSorted) {
    for (const bool breaks : {false, true}) {
        for_counts(GP_IS_SORTED, gp_is_sorted_options GP_IS_SORTED_OPTIONS_INIT,
                   [&](size_t n, size_t count, gp_is_sorted_options &given, const Runs &runs) {
                       std::vector<int32_t> values(n);
                       std::iota(values.begin(), values.end(), 0);
                       // Behind the count the order breaks in any case, where wanted before it.
                       if (count < n) values[count] = -5;
                       if (breaks && n > 1) values[std::min(count, n) / 2] = -4;
                       DeviceArray<int32_t> in(values);
                       DeviceArray<uint64_t> position(std::vector<uint64_t>{78});
                       const gp_status status =
                           gp_enqueue_is_sorted(context(), GP_INT32, n, in.buffer(), in.offset(), position.buffer(),
                                                position.offset(), &given, 0, nullptr, nullptr);
                       if (!runs(status)) return;
                       EXPECT_EQ(reference::first_break(first(values, count), false, false), position.values()[0]);
                   });
    }
}

// n of the sorted array, m of the values, or both from buffers.
TEST(NBuffer, Search) {
    for (const int which : {1, 2, 3}) {
        SCOPED_TRACE(which);
        for (const bool in_order : {false, true}) {
            for_counts(GP_SEARCH, gp_search_options GP_SEARCH_OPTIONS_INIT,
                       [&](size_t n, size_t count, gp_search_options &given, const Runs &runs) {
                           auto sorted = random_values<int32_t>(n, n);
                           std::sort(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(std::min(count, n)));
                           auto values = random_values<int32_t>(n, n + 10);
                           if (in_order) std::sort(values.begin(), values.end());
                           DeviceArray<int32_t> in(sorted), wanted(values);
                           DeviceArray<uint32_t> out(std::vector<uint32_t>(n, 77));
                           const size_t fewer = n - n / 3;
                           DeviceArray<uint64_t> m(std::vector<uint64_t>{fewer});
                           if (which != 1) {
                               given.m_buffer = m.buffer();
                               given.m_offset = m.offset();
                           }
                           if (which == 2) {
                               given.n_buffer = nullptr;
                               given.n_offset = 0;
                               std::sort(sorted.begin(), sorted.end());
                               EXPECT_OK(gp_buffer_write(in.buffer(), in.offset() * 4, n * 4, sorted.data()));
                           }
                           const gp_status status = gp_enqueue_search(
                               context(), GP_INT32, n, in.buffer(), in.offset(), n, wanted.buffer(), wanted.offset(),
                               GP_UINT32, out.buffer(), out.offset(), &given, 0, nullptr, nullptr);
                           if (!runs(status)) return;
                           const auto some = which == 2 ? sorted : first(sorted, count);
                           std::vector<uint32_t> expected(n, 77);
                           for (size_t i = 0; i < (which == 1 ? n : fewer); ++i)
                               expected[i] = static_cast<uint32_t>(
                                   std::lower_bound(some.begin(), some.end(), values[i]) - some.begin());
                           EXPECT_TRUE(same_bits(expected, out.values()));
                       });
        }
    }
}

// Of a, of b, or of both from buffers.
TEST(NBuffer, Merge) {
    for (const int which : {1, 2, 3}) {
        SCOPED_TRACE(which);
        for (const bool pairs : {false, true}) {
            for_counts(
                GP_MERGE, gp_merge_options GP_MERGE_OPTIONS_INIT,
                [&](size_t n, size_t count, gp_merge_options &given, const Runs &runs) {
                    const size_t n_b = n / 2 + 1, fewer = which == 1 ? n_b : n_b - n_b / 3;
                    const size_t of_a = which == 2 ? n : std::min(count, n);
                    auto a = random_values<int32_t>(n, 500), b = random_values<int32_t>(n_b, 501);
                    std::sort(a.begin(), a.begin() + static_cast<ptrdiff_t>(of_a));
                    std::sort(b.begin(), b.begin() + static_cast<ptrdiff_t>(fewer));
                    std::vector<uint32_t> places(n + n_b);
                    std::iota(places.begin(), places.end(), 0);
                    DeviceArray<int32_t> left(a), right(b), out(std::vector<int32_t>(n + n_b, 77));
                    DeviceArray<uint32_t> left_values(first(places, n)), out_values(std::vector<uint32_t>(n + n_b, 78)),
                        right_values(std::vector<uint32_t>(places.begin() + static_cast<ptrdiff_t>(n), places.end()));
                    DeviceArray<uint64_t> of_b(std::vector<uint64_t>{fewer});
                    if (which == 2) {
                        given.n_a_buffer = nullptr;
                        given.n_a_offset = 0;
                    }
                    if (which != 1) {
                        given.n_b_buffer = of_b.buffer();
                        given.n_b_offset = of_b.offset();
                    }
                    if (!runs(pairs ? gp_enqueue_merge_pairs(
                                          context(), GP_INT32, n, left.buffer(), left.offset(), n_b, right.buffer(),
                                          right.offset(), out.buffer(), out.offset(), 4, left_values.buffer(),
                                          left_values.offset(), right_values.buffer(), right_values.offset(),
                                          out_values.buffer(), out_values.offset(), &given, 0, nullptr, nullptr)
                                    : gp_enqueue_merge(context(), GP_INT32, n, left.buffer(), left.offset(), n_b,
                                                       right.buffer(), right.offset(), out.buffer(), out.offset(),
                                                       &given, 0, nullptr, nullptr)))
                        return;
                    auto keys = first(a, of_a);
                    auto their_places = first(places, of_a);
                    for (size_t i = 0; i < fewer; ++i) {
                        keys.push_back(b[i]);
                        their_places.push_back(static_cast<uint32_t>(n + i));
                    }
                    const auto order = reference::order(keys, false);
                    EXPECT_TRUE(
                        same_bits(over(std::vector<int32_t>(n + n_b, 77), in_order(keys, order)), out.values()));
                    EXPECT_TRUE(same_bits(pairs
                                              ? over(std::vector<uint32_t>(n + n_b, 78), in_order(their_places, order))
                                              : std::vector<uint32_t>(n + n_b, 78),
                                          out_values.values()));
                });
        }
    }
}

// Bins for each value, even ones, the caller's, and more than local memory holds.
template <class T> void check_histogram(size_t bins, gp_histogram_options options, const std::vector<double> &edges) {
    for (const int32_t accumulate : {0, 1}) {
        options.accumulate = accumulate;
        for_counts(GP_HISTOGRAM, options, [&](size_t n, size_t count, gp_histogram_options &given, const Runs &runs) {
            const auto values = random_values<T>(n, 256);
            DeviceArray<T> in(values);
            DeviceArray<uint64_t> counts(std::vector<uint64_t>(bins, 77));
            const gp_status status =
                gp_enqueue_histogram(context(), dtype<T>(), n, in.buffer(), in.offset(), bins, counts.buffer(),
                                     counts.offset(), &given, 0, nullptr, nullptr);
            if (!runs(status)) return;
            const auto some = first(values, count);
            auto expected = reference::histogram(some, edges);
            for (uint64_t &one : expected) one += accumulate != 0 ? 77 : 0;
            EXPECT_TRUE(same_bits(expected, counts.values()));
        });
    }
}
TEST(NBuffer, HistogramOfBytes) {
    std::vector<double> edges(257); // of whole numbers, and the last one's end
    std::iota(edges.begin(), edges.end(), 0);
    check_histogram<uint8_t>(256, GP_HISTOGRAM_OPTIONS_INIT, edges);
}
TEST(NBuffer, HistogramOfEvenBins) {
    gp_histogram_options even = GP_HISTOGRAM_OPTIONS_INIT;
    even.upper = 200;
    check_histogram<float>(100, even, reference::even_edges<float>(100, 0, 200));
}
TEST(NBuffer, HistogramOfEdges) {
    const std::vector<double> edges = {0, 3, 7, 7, 50.5, 90, 255};
    gp_histogram_options by_edges = GP_HISTOGRAM_OPTIONS_INIT;
    by_edges.edges = edges.data();
    check_histogram<float>(6, by_edges, edges);
    check_histogram<int16_t>(6, by_edges, edges);
}

TEST(NBuffer, HistogramOfWeights) {
    gp_histogram_weighted_options options = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
    options.upper = 200;
    const size_t bins = 20;
    const auto edges = reference::even_edges<float>(bins, 0, 200);
    for_counts(GP_HISTOGRAM_WEIGHTED, options,
               [&](size_t n, size_t count, gp_histogram_weighted_options &given, const Runs &runs) {
                   const auto values = random_values<float>(n, 256), weights = random_values<float>(n, 900);
                   DeviceArray<float> in(values), weight(weights), sums(std::vector<float>(bins, 77));
                   const gp_status status = gp_enqueue_histogram_weighted(
                       context(), GP_FLOAT32, n, in.buffer(), in.offset(), GP_FLOAT32, weight.buffer(), weight.offset(),
                       bins, sums.buffer(), sums.offset(), &given, 0, nullptr, nullptr);
                   if (!runs(status)) return;
                   const auto cells = reference::bins_of(first(values, count), edges);
                   EXPECT_TRUE(same_bits(reference::sums_of<float>(cells, first(weights, count), bins), sums.values()));
               });
}

TEST(NBuffer, HistogramOfPairs) {
    gp_histogram_2d_options options = GP_HISTOGRAM_2D_OPTIONS_INIT;
    options.upper_x = options.upper_y = 200;
    const size_t bins = 8;
    const auto edges = reference::even_edges<float>(bins, 0, 200);
    for_counts(
        GP_HISTOGRAM_WEIGHTED, options, [&](size_t n, size_t count, gp_histogram_2d_options &given, const Runs &runs) {
            const auto xs = random_values<float>(n, 256), ys = random_values<float>(n, 300);
            DeviceArray<float> x(xs), y(ys);
            DeviceArray<uint64_t> sums(std::vector<uint64_t>(bins * bins, 77));
            const gp_status status = gp_enqueue_histogram_2d(context(), GP_FLOAT32, n, x.buffer(), x.offset(),
                                                             y.buffer(), y.offset(), 0, nullptr, 0, bins, bins,
                                                             sums.buffer(), sums.offset(), &given, 0, nullptr, nullptr);
            if (!runs(status)) return;
            const auto of_x = reference::bins_of(first(xs, count), edges),
                       of_y = reference::bins_of(first(ys, count), edges);
            std::vector<uint64_t> expected(bins * bins);
            for (size_t i = 0; i < of_x.size(); ++i)
                if (of_x[i] < bins && of_y[i] < bins) ++expected[of_x[i] * bins + of_y[i]];
            EXPECT_TRUE(same_bits(expected, sums.values()));
        });
}

// In any order, which takes a sort.
TEST(NBuffer, Unique) {
    const size_t n = std::min<size_t>(max_n(), 5003);
    const auto given = random_values<int32_t>(n, 300);
    const std::vector<uint32_t> filler(n, 77);
    for (const size_t count : counts_of(n)) {
        SCOPED_TRACE(count);
        DeviceArray<int32_t> in(given), values(std::vector<int32_t>(n, 77));
        DeviceArray<uint32_t> firsts(filler), inverse(filler), lengths(filler);
        DeviceArray<uint64_t> numbers(std::vector<uint64_t>{count, 99});
        gp_unique_options options = GP_UNIQUE_OPTIONS_INIT;
        set_number(options, numbers);
        ASSERT_OK(gp_enqueue_unique(context(), GP_INT32, n, in.buffer(), in.offset(), values.buffer(), values.offset(),
                                    GP_UINT32, firsts.buffer(), firsts.offset(), inverse.buffer(), inverse.offset(),
                                    lengths.buffer(), lengths.offset(), numbers.buffer(), numbers.offset() + 1,
                                    &options, 0, nullptr, nullptr));
        const auto expected = reference::unique(first(given, count));
        const auto as_uint = [&](const auto &from) {
            std::vector<uint32_t> result;
            for (const auto x : from) result.push_back(static_cast<uint32_t>(x));
            return over(filler, result);
        };
        ASSERT_EQ((std::vector<uint64_t>{count, expected.firsts.size()}), numbers.values());
        EXPECT_TRUE(same_bits(over(std::vector<int32_t>(n, 77), in_order(given, expected.firsts)), values.values()));
        EXPECT_TRUE(same_bits(as_uint(expected.firsts), firsts.values()));
        EXPECT_TRUE(same_bits(as_uint(expected.inverse), inverse.values()));
        EXPECT_TRUE(same_bits(as_uint(expected.counts), lengths.values()));
        EXPECT_TRUE(same_bits(given, in.values()));
    }
}

TEST(NBuffer, ReduceByKeyInAnyOrder) {
    const size_t n = std::min<size_t>(max_n(), 5003);
    const auto given = random_values<int32_t>(n, 300), values = random_values<int32_t>(n, 5000);
    for (const size_t count : counts_of(n)) {
        SCOPED_TRACE(count);
        DeviceArray<int32_t> keys(given), x(values), out_keys(std::vector<int32_t>(n, 77)),
            sums(std::vector<int32_t>(n, 78));
        DeviceArray<uint64_t> numbers(std::vector<uint64_t>{count, 99});
        gp_reduce_by_key_options options = GP_REDUCE_BY_KEY_OPTIONS_INIT;
        options.any_order = 1;
        set_number(options, numbers);
        ASSERT_OK(gp_enqueue_reduce_by_key(context(), GP_INT32, n, keys.buffer(), keys.offset(), GP_INT32, x.buffer(),
                                           x.offset(), out_keys.buffer(), out_keys.offset(), sums.buffer(),
                                           sums.offset(), numbers.buffer(), numbers.offset() + 1, &options, 0, nullptr,
                                           nullptr));
        std::map<int32_t, int32_t> expected;
        for (size_t i = 0; i < std::min(count, n); ++i) expected[given[i]] += values[i];
        std::vector<int32_t> some_keys, some_sums;
        for (const auto &[key, sum] : expected) {
            some_keys.push_back(key);
            some_sums.push_back(sum);
        }
        ASSERT_EQ((std::vector<uint64_t>{count, expected.size()}), numbers.values());
        EXPECT_TRUE(same_bits(over(std::vector<int32_t>(n, 77), some_keys), out_keys.values()));
        EXPECT_TRUE(same_bits(over(std::vector<int32_t>(n, 78), some_sums), sums.values()));
    }
}

// Flagged elements are sorted, their runs counted, the lengths added up, and the first elements
// fetched from where the runs begin: five calls, each of as many elements as the one before wrote.
TEST(NBuffer, ChainOfFive) {
    const size_t n = std::min<size_t>(max_n(), 70'001);
    const auto values = random_values<int32_t>(n, n / 4 + 1);
    DeviceArray<int32_t> in(values), chosen(std::vector<int32_t>(n, 77)), keys(std::vector<int32_t>(n, 77)),
        fetched(std::vector<int32_t>(n, 77));
    DeviceArray<uint64_t> lengths(std::vector<uint64_t>(n, 77)), begins(std::vector<uint64_t>(n, 77));
    DeviceArray<uint64_t> counts(std::vector<uint64_t>(2, 77));
    gp_select_options select = GP_SELECT_OPTIONS_INIT;
    gp_sort_options sort = GP_SORT_OPTIONS_INIT;
    gp_run_lengths_options runs = GP_RUN_LENGTHS_OPTIONS_INIT;
    gp_scan_options scan = GP_SCAN_OPTIONS_INIT;
    gp_gather_options gather = GP_GATHER_OPTIONS_INIT;
    scan.kind = GP_EXCLUSIVE;
    sort.n_buffer = runs.n_buffer = scan.n_buffer = gather.n_buffer = counts.buffer();
    sort.n_offset = runs.n_offset = counts.offset();
    scan.n_offset = gather.n_offset = counts.offset() + 1;
    for (const unsigned share : {2u, 3u, 1000'000u, 1u, 2u}) { // one in so many is flagged
        SCOPED_TRACE(share);
        std::vector<uint8_t> flagged(n);
        for (size_t i = 0; i < n; ++i) flagged[i] = i % share == share - 1;
        DeviceArray<uint8_t> flags(flagged);
        ASSERT_OK(gp_enqueue_select(context(), 4, n, in.buffer(), in.offset(), flags.buffer(), flags.offset(),
                                    chosen.buffer(), chosen.offset(), counts.buffer(), counts.offset(), &select, 0,
                                    nullptr, nullptr));
        ASSERT_OK(
            gp_enqueue_sort(context(), GP_INT32, n, chosen.buffer(), chosen.offset(), &sort, 0, nullptr, nullptr));
        ASSERT_OK(gp_enqueue_run_lengths(context(), GP_INT32, n, chosen.buffer(), chosen.offset(), keys.buffer(),
                                         keys.offset(), GP_UINT64, lengths.buffer(), lengths.offset(), counts.buffer(),
                                         counts.offset() + 1, &runs, 0, nullptr, nullptr));
        ASSERT_OK(gp_enqueue_scan(context(), GP_UINT64, n, lengths.buffer(), lengths.offset(), begins.buffer(),
                                  begins.offset(), &scan, 0, nullptr, nullptr));
        ASSERT_OK(gp_enqueue_gather(context(), 4, n, chosen.buffer(), chosen.offset(), GP_UINT64, n, begins.buffer(),
                                    begins.offset(), fetched.buffer(), fetched.offset(), &gather, 0, nullptr, nullptr));
        std::vector<int32_t> some;
        for (size_t i = 0; i < n; ++i)
            if (flagged[i] != 0) some.push_back(values[i]);
        std::sort(some.begin(), some.end());
        const auto firsts = reference::run_firsts(some);
        ASSERT_EQ((std::vector<uint64_t>{some.size(), firsts.size()}), counts.values());
        const auto begin = begins.values();
        const auto key = keys.values(), again = fetched.values();
        for (size_t k = 0; k < firsts.size(); ++k) {
            ASSERT_EQ(firsts[k], begin[k]);
            ASSERT_EQ(some[firsts[k]], key[k]);
            ASSERT_EQ(some[firsts[k]], again[k]);
        }
    }
}

TEST(NBuffer, Errors) {
    int32_t host[4] = {};
    DeviceArray<int32_t> in(std::vector<int32_t>(4, 77)), out(std::vector<int32_t>(4, 77));
    DeviceArray<uint64_t> number(std::vector<uint64_t>{4});
    gp_scan_options options = GP_SCAN_OPTIONS_INIT;
    const auto call = [&] {
        return gp_enqueue_scan(context(), GP_INT32, 2, in.buffer(), in.offset(), out.buffer(), out.offset(), &options,
                               0, nullptr, nullptr);
    };
    options.n_offset = 1;
    EXPECT_EQ(GP_ERROR_OPTION, call());
    options.n_buffer = number.buffer();
    options.n_offset = 7; // behind the buffer's end
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, call());
    options.n_offset = number.offset();
    EXPECT_EQ(GP_ERROR_OPTION, gp_scan(context(), GP_INT32, 4, host, host, &options));
    options.batch = 2;
    EXPECT_EQ(GP_ERROR_OPTION, call());
    options.batch = 0;
    options.step_in = 2;
    EXPECT_EQ(GP_ERROR_OPTION, call());
    options.step_in = 0;
    options.heads_buffer = in.buffer();
    EXPECT_EQ(GP_ERROR_OPTION, call());
    options.heads_buffer = nullptr;
    options.n_buffer = out.buffer(); // its first element lies at 12 bytes
    options.n_offset = 2;
    EXPECT_EQ(GP_ERROR_OVERLAP, call());
    EXPECT_EQ((std::vector<int32_t>(4, 77)), out.values());

    gp_reduce_options reduce = GP_REDUCE_OPTIONS_INIT;
    reduce.n_buffer = number.buffer();
    EXPECT_EQ(GP_ERROR_OPTION, gp_reduce(context(), GP_INT32, 4, host, host, &reduce));
    gp_sort_options sort = GP_SORT_OPTIONS_INIT;
    sort.n_buffer = number.buffer();
    EXPECT_EQ(GP_ERROR_OPTION, gp_sort(context(), GP_INT32, 4, host, &sort));
    sort.batch = 2;
    EXPECT_EQ(GP_ERROR_OPTION,
              gp_enqueue_sort(context(), GP_INT32, 2, in.buffer(), in.offset(), &sort, 0, nullptr, nullptr));
    uint64_t counts[4] = {};
    gp_top_k_options top_k = GP_TOP_K_OPTIONS_INIT;
    top_k.n_buffer = number.buffer();
    top_k.n_offset = number.offset();
    EXPECT_EQ(GP_ERROR_OPTION,
              gp_top_k(context(), GP_ASCENDING, GP_INT32, 4, host, 2, GP_UINT64, counts, nullptr, &top_k));
    EXPECT_EQ(GP_ERROR_OVERLAP,
              gp_enqueue_top_k(context(), GP_ASCENDING, GP_INT32, 4, in.buffer(), in.offset(), 1, GP_UINT64,
                               number.buffer(), number.offset(), nullptr, 0, &top_k, 0, nullptr, nullptr));
    top_k.batch = 2;
    EXPECT_EQ(GP_ERROR_OPTION,
              gp_enqueue_top_k(context(), GP_ASCENDING, GP_INT32, 2, in.buffer(), in.offset(), 1, GP_UINT64,
                               number.buffer(), number.offset(), nullptr, 0, &top_k, 0, nullptr, nullptr));
    gp_histogram_options histogram = GP_HISTOGRAM_OPTIONS_INIT;
    histogram.n_buffer = number.buffer();
    EXPECT_EQ(GP_ERROR_OPTION, gp_histogram(context(), GP_INT32, 4, host, 4, counts, &histogram));
    if (!on_host()) {
        EXPECT_EQ(GP_ERROR_TOO_LARGE, gp_enqueue_histogram(context(), GP_INT32, (size_t{1} << 31) + 1, in.buffer(), 0,
                                                           4, number.buffer(), 0, &histogram, 0, nullptr, nullptr));
    }
    gp_search_options search = GP_SEARCH_OPTIONS_INIT;
    search.m_buffer = number.buffer();
    EXPECT_EQ(GP_ERROR_OPTION, gp_search(context(), GP_INT32, 4, host, 2, host, GP_UINT64, counts, &search));
    search.m_buffer = nullptr;
    search.m_offset = 1;
    EXPECT_EQ(GP_ERROR_OPTION, gp_search(context(), GP_INT32, 4, host, 2, host, GP_UINT64, counts, &search));
}

} // namespace
