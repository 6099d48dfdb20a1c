// Select, partition and positions: elements of many sizes and keys of every type, at several
// densities, against a loop.
// SPDX-License-Identifier: MIT
#include "every_type.h"

#include "../reference/select.h"

#include <array>
#include <numeric>

namespace {

using namespace test;

// One of how many is kept; 0: none.
constexpr size_t kDensities[] = {2, 0, 1, 1000, 3};

// Flags that are not 0 are any number.
std::vector<uint8_t> flags_of(size_t n, size_t density) {
    std::mt19937_64 random(n * 8 + density);
    std::vector<uint8_t> flags(n);
    for (uint8_t &flag : flags)
        if (density != 0 && random() % density == 0) flag = static_cast<uint8_t>(1u << random() % 8);
    return flags;
}

std::vector<bool> kept_of(const std::vector<uint8_t> &flags) {
    std::vector<bool> kept(flags.size());
    for (size_t i = 0; i < flags.size(); ++i) kept[i] = flags[i] != 0;
    return kept;
}

std::vector<uint8_t> bytes_of(size_t n, size_t size) {
    std::mt19937_64 random(n * 64 + size);
    std::vector<uint8_t> bytes(n * size);
    for (uint8_t &byte : bytes) byte = static_cast<uint8_t>(random());
    return bytes;
}

// The elements at these places, as far as there is room; behind them what `before` held.
std::vector<uint8_t> taken(const std::vector<uint8_t> &bytes, size_t size, const std::vector<size_t> &places,
                           std::vector<uint8_t> before) {
    const size_t count = std::min(places.size(), before.size() / size);
    for (size_t k = 0; k < count; ++k) std::memcpy(before.data() + k * size, bytes.data() + places[k] * size, size);
    return before;
}

struct Case {
    size_t n, size, value_size, density, capacity;
    bool rest;
    std::string text() const {
        return std::to_string(n) + " elements of " + std::to_string(size) + " bytes, values of " +
               std::to_string(value_size) + ", 1 of " + std::to_string(density) + ", capacity " +
               std::to_string(capacity) + (rest ? ", partition" : "");
    }
};

gp_status call(const Case &c, const uint8_t *in, const uint8_t *flags, uint8_t *out, const uint8_t *values,
               uint8_t *out_values, uint64_t *count, const gp_select_options &options) {
    if (c.value_size == 0)
        return (c.rest ? gp_partition : gp_select)(context(), c.size, c.n, in, flags, out, count, &options);
    return (c.rest ? gp_partition_pairs : gp_select_pairs)(context(), c.size, c.n, in, flags, out, c.value_size, values,
                                                           out_values, count, &options);
}

// Bytes as units of another size, so that they are aligned as these are.
template <class Unit> std::vector<Unit> units(const std::vector<uint8_t> &bytes) {
    std::vector<Unit> result(bytes.size() / sizeof(Unit));
    if (!result.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
}

template <class Unit> void check_units(const Case &c, bool named) {
    const auto flags = flags_of(c.n, c.density);
    const auto in = bytes_of(c.n, c.size), values = bytes_of(c.n, c.value_size);
    const auto kept = kept_of(flags);
    const auto places = reference::kept_places(kept, c.rest);
    const auto expected_count = static_cast<uint64_t>(std::count(kept.begin(), kept.end(), true));
    const size_t room = c.capacity != 0 ? std::min(c.capacity, c.n) : c.n;
    const std::vector<uint8_t> before(room * c.size, 77), values_before(room * c.value_size, 78);
    for (const char *algorithm : algorithms(GP_SELECT, named)) {
        if (testing::Test::HasFatalFailure()) return;
        SCOPED_TRACE(c.text() + ", " + name(algorithm));
        gp_select_options options = GP_SELECT_OPTIONS_INIT;
        options.algorithm = algorithm;
        options.capacity = c.capacity;
        Guarded<uint8_t> which(flags);
        Guarded<Unit> from(units<Unit>(in)), out(units<Unit>(before)), from_values(units<Unit>(values)),
            out_values(units<Unit>(values_before));
        uint64_t count = 99;
        const auto bytes = [](Guarded<Unit> &array) { return reinterpret_cast<uint8_t *>(array.data()); };
        const gp_status status =
            call(c, bytes(from), which.data(), bytes(out), bytes(from_values), bytes(out_values), &count, options);
        if (refused(GP_SELECT, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_EQ(expected_count, count);
        ASSERT_TRUE(same_bits(units<Unit>(taken(in, c.size, places, before)), out.values()));
        if (c.value_size != 0) {
            ASSERT_TRUE(
                same_bits(units<Unit>(taken(values, c.value_size, places, values_before)), out_values.values()));
        }
        ASSERT_TRUE(out.intact() && out_values.intact()) << "a canary was overwritten";
        ASSERT_TRUE(same_bits(units<Unit>(in), from.values()) && same_bits(flags, which.values()))
            << "an input was changed";
    }
}

// Whole words where the sizes allow.
void check(const Case &c, bool named) {
    c.size % 4 == 0 && c.value_size % 4 == 0 ? check_units<uint32_t>(c, named) : check_units<uint8_t>(c, named);
}

// Tiles have 512 to 8192 elements, chunks of the host 32768.
constexpr size_t kSizes[] = {0,    1,    2,    3,    33,   63,    64,    65,    511,   512,    513,    1009,
                             4095, 4096, 4097, 8192, 8193, 32767, 32768, 32769, 65537, 100003, 1048577};

TEST(Select, EverySizeAndDensity) {
    for (const size_t n : kSizes) {
        if (n > max_n()) continue;
        for (const size_t density : kDensities) {
            if (n > 70000 && density == 3) continue;
            check({n, 4, 0, density, 0, false}, n < 10000 || density == 2);
            if (density == 2 || n < 10000) check({n, 4, 0, density, 0, true}, n < 70000);
            if (HasFatalFailure()) return;
        }
    }
}

TEST(Select, ElementsOfEverySize) {
    for (const size_t size : {1u, 2u, 3u, 5u, 8u, 12u, 16u, 24u, 33u, 64u}) {
        if (!on_host() && !all_types() && size != 1 && size != 12 && size != 64) continue;
        for (const size_t n : {33u, 1009u, 9001u}) {
            // It leaves loops of a work-item after 65535 turns.
            if (n > max_n() || (implementation() == "rusticl" && n * size > 20'000)) continue;
            for (const size_t density : {2u, 1u, 1000u}) {
                check({n, size, 0, density, 0, false}, size == 12);
                if (on_host()) check({n, size, 0, density, 0, true}, size == 12);
                if (HasFatalFailure()) return;
            }
        }
    }
}

TEST(Select, Values) {
    constexpr std::array<std::array<size_t, 2>, 3> kPairs = {{{4, 8}, {8, 4}, {1, 12}}};
    for (const auto &[size, value_size] : kPairs) {
        if (!on_host() && !all_types() && size != 4) continue;
        for (const size_t n : {1u, 1009u, 9001u, 70001u}) {
            if (n > max_n() || (implementation() == "rusticl" && n > 2000)) continue;
            check({n, size, value_size, 2, 0, false}, size == 4);
            check({n, size, value_size, 3, n / 5 + 1, false}, size == 4);
            if (size == 4) check({n, size, value_size, 2, 0, true}, all_types());
            if (HasFatalFailure()) return;
        }
    }
}

TEST(Select, NothingIsWrittenPastTheCapacity) {
    for (const size_t n : {2u, 65u, 4097u, 70001u}) {
        if (n > max_n()) continue;
        for (const size_t capacity : {size_t{1}, n / 3 + 1, n / 2, n - 1, n, n + 5}) {
            check({n, 4, 0, 1, capacity, false}, true);
            check({n, 4, 0, 2, capacity, false}, n < 5000);
            if (HasFatalFailure()) return;
        }
    }
}

// Vectors of flags at every address.
TEST(Select, FlagsAtEveryOffset) {
    const size_t n = std::min<size_t>(max_n(), 5000), count_n = n + 17;
    const auto flags = flags_of(count_n, 2);
    const auto in = bytes_of(count_n, 4);
    for (const char *algorithm : algorithms(GP_SELECT)) {
        for (size_t offset = 0; offset < 17; offset += 3) {
            SCOPED_TRACE(std::string(name(algorithm)) + ", offset " + std::to_string(offset));
            gp_select_options options = GP_SELECT_OPTIONS_INIT;
            options.algorithm = algorithm;
            DeviceArray<uint8_t> which(flags, 0), from(in, 0), out(std::vector<uint8_t>(4 * n, 7), 8);
            DeviceArray<uint64_t> count({99}, 2);
            const gp_status status =
                gp_enqueue_select(context(), 4, n, from.buffer(), offset, which.buffer(), offset, out.buffer(), 2,
                                  count.buffer(), count.offset(), &options, 0, nullptr, nullptr);
            if (refused(GP_SELECT, algorithm, status)) continue;
            ASSERT_OK(status);
            ASSERT_OK(gp_finish(context()));
            const auto begin = static_cast<std::ptrdiff_t>(offset), end = begin + static_cast<std::ptrdiff_t>(n);
            const std::vector<uint8_t> part(flags.begin() + begin, flags.begin() + end);
            const std::vector<uint8_t> elements(in.begin() + 4 * begin, in.begin() + 4 * end);
            const auto places = reference::kept_places(kept_of(part), false);
            ASSERT_EQ(std::vector<uint64_t>{places.size()}, count.values());
            ASSERT_TRUE(same_bits(taken(elements, 4, places, std::vector<uint8_t>(4 * n, 7)), out.values()));
        }
    }
}

// Tiles that wait for others, also where kernels are interpreted.
TEST(Select, SmallTilesOfLookBack) {
    if (on_host()) GTEST_SKIP() << "the host has no such algorithm";
    const auto set = [&](size_t group, size_t items) {
        EXPECT_OK(gp_parameter_set(context(), GP_SELECT, GP_UINT32, "look-back", "group", group));
        EXPECT_OK(gp_parameter_set(context(), GP_SELECT, GP_UINT32, "look-back", "items", items));
    };
    set(64, 16);
    const size_t n = max_n() < 1000 ? 4500 : 70001;
    const auto flags = flags_of(n, 2);
    const auto in = bytes_of(n, 4);
    const auto places = reference::kept_places(kept_of(flags), false);
    for (const char *algorithm : {"look-back", "look-back-fallback"}) {
        SCOPED_TRACE(algorithm);
        gp_select_options options = GP_SELECT_OPTIONS_INIT;
        options.algorithm = algorithm;
        std::vector<uint32_t> out(n, 7);
        const auto from = units<uint32_t>(in);
        uint64_t count = 99;
        for (int turn = 0; turn < 2; ++turn) { // its state is left as it was
            const gp_status status =
                gp_select(context(), 4, n, from.data(), flags.data(), out.data(), &count, &options);
            if (refused(GP_SELECT, algorithm, status)) break;
            ASSERT_OK(status);
            ASSERT_EQ(places.size(), count);
            std::vector<uint32_t> expected(n, 7);
            for (size_t k = 0; k < places.size(); ++k) expected[k] = from[places[k]];
            ASSERT_TRUE(same_bits(expected, out));
        }
    }
    set(0, 0);
}

// The count of one call is the size of the next; sizes that are more than n are taken as n.
TEST(Select, ACountIsTheNextCallsSize) {
    for (const size_t n : {1u, 65u, 4097u, 70001u}) {
        if (n > max_n()) continue;
        const auto flags = flags_of(n, 2), more = flags_of(n, 3);
        const auto in = bytes_of(n, 4);
        const auto first = reference::kept_places(kept_of(flags), false);
        const auto once = taken(in, 4, first, std::vector<uint8_t>(4 * n, 7));
        for (const char *algorithm : algorithms(GP_SELECT)) {
            for (const bool rest : {false, true}) {
                SCOPED_TRACE(std::to_string(n) + " elements, " + name(algorithm) + (rest ? ", partition" : ""));
                const std::vector<uint8_t> some(more.begin(), more.begin() + static_cast<std::ptrdiff_t>(first.size()));
                const auto second = reference::kept_places(kept_of(some), rest);
                const size_t kept = reference::kept_places(kept_of(some), false).size();
                gp_select_options options = GP_SELECT_OPTIONS_INIT;
                options.algorithm = algorithm;
                DeviceArray<uint8_t> from(in, 4), which(flags), then(more), middle(std::vector<uint8_t>(4 * n, 7), 12),
                    out(std::vector<uint8_t>(4 * n, 7), 20);
                DeviceArray<uint64_t> counts({99, 99, 99}, 1);
                // The third time it is a call that was recorded.
                for (int turn = 0; turn < 3; ++turn) {
                    gp_status status =
                        gp_enqueue_select(context(), 4, n, from.buffer(), 1, which.buffer(), 3, middle.buffer(), 3,
                                          counts.buffer(), 1, nullptr, 0, nullptr, nullptr);
                    ASSERT_OK(status);
                    options.n_buffer = counts.buffer();
                    options.n_offset = 1;
                    status = (rest ? gp_enqueue_partition : gp_enqueue_select)(
                        context(), 4, n, middle.buffer(), 3, then.buffer(), 3, out.buffer(), 5, counts.buffer(), 2,
                        &options, 0, nullptr, nullptr);
                    if (refused(GP_SELECT, algorithm, status)) break;
                    ASSERT_OK(status);
                    ASSERT_OK(gp_finish(context()));
                    ASSERT_EQ((std::vector<uint64_t>{first.size(), kept, 99}), counts.values());
                    ASSERT_TRUE(same_bits(taken(once, 4, second, std::vector<uint8_t>(4 * n, 7)), out.values()));
                }
            }
        }
        DeviceArray<uint64_t> counts({n + 1000, 99}, 1);
        DeviceArray<uint8_t> from(in, 4), which(flags), out(std::vector<uint8_t>(4 * n, 7), 4);
        gp_select_options options = GP_SELECT_OPTIONS_INIT;
        options.n_buffer = counts.buffer();
        options.n_offset = 1;
        ASSERT_OK(gp_enqueue_select(context(), 4, n, from.buffer(), 1, which.buffer(), 3, out.buffer(), 1,
                                    counts.buffer(), 2, &options, 0, nullptr, nullptr));
        ASSERT_OK(gp_finish(context()));
        ASSERT_EQ((std::vector<uint64_t>{n + 1000, first.size()}), counts.values());
        ASSERT_TRUE(same_bits(once, out.values()));
    }
}

TEST(Select, PairsInBuffers) {
    const size_t n = std::min<size_t>(max_n(), 3001);
    const auto flags = flags_of(n, 3);
    const auto in = bytes_of(n, 8), values = bytes_of(n, 3);
    for (const bool rest : {false, true}) {
        const auto places = reference::kept_places(kept_of(flags), rest);
        DeviceArray<uint8_t> from(in, 8), which(flags, 5), out(std::vector<uint8_t>(8 * n, 7), 16),
            from_values(values, 3), out_values(std::vector<uint8_t>(3 * n, 7), 6);
        DeviceArray<uint64_t> count({99}, 4);
        ASSERT_OK((rest ? gp_enqueue_partition_pairs : gp_enqueue_select_pairs)(
            context(), 8, n, from.buffer(), 1, which.buffer(), 5, out.buffer(), 2, 3, from_values.buffer(), 1,
            out_values.buffer(), 2, count.buffer(), 4, nullptr, 0, nullptr, nullptr));
        ASSERT_OK(gp_finish(context()));
        ASSERT_TRUE(same_bits(taken(in, 8, places, std::vector<uint8_t>(8 * n, 7)), out.values()));
        ASSERT_TRUE(same_bits(taken(values, 3, places, std::vector<uint8_t>(3 * n, 7)), out_values.values()));
    }
}

// ---- Three parts --------------------------------------------------------------------------------

// Of so many elements: first those with 1, then those with 2, then the others; where the second
// part and the third begin.
struct Thirds {
    std::vector<size_t> places;
    uint64_t second = 0, third = 0;

    explicit Thirds(const std::vector<uint8_t> &flags) {
        for (const int part : {1, 2, 0}) {
            if (part == 2) second = places.size();
            if (part == 0) third = places.size();
            for (size_t i = 0; i < flags.size(); ++i)
                if (part != 0 ? flags[i] == part : flags[i] != 1 && flags[i] != 2) places.push_back(i);
        }
    }
};

// Any number is a flag, most of them 0 to 3.
std::vector<uint8_t> thirds_of(size_t n, size_t kind) {
    std::mt19937_64 random(n * 4 + kind);
    std::vector<uint8_t> flags(n);
    for (uint8_t &flag : flags)
        flag = static_cast<uint8_t>(kind == 0 ? random() % 4 : kind == 1 ? 2 : random() % 8 == 0 ? random() : 1);
    return flags;
}

TEST(Thirds, EverySize) {
    for (const size_t n : {0u, 1u, 2u, 15u, 16u, 17u, 33u, 513u, 4097u, 8193u, 32769u, 100003u}) {
        if (n > max_n()) continue;
        for (const size_t kind : {0u, 1u, 2u}) {
            const auto flags = thirds_of(n, kind);
            const Thirds expected(flags);
            for (const size_t value_size : {0u, 3u}) {
                if (value_size != 0 && n > 10000) continue;
                const auto in = bytes_of(n, 4), values = bytes_of(n, value_size);
                for (const char *algorithm : algorithms(GP_SELECT, n < 10000 && kind == 0)) {
                    SCOPED_TRACE(std::to_string(n) + " elements, values of " + std::to_string(value_size) + ", kind " +
                                 std::to_string(kind) + ", " + name(algorithm));
                    gp_select_options options = GP_SELECT_OPTIONS_INIT;
                    options.algorithm = algorithm;
                    options.parts = 3;
                    Guarded<uint8_t> which(flags), from(in), out(4 * n), from_values(values),
                        out_values(n * value_size);
                    Guarded<uint64_t> counts(std::vector<uint64_t>{99, 99});
                    const gp_status status =
                        value_size == 0
                            ? gp_partition(context(), 4, n, from.data(), which.data(), out.data(), counts.data(),
                                           &options)
                            : gp_partition_pairs(context(), 4, n, from.data(), which.data(), out.data(), value_size,
                                                 from_values.data(), out_values.data(), counts.data(), &options);
                    if (refused(GP_SELECT, algorithm, status)) continue;
                    ASSERT_OK(status);
                    ASSERT_EQ(expected.second, counts[0]);
                    ASSERT_EQ(expected.third, counts[1]);
                    ASSERT_TRUE(same_bits(taken(in, 4, expected.places, std::vector<uint8_t>(4 * n)), out.values()));
                    if (value_size != 0) {
                        ASSERT_TRUE(
                            same_bits(taken(values, value_size, expected.places, std::vector<uint8_t>(n * value_size)),
                                      out_values.values()));
                    }
                    ASSERT_TRUE(out.intact() && out_values.intact() && counts.intact()) << "a canary was overwritten";
                    ASSERT_TRUE(same_bits(in, from.values()) && same_bits(flags, which.values()))
                        << "an input was changed";
                }
            }
        }
    }
}

// Elements of 63 bytes, whose words are bytes; buffers with offsets; how many elements there are
// from a buffer.
TEST(Thirds, Buffers) {
    // rusticl leaves loops of a work-item after 65535 turns.
    const size_t n = std::min<size_t>(max_n(), implementation() == "rusticl" ? 301 : 3001);
    const auto flags = thirds_of(n, 0);
    const auto in = bytes_of(n, 63);
    for (const size_t size : {n / 2, n + 1, size_t{0}}) {
        SCOPED_TRACE(size);
        const size_t some = std::min(size, n);
        const Thirds expected(std::vector<uint8_t>(flags.begin(), flags.begin() + static_cast<ptrdiff_t>(some)));
        DeviceArray<uint8_t> from(in, 63), which(flags, 5), out(std::vector<uint8_t>(63 * n, 7), 126);
        DeviceArray<uint64_t> counts({99, 99, size}, 1);
        gp_select_options options = GP_SELECT_OPTIONS_INIT;
        options.parts = 3;
        options.n_buffer = counts.buffer();
        options.n_offset = 3;
        for (int repeat = 0; repeat < 4; ++repeat) // which the device is asked for in shorter ways
            ASSERT_OK(gp_enqueue_partition(context(), 63, n, from.buffer(), 1, which.buffer(), 5, out.buffer(), 2,
                                           counts.buffer(), 1, &options, 0, nullptr, nullptr));
        ASSERT_OK(gp_finish(context()));
        ASSERT_EQ((std::vector<uint64_t>{expected.second, expected.third, size}), counts.values());
        ASSERT_TRUE(same_bits(taken(in, 63, expected.places, std::vector<uint8_t>(63 * n, 7)), out.values()));
    }
}

TEST(Thirds, ByText) {
    if (on_host()) GTEST_SKIP() << "the host runs no text";
    for (const size_t n : {33u, 4097u}) {
        if (n > max_n()) continue;
        const auto in = bytes_of(n, 4);
        std::vector<uint8_t> flags(n);
        for (size_t i = 0; i < n; ++i) flags[i] = static_cast<uint8_t>(in[4 * i] % 5);
        const Thirds expected(flags);
        gp_select_options options = GP_SELECT_OPTIONS_INIT;
        options.type = "uchar4";
        options.predicate = "x.s0 % 5 == 4 ? -1 : x.s0 % 5"; // below 0 is another part, too
        options.parts = 3;
        std::vector<uint8_t> out(4 * n);
        uint64_t counts[2] = {99, 99};
        ASSERT_OK(gp_partition(context(), 4, n, in.data(), nullptr, out.data(), counts, &options));
        ASSERT_EQ(expected.second, counts[0]);
        ASSERT_EQ(expected.third, counts[1]);
        ASSERT_TRUE(same_bits(taken(in, 4, expected.places, std::vector<uint8_t>(4 * n)), out));
    }
}

TEST(Thirds, BadOnesAreRefused) {
    const uint8_t in[2] = {1, 2}, flags[2] = {1, 2};
    uint8_t out[2] = {7, 7};
    uint64_t counts[2] = {99, 99};
    gp_select_options options = GP_SELECT_OPTIONS_INIT;
    for (const int32_t parts : {-1, 1, 4}) {
        options.parts = parts;
        EXPECT_EQ(GP_ERROR_OPTION, gp_partition(context(), 1, 2, in, flags, out, counts, &options));
    }
    for (const int32_t parts : {2, 3}) {
        options.parts = parts;
        EXPECT_EQ(GP_ERROR_OPTION, gp_select(context(), 1, 2, in, flags, out, counts, &options));
    }
    options.parts = 3;
    DeviceArray<uint8_t> array({1, 2, 3, 4}, 0);
    DeviceArray<uint64_t> one({99}, 0);
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS,
              gp_enqueue_partition(context(), 1, 2, array.buffer(), 0, array.buffer(), 0, array.buffer(), 2,
                                   one.buffer(), 0, &options, 0, nullptr, nullptr));
    options.reserved = 1;
    EXPECT_EQ(GP_ERROR_OPTION, gp_partition(context(), 1, 2, in, flags, out, counts, &options));
    EXPECT_EQ(99u, counts[0]);
    EXPECT_EQ(7, out[0]);
}

// ---- The caller's text --------------------------------------------------------------------------

TEST(SelectBy, ElementsOfEverySize) {
    struct Kind {
        size_t size;
        const char *type, *helpers;
    };
    constexpr Kind kKinds[] = {{4, "uchar4", nullptr},
                               {3, "struct three", "struct three { uchar x, rest[2]; };"},
                               {12, "struct edge", "struct edge { uchar x, rest[3]; uint to, from; };"},
                               {16, "uchar16", nullptr}};
    if (on_host()) GTEST_SKIP() << "the host runs no text";
    for (const Kind &kind : kKinds) {
        gp_select_options options = GP_SELECT_OPTIONS_INIT;
        options.type = kind.type;
        options.helpers = kind.helpers;
        options.predicate = kind.size == 4 || kind.size == 16 ? "x.s0 < 100" : "x.x < 100";
        for (const size_t n : {0u, 1u, 33u, 4097u, 20011u}) {
            if (n > max_n() || (implementation() == "rusticl" && n > 2000)) continue;
            if (kind.size != 4 && n > 5000) continue;
            if ((kind.size == 3 || kind.size == 16) && !all_types()) continue;
            const auto in = bytes_of(n, kind.size);
            std::vector<bool> kept(n);
            for (size_t i = 0; i < n; ++i) kept[i] = in[i * kind.size] < 100;
            const auto places = reference::kept_places(kept, false), all = reference::kept_places(kept, true);
            for (const char *algorithm : algorithms(GP_SELECT, kind.size == 4)) {
                SCOPED_TRACE(std::string(kind.type) + ", " + std::to_string(n) + ", " + name(algorithm));
                options.algorithm = algorithm;
                std::vector<uint8_t> out(in.size(), 7);
                uint64_t count = 99;
                const gp_status status =
                    gp_select(context(), kind.size, n, in.data(), nullptr, out.data(), &count, &options);
                if (refused(GP_SELECT, algorithm, status)) continue;
                ASSERT_OK(status);
                ASSERT_EQ(places.size(), count);
                ASSERT_TRUE(same_bits(taken(in, kind.size, places, std::vector<uint8_t>(in.size(), 7)), out));
                if (kind.size != 4 || algorithm != nullptr) continue;
                ASSERT_OK(gp_partition(context(), 4, n, in.data(), nullptr, out.data(), &count, &options));
                ASSERT_EQ(places.size(), count);
                ASSERT_TRUE(same_bits(taken(in, 4, all, in), out));
                std::vector<uint32_t> positions(n, 7), expected(places.begin(), places.end());
                std::vector<uint32_t> words(n);
                if (n > 0) std::memcpy(words.data(), in.data(), in.size());
                ASSERT_OK(
                    gp_nonzero(context(), GP_UINT32, n, words.data(), GP_UINT32, positions.data(), &count, &options));
                ASSERT_EQ(places.size(), count);
                expected.resize(n, 7);
                ASSERT_TRUE(same_bits(expected, positions));
            }
        }
    }
}

TEST(SelectBy, TextsAreChecked) {
    const std::vector<float> in = {1, -2, 3};
    std::vector<float> out(3, 9);
    uint64_t count = 99;
    const auto refuses = [&](gp_status expected, gp_select_options options, const uint8_t *flags, const char *word) {
        options.struct_size = sizeof options;
        EXPECT_EQ(expected, gp_select(context(), 4, 3, in.data(), flags, out.data(), &count, &options));
        EXPECT_NE(std::string::npos, std::string(gp_error_message()).find(word)) << gp_error_message();
        EXPECT_EQ(std::vector<float>(3, 9), out);
        EXPECT_EQ(99u, count);
    };
    const uint8_t flags[3] = {1, 0, 1};
    gp_select_options options = GP_SELECT_OPTIONS_INIT;
    refuses(GP_ERROR_NULL_POINTER, options, nullptr, "flags is NULL");
    options.type = "float";
    refuses(GP_ERROR_OPTION, options, flags, "options->type");
    options.type = nullptr;
    options.helpers = "int one;";
    refuses(GP_ERROR_OPTION, options, flags, "options->helpers");
    options = GP_SELECT_OPTIONS_INIT;
    options.predicate = "x > 0";
    refuses(GP_ERROR_OPTION, options, nullptr, "options->type is NULL");
    options.type = " ";
    refuses(GP_ERROR_OPTION, options, nullptr, "options->type is blank");
    options.type = "float";
    refuses(GP_ERROR_OPTION, options, flags, "both");
    options.predicate = "\n";
    refuses(GP_ERROR_OPTION, options, nullptr, "options->predicate is blank");
    options.predicate = "x > 0";
    if (on_host()) return refuses(GP_ERROR_UNSUPPORTED_DEVICE, options, nullptr, "host");
    options.type = "double";
    EXPECT_EQ(GP_ERROR_BUILD, gp_select(context(), 4, 3, in.data(), nullptr, out.data(), &count, &options));
    options.type = "float";
    options.predicate = "x >";
    EXPECT_EQ(GP_ERROR_BUILD, gp_select(context(), 4, 3, in.data(), nullptr, out.data(), &count, &options));
}

// ---- Positions ----------------------------------------------------------------------------------

template <class T> class Nonzero : public testing::Test {};
TYPED_TEST_SUITE(Nonzero, EveryType, EveryTypeNames);

template <class T, class Index> void check_positions(const std::vector<T> &in, gp_dtype index_type, bool named) {
    std::vector<bool> kept(in.size());
    for (size_t i = 0; i < in.size(); ++i) {
        uint64_t bits = 0;
        std::memcpy(&bits, &in[i], sizeof(T));
        kept[i] = (kFloat<T> ? bits & ~kSign<T> : bits) != 0;
    }
    const auto places = reference::kept_places(kept, false);
    std::vector<Index> expected(in.size(), 77);
    std::copy(places.begin(), places.end(), expected.begin());
    for (const char *algorithm : algorithms(GP_SELECT, named)) {
        if (testing::Test::HasFatalFailure()) return;
        SCOPED_TRACE(std::to_string(in.size()) + " elements, " + name(algorithm));
        gp_select_options options = GP_SELECT_OPTIONS_INIT;
        options.algorithm = algorithm;
        Guarded<T> from(in);
        Guarded<Index> out(std::vector<Index>(in.size(), 77));
        uint64_t count = 99;
        const gp_status status =
            gp_nonzero(context(), code<T>(), in.size(), from.data(), index_type, out.data(), &count, &options);
        if (refused(GP_SELECT, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_EQ(places.size(), count);
        ASSERT_TRUE(same_bits(expected, out.values()));
        ASSERT_TRUE(out.intact()) << "a canary was overwritten";
        ASSERT_TRUE(same_bits(in, from.values())) << "the input was changed";
    }
}

TYPED_TEST(Nonzero, EveryType) {
    using T = TypeParam;
    for (const size_t n : {0u, 1u, 2u, 33u, 64u, 1009u, 4097u, 32769u, 100003u, 1048577u}) {
        if (n > max_n() || (n > 5000 && !is_named<T>() && !on_host())) continue;
        std::mt19937_64 random(n);
        for (const size_t density : {2u, 1u, 1000u}) {
            std::vector<T> in(n);
            for (T &x : in) { // zeros of both signs, and anything else
                const uint64_t bits = random();
                x = from_bits<T>(bits % density != 0 ? (kFloat<T> ? bits >> 20 << 63 >> 63 << (8 * sizeof(T) - 1) : 0)
                                                     : bits >> 10 | 1);
            }
            check_positions<T, uint32_t>(in, GP_UINT32,
                                         is_named<T>() &&
                                             (all_types() || (std::is_same_v<T, float> && (n < 5000 || density == 2))));
            if (density == 2 && (is_named<T>() || on_host())) check_positions<T, uint64_t>(in, GP_UINT64, false);
            if (this->HasFatalFailure()) return;
        }
    }
}

TEST(NonzeroBuffers, AtOddOffsets) {
    const size_t n = std::min<size_t>(max_n(), 4999);
    std::vector<int32_t> in(n);
    for (size_t i = 0; i < n; ++i) in[i] = static_cast<int32_t>(i * 2654435761u % 3);
    std::vector<uint64_t> expected(n / 2, 7);
    size_t count = 0;
    for (size_t i = 0; i < n; ++i)
        if (in[i] != 0 && ++count <= n / 2) expected[count - 1] = i;
    DeviceArray<int32_t> from(in, 5);
    DeviceArray<uint64_t> out(std::vector<uint64_t>(n / 2, 7), 3), counted({99}, 2);
    gp_select_options options = GP_SELECT_OPTIONS_INIT;
    options.capacity = n / 2;
    ASSERT_OK(gp_enqueue_nonzero(context(), GP_INT32, n, from.buffer(), from.offset(), GP_UINT64, out.buffer(),
                                 out.offset(), counted.buffer(), counted.offset(), &options, 0, nullptr, nullptr));
    ASSERT_OK(gp_finish(context()));
    ASSERT_EQ(std::vector<uint64_t>{count}, counted.values());
    ASSERT_TRUE(same_bits(expected, out.values()));
}

// ---- Arguments ----------------------------------------------------------------------------------

class SelectArguments : public testing::Test {
  protected:
    gp_status call(size_t size, size_t n) {
        return gp_select(context(), size, n, in_.data(), flags_.data(), out_.data(), &count_, &options_);
    }
    void refuses(gp_status expected, gp_status got, const char *word) {
        EXPECT_EQ(expected, got);
        EXPECT_NE(std::string::npos, std::string(gp_error_message()).find(word)) << gp_error_message();
        EXPECT_EQ(std::vector<int32_t>(4, 9), out_);
        EXPECT_EQ(99u, count_);
    }
    std::vector<int32_t> in_ = {1, 2, 3, 4}, out_ = std::vector<int32_t>(4, 9), values_ = {5, 6, 7, 8};
    std::vector<uint8_t> flags_ = {1, 0, 0, 2};
    uint64_t count_ = 99;
    gp_select_options options_ = GP_SELECT_OPTIONS_INIT;
};

TEST_F(SelectArguments, BadOnesAreRefused) {
    refuses(GP_ERROR_VALUE_SIZE, call(0, 4), "element_size");
    refuses(GP_ERROR_VALUE_SIZE, call(65, 4), "element_size");
    refuses(GP_ERROR_SIZE_OVERFLOW, call(8, SIZE_MAX / 4), "n elements");
    options_.algorithm = "none";
    refuses(GP_ERROR_ALGORITHM, call(4, 4), "there are");
    options_ = GP_SELECT_OPTIONS_INIT;
    options_.struct_size = 0;
    refuses(GP_ERROR_STRUCT_SIZE, call(4, 4), "struct_size");
    options_ = GP_SELECT_OPTIONS_INIT;
    options_.n_offset = 1;
    refuses(GP_ERROR_OPTION, call(4, 4), "options->n_offset is 1");
    DeviceArray<uint64_t> n({4});
    options_.n_buffer = n.buffer();
    refuses(GP_ERROR_OPTION, call(4, 4), "options->n_buffer");
    options_ = GP_SELECT_OPTIONS_INIT;
    options_.capacity = 3;
    refuses(GP_ERROR_OPTION, gp_partition(context(), 4, 4, in_.data(), flags_.data(), out_.data(), &count_, &options_),
            "capacity is 3");
    const auto nonzero = [&](gp_dtype type, size_t size, gp_dtype index) {
        return gp_nonzero(context(), type, size, in_.data(), index, out_.data(), &count_, nullptr);
    };
    refuses(GP_ERROR_DTYPE, nonzero(99, 4, GP_UINT32), "dtype");
    refuses(GP_ERROR_DTYPE, nonzero(GP_INT32, 4, GP_INT32), "index_type");
    refuses(GP_ERROR_TOO_LARGE, nonzero(GP_INT8, (size_t{1} << 32) + 1, GP_UINT32), "GP_UINT64");
    EXPECT_EQ(GP_ERROR_NULL_POINTER,
              gp_select(nullptr, 4, 4, in_.data(), flags_.data(), out_.data(), &count_, nullptr));
}

TEST_F(SelectArguments, BadPointersAreRefused) {
    const auto select = [&](const void *in, const void *flags, void *out, uint64_t *count) {
        return gp_select(context(), 4, 4, in, static_cast<const uint8_t *>(flags), out, count, nullptr);
    };
    const auto pairs = [&](size_t size, const void *values, void *out_values) {
        return gp_select_pairs(context(), 4, 4, in_.data(), flags_.data(), out_.data(), size, values, out_values,
                               &count_, nullptr);
    };
    uint8_t *const flags = flags_.data();
    refuses(GP_ERROR_NULL_POINTER, select(nullptr, flags, out_.data(), &count_), "in is");
    refuses(GP_ERROR_NULL_POINTER, select(in_.data(), flags, nullptr, &count_), "out is");
    refuses(GP_ERROR_NULL_POINTER, select(in_.data(), flags, out_.data(), nullptr), "count is");
    refuses(GP_ERROR_OVERLAP, select(in_.data(), flags, in_.data(), &count_), "out overlaps in");
    refuses(GP_ERROR_OVERLAP, select(in_.data(), out_.data(), out_.data(), &count_), "out overlaps flags");
    refuses(GP_ERROR_OVERLAP, select(&count_, flags, out_.data(), &count_), "count overlaps in");
    auto *const odd = reinterpret_cast<uint64_t *>(reinterpret_cast<char *>(values_.data()) + 1);
    refuses(GP_ERROR_ALIGNMENT, select(in_.data(), flags, out_.data(), odd), "count is");
    refuses(GP_ERROR_VALUE_SIZE, pairs(0, values_.data(), values_.data()), "value_size");
    refuses(GP_ERROR_NULL_POINTER, pairs(4, nullptr, values_.data()), "values is");
    refuses(GP_ERROR_NULL_POINTER, pairs(4, values_.data(), nullptr), "out_values is");
    refuses(GP_ERROR_OVERLAP, pairs(4, values_.data(), values_.data() + 3), "out_values overlaps values");
    refuses(GP_ERROR_OVERLAP, pairs(4, values_.data(), out_.data()), "out_values overlaps out");
    refuses(GP_ERROR_ALIGNMENT,
            gp_nonzero(context(), GP_INT32, 2, reinterpret_cast<char *>(in_.data()) + 1, GP_UINT32, out_.data(),
                       &count_, nullptr),
            "in is");
    refuses(GP_ERROR_ALIGNMENT,
            gp_nonzero(context(), GP_INT32, 2, in_.data(), GP_UINT32, reinterpret_cast<char *>(out_.data()) + 1,
                       &count_, nullptr),
            "positions is");
}

TEST_F(SelectArguments, NoElements) {
    EXPECT_OK(gp_select(context(), 4, 0, nullptr, nullptr, nullptr, &count_, nullptr));
    EXPECT_EQ(0u, count_);
    DeviceArray<int32_t> in(in_), out(out_);
    DeviceArray<uint8_t> flags(flags_);
    DeviceArray<uint64_t> count({99});
    EXPECT_OK(gp_enqueue_select(context(), 4, 0, in.buffer(), 0, flags.buffer(), 0, out.buffer(), 0, count.buffer(), 3,
                                nullptr, 0, nullptr, nullptr));
    EXPECT_OK(gp_finish(context()));
    EXPECT_EQ(std::vector<uint64_t>{0}, count.values());
}

TEST_F(SelectArguments, BuffersAreChecked) {
    DeviceArray<int32_t> in(in_), out(out_);
    DeviceArray<uint8_t> flags(flags_);
    DeviceArray<uint64_t> count({4, 99});
    const auto enqueue = [&](size_t in_offset, size_t flags_offset, gp_buffer *to, size_t out_offset,
                             size_t count_offset) {
        return gp_enqueue_select(context(), 4, 4, in.buffer(), in_offset, flags.buffer(), flags_offset, to, out_offset,
                                 count.buffer(), count_offset, &options_, 0, nullptr, nullptr);
    };
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(7, 3, out.buffer(), 3, 4));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(3, 7, out.buffer(), 3, 4));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(3, 3, out.buffer(), 7, 4));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(3, 3, out.buffer(), 3, 8));
    EXPECT_EQ(GP_ERROR_OVERLAP, enqueue(3, 3, in.buffer(), 6, 4));
    options_.n_buffer = count.buffer();
    options_.n_offset = 8;
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(3, 3, out.buffer(), 3, 4));
    options_.n_offset = 4;
    EXPECT_EQ(GP_ERROR_OVERLAP, enqueue(3, 3, out.buffer(), 3, 4)) << "the size is where the count goes";
    options_ = GP_SELECT_OPTIONS_INIT;
    options_.capacity = 2; // so there is room
    EXPECT_OK(enqueue(3, 3, out.buffer(), 8, 4));
    EXPECT_OK(gp_finish(context()));
    EXPECT_EQ((std::vector<uint64_t>{4, 2}), count.values());
}

TEST_F(SelectArguments, TheEventHasTheTimes) {
    ASSERT_OK(gp_profile(context(), 1));
    gp_event *event = nullptr;
    options_.event = &event;
    ASSERT_OK(call(4, 4));
    ASSERT_OK(gp_profile(context(), 0));
    EXPECT_EQ((std::vector<int32_t>{1, 4, 9, 9}), out_);
    gp_timing timing = GP_TIMING_INIT;
    ASSERT_OK(gp_event_timing(event, &timing));
    EXPECT_GE(timing.kernels, 1u);
    EXPECT_OK(gp_event_free(event));
}

} // namespace
