// Gather and scatter of elements and rows of any size, by positions right and wrong.
// SPDX-License-Identifier: MIT
#include "compare.h"

#include "../reference/gather.h"

#include <numeric>

namespace {

using namespace test;
using reference::Bytes;

Bytes bytes(size_t n, uint64_t seed) {
    std::mt19937_64 random(seed);
    Bytes result(n);
    for (auto &byte : result) byte = static_cast<unsigned char>(random());
    return result;
}

// n elements of `size` bytes between canaries, which begin `shift` bytes behind an aligned address.
class Elements {
  public:
    Elements(const Bytes &values, size_t shift)
        : n_(values.size()), shift_(shift), memory_(n_ + 2 * kGuard + shift, 0xa5) {
        std::copy(values.begin(), values.end(), memory_.begin() + start());
    }
    unsigned char *data() { return memory_.data() + start(); }
    Bytes values() const {
        return {memory_.begin() + start(), memory_.begin() + start() + static_cast<std::ptrdiff_t>(n_)};
    }
    bool intact() const {
        const auto canary = [](unsigned char byte) { return byte == 0xa5; };
        return std::all_of(memory_.begin(), memory_.begin() + start(), canary) &&
               std::all_of(memory_.begin() + start() + static_cast<std::ptrdiff_t>(n_), memory_.end(), canary);
    }

