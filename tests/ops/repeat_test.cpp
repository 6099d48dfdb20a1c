// Repeated elements, against two loops.
// SPDX-License-Identifier: MIT
#include "compare.h"

#include "../reference/repeat.h"

#include <numeric>

namespace {

using namespace test;

// How often elements come.
enum class Often { never, once, thrice, sometimes, often, one_alone, after_many_none };
constexpr Often kOften[] = {Often::never, Often::once,      Often::thrice,         Often::sometimes,
                            Often::often, Often::one_alone, Often::after_many_none};

template <class Index> std::vector<Index> repeats_of(Often often, size_t n) {
    std::mt19937_64 random(n * 8 + static_cast<size_t>(often));
    std::vector<Index> repeats(n);
    for (size_t i = 0; i < n; ++i) {
        const auto some = random();
        switch (often) {
        case Often::never: repeats[i] = 0; break;
        case Often::once: repeats[i] = 1; break;
        case Often::thrice: repeats[i] = 3; break;
        case Often::sometimes: repeats[i] = static_cast<Index>(some % 8 < 5 ? 0 : some % 4); break;
        case Often::often: repeats[i] = static_cast<Index>(some % 3 == 0 ? some % 200 : some % 5); break;
        case Often::one_alone: repeats[i] = i == n / 2 ? static_cast<Index>(std::min<size_t>(n, 255)) : Index(0); break;
        case Often::after_many_none: repeats[i] = i + 5 < n ? Index(0) : static_cast<Index>(40); break;
        }
    }
    return repeats;
}

// An element of so many bytes, none of which says which element it is alone.
template <size_t kBytes> struct Element {
    unsigned char bytes[kBytes];
    bool operator==(const Element &) const = default;
};
template <size_t kBytes> std::vector<Element<kBytes>> elements_of(size_t n) {
    std::mt19937_64 random(n);
    std::vector<Element<kBytes>> elements(n);
    for (auto &element : elements)
        for (auto &byte : element.bytes) byte = static_cast<unsigned char>(random());
    return elements;
}

// `capacity` elements have room. With `shift`, arrays begin so many bytes behind an aligned
// address.
template <size_t kBytes, class Index> void check(size_t n, Often often, size_t room_of_100, size_t shift, bool named) {
    const auto in = elements_of<kBytes>(n);
    const auto repeats = repeats_of<Index>(often, n);
    const auto expected = reference::repeat(in, repeats);
    const size_t capacity = expected.size() * room_of_100 / 100;
    const size_t written = std::min(expected.size(), capacity);
    for (const char *algorithm : algorithms(GP_REPEAT, named)) {
        SCOPED_TRACE(std::to_string(n) + " elements of " + std::to_string(kBytes) + " bytes, repeats of " +
                     std::to_string(sizeof(Index)) + " bytes, kind " + std::to_string(static_cast<int>(often)) + ", " +
                     std::to_string(capacity) + " of " + std::to_string(expected.size()) + ", " + name(algorithm));
        gp_repeat_options options = GP_REPEAT_OPTIONS_INIT;
        options.algorithm = algorithm;
        Guarded<unsigned char> from(n * kBytes + shift), out(capacity * kBytes + shift);
        if (n > 0) std::memcpy(from.data() + shift, in.data(), n * kBytes);
        for (size_t i = 0; i < capacity * kBytes + shift; ++i) out.data()[i] = 77;
        Guarded<Index> times(repeats);
        uint64_t count = 99;
        const gp_status status = gp_repeat(context(), kBytes, n, from.data() + shift, dtype<Index>(), times.data(),
                                           capacity, out.data() + shift, &count, &options);
        if (refused(GP_REPEAT, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_EQ(expected.size(), count);
        for (size_t i = 0; i < shift; ++i) ASSERT_EQ(77, out.data()[i]);
        for (size_t i = 0; i < written; ++i)
            ASSERT_EQ(0, std::memcmp(&expected[i], out.data() + shift + i * kBytes, kBytes)) << "element " << i;
        for (size_t i = written * kBytes; i < capacity * kBytes; ++i)
            ASSERT_EQ(77, out.data()[shift + i]) << "behind the last element";
        ASSERT_TRUE(from.intact() && out.intact() && times.intact()) << "a canary was overwritten";
        ASSERT_TRUE(same_bits(repeats, times.values())) << "an input was changed";
    }
}

// On either side of tiles of 448, 1792 and 2816, and of pieces of 1024.
constexpr size_t kSizes[] = {0,    1,    2,    33,   447,  448,  449,   1009,   1023,
                             1024, 1025, 1792, 2816, 2817, 8191, 16385, 70'001, 262'139};

TEST(Repeat, EverySize) {
    for (const size_t n : kSizes)
        for (const Often often : kOften) {
            if (n > max_n()) continue;
            if (n > 20'000 && often != Often::sometimes && often != Often::once && often != Often::after_many_none)
                continue;
            check<4, uint32_t>(n, often, 100, 0, true);
            if (HasFatalFailure()) return;
        }
}

TEST(Repeat, LittleRoom) {
    for (const size_t n : {1u, 2u, 33u, 1009u, 5000u})
        for (const size_t room : {0u, 1u, 50u, 99u, 130u}) {
            if (n > max_n()) continue;
            check<4, uint32_t>(n, Often::often, room, 0, true);
            check<4, uint32_t>(n, Often::sometimes, room, 0, false);
            if (HasFatalFailure()) return;
        }
}

// Parts of 16384 elements end within the repeats of an element.
template <size_t kBytes> void check_parts() {
    for (const size_t n : {5461u, 5462u, 10'923u}) {
        if (n > max_n()) continue;
        check<kBytes, uint8_t>(n, Often::thrice, 100, 0, false);
        check<kBytes, uint64_t>(n, Often::often, 99, 0, false);
    }
}
TEST(Repeat, PartsOfTheOutput) {
    check_parts<1>();
    check_parts<2>();
    check_parts<8>();
    check_parts<12>();
    check_parts<16>();
}

template <size_t kBytes> void check_bytes() {
    for (const size_t n : {33u, 1009u}) {
        if (n > max_n()) continue;
        check<kBytes, uint32_t>(n, Often::sometimes, 100, 0, true);
        check<kBytes, uint32_t>(n, Often::often, 100, kBytes == 1 ? 0 : 1, !is_brief());
    }
}
TEST(Repeat, ElementsOfOneByte) { check_bytes<1>(); }
TEST(Repeat, ElementsOfTwoBytes) { check_bytes<2>(); }
TEST(Repeat, ElementsOfThreeBytes) { check_bytes<3>(); }
TEST(Repeat, ElementsOfEightBytes) { check_bytes<8>(); }
TEST(Repeat, ElementsOf16Bytes) { check_bytes<16>(); }
TEST(Repeat, ElementsOf24Bytes) { check_bytes<24>(); }
TEST(Repeat, ElementsOf64Bytes) { check_bytes<64>(); }

TEST(Repeat, TypesOfRepeats) {
    for (const size_t n : {33u, 5000u}) {
        if (n > max_n()) continue;
        check<4, uint8_t>(n, Often::often, 100, 0, true);
        check<4, uint16_t>(n, Often::often, 100, 0, true);
        check<4, uint64_t>(n, Often::often, 100, 0, true);
    }
}

// A few elements make more than 2^16 of an output each.
TEST(Repeat, LongRuns) {
    const std::vector<int32_t> in = {5, 6, 7};
    const std::vector<uint32_t> repeats = {70'000, 0, 70'001};
    if (max_n() < 200'000) GTEST_SKIP() << "too many elements here";
    std::vector<int32_t> out(140'001);
    for (const char *algorithm : algorithms(GP_REPEAT, true)) {
        gp_repeat_options options = GP_REPEAT_OPTIONS_INIT;
        options.algorithm = algorithm;
        uint64_t count = 0;
        const gp_status status =
            gp_repeat(context(), 4, 3, in.data(), GP_UINT32, repeats.data(), out.size(), out.data(), &count, &options);
        if (refused(GP_REPEAT, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_EQ(140'001u, count);
        for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(i < 70'000 ? 5 : 7, out[i]);
    }
}

// Sums that wrap: no more than the room is written, and nothing is read past the end.
TEST(Repeat, SumsThatWrap) {
    const std::vector<uint64_t> repeats = {3, UINT64_MAX, 2, UINT64_MAX - 1, 40};
    const std::vector<int32_t> in = {1, 2, 3, 4, 5};
    for (const char *algorithm : algorithms(GP_REPEAT, true)) {
        gp_repeat_options options = GP_REPEAT_OPTIONS_INIT;
        options.algorithm = algorithm;
        Guarded<int32_t> from(in), out(std::vector<int32_t>(20, 77));
        uint64_t count = 0;
        const gp_status status = gp_repeat(context(), 4, in.size(), from.data(), GP_UINT64, repeats.data(), 20,
                                           out.data(), &count, &options);
        if (refused(GP_REPEAT, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_EQ(3u + 2 + 40 - 3, count);
        ASSERT_TRUE(from.intact() && out.intact());
        for (size_t i = 0; i < 20; ++i) ASSERT_TRUE(out[i] >= 1 && out[i] <= 5) << i;
    }
}

// What gp_run_lengths makes is turned back, with nothing known on the host.
TEST(RepeatCalls, TurnsRunsBack) {
    const size_t n = std::min<size_t>(max_n(), 5000);
    std::vector<int32_t> in(n);
    for (size_t i = 0; i < n; ++i) in[i] = static_cast<int32_t>(i / 7 % 3);
    DeviceArray<int32_t> keys(in), values(std::vector<int32_t>(n, 77)), out(std::vector<int32_t>(n, 77));
    DeviceArray<uint32_t> lengths(std::vector<uint32_t>(n, 1000)); // behind the last run they are not read
    DeviceArray<uint64_t> counts(std::vector<uint64_t>{99, 99});
    for (const char *algorithm : algorithms(GP_REPEAT, true)) {
        SCOPED_TRACE(name(algorithm));
        gp_repeat_options options = GP_REPEAT_OPTIONS_INIT;
        options.algorithm = algorithm;
        options.n_buffer = counts.buffer();
        options.n_offset = counts.offset();
        bool runs = true;
        for (int repeat = 0; repeat < 4 && runs; ++repeat) { // which the device is asked for in shorter ways
            ASSERT_OK(gp_enqueue_run_lengths(context(), GP_INT32, n, keys.buffer(), keys.offset(), values.buffer(),
                                             values.offset(), GP_UINT32, lengths.buffer(), lengths.offset(),
                                             counts.buffer(), counts.offset(), nullptr, 0, nullptr, nullptr));
            const gp_status status = gp_enqueue_repeat(
                context(), 4, n, values.buffer(), values.offset(), GP_UINT32, lengths.buffer(), lengths.offset(), n,
                out.buffer(), out.offset(), counts.buffer(), counts.offset() + 1, &options, 0, nullptr, nullptr);
            runs = !refused(GP_REPEAT, algorithm, status);
            if (!runs) break;
            ASSERT_OK(status);
        }
        if (!runs) continue;
        ASSERT_OK(gp_finish(context()));
        EXPECT_EQ(n, counts.values()[1]);
        EXPECT_TRUE(same_bits(in, out.values()));
    }
}

// Offsets at which words of an element's size do not begin, a count alone, no elements.
TEST(RepeatCalls, Buffers) {
    std::vector<uint8_t> bytes(64);
    std::iota(bytes.begin(), bytes.end(), uint8_t{0});
    DeviceArray<uint8_t> in(bytes), out(std::vector<uint8_t>(64, 77));
    DeviceArray<uint64_t> repeats(std::vector<uint64_t>{2, 0, 3}), count(std::vector<uint64_t>{99});
    const auto call = [&](size_t size, size_t n, size_t capacity, size_t offset) {
        return gp_enqueue_repeat(context(), size, n, in.buffer(), (in.offset() + size) / size, GP_UINT64,
                                 repeats.buffer(), repeats.offset(), capacity, capacity > 0 ? out.buffer() : nullptr,
                                 capacity > 0 ? (out.offset() + size) / size + offset : 0, count.buffer(),
                                 count.offset(), nullptr, 0, nullptr, nullptr);
    };
    ASSERT_OK(call(3, 3, 5, 0));
    ASSERT_OK(gp_finish(context()));
    EXPECT_EQ(5u, count.values()[0]);
    const size_t from = (in.offset() + 3) / 3 * 3 - in.offset(), to = (out.offset() + 3) / 3 * 3 - out.offset();
    const auto written = out.values();
    for (size_t i = 0; i < 15; ++i) EXPECT_EQ(bytes[from + (i < 6 ? 0 : 6) + i % 3], written[to + i]);
    ASSERT_OK(call(3, 3, 0, 0));
    ASSERT_OK(gp_finish(context()));
    EXPECT_EQ(5u, count.values()[0]);
    ASSERT_OK(call(3, 0, 5, 0));
    ASSERT_OK(gp_finish(context()));
    EXPECT_EQ(0u, count.values()[0]);
    EXPECT_TRUE(same_bits(written, out.values()));
}

TEST(RepeatCalls, Errors) {
    const int32_t in[4] = {1, 2, 3, 4};
    uint32_t repeats[4] = {1, 2, 0, 1};
    int32_t out[4] = {77, 77, 77, 77};
    uint64_t count = 77;
    gp_repeat_options options = GP_REPEAT_OPTIONS_INIT;
    const auto call = [&](size_t size, size_t n, const void *from, gp_dtype index, const void *times, size_t capacity,
                          void *to, uint64_t *counts) {
        return gp_repeat(context(), size, n, from, index, times, capacity, to, counts, &options);
    };
    EXPECT_EQ(GP_ERROR_VALUE_SIZE, call(0, 4, in, GP_UINT32, repeats, 4, out, &count));
    EXPECT_EQ(GP_ERROR_VALUE_SIZE, call(65, 4, in, GP_UINT32, repeats, 4, out, &count));
    EXPECT_EQ(GP_ERROR_DTYPE, call(4, 4, in, GP_INT32, repeats, 4, out, &count));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(4, 4, nullptr, GP_UINT32, repeats, 4, out, &count));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(4, 4, in, GP_UINT32, nullptr, 4, out, &count));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(4, 4, in, GP_UINT32, repeats, 4, nullptr, &count));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(4, 4, in, GP_UINT32, repeats, 4, out, nullptr));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(4, 4, out, GP_UINT32, repeats, 4, out, &count));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(4, 4, in, GP_UINT32, repeats, 4, repeats, &count));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(4, 4, in, GP_UINT32, repeats, 1, &count, &count));
    EXPECT_EQ(GP_ERROR_ALIGNMENT,
              call(4, 1, in, GP_UINT32, reinterpret_cast<const char *>(repeats) + 1, 4, out, &count));
    const auto said = [](const char *words) {
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), words)) << gp_error_message();
    };
    uint64_t two[2] = {};
    const auto odd = reinterpret_cast<uintptr_t>(two) + 4;
    EXPECT_EQ(GP_ERROR_ALIGNMENT, call(4, 4, in, GP_UINT32, repeats, 4, out, reinterpret_cast<uint64_t *>(odd)));
    said("count is");
    EXPECT_EQ(GP_ERROR_OVERLAP, call(8, 2, two, GP_UINT32, repeats, 1, out, two));
    said("count overlaps in");
    EXPECT_EQ(GP_ERROR_OVERLAP, call(4, 2, in, GP_UINT64, two, 4, out, two + 1));
    said("count overlaps repeats");
    EXPECT_EQ(GP_ERROR_SIZE_OVERFLOW, call(4, SIZE_MAX / 4, in, GP_UINT32, repeats, 4, out, &count));
    EXPECT_EQ(GP_ERROR_SIZE_OVERFLOW, call(4, 4, in, GP_UINT32, repeats, SIZE_MAX, out, &count));
    options.n_offset = 1;
    EXPECT_EQ(GP_ERROR_OPTION, call(4, 4, in, GP_UINT32, repeats, 4, out, &count));
    options.n_offset = 0;
    DeviceArray<uint64_t> sizes(std::vector<uint64_t>{4});
    options.n_buffer = sizes.buffer();
    EXPECT_EQ(GP_ERROR_OPTION, call(4, 4, in, GP_UINT32, repeats, 4, out, &count));

    DeviceArray<uint64_t> from(std::vector<uint64_t>{5}), times(std::vector<uint64_t>{1}),
        result(std::vector<uint64_t>{9});
    const auto overlapping = [&](gp_buffer *to, gp_buffer *counts, const char *words) {
        EXPECT_EQ(GP_ERROR_OVERLAP, gp_enqueue_repeat(context(), 8, 1, from.buffer(), 0, GP_UINT64, times.buffer(), 0,
                                                      1, to, 0, counts, 0, &options, 0, nullptr, nullptr));
        said(words);
    };
    overlapping(result.buffer(), from.buffer(), "count overlaps in");
    overlapping(result.buffer(), times.buffer(), "count overlaps repeats");
    overlapping(result.buffer(), sizes.buffer(), "count overlaps options->n_buffer");
    options.n_buffer = nullptr;
    overlapping(from.buffer(), sizes.buffer(), "out overlaps in");
    overlapping(sizes.buffer(), sizes.buffer(), "out overlaps count");
    EXPECT_EQ(77u, count);
    for (const int32_t each : out) EXPECT_EQ(77, each);
}

} // namespace
