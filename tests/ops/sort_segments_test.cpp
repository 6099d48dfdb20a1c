// Sorts of segments: each segment bit for bit the stable order of NumPy, and nothing outside them
// touched.
// SPDX-License-Identifier: MIT
#include "stable.h"

namespace {

using namespace test;

// Where each segment begins and ends.
struct Layout {
    std::string text;
    size_t n = 0;
    std::vector<uint64_t> begins, ends;
    bool has_ends = false; // else they follow each other

    size_t count() const { return begins.size(); }
    void add(size_t length, size_t gap = 0) {
        begins.push_back(n + gap);
        ends.push_back(n + gap + length);
        n += gap + length;
        has_ends = has_ends || (gap > 0 && count() > 1);
    }
    size_t longest() const {
        size_t most = 0;
        for (size_t i = 0; i < count(); ++i) most = std::max<size_t>(most, ends[i] - begins[i]);
        return most;
    }
    // What options->offsets holds.
    std::vector<uint64_t> offsets() const {
        std::vector<uint64_t> all(begins);
        if (!has_ends) all.push_back(count() == 0 ? 0 : ends.back());
        return all;
    }
};

Layout layout(const std::string &text, const std::vector<size_t> &lengths, size_t gap = 0) {
    Layout result;
    result.text = text;
    for (const size_t length : lengths) result.add(length, gap);
    result.n += gap; // behind the last one
    return result;
}

// Lengths of a kind, until there are enough keys.
template <class Next> Layout random_layout(const std::string &text, size_t keys, size_t gap, const Next &next) {
    std::mt19937_64 random(keys + gap);
    std::vector<size_t> lengths;
    for (size_t all = 0; all < keys;) all += lengths.emplace_back(next(random)) + 1;
    return layout(text, lengths, gap);
}

std::vector<Layout> layouts() {
    std::vector<Layout> all = {
        layout("no segments", {}, 9),
        layout("one segment", {1000}),
        layout("one segment with keys around it", {700}, 5),
        layout("empty ones", std::vector<size_t>(300, 0), 0),
        layout("of one key", std::vector<size_t>(777, 1)),
        layout("of one key with gaps", std::vector<size_t>(300, 1), 2),
        layout("of two keys", std::vector<size_t>(523, 2)),
        layout("a few short ones", {0, 3, 17, 1, 0, 33, 2}, 3),
        layout("some are empty", {0, 3, 0, 0, 17, 1, 0, 64, 65, 0, 33, 2, 0}),
        layout("some are empty, with gaps", {0, 3, 0, 0, 17, 1, 0, 64, 65, 0, 33, 2, 0}, 3),
        layout("of the widths of networks", {7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129}),
        layout("a long one among short ones", {5, 6, 4000, 7, 8, 9, 10}),
        layout("around what one work-group sorts", {511, 512, 513, 1, 2047, 2048, 2049, 3, 4095, 4097, 5}),
        layout("longer ones", {16383, 16384, 16385, 0, 3, 40001, 70, 20000}, 1),
        layout("a giant among short ones", {9, 0, 100003, 13, 64, 700, 1}),
    };
    std::vector<size_t> mostly_short(100, 3);
    mostly_short.insert(mostly_short.begin() + 50, {63, 64, 65, 127, 128, 129, 130});
    all.push_back(layout("short on average", mostly_short));
    for (const size_t mean : {10, 100, 1000}) {
        all.push_back(random_layout("about " + std::to_string(mean), 20000, 0,
                                    [=](auto &random) { return random() % (2 * mean + 1); }));
        all.push_back(random_layout("about " + std::to_string(mean) + " with gaps", 9000, 1,
                                    [=](auto &random) { return random() % (2 * mean + 1); }));
    }
    all.push_back(random_layout("of all lengths", 60000, 0, [](auto &random) {
        return static_cast<size_t>(std::exp2(static_cast<double>(random() % 1500) / 100));
    }));
    return all;
}

template <class T> std::vector<T> keys_of(size_t n, bool few) { return test::keys_of<T>(n, n + 3, few); }

// Where in the arrays what is at each place comes from.
template <class T> std::vector<size_t> sources(const std::vector<T> &keys, const Layout &layout, bool descending,
                                               unsigned begin = 0, unsigned end = 8 * sizeof(T)) {
    std::vector<size_t> from(keys.size());
    std::iota(from.begin(), from.end(), size_t(0));
    for (size_t s = 0; s < layout.count(); ++s) {
        const auto first = keys.begin() + static_cast<std::ptrdiff_t>(layout.begins[s]);
        const auto order = reference::order(
            std::vector<T>(first, first + static_cast<std::ptrdiff_t>(layout.ends[s] - layout.begins[s])), descending,
            begin, end);
        for (size_t i = 0; i < order.size(); ++i) from[layout.begins[s] + i] = layout.begins[s] + order[i];
    }
    return from;
}

// What argsort leaves where it began with 77 everywhere.
template <class Index> std::vector<Index> indices_of(const Layout &layout, const std::vector<size_t> &from) {
    std::vector<Index> result(from.size(), 77);
    for (size_t s = 0; s < layout.count(); ++s)
        for (size_t i = layout.begins[s]; i < layout.ends[s]; ++i)
            result[i] = static_cast<Index>(from[i] - layout.begins[s]);
    return result;
}

template <class T, class Offset>
void check(const Layout &layout, bool few, bool descending, size_t value_size, const char *algorithm) {
    SCOPED_TRACE(layout.text + (descending ? ", descending, " : ", ascending, ") + name(algorithm) + ", values of " +
                 std::to_string(value_size) + " bytes, offsets of " + std::to_string(sizeof(Offset)));
    const auto keys = keys_of<T>(layout.n, few);
    const auto from = sources(keys, layout, descending);
    const auto expected = permuted(keys, from);
    const auto values = random_bytes(keys.size() * value_size);
    const auto all = layout.offsets();
    const std::vector<Offset> offsets(all.begin(), all.end()), ends(layout.ends.begin(), layout.ends.end());
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.order = descending ? GP_DESCENDING : GP_ASCENDING;
    options.algorithm = algorithm;
    options.segments = layout.count();
    options.offset_type = dtype<Offset>();
    { // host memory
        gp_sort_options on_host = options;
        on_host.offsets = offsets.data();
        if (layout.has_ends) on_host.ends = ends.data();
        Guarded<T> alone(keys), paired(keys);
        Guarded<uint8_t> moved(values);
        Guarded<uint32_t> indices(std::vector<uint32_t>(keys.size(), 77));
        const gp_status status = gp_sort(context(), dtype<T>(), layout.n, alone.data(), &on_host);
        if (refused(on_host, status)) return;
        ASSERT_OK(status);
        ASSERT_TRUE(same_bits(expected, alone.values()));
        ASSERT_OK(gp_sort_pairs(context(), dtype<T>(), layout.n, paired.data(), value_size, moved.data(), &on_host));
        ASSERT_TRUE(same_bits(expected, paired.values()));
        ASSERT_TRUE(same_bits(permuted(values, from, value_size), moved.values()));
        ASSERT_OK(gp_argsort(context(), dtype<T>(), layout.n, keys.data(), GP_UINT32, indices.data(), &on_host));
        ASSERT_TRUE(same_bits(indices_of<uint32_t>(layout, from), indices.values()));
        ASSERT_TRUE(alone.intact() && paired.intact() && moved.intact() && indices.intact())
            << "a canary was overwritten";
    }
    { // buffers
        DeviceArray<T> alone(keys), paired(keys);
        DeviceArray<uint8_t> moved(values, value_size);
        DeviceArray<uint64_t> indices(std::vector<uint64_t>(keys.size(), 77));
        DeviceArray<Offset> device_offsets(offsets), device_ends(ends, 5);
        options.offsets_buffer = device_offsets.buffer();
        options.offsets_offset = device_offsets.offset();
        if (layout.has_ends) {
            options.ends_buffer = device_ends.buffer();
            options.ends_offset = device_ends.offset();
        }
        ASSERT_OK(gp_enqueue_argsort(context(), dtype<T>(), layout.n, alone.buffer(), alone.offset(), GP_UINT64,
                                     indices.buffer(), indices.offset(), &options, 0, nullptr, nullptr));
        ASSERT_TRUE(same_bits(keys, alone.values())) << "argsort changed the keys";
        ASSERT_OK(gp_enqueue_sort(context(), dtype<T>(), layout.n, alone.buffer(), alone.offset(), &options, 0, nullptr,
                                  nullptr));
        ASSERT_TRUE(same_bits(expected, alone.values()));
        ASSERT_TRUE(same_bits(indices_of<uint64_t>(layout, from), indices.values()));
        ASSERT_OK(gp_enqueue_sort_pairs(context(), dtype<T>(), layout.n, paired.buffer(), paired.offset(), value_size,
                                        moved.buffer(), 1, &options, 0, nullptr, nullptr));
        ASSERT_TRUE(same_bits(expected, paired.values()));
        ASSERT_TRUE(same_bits(permuted(values, from, value_size), moved.values()));
        ASSERT_TRUE(same_bits(offsets, device_offsets.values()));
    }
}

bool takes_segments(const char *algorithm) {
    const std::string called = name(algorithm);
    return algorithm == nullptr || called == "segments" || called == "segment-items" || called == "host";
}

template <class T> void check_layouts(bool named) {
    size_t turn = 0;
    for (const Layout &one : layouts()) {
        if (one.n > max_n() || loses_turns(one.longest(), 3 * one.longest())) continue; // one work-item sorts it there
        for (const char *algorithm : algorithms(GP_SORT, named)) {
            if (!takes_segments(algorithm)) continue;
            ++turn;
            const size_t value_size = value_size_in<T>(turn);
            const bool few = turn % 2 == 0, descending = turn % 3 == 0;
            switch (kind_in<T>(turn, 4)) {
            case 0: check<T, uint32_t>(one, few, descending, value_size, algorithm); break;
            case 1: check<T, int32_t>(one, few, descending, value_size, algorithm); break;
            case 2: check<T, int64_t>(one, few, descending, value_size, algorithm); break;
            default: check<T, uint64_t>(one, few, descending, value_size, algorithm);
            }
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

constexpr char kOtherType[] = "neither int32 nor float32: not in the short form";

TEST(SortSegments, EveryAlgorithm) { check_layouts<int32_t>(true); }
TEST(SortSegments, Floats) { check_layouts<float>(false); }
TEST(SortSegments, Doubles) {
    if (is_short()) GTEST_SKIP() << kOtherType;
    check_layouts<double>(false);
}
TEST(SortSegments, Bytes) {
    if (is_short()) GTEST_SKIP() << kOtherType;
    check_layouts<int8_t>(false);
}
TEST(SortSegments, Shorts) {
    if (is_short()) GTEST_SKIP() << kOtherType;
    check_layouts<uint16_t>(false);
}
TEST(SortSegments, LongIntegers) {
    if (is_short()) GTEST_SKIP() << kOtherType;
    check_layouts<uint64_t>(false);
}

template <class F> void with_algorithms(const F &f) {
    for (const char *algorithm : algorithms(GP_SORT, true))
        if (algorithm != nullptr && takes_segments(algorithm)) f(algorithm);
}

// Short segments by work-items in place of warps, long ones by passes in place of samples, as where
// there are more of them.
TEST(SortSegments, AsManySegments) {
    if (on_host()) GTEST_SKIP() << "the host sorts otherwise";
    const auto set = [](const char *parameter, size_t value) {
        ASSERT_OK(gp_parameter_set(context(), GP_SORT, GP_INT32, "segments", parameter, value));
    };
    constexpr size_t kDefault = 0, kNone = 1;
    for (const auto &[warps, samples] : {std::pair(kDefault, kNone), {kNone, kDefault}, {kNone, kNone}}) {
        set("warps", warps);
        set("samples", samples);
        size_t turn = 0;
        for (const Layout &one : layouts()) {
            if (one.n > max_n()) continue;
            ++turn;
            if (spares_programs() && (turn + warps + 2 * samples) % 3 != 0) continue;
            check<int32_t, uint32_t>(one, turn % 2 == 0, turn % 4 < 2, 4, "segments");
            if (HasFatalFailure()) break;
        }
    }
    set("warps", kDefault);
    set("samples", kDefault);
}

// Bits of keys, in segments as in one array.
TEST(SortSegments, RangesOfBits) {
    const Layout one = layout("bits", {3, 40, 0, 900, 1, 5000, 17}, 2);
    if (one.n > max_n()) GTEST_SKIP() << "GPCL_TEST_MAX_N is less than " << one.n;
    const auto keys = keys_of<uint32_t>(one.n, false);
    const auto offsets = one.offsets();
    for (const auto &[begin, end] : {std::pair(3u, 9u), std::pair(8u, 32u)}) {
        gp_sort_options options = GP_SORT_OPTIONS_INIT;
        options.begin_bit = begin;
        options.end_bit = end;
        options.segments = one.count();
        options.offsets = offsets.data();
        options.ends = one.ends.data();
        Guarded<uint32_t> array(keys);
        ASSERT_OK(gp_sort(context(), GP_UINT32, one.n, array.data(), &options));
        ASSERT_TRUE(same_bits(permuted(keys, sources(keys, one, false, begin, end)), array.values()))
            << "bits " << begin << " to " << end;
    }
}

TEST(SortSegments, OnLentMemory) {
    for (const Layout &one : layouts()) {
        if (one.n > max_n() || one.n == 0 || one.count() == 0) continue;
        SCOPED_TRACE(one.text);
        const auto keys = keys_of<int32_t>(one.n, true);
        gp_sort_options options = GP_SORT_OPTIONS_INIT;
        options.segments = one.count();
        DeviceArray<uint64_t> offsets(one.offsets()), ends(one.ends);
        options.offsets_buffer = offsets.buffer();
        options.offsets_offset = offsets.offset();
        if (one.has_ends) options.ends_buffer = ends.buffer();
        if (one.has_ends) options.ends_offset = ends.offset();
        check_on_lent_memory(options, one.n, keys, permuted(keys, sources(keys, one, false)));
        if (HasFatalFailure()) return;
    }
}

// What the header promises.
TEST(SortSegments, WorkSpaceIsBounded) {
    constexpr size_t kN = 10'000'000;
    for (const gp_dtype type : {GP_UINT8, GP_INT16, GP_FLOAT32, GP_UINT64}) {
        for (const auto &given : {std::pair<size_t, gp_dtype>(0, 0), {4, 0}, {24, 0}, {0, GP_UINT32}, {0, GP_UINT64}}) {
            const size_t value_size = given.first;
            const gp_dtype index = given.second;
            const size_t key = gp_dtype_size(type);
            const size_t alone = index != 0 ? 2 * key + 4 : value_size == 24 ? key + 4 + value_size : key + value_size;
            with_algorithms([&](const char *algorithm) {
                for (const size_t segments : {size_t(1), kN / 1000, kN / 20, kN}) {
                    gp_sort_options options = GP_SORT_OPTIONS_INIT;
                    options.algorithm = algorithm;
                    options.segments = segments;
                    size_t bytes = 1;
                    const gp_status status =
                        gp_sort_work_bytes(context(), type, kN, value_size, index, &options, &bytes);
                    if (refused(options, status)) return;
                    ASSERT_OK(status);
                    const size_t most = std::string(algorithm) == "segment-items"
                                            ? kN * (2 * key + 8 + value_size)
                                            : kN * (alone + (index == GP_UINT64 ? 4 : 0)) + kN * (key + 1) / 2;
                    EXPECT_LE(bytes, on_host() ? 0 : most + std::max(most / 100, size_t(3) << 20))
                        << gp_dtype_name(type) << ", " << algorithm << ", values of " << value_size << ", index "
                        << index << ", " << segments << " segments";
                }
            });
        }
    }
}

// The calls on host pointers name the offset.
TEST(SortSegments, WrongOffsets) {
    Guarded<int32_t> keys({5, 4, 3, 2, 1});
    const auto message = [&](const std::vector<int32_t> &offsets, const std::vector<int32_t> &ends) -> std::string {
        gp_sort_options options = GP_SORT_OPTIONS_INIT;
        options.segments = ends.empty() ? offsets.size() - 1 : offsets.size();
        options.offsets = offsets.data();
        options.ends = ends.empty() ? nullptr : ends.data();
        options.offset_type = GP_INT32;
        EXPECT_EQ(GP_ERROR_OPTION, gp_sort(context(), GP_INT32, 5, keys.data(), &options));
        EXPECT_EQ((std::vector<int32_t>{5, 4, 3, 2, 1}), keys.values());
        return gp_error_message();
    };
    const auto contains = [](const std::string &text, const char *part) {
        return text.find(part) != std::string::npos ? testing::AssertionSuccess() : testing::AssertionFailure() << text;
    };
    EXPECT_TRUE(contains(message({0, 3, 2, 5}, {}), "options->offsets[2] is 2; expected 3 to 5"));
    EXPECT_TRUE(contains(message({0, 3, 6}, {}), "options->offsets[2] is 6; expected 3 to 5"));
    EXPECT_TRUE(contains(message({-1, 3, 5}, {}), "options->offsets[0] is -1; expected 0 to 5"));
    EXPECT_TRUE(contains(message({0, 3}, {2, 2}), "options->ends[1] is 2; expected 3 to 5"));
    EXPECT_TRUE(contains(message({0, 2}, {3, 4}), "options->offsets[1] is 2; expected 3 to 5"));
    EXPECT_TRUE(contains(message({0, 4}, {3, 6}), "options->ends[1] is 6; expected 4 to 5"));
}

// The calls on buffers cut what leaves the array, and write nowhere else.
TEST(SortSegments, OffsetsThatLeaveTheArray) {
    for (const size_t scale : {1, 30, 700, 9000}) { // of each class
        const size_t n = 8 * scale;
        if (n > max_n()) continue;
        SCOPED_TRACE("scale " + std::to_string(scale));
        const auto keys = keys_of<int32_t>(n, false);
        const auto to = [&](int64_t place) { return place * static_cast<int64_t>(scale); };
        // [2, 4), then one that ends before it begins, one that reaches beyond the end, and two
        // outside.
        const std::vector<int64_t> begins = {to(2), to(5), to(6), to(100), -3},
                                   ends = {to(4), to(4), to(50), to(101), -1};
        Layout cut;
        cut.begins = {static_cast<uint64_t>(to(2)), static_cast<uint64_t>(to(6))};
        cut.ends = {static_cast<uint64_t>(to(4)), n};
        const auto expected = permuted(keys, sources(keys, cut, false));
        with_algorithms([&](const char *algorithm) {
            DeviceArray<int32_t> array(keys);
            DeviceArray<int64_t> device_begins(begins), device_ends(ends);
            gp_sort_options options = GP_SORT_OPTIONS_INIT;
            options.algorithm = algorithm;
            options.segments = begins.size();
            options.offset_type = GP_INT64;
            options.offsets_buffer = device_begins.buffer();
            options.offsets_offset = device_begins.offset();
            options.ends_buffer = device_ends.buffer();
            options.ends_offset = device_ends.offset();
            const gp_status status =
                gp_enqueue_sort(context(), GP_INT32, n, array.buffer(), array.offset(), &options, 0, nullptr, nullptr);
            if (refused(options, status)) return;
            ASSERT_OK(status);
            EXPECT_TRUE(same_bits(expected, array.values())) << name(algorithm);
        });
    }
}

// What segments share is undefined, and nothing else is written.
TEST(SortSegments, SegmentsThatShareKeys) {
    for (const size_t scale : {4, 300, 3000}) {
        const size_t n = 10 * scale;
        if (n > max_n()) continue;
        const auto keys = keys_of<int32_t>(n, false);
        const auto values = random_bytes(3 * n);
        const std::vector<uint32_t> offsets = {static_cast<uint32_t>(scale),     static_cast<uint32_t>(8 * scale),
                                               static_cast<uint32_t>(2 * scale), static_cast<uint32_t>(9 * scale),
                                               static_cast<uint32_t>(scale),     static_cast<uint32_t>(9 * scale)};
        with_algorithms([&](const char *algorithm) {
            SCOPED_TRACE(std::string(name(algorithm)) + ", scale " + std::to_string(scale));
            DeviceArray<int32_t> array(keys);
            DeviceArray<uint8_t> moved(values, 3);
            DeviceArray<uint32_t> device_offsets(offsets);
            gp_sort_options options = GP_SORT_OPTIONS_INIT;
            options.algorithm = algorithm;
            options.segments = offsets.size() - 1;
            options.offset_type = GP_UINT32;
            options.offsets_buffer = device_offsets.buffer();
            options.offsets_offset = device_offsets.offset();
            const gp_status status = gp_enqueue_sort_pairs(context(), GP_INT32, n, array.buffer(), array.offset(), 3,
                                                           moved.buffer(), 1, &options, 0, nullptr, nullptr);
            if (refused(options, status)) return;
            ASSERT_OK(status);
            const auto after = array.values();
            const auto bytes = moved.values();
            for (size_t i = 0; i < n; ++i) {
                if (i >= scale && i < 9 * scale) continue;
                ASSERT_EQ(keys[i], after[i]) << i;
                for (size_t b = 3 * i; b < 3 * i + 3; ++b) ASSERT_EQ(values[b], bytes[b]) << b;
            }
        });
    }
}

// More parts of long segments than there are without shared keys: nothing is written outside the
// lent memory either, where an argsort's last piece is that of the samples.
TEST(SortSegments, SegmentsThatShareAllKeysOnLentMemory) {
    if (on_host()) GTEST_SKIP() << "the host takes no work space";
    for (const size_t n : {9000, 60000}) {
        if (n > max_n()) continue;
        const auto keys = keys_of<int32_t>(n, false);
        const std::vector<uint32_t> begins(40, 0), ends(40, static_cast<uint32_t>(n));
        DeviceArray<uint32_t> device_begins(begins), device_ends(ends);
        gp_sort_options options = GP_SORT_OPTIONS_INIT;
        options.algorithm = "segments";
        options.segments = begins.size();
        options.offset_type = GP_UINT32;
        options.offsets_buffer = device_begins.buffer();
        options.offsets_offset = device_begins.offset();
        options.ends_buffer = device_ends.buffer();
        options.ends_offset = device_ends.offset();
        size_t bytes = 0;
        const gp_status status = gp_sort_work_bytes(context(), GP_INT32, n, 0, GP_UINT32, &options, &bytes);
        if (refused(options, status)) return;
        ASSERT_OK(status);
        DeviceArray<int32_t> array(keys);
        DeviceArray<uint32_t> indices(std::vector<uint32_t>(n, 7));
        DeviceArray<uint8_t> work(std::vector<uint8_t>(bytes), 128);
        options.work = work.buffer();
        options.work_offset = work.offset();
        options.work_bytes = bytes;
        ASSERT_OK(gp_enqueue_argsort(context(), GP_INT32, n, array.buffer(), array.offset(), GP_UINT32,
                                     indices.buffer(), indices.offset(), &options, 0, nullptr, nullptr));
        ASSERT_OK(gp_finish(context()));
        work.values(); // looks after the canaries
        ASSERT_TRUE(same_bits(keys, array.values())) << "argsort changed the keys";
        for (const uint32_t index : indices.values()) ASSERT_LT(index, n);
    }
}

TEST(SortSegments, WrongArguments) {
    std::vector<int32_t> keys(10);
    const std::vector<uint64_t> offsets = {0, 5, 10};
    std::string message;
    const auto status = [&](const auto &change, bool on_host = true) {
        gp_sort_options options = GP_SORT_OPTIONS_INIT;
        options.segments = 2;
        DeviceArray<int32_t> array(keys, 0);
        DeviceArray<uint64_t> device(offsets, 0);
        if (on_host)
            options.offsets = offsets.data();
        else
            options.offsets_buffer = device.buffer();
        change(options);
        const gp_status result =
            on_host ? gp_sort(context(), GP_INT32, 10, keys.data(), &options)
                    : gp_enqueue_sort(context(), GP_INT32, 10, array.buffer(), 0, &options, 0, nullptr, nullptr);
        message = gp_error_message(); // which freeing the buffers clears
        return result;
    };
    const auto said = [&](const char *words) { EXPECT_NE(std::string::npos, message.find(words)) << message; };
    using Options = gp_sort_options;
    EXPECT_EQ(GP_SUCCESS, status([](Options &) {}));
    EXPECT_EQ(GP_SUCCESS, status([](Options &) {}, false));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, status([](Options &o) { o.offsets = nullptr; }));
    EXPECT_EQ(GP_ERROR_ALIGNMENT, status([&](Options &o) {
                  o.offsets = reinterpret_cast<const char *>(offsets.data()) + 1;
                  o.segments = 1;
              }));
    EXPECT_EQ(GP_ERROR_OPTION, status([](Options &o) { o.batch = 2; }));
    EXPECT_EQ(GP_ERROR_OPTION, status([](Options &o) { o.step = 2; }));
    EXPECT_EQ(GP_ERROR_DTYPE, status([](Options &o) { o.offset_type = GP_FLOAT32; }));
    EXPECT_EQ(GP_ERROR_OPTION, status([](Options &o) { o.offsets_offset = 1; }));
    EXPECT_EQ(GP_ERROR_OPTION, status([](Options &o) { o.ends_offset = 1; }));
    EXPECT_EQ(GP_ERROR_OPTION, status([](Options &o) {
                  o.segments = 0;
                  o.ends = o.offsets;
                  o.offsets = nullptr;
              }));
    EXPECT_EQ(GP_ERROR_SIZE_OVERFLOW, status([](Options &o) { o.segments = SIZE_MAX; }));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, status([](Options &o) { o.segments = 3; }, false));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, status([](Options &o) { o.offsets_offset = 1; }, false));
    EXPECT_EQ(GP_ERROR_OPTION, status([&](Options &o) { o.offsets = offsets.data(); }, false));
    EXPECT_NE(GP_SUCCESS, status([](Options &o) { o.offsets_buffer = nullptr; }, false));
    EXPECT_EQ(GP_ERROR_ALIGNMENT,
              status([&](Options &o) { o.ends = reinterpret_cast<const char *>(offsets.data()) + 4; }));
    said("options->ends is");
    DeviceArray<uint64_t> more(std::vector<uint64_t>(10), 0);
    EXPECT_EQ(GP_ERROR_OPTION, status([&](Options &o) { o.offsets_buffer = more.buffer(); }));
    said("options->offsets_buffer or ends_buffer is set");
    const auto overlapping = [&](gp_buffer *array, const char *words, const auto &change) {
        Options options = GP_SORT_OPTIONS_INIT;
        options.segments = 2;
        options.offsets_buffer = options.ends_buffer = more.buffer();
        change(options);
        EXPECT_EQ(GP_ERROR_OVERLAP, gp_enqueue_sort(context(), GP_INT32, 10, array, 0, &options, 0, nullptr, nullptr));
        message = gp_error_message();
        said(words);
    };
    overlapping(more.buffer(), "options->offsets_buffer overlaps what is sorted", [](Options &) {});
    DeviceArray<int32_t> array(keys, 0);
    overlapping(array.buffer(), "options->ends_buffer overlaps what is sorted",
                [&](Options &o) { o.ends_buffer = array.buffer(); });
    size_t bytes = 0; // of work space
    Options planned = GP_SORT_OPTIONS_INIT;
    planned.segments = 2;
    planned.offsets_buffer = planned.ends_buffer = more.buffer();
    ASSERT_OK(gp_sort_work_bytes(context(), GP_INT32, 10, 0, 0, &planned, &bytes));
    if (bytes > 0) {
        DeviceArray<uint64_t> first(std::vector<uint64_t>(bytes), 0), second(std::vector<uint64_t>(bytes), 0);
        for (const bool ends : {false, true})
            overlapping(array.buffer(),
                        ends ? "options->work overlaps options->ends_buffer"
                             : "options->work overlaps options->offsets_buffer",
                        [&](Options &o) {
                            o.offsets_buffer = first.buffer();
                            o.ends_buffer = second.buffer();
                            o.work = ends ? second.buffer() : first.buffer();
                        });
    }
    EXPECT_EQ(GP_ERROR_ALGORITHM_REFUSED,
              status([](Options &o) { o.algorithm = on_host() ? "host-qsort" : "single-tile"; }));
    // Segments of none but an array of them: nothing is sorted.
    keys = {3, 2, 1, 3, 2, 1, 3, 2, 1, 0};
    const auto before = keys;
    EXPECT_EQ(GP_SUCCESS, status([](Options &o) { o.segments = 0; }));
    EXPECT_EQ(before, keys);
}

} // namespace