  private:
    static constexpr size_t kGuard = 64;
    std::ptrdiff_t start() const { return static_cast<std::ptrdiff_t>(kGuard + shift_); }
    size_t n_, shift_;
    Bytes memory_;
};

enum class Kind { gather, scatter };
enum class Order { random, negative, wrong }; // wrong: some positions are out of bounds

template <class Index> std::vector<Index> positions(Kind kind, Order order, size_t n, size_t m) {
    std::mt19937_64 random(n * 3 + m);
    std::vector<Index> result(m);
    std::vector<size_t> all(n); // no two positions of a scatter are equal
    std::iota(all.begin(), all.end(), size_t{0});
    if (kind == Kind::scatter) std::shuffle(all.begin(), all.end(), random);
    for (size_t i = 0; i < m; ++i) {
        const size_t row = kind == Kind::scatter ? all[i] : random() % n;
        result[i] = static_cast<Index>(row);
        if (order == Order::negative && random() % 2 != 0)
            result[i] = static_cast<Index>(result[i] - static_cast<Index>(n));
        if (order == Order::wrong && i % 7 == 5)
            result[i] = i % 3 == 0   ? static_cast<Index>(n + i)
                        : i % 3 == 1 ? static_cast<Index>(-1 - static_cast<Index>(n + i))
                                     : std::numeric_limits<Index>::max();
    }
    return result;
}

template <class Index> std::vector<size_t> rows(const std::vector<Index> &positions, bool from_end, size_t n) {
    std::vector<size_t> result;
    for (const Index position : positions)
        result.push_back(reference::row_of(static_cast<int64_t>(position), std::is_signed_v<Index>, from_end, n));
    return result;
}

struct Case {
    Kind kind;
    size_t size, row, n, m;
    size_t shift = 0;
};

std::string text(const Case &c) {
    return std::string(c.kind == Kind::gather ? "gather" : "scatter") + " of " + std::to_string(c.m) + " rows of " +
           std::to_string(c.row) + " elements of " + std::to_string(c.size) + " bytes, of " + std::to_string(c.n);
}

Bytes expected(const Case &c, const Bytes &in, const std::vector<size_t> &rows, const Bytes &before) {
    const size_t size = c.size * c.row;
    return c.kind == Kind::gather ? reference::gather(in, size, c.n, rows)
                                  : reference::scatter(in, size, c.n, rows, before);
}

// The call on host pointers, whose positions are right.
template <class Index> void check(const Case &c, Order order, bool named) {
    const size_t size = c.size * c.row, in_rows = c.kind == Kind::gather ? c.n : c.m, out_rows = c.n + c.m - in_rows;
    const auto at = positions<Index>(c.kind, order, c.n, c.m);
    const Bytes in = bytes(in_rows * size, 1), before = bytes(out_rows * size, 2);
    const Bytes right = expected(c, in, rows(at, order == Order::negative, c.n), before);
    for (const char *algorithm : algorithms(GP_GATHER, named)) {
        SCOPED_TRACE(text(c) + ", " + name(algorithm));
        gp_gather_options options = GP_GATHER_OPTIONS_INIT;
        options.algorithm = algorithm;
        options.row = c.row;
        options.from_end = order == Order::negative ? 1 : 0;
        Elements from(in, c.shift), to(before, c.shift);
        Guarded<Index> places(at);
        const gp_status status = c.kind == Kind::gather
                                     ? gp_gather(context(), c.size, c.n, from.data(), dtype<Index>(), c.m,
                                                 places.data(), to.data(), &options)
                                     : gp_scatter(context(), c.size, c.m, from.data(), dtype<Index>(), places.data(),
                                                  c.n, to.data(), &options);
        if (refused(GP_GATHER, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_TRUE(same_bits(right, to.values()));
        ASSERT_TRUE(to.intact() && from.intact() && places.intact()) << "a canary was overwritten";
    }
}

// The call on buffers, whose positions may be wrong. `counted`: as many as a buffer says.
template <class Index> void check_buffers(const Case &c, Order order, bool counted, bool named) {
    const size_t size = c.size * c.row, in_rows = c.kind == Kind::gather ? c.n : c.m, out_rows = c.n + c.m - in_rows;
    const auto at = positions<Index>(c.kind, order, c.n, c.m);
    const Bytes in = bytes(in_rows * size, 3), before = bytes(out_rows * size, 4);
    const size_t count = counted ? c.m * 2 / 3 : c.m;
    auto of = rows(at, order == Order::negative, c.n);
    of.resize(count);
    const auto wrong = std::find(of.begin(), of.end(), c.n);
    const uint64_t first = wrong == of.end() ? UINT64_MAX : static_cast<uint64_t>(wrong - of.begin());
    Bytes right = expected(c, in, of, before);
    right.insert(right.end(), before.begin() + static_cast<std::ptrdiff_t>(right.size()), before.end());
    for (const char *algorithm : algorithms(GP_GATHER, named)) {
        SCOPED_TRACE(text(c) + ", on buffers, " + name(algorithm));
        for (const bool wants_first : {true, false}) {
            const size_t shift = 3 * c.size; // elements before the arrays
            DeviceArray<unsigned char> from(in, shift), to(before, shift);
            DeviceArray<Index> places(at);
            DeviceArray<uint64_t> found(std::vector<uint64_t>{77}), counts(std::vector<uint64_t>{count});
            gp_gather_options options = GP_GATHER_OPTIONS_INIT;
            options.algorithm = algorithm;
            options.row = c.row;
            options.from_end = order == Order::negative ? 1 : 0;
            if (wants_first) {
                options.first_wrong_buffer = found.buffer();
                options.first_wrong_offset = found.offset();
            }
            if (counted) {
                options.n_buffer = counts.buffer();
                options.n_offset = counts.offset();
            }
            for (int again = 0; again < 3; ++again) { // what is repeated takes another way
                const gp_status status =
                    c.kind == Kind::gather
                        ? gp_enqueue_gather(context(), c.size, c.n, from.buffer(), 3, dtype<Index>(), c.m,
                                            places.buffer(), places.offset(), to.buffer(), 3, &options, 0, nullptr,
                                            nullptr)
                        : gp_enqueue_scatter(context(), c.size, c.m, from.buffer(), 3, dtype<Index>(), places.buffer(),
                                             places.offset(), c.n, to.buffer(), 3, &options, 0, nullptr, nullptr);
                if (refused(GP_GATHER, algorithm, status)) break;
                ASSERT_OK(status);
                ASSERT_TRUE(same_bits(right, to.values()));
                ASSERT_EQ(wants_first ? first : 77, found.values()[0]);
            }
        }
    }
}

constexpr size_t kSizes[] = {1, 2, 33, 255, 257, 1009, 2047, 2049, 5003, 70'001, (1 << 20) + 1};

TEST(Gather, EverySizeOfArrays) {
    for (const size_t m : kSizes) {
        if (m > max_n()) continue;
        for (const Kind kind : {Kind::gather, Kind::scatter}) {
            const size_t n = kind == Kind::gather ? m / 2 + 1 : m + m / 3;
            check<uint32_t>({kind, 4, 1, n, m}, Order::random, m < 5000);
            check<int64_t>({kind, 8, 1, n, m}, Order::negative, false);
            if (HasFatalFailure()) return;
        }
    }
}

TEST(Gather, EverySizeOfElements) {
    for (size_t size = 1; size <= 64; ++size) {
        // A program for each of the words, of 1 to 16 bytes.
        if (max_n() < 1000 && size > 4) continue;
        for (const Kind kind : {Kind::gather, Kind::scatter}) {
            const size_t n = std::min<size_t>(max_n() / 2, 700);
            check<uint64_t>({kind, size, 1, n, n - 3}, Order::random, (size & (size - 1)) == 0 || size == 12);
            check<int32_t>({kind, size, 1, n, n - 3, size % 3}, Order::negative, false);
            if (HasFatalFailure()) return;
        }
    }
}

TEST(Gather, Rows) {
    for (const auto &[size, row] :
         {std::pair<size_t, size_t>{1, 3}, {4, 5}, {4, 100}, {2, 1000}, {8, 1}, {4, 2500}, {16, 33}}) {
        for (const Kind kind : {Kind::gather, Kind::scatter}) {
            const size_t n = max_n() < 1000 ? 7 : 97;
            check<int32_t>({kind, size, row, n, n - 5}, Order::random, true);
            if (HasFatalFailure()) return;
        }
    }
}

TEST(Gather, OnBuffers) {
    for (const size_t m : {size_t{1}, size_t{33}, size_t{1009}, size_t{5003}, size_t{70'001}}) {
        if (m > max_n()) continue;
        for (const Kind kind : {Kind::gather, Kind::scatter}) {
            const size_t n = m + m / 3;
            for (const bool counted : {false, true}) {
                check_buffers<int32_t>({kind, 4, 1, n, m}, Order::wrong, counted, m < 5000);
                if (m < 5000) {
                    check_buffers<uint64_t>({kind, 12, 1, n, m}, Order::wrong, counted, false);
                    check_buffers<int64_t>({kind, 4, 7, n, m}, Order::negative, counted, false);
                    check_buffers<uint32_t>({kind, 1, 1, n, m}, Order::wrong, counted, false);
                }
                if (HasFatalFailure()) return;
            }
        }
    }
}

// A wrong position is named, and nothing is written.
TEST(Gather, TheFirstWrongPositionIsNamed) {
    for (const size_t m : {size_t{10}, size_t{3000}, size_t{100'000}}) {
        if (m > max_n()) continue;
        for (const size_t wrong : {size_t{0}, m / 3, m - 1}) {
            const std::vector<int32_t> in = {5, 6, 7};
            std::vector<int64_t> at(m, 2);
            for (size_t i = wrong; i < m; i += 3) at[i] = i == wrong ? -4 : 3;
            Guarded<int32_t> out(std::vector<int32_t>(m, 9));
            for (const int32_t from_end : {0, 1}) {
                gp_gather_options options = GP_GATHER_OPTIONS_INIT;
                options.from_end = from_end;
                ASSERT_EQ(GP_ERROR_OUT_OF_BOUNDS,
                          gp_gather(context(), 4, 3, in.data(), GP_INT64, m, at.data(), out.data(), &options));
                const std::string message = gp_error_message();
                ASSERT_NE(std::string::npos, message.find("positions[" + std::to_string(wrong) + "] is -4; expected " +
                                                          (from_end != 0 ? "-3" : "0") + " to 2"))
                    << message;
                ASSERT_EQ(GP_ERROR_OUT_OF_BOUNDS, gp_scatter(context(), 4, m, out.data(), GP_INT64, at.data(), 3,
                                                             const_cast<int32_t *>(in.data()), &options));
            }
            ASSERT_TRUE(same_bits(std::vector<int32_t>(m, 9), out.values()) && out.intact());
            ASSERT_EQ((std::vector<int32_t>{5, 6, 7}), in);
        }
    }
}

TEST(Gather, EmptyArrays) {
    ASSERT_OK(gp_gather(context(), 4, 0, nullptr, GP_INT32, 0, nullptr, nullptr, nullptr));
    ASSERT_OK(gp_scatter(context(), 4, 0, nullptr, GP_INT32, nullptr, 0, nullptr, nullptr));
    const int32_t at[1] = {0};
    int32_t out[1] = {7};
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, gp_gather(context(), 4, 0, nullptr, GP_INT32, 1, at, out, nullptr));
    EXPECT_NE(std::string::npos, std::string(gp_error_message()).find("n is 0")) << gp_error_message();
    EXPECT_EQ(7, out[0]);
    // On buffers the first wrong place is written, too.
    DeviceArray<uint64_t> found(std::vector<uint64_t>{5});
    DeviceArray<int32_t> places(std::vector<int32_t>{0}), to(std::vector<int32_t>{7});
    gp_gather_options options = GP_GATHER_OPTIONS_INIT;
    options.first_wrong_buffer = found.buffer();
    options.first_wrong_offset = found.offset();
    ASSERT_OK(gp_enqueue_gather(context(), 4, 0, nullptr, 0, GP_INT32, 0, nullptr, 0, nullptr, 0, &options, 0, nullptr,
                                nullptr));
    EXPECT_EQ(UINT64_MAX, found.values()[0]);
    ASSERT_OK(gp_enqueue_gather(context(), 4, 0, nullptr, 0, GP_INT32, 1, places.buffer(), places.offset(), to.buffer(),
                                to.offset(), &options, 0, nullptr, nullptr));
    EXPECT_EQ(0u, found.values()[0]);
    EXPECT_EQ(0, to.values()[0]);
}

// Equal positions: one of their elements is there.
TEST(Gather, EqualPositionsOfAScatter) {
    const size_t m = std::min<size_t>(max_n(), 3000);
    std::vector<uint64_t> in(m);
    std::vector<uint32_t> at(m);
    for (size_t i = 0; i < m; ++i) in[i] = i, at[i] = static_cast<uint32_t>(i % 7);
    std::vector<uint64_t> out(7, 1 << 30);
    ASSERT_OK(gp_scatter(context(), 8, m, in.data(), GP_UINT32, at.data(), 7, out.data(), nullptr));
    for (size_t i = 0; i < 7; ++i) EXPECT_TRUE(out[i] < m && out[i] % 7 == i) << out[i];
}

TEST(Gather, BadArguments) {
    const int32_t in[4] = {}, at[4] = {};
    int32_t out[4] = {7, 7, 7, 7};
    const auto call = [&](gp_status status, const char *word, auto change, size_t size = 4, gp_dtype index = GP_INT32) {
        gp_gather_options options = GP_GATHER_OPTIONS_INIT;
        change(options);
        EXPECT_EQ(status, gp_gather(context(), size, 4, in, index, 4, at, out, &options)) << word;
        EXPECT_NE(std::string::npos, std::string(gp_error_message()).find(word)) << gp_error_message();
    };
    const auto none = [](gp_gather_options &) {};
    call(GP_ERROR_VALUE_SIZE, "element_size", none, 0);
    call(GP_ERROR_VALUE_SIZE, "element_size", none, 65);
    call(GP_ERROR_DTYPE, "index is float32", none, 4, GP_FLOAT32);
    call(GP_ERROR_DTYPE, "index is int16", none, 4, GP_INT16);
    call(GP_ERROR_OPTION, "from_end", [](gp_gather_options &o) { o.from_end = 2; });
    call(GP_ERROR_OPTION, "reserved", [](gp_gather_options &o) { o.reserved = 1; });
    call(GP_ERROR_OPTION, "n_offset", [](gp_gather_options &o) { o.n_offset = 1; });
    call(GP_ERROR_OPTION, "first_wrong_offset", [](gp_gather_options &o) { o.first_wrong_offset = 1; });
    call(GP_ERROR_SIZE_OVERFLOW, "row", [](gp_gather_options &o) { o.row = SIZE_MAX / 2; });
    DeviceArray<uint64_t> number(std::vector<uint64_t>{1});
    call(GP_ERROR_OPTION, "n_buffer", [&](gp_gather_options &o) { o.n_buffer = number.buffer(); });
    call(GP_ERROR_OPTION, "first_wrong_buffer", [&](gp_gather_options &o) { o.first_wrong_buffer = number.buffer(); });
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_gather(context(), 4, 4, nullptr, GP_INT32, 4, at, out, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_gather(context(), 4, 4, in, GP_INT32, 4, nullptr, out, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_gather(context(), 4, 4, in, GP_INT32, 4, at, nullptr, nullptr));
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_gather(context(), 4, 4, out, GP_INT32, 4, at, out, nullptr));
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_gather(context(), 4, 4, in, GP_INT32, 4, out, out, nullptr));
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_scatter(context(), 4, 2, out, GP_INT32, at, 2, out + 1, nullptr));
    EXPECT_EQ(GP_ERROR_ALIGNMENT,
              gp_gather(context(), 4, 4, in, GP_INT32, 3, reinterpret_cast<const char *>(at) + 1, out, nullptr));
    for (const int32_t value : out) EXPECT_EQ(7, value);

    DeviceArray<int32_t> buffer(std::vector<int32_t>(8));
    gp_gather_options options = GP_GATHER_OPTIONS_INIT;
    const auto enqueue = [&](size_t in_offset, size_t out_offset) {
        return gp_enqueue_gather(context(), 4, 2, buffer.buffer(), in_offset, GP_INT32, 2, buffer.buffer(), in_offset,
                                 buffer.buffer(), out_offset, &options, 0, nullptr, nullptr);
    };
    EXPECT_EQ(GP_ERROR_OVERLAP, enqueue(3, 4));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(3, 13));
    options.first_wrong_buffer = buffer.buffer();
    options.first_wrong_offset = 1;
    EXPECT_EQ(GP_ERROR_OVERLAP, enqueue(2, 6));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "options->first_wrong_buffer overlaps in"))
        << gp_error_message();

    DeviceArray<int32_t> from(std::vector<int32_t>(8)), places(std::vector<int32_t>(8)),
        result(std::vector<int32_t>(8));
    const auto overlapping = [&](gp_buffer *to, gp_buffer *counted, gp_buffer *wrong, const char *words) {
        gp_gather_options given = GP_GATHER_OPTIONS_INIT;
        given.n_buffer = counted;
        given.first_wrong_buffer = wrong;
        EXPECT_EQ(GP_ERROR_OVERLAP, gp_enqueue_gather(context(), 4, 2, from.buffer(), 0, GP_INT32, 2, places.buffer(),
                                                      0, to, 0, &given, 0, nullptr, nullptr));
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), words)) << gp_error_message();
    };
    overlapping(places.buffer(), nullptr, nullptr, "out overlaps positions");
    overlapping(result.buffer(), result.buffer(), nullptr, "out overlaps options->n_buffer");
    overlapping(result.buffer(), nullptr, result.buffer(), "options->first_wrong_buffer overlaps out");
}

} // namespace
