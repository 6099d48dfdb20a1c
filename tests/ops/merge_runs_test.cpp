// Merge of the runs of an array, of every type, with values and without, against a stable sort of
// all.
// SPDX-License-Identifier: MIT
#include "every_type.h"

#include "../reference/merge_runs.h"

#include <numeric>
#include <random>

namespace {

using namespace test;

template <class T> class MergeRuns : public testing::Test {};
TYPED_TEST_SUITE(MergeRuns, EveryType, EveryTypeNames);

// random: any bits, which NaN are among; zeros: of both signs, among subnormal numbers and NaN;
// rising and falling: no key of a run comes before those of earlier runs, or of later ones.
enum class Kind { random, few, zeros, rising, falling };
constexpr Kind kKinds[] = {Kind::random, Kind::few, Kind::zeros, Kind::rising, Kind::falling};

struct Layout {
    std::string text;
    std::vector<uint64_t> offsets;

    Layout(std::string called, const std::vector<size_t> &lengths) : text(std::move(called)), offsets{0} {
        for (const size_t length : lengths) offsets.push_back(offsets.back() + length);
    }
    size_t runs() const { return offsets.size() - 1; }
    size_t n() const { return offsets.back(); }
};

std::vector<size_t> random_lengths(size_t runs, size_t most) {
    std::mt19937_64 random(runs + most);
    std::vector<size_t> lengths(runs);
    for (size_t &length : lengths) length = random() % (most + 1);
    return lengths;
}

std::vector<Layout> layouts() {
    std::vector<Layout> all = {
        {"one run", {33}},
        {"one run and empty ones", {0, 0, 1000, 0}},
        {"two keys", {1, 1}},
        {"of one key", std::vector<size_t>(33, 1)},
        {"empty ones between", {0, 7, 0, 0, 20, 1, 0}},
        {"a long one first", {997, 1, 2, 1}},
        {"a long one last", {1, 0, 3, 997}},
        {"three of a tile", {256, 257, 255}},
        {"nine", random_lengths(9, 60)},
        {"a hundred short ones", random_lengths(100, 9)},
        {"sixteen of a thousand", std::vector<size_t>(16, 1000)},
        {"five of a few thousand", {5375, 5376, 1, 5377, 2819}},
        {"three hundred", random_lengths(300, 90)},
        {"thousands", random_lengths(4000, 12)},
        {"a million", {300'007, 0, 262'144, 400'001, 86'425}},
    };
    all.erase(std::remove_if(all.begin(), all.end(), [](const Layout &one) { return one.n() > max_n(); }), all.end());
    return all;
}

template <class T> bool is_before(T x, T y, bool descending) {
    return reference::before(reference::widen(x), reference::widen(y), descending);
}

template <class T> std::vector<T> keys_of(Kind kind, const Layout &layout, bool descending) {
    std::mt19937_64 random(layout.n() * 31 + static_cast<size_t>(kind));
    std::vector<T> all(layout.n());
    for (T &key : all) {
        const uint64_t bits = random();
        switch (kind) {
        case Kind::few: key = from_bits<T>((bits % 3) << (8 * sizeof(T) - 4)); break;
        case Kind::zeros:
            key = from_bits<T>(bits % 4 == 0   ? bits
                               : bits % 4 == 1 ? kSign<T>
                               : bits % 4 == 2 ? bits >> 8 & (kSign<T> | 7)
                                               : 0);
            break;
        default: key = from_bits<T>(bits);
        }
    }
    const auto sort = [&](uint64_t first, uint64_t end, bool down) {
        std::stable_sort(all.begin() + static_cast<std::ptrdiff_t>(first),
                         all.begin() + static_cast<std::ptrdiff_t>(end),
                         [&](T x, T y) { return is_before(x, y, down); });
    };
    if (kind == Kind::rising || kind == Kind::falling) sort(0, layout.n(), (kind == Kind::falling) != descending);
    for (size_t run = 0; run < layout.runs(); ++run) sort(layout.offsets[run], layout.offsets[run + 1], descending);
    return all;
}

std::vector<uint8_t> random_bytes(size_t n) {
    std::mt19937_64 random(n);
    std::vector<uint8_t> bytes(n);
    for (uint8_t &byte : bytes) byte = static_cast<uint8_t>(random());
    return bytes;
}

// The elements, `size` to each, in this order.
template <class T>
std::vector<T> ordered(const std::vector<T> &from, const std::vector<size_t> &order, size_t size = 1) {
    std::vector<T> result;
    result.reserve(from.size());
    for (const size_t i : order)
        result.insert(result.end(), from.begin() + static_cast<std::ptrdiff_t>(i * size),
                      from.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
    return result;
}

gp_merge_runs_options ordering(bool descending, const char *algorithm = nullptr) {
    gp_merge_runs_options options = GP_MERGE_RUNS_OPTIONS_INIT;
    options.order = descending ? GP_DESCENDING : GP_ASCENDING;
    options.algorithm = algorithm;
    return options;
}

template <class T> void check(const Layout &layout, Kind kind, bool descending, size_t value_size) {
    const size_t n = layout.n();
    const auto keys = keys_of<T>(kind, layout, descending);
    const auto order = reference::merge_runs_order(keys, descending);
    const auto expected = ordered(keys, order);
    const auto bytes = random_bytes(n * value_size);
    const auto expected_values = ordered(bytes, order, value_size);
    for (const char *algorithm : algorithms(GP_MERGE_RUNS, is_named<T>())) {
        SCOPED_TRACE(layout.text + ", kind " + std::to_string(static_cast<int>(kind)) + ", values of " +
                     std::to_string(value_size) + (descending ? ", descending, " : ", ascending, ") + name(algorithm));
        const gp_merge_runs_options options = ordering(descending, algorithm);
        Guarded<T> in(keys), out(n);
        Guarded<uint8_t> values(bytes), out_values(n * value_size);
        const gp_status status =
            value_size == 0
                ? gp_merge_runs(context(), code<T>(), n, in.data(), layout.runs(), layout.offsets.data(), out.data(),
                                &options)
                : gp_merge_runs_pairs(context(), code<T>(), n, in.data(), layout.runs(), layout.offsets.data(),
                                      out.data(), value_size, values.data(), out_values.data(), &options);
        if (refused(GP_MERGE_RUNS, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_TRUE(same_bits(expected, out.values()));
        ASSERT_TRUE(same_bits(expected_values, out_values.values()));
        ASSERT_TRUE(out.intact() && out_values.intact()) << "a canary was overwritten";
        ASSERT_TRUE(in.intact() && values.intact() && same_bits(keys, in.values())) << "an input was written";
    }
}

TYPED_TEST(MergeRuns, EveryKindOfKeys) {
    using T = TypeParam;
    size_t turn = 0;
    for (const Layout &layout : layouts()) {
        if (layout.n() > 20'000 && !is_named<T>()) continue;
        for (const Kind kind : kKinds) {
            if (layout.n() > 20'000 && kind != Kind::random) continue;
            check<T>(layout, kind, ++turn % 2 == 0, 0);
            if (this->HasFatalFailure()) return;
        }
    }
}

TYPED_TEST(MergeRuns, ValuesOfEverySize) {
    using T = TypeParam;
    size_t turn = 0;
    for (const Layout &layout : layouts()) {
        for (const size_t value_size : {1u, 2u, 3u, 4u, 8u, 12u, 16u, 33u, 64u}) {
            if (++turn % 3 != 0 && value_size != 4) continue;
            if (layout.n() > 2000 && (value_size > 8 || !is_named<T>())) continue;
            if (layout.n() > 40'000 && value_size != 4) continue;
            // It leaves loops of a work-item after 65535 turns, of which each byte of a value takes
            // one.
            if (implementation() == "rusticl" && layout.n() * value_size > 20'000) continue;
            check<T>(layout, turn % 2 == 0 ? Kind::few : Kind::random, turn % 4 < 2, value_size);
            if (this->HasFatalFailure()) return;
        }
    }
}

// In buffers, with offsets of each type, on lent memory of as many bytes as the library says and on
// less.
template <class Offset> void check_buffers(gp_dtype offset_type, size_t value_size) {
    for (const Layout &layout : layouts()) {
        const size_t n = layout.n();
        if (n > 20'000) continue;
        const auto keys = keys_of<int32_t>(Kind::few, layout, true);
        const auto order = reference::merge_runs_order(keys, true);
        const auto bytes = random_bytes(n * value_size);
        for (const char *algorithm : algorithms(GP_MERGE_RUNS)) {
            SCOPED_TRACE(layout.text + ", " + name(algorithm));
            gp_merge_runs_options options = ordering(true, algorithm);
            options.offset_type = offset_type;
            size_t needed = 0;
            const gp_status status =
                gp_merge_runs_work_bytes(context(), GP_INT32, n, layout.runs(), value_size, &options, &needed);
            if (refused(GP_MERGE_RUNS, algorithm, status)) continue;
            ASSERT_OK(status);
            DeviceArray<int32_t> in(keys, 3), out(std::vector<int32_t>(n), 5);
            DeviceArray<Offset> offsets(std::vector<Offset>(layout.offsets.begin(), layout.offsets.end()), 7);
            DeviceArray<uint8_t> values(bytes, 2 * value_size), out_values(std::vector<uint8_t>(bytes.size()), 0),
                work(std::vector<uint8_t>(needed), 61);
            const auto merge = [&] {
                if (value_size == 0)
                    return gp_enqueue_merge_runs(context(), GP_INT32, n, in.buffer(), in.offset(), layout.runs(),
                                                 offsets.buffer(), offsets.offset(), out.buffer(), out.offset(),
                                                 &options, 0, nullptr, nullptr);
                return gp_enqueue_merge_runs_pairs(
                    context(), GP_INT32, n, in.buffer(), in.offset(), layout.runs(), offsets.buffer(), offsets.offset(),
                    out.buffer(), out.offset(), value_size, values.buffer(), values.offset() / value_size,
                    out_values.buffer(), out_values.offset(), &options, 0, nullptr, nullptr);
            };
            if (needed > 0) {
                options.work = work.buffer();
                options.work_offset = work.offset() + 1 + 61;
                ASSERT_EQ(GP_ERROR_OUT_OF_BOUNDS, merge()) << gp_error_message();
                options.work_offset = work.offset();
                options.work_bytes = needed - 1;
                ASSERT_EQ(GP_ERROR_OUT_OF_BOUNDS, merge()) << gp_error_message();
                options.work_bytes = 0;
            }
            ASSERT_OK(merge());
            ASSERT_OK(gp_finish(context()));
            ASSERT_TRUE(same_bits(ordered(keys, order), out.values()));
            ASSERT_TRUE(same_bits(keys, in.values()));
            ASSERT_TRUE(same_bits(ordered(bytes, order, value_size), out_values.values()));
            work.values(); // looks after the canaries
        }
    }
}
TEST(MergeRunsBuffers, OffsetsOfInt32) { check_buffers<int32_t>(GP_INT32, 0); }
TEST(MergeRunsBuffers, OffsetsOfUint32) { check_buffers<uint32_t>(GP_UINT32, 4); }
TEST(MergeRunsBuffers, OffsetsOfInt64) { check_buffers<int64_t>(GP_INT64, 3); }
TEST(MergeRunsBuffers, OffsetsOfUint64) { check_buffers<uint64_t>(0, 0); }

// Whatever the offsets and keys are, nothing outside of the arrays is touched; and where the keys
// alone are in disorder, what comes out was in them.
TEST(MergeRunsBuffers, WrongOffsetsAndRunsStayInBounds) {
    std::mt19937_64 random(7);
    for (const size_t n : {1u, 33u, 1000u, 6000u, 40'000u}) {
        if (n > max_n()) continue;
        for (const size_t runs : {1u, 2u, 5u, 40u, 700u}) {
            if (runs > 2 * n) continue;
            for (const bool falls : {true, false}) {
                std::vector<int64_t> offsets(runs + 1);
                for (int64_t &offset : offsets)
                    offset = falls ? static_cast<int64_t>(random() % (2 * n + 9)) - static_cast<int64_t>(n / 2)
                                   : static_cast<int64_t>(random() % (n + 1));
                if (!falls) {
                    std::sort(offsets.begin(), offsets.end());
                    offsets.front() = -5; // taken as 0
                    offsets.back() = 3;   // taken as n
                }
                std::vector<uint32_t> keys(n), numbers(n);
                for (uint32_t &key : keys) key = static_cast<uint32_t>(random() % n);
                std::iota(numbers.begin(), numbers.end(), 0U);
                for (const char *algorithm : algorithms(GP_MERGE_RUNS)) {
                    SCOPED_TRACE(std::to_string(n) + " keys, " + std::to_string(runs) + " runs, " + name(algorithm));
                    gp_merge_runs_options options = ordering(false, algorithm);
                    options.offset_type = GP_INT64;
                    DeviceArray<uint32_t> in(keys, 3), out(keys, 5), alone(keys, 1), values(numbers, 9),
                        out_values(numbers, 2);
                    DeviceArray<int64_t> device_offsets(offsets, 1);
                    const gp_status status = gp_enqueue_merge_runs_pairs(
                        context(), GP_UINT32, n, in.buffer(), in.offset(), runs, device_offsets.buffer(),
                        device_offsets.offset(), out.buffer(), out.offset(), 4, values.buffer(), values.offset(),
                        out_values.buffer(), out_values.offset(), &options, 0, nullptr, nullptr);
                    if (refused(GP_MERGE_RUNS, algorithm, status)) continue;
                    ASSERT_OK(status);
                    ASSERT_OK(gp_enqueue_merge_runs(context(), GP_UINT32, n, in.buffer(), in.offset(), runs,
                                                    device_offsets.buffer(), device_offsets.offset(), alone.buffer(),
                                                    alone.offset(), &options, 0, nullptr, nullptr));
                    ASSERT_OK(gp_finish(context()));
                    ASSERT_TRUE(same_bits(keys, in.values()) && same_bits(numbers, values.values()) &&
                                same_bits(offsets, device_offsets.values()))
                        << "an input was changed";
                    const auto merged = out.values(), from = out_values.values(); // look after the canaries
                    alone.values();
                    if (falls) continue;
                    for (size_t k = 0; k < n; ++k) {
                        ASSERT_LT(from[k], n);
                        ASSERT_EQ(keys[from[k]], merged[k]) << "a value has another's key";
                    }
                }
            }
        }
    }
}

class MergeRunsArguments : public testing::Test {
  protected:
    gp_status call(size_t n, const std::vector<int32_t> &offsets) {
        options_.offset_type = GP_INT32;
        return gp_merge_runs(context(), GP_INT32, n, in_.data(), offsets.size() - 1, offsets.data(), out_.data(),
                             &options_);
    }
    void refuses(gp_status expected, gp_status got, const std::string &words) {
        EXPECT_EQ(expected, got);
        EXPECT_NE(std::string::npos, std::string(gp_error_message()).find(words)) << gp_error_message();
        EXPECT_EQ(std::vector<int32_t>(5, 9), out_);
    }
    std::vector<int32_t> in_ = {2, 3, 1, 4, 0}, out_ = std::vector<int32_t>(5, 9);
    std::vector<uint8_t> values_ = std::vector<uint8_t>(5), out_values_ = std::vector<uint8_t>(5);
    std::vector<uint64_t> offsets_ = {0, 2, 4, 5};
    gp_merge_runs_options options_ = GP_MERGE_RUNS_OPTIONS_INIT;
};

TEST_F(MergeRunsArguments, WrongOffsetsAreNamed) {
    refuses(GP_ERROR_OPTION, call(5, {0, 3, 2, 5}), "offsets[2] is 2; expected 3 to 5");
    refuses(GP_ERROR_OPTION, call(5, {0, 3, 6}), "offsets[2] is 6; expected 3 to 5");
    refuses(GP_ERROR_OPTION, call(5, {-1, 3, 5}), "offsets[0] is -1; expected 0 to 5");
    refuses(GP_ERROR_OPTION, call(5, {1, 3, 5}), "offsets[0] is 1; expected 0");
    refuses(GP_ERROR_OPTION, call(5, {0, 3, 4}), "offsets[2] is 4; expected n, 5");
    refuses(GP_ERROR_OPTION, call(5, {0}), "runs is 0");
    refuses(GP_ERROR_OPTION, call(0, {7}), "offsets[0] is 7; expected 0");
    refuses(GP_ERROR_OPTION, call(0, {-7}), "offsets[0] is -7; expected 0");
}

TEST_F(MergeRunsArguments, BadOnesAreRefused) {
    const auto merge = [&](gp_dtype type, size_t n, const void *keys, const void *offsets, void *out) {
        return gp_merge_runs(context(), type, n, keys, 3, offsets, out, &options_);
    };
    const auto pairs = [&](const void *values, size_t size, void *out, void *out_values) {
        return gp_merge_runs_pairs(context(), GP_INT32, 5, in_.data(), 3, offsets_.data(), out, size, values,
                                   out_values, &options_);
    };
    const auto any = [&] { return merge(GP_INT32, 5, in_.data(), offsets_.data(), out_.data()); };
    refuses(GP_ERROR_DTYPE, merge(99, 5, in_.data(), offsets_.data(), out_.data()), "dtype");
    refuses(GP_ERROR_SIZE_OVERFLOW, merge(GP_INT32, SIZE_MAX / 2, in_.data(), offsets_.data(), out_.data()), "n: ");
    refuses(GP_ERROR_NULL_POINTER, merge(GP_INT32, 5, nullptr, offsets_.data(), out_.data()), "keys");
    refuses(GP_ERROR_NULL_POINTER, merge(GP_INT32, 5, in_.data(), nullptr, out_.data()), "offsets");
    refuses(GP_ERROR_NULL_POINTER, merge(GP_INT32, 5, in_.data(), offsets_.data(), nullptr), "out");
    refuses(GP_ERROR_ALIGNMENT,
            merge(GP_INT32, 5, in_.data(), reinterpret_cast<char *>(offsets_.data()) + 1, out_.data()), "offsets");
    refuses(GP_ERROR_OVERLAP, merge(GP_INT32, 5, out_.data(), offsets_.data(), out_.data()), "out overlaps keys");
    refuses(GP_ERROR_OVERLAP, pairs(out_.data(), 1, out_.data(), out_values_.data()), "out overlaps values");
    refuses(GP_ERROR_OVERLAP, pairs(values_.data(), 1, out_.data(), values_.data()), "out_values overlaps values");
    refuses(GP_ERROR_NULL_POINTER, pairs(nullptr, 1, out_.data(), out_values_.data()), "values");
    refuses(GP_ERROR_VALUE_SIZE, pairs(values_.data(), 65, out_.data(), out_values_.data()), "value_size");
    refuses(GP_ERROR_NULL_POINTER, pairs(values_.data(), 1, out_.data(), nullptr), "out_values is NULL");
    refuses(GP_ERROR_NULL_POINTER, gp_merge_runs_work_bytes(context(), GP_INT32, 5, 3, 0, &options_, nullptr), "bytes");
    options_.order = 2;
    refuses(GP_ERROR_OPTION, any(), "order");
    options_ = GP_MERGE_RUNS_OPTIONS_INIT;
    options_.offset_type = GP_FLOAT32;
    refuses(GP_ERROR_DTYPE, any(), "offset_type");
    options_ = GP_MERGE_RUNS_OPTIONS_INIT;
    options_.work_bytes = 8;
    refuses(GP_ERROR_OPTION, any(), "work_bytes");
    options_ = GP_MERGE_RUNS_OPTIONS_INIT;
    options_.algorithm = "none";
    refuses(GP_ERROR_ALGORITHM, any(), "there are");
    options_ = GP_MERGE_RUNS_OPTIONS_INIT;
    options_.struct_size = 0;
    refuses(GP_ERROR_STRUCT_SIZE, any(), "struct_size");
}

TEST_F(MergeRunsArguments, NothingIsMerged) {
    ASSERT_OK(gp_merge_runs(context(), GP_INT32, 0, nullptr, 0, nullptr, nullptr, nullptr));
    const std::vector<uint64_t> zeros(4);
    ASSERT_OK(gp_merge_runs(context(), GP_INT32, 0, nullptr, 0, zeros.data(), nullptr, nullptr));
    ASSERT_OK(gp_merge_runs(context(), GP_INT32, 0, nullptr, 3, zeros.data(), nullptr, nullptr));
    EXPECT_EQ(std::vector<int32_t>(5, 9), out_);
    ASSERT_OK(gp_merge_runs(context(), GP_INT32, 5, in_.data(), 3, offsets_.data(), out_.data(), nullptr));
    EXPECT_EQ((std::vector<int32_t>{0, 1, 2, 3, 4}), out_);
}

TEST_F(MergeRunsArguments, BuffersAreChecked) {
    DeviceArray<int32_t> in(in_), out(out_);
    DeviceArray<uint64_t> offsets(offsets_, 0);
    const auto enqueue = [&](size_t n, size_t runs, gp_buffer *begins, size_t begins_offset, gp_buffer *to, size_t at) {
        return gp_enqueue_merge_runs(context(), GP_INT32, n, in.buffer(), in.offset(), runs, begins, begins_offset, to,
                                     at, &options_, 0, nullptr, nullptr);
    };
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(99, 3, offsets.buffer(), 0, out.buffer(), out.offset()));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(5, 30, offsets.buffer(), 0, out.buffer(), out.offset()));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(0, 0, offsets.buffer(), 9, out.buffer(), out.offset()));
    EXPECT_EQ(GP_SUCCESS, enqueue(0, 0, offsets.buffer(), 0, out.buffer(), out.offset()));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(5, 3, offsets.buffer(), 9, out.buffer(), out.offset()));
    EXPECT_EQ(GP_ERROR_OVERLAP, enqueue(5, 3, offsets.buffer(), 0, in.buffer(), in.offset()));
    EXPECT_EQ(GP_ERROR_OVERLAP, enqueue(2, 2, offsets.buffer(), 0, offsets.buffer(), 4));
    DeviceArray<int32_t> values(out_), out_values(out_);
    const auto pairs = [&](gp_buffer *from, gp_buffer *to, const char *words) {
        EXPECT_EQ(GP_ERROR_OVERLAP, gp_enqueue_merge_runs_pairs(context(), GP_INT32, 5, in.buffer(), in.offset(), 3,
                                                                offsets.buffer(), 0, out.buffer(), out.offset(), 4,
                                                                from, 0, to, 0, &options_, 0, nullptr, nullptr));
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), words)) << gp_error_message();
    };
    pairs(out.buffer(), out_values.buffer(), "out overlaps values");
    pairs(values.buffer(), out.buffer(), "out_values overlaps out");
    size_t bytes = 0; // where none is needed, what is lent does not matter
    ASSERT_OK(gp_merge_runs_work_bytes(context(), GP_INT32, 5, 3, 0, &options_, &bytes));
    if (bytes > 1) {
        const DeviceArray<uint8_t> room(std::vector<uint8_t>(bytes), 0);
        options_.work = room.buffer();
        options_.work_bytes = 1;
        EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(5, 3, offsets.buffer(), 0, out.buffer(), out.offset()));
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), "options->work_bytes is 1")) << gp_error_message();
        options_.work_bytes = 0;
        std::vector<uint64_t> many(bytes);
        std::copy(offsets_.begin(), offsets_.end(), many.begin());
        const DeviceArray<uint64_t> both(many, 0);
        options_.work = both.buffer();
        EXPECT_EQ(GP_ERROR_OVERLAP, enqueue(5, 3, both.buffer(), 0, out.buffer(), out.offset()));
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), "options->work overlaps offsets")) << gp_error_message();
    }
    options_.work = in.buffer();
    const gp_status lent = enqueue(5, 3, offsets.buffer(), 0, out.buffer(), out.offset());
    EXPECT_TRUE(bytes == 0 ? lent == GP_SUCCESS : lent == GP_ERROR_OVERLAP || lent == GP_ERROR_OUT_OF_BOUNDS) << lent;
}

// What the header promises.
TEST(MergeRunsWorkSpace, IsBounded) {
    constexpr size_t kN = 10'000'000;
    for (const gp_dtype type : {GP_UINT8, GP_FLOAT32, GP_UINT64}) {
        for (const size_t value_size : {0u, 4u, 16u}) {
            for (const size_t runs : {1u, 2u, 3u, 1000u}) {
                for (const char *algorithm : {on_host() ? "host" : "tiles", on_host() ? "host" : "chunks"}) {
                    const gp_merge_runs_options options = ordering(false, algorithm);
                    size_t bytes = 1;
                    const gp_status status =
                        gp_merge_runs_work_bytes(context(), type, kN, runs, value_size, &options, &bytes);
                    if (refused(GP_MERGE_RUNS, algorithm, status)) continue;
                    ASSERT_OK(status);
                    const size_t arrays = runs > 2 ? kN * (gp_dtype_size(type) + value_size) : 0;
                    EXPECT_LE(bytes, on_host() ? 0 : arrays + (size_t(1) << 20) + 32 * kN / 80) << algorithm;
                }
            }
        }
    }
}

} // namespace
