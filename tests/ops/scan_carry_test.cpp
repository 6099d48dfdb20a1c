// Scan that goes on: pieces with carries against whole rows, by every algorithm that takes them.
// SPDX-License-Identifier: MIT
#include "rows.h"

#include "../reference/scan.h"

namespace {

using namespace test;
using reference::widen;

// How a whole is scanned.
struct Way {
    gp_operator op = GP_ADD;
    bool exclusive = false, reverse = false, segmented = false;
    std::string text() const {
        return std::string(operator_name(op)) + (exclusive ? ", exclusive" : ", inclusive") +
               (reverse ? ", reverse" : ", forward") + (segmented ? ", segmented" : "");
    }
};

constexpr Way kWays[] = {{GP_ADD, false, false, false}, {GP_ADD, true, true, false},  {GP_ADD, false, true, true},
                         {GP_ADD, true, false, true},   {GP_ADD, true, false, false}, {GP_ADD, false, true, false},
                         {GP_ADD, true, true, true},    {GP_ADD, false, false, true}};

template <class Sum> Sum combine(gp_operator op, Sum a, Sum b) { return reference::combine(op, a, b); }

// Rows, and what they are with an initial value each.
template <class P> struct Whole {
    using In = typename P::in;
    using Sum = typename P::sum;
    Shape shape;
    Way way;
    std::vector<In> in;
    std::vector<uint8_t> heads;
    std::vector<Sum> initial, last;    // one a row
    std::vector<Sum> before, expected; // of out; gaps keep what `before` holds

    Whole(const Shape &shape, const Way &way, bool has_initial = true)
        : shape(shape), way(way), in(addends<In, Sum>(shape.span(), shape.n + shape.batch)), heads(shape.span(), 0),
          initial(addends<Sum, Sum>(shape.batch, shape.n + 1)), before(shape.span(), Sum(77)), expected(before) {
        const Sum none = reference::identity<Sum>(way.op);
        if (!has_initial) std::fill(initial.begin(), initial.end(), none);
        last = initial;
        std::mt19937_64 random(shape.n);
        for (size_t row = 0; row < shape.batch; ++row) {
            std::vector<Sum> values(shape.n);
            std::vector<bool> begins(shape.n);
            for (size_t i = 0; i < shape.n; ++i) {
                values[i] = static_cast<Sum>(widen(in[shape.at(row, i)]));
                begins[i] = way.segmented && random() % (row % 2 == 0 ? 40 : 400) == 0;
                heads[shape.at(row, i)] = begins[i] ? static_cast<uint8_t>(1 + random() % 255) : 0;
            }
            const gp_operator op = way.op;
            const auto result = reference::scan_piece(
                values, begins, none, [op](Sum a, Sum b) { return combine(op, a, b); }, way.exclusive, way.reverse,
                &last[row]);
            for (size_t i = 0; i < shape.n; ++i) expected[shape.at(row, i)] = result[i];
        }
    }
    gp_scan_options options(const char *algorithm) const {
        gp_scan_options o = GP_SCAN_OPTIONS_INIT;
        o.op = way.op;
        o.kind = way.exclusive ? GP_EXCLUSIVE : GP_INCLUSIVE;
        o.direction = way.reverse ? GP_REVERSE : GP_FORWARD;
        o.algorithm = algorithm;
        o.batch = shape.batch;
        o.stride_in = o.stride_out = shape.stride();
        o.step_in = o.step_out = shape.next();
        if constexpr (!std::is_same_v<In, Sum>) o.accumulator = code<Sum>();
        return o;
    }
    // The parts of a row of which the first to be scanned have `piece` elements, in their order.
    std::vector<std::pair<size_t, size_t>> pieces(size_t piece) const {
        std::vector<std::pair<size_t, size_t>> all;
        for (size_t done = 0; done < shape.n; done += piece) {
            const size_t count = std::min(piece, shape.n - done);
            all.emplace_back(way.reverse ? shape.n - done - count : done, count);
        }
        return all;
    }
    std::string text() const { return shape.text() + ", " + way.text(); }
};

// The rows piece by piece, with a carry that is read and written in the same memory.
template <class P> void check_pieces(const Whole<P> &whole, size_t piece, bool named) {
    using In = typename P::in;
    using Sum = typename P::sum;
    const Shape &shape = whole.shape;
    for (const char *algorithm : algorithms(GP_SCAN, named)) {
        if (testing::Test::HasFatalFailure()) return;
        SCOPED_TRACE(whole.text() + ", pieces of " + std::to_string(piece) + ", " + name(algorithm));
        Guarded<In> source(whole.in);
        Guarded<uint8_t> heads(whole.heads);
        Guarded<Sum> out(whole.before), carry(whole.initial);
        bool refused = false;
        for (const auto &[begin, count] : whole.pieces(piece)) {
            const size_t at = begin * shape.next();
            gp_scan_options options = whole.options(algorithm);
            options.initial = options.final_value = carry.data();
            if (whole.way.segmented) options.heads = heads.data() + at;
            const gp_status status =
                gp_scan(context(), code<In>(), count, source.data() + at, out.data() + at, &options);
            refused = test::refused(GP_SCAN, algorithm, status);
            if (refused) break;
            ASSERT_OK(status);
        }
        if (refused) {
            EXPECT_TRUE(same_bits(whole.before, out.values()) && same_bits(whole.initial, carry.values()));
            continue;
        }
        ASSERT_TRUE(same_bits(whole.expected, out.values()));
        ASSERT_TRUE(same_bits(whole.last, carry.values())) << "the carry";
        ASSERT_TRUE(source.intact() && out.intact() && carry.intact()) << "a canary was overwritten";
        ASSERT_TRUE(same_bits(whole.in, source.values())) << "the input was changed";
    }
}

template <class P> class ScanCarry : public RowsTest<P> {};
TYPED_TEST_SUITE(ScanCarry, RowTypes, RowTypeNames);

// Pieces of every odd size up to 9, and around the sizes of vectors, tiles and chunks.
TYPED_TEST(ScanCarry, PiecesMakeTheWhole) {
    const bool named = named_for<TypeParam>();
    size_t turn = 0;
    for (const size_t piece : {1, 3, 5, 7, 9, 15, 17, 33, 255, 257, 1023, 1025, 2049, 4095, 4097, 16385, 65537}) {
        const size_t n = std::min<size_t>(piece < 10 ? 41 * piece : 3 * piece + piece / 2, 100003);
        if (n > (named ? max_n() : std::min<size_t>(max_n(), 20000))) continue;
        check_pieces(Whole<TypeParam>({n, 1}, kWays[turn++ % 8]), piece, named);
        check_pieces(Whole<TypeParam>({n, 1}, kWays[turn++ % 8]), piece, named);
    }
    for (const Way &way : kWays) check_pieces(Whole<TypeParam>({std::min<size_t>(max_n(), 9001), 1}, way), 2999, named);
}

TYPED_TEST(ScanCarry, PiecesOfRowsAndColumns) {
    size_t turn = 0;
    for (const Shape &shape : {Shape{33, 3}, Shape{7, 97, false, 2}, Shape{33, 3, false, 5, 3}, Shape{100, 3, true},
                               Shape{5, 33, true, 2}, Shape{4097, 3, false, 0, 2}, Shape{3, 4099},
                               Shape{70, 1025, true}, Shape{20000, 2, true, 3}, Shape{40001, 2, false, 7}}) {
        if (shape.span() > (named_for<TypeParam>() ? max_n() : std::min<size_t>(max_n(), 20000))) continue;
        for (const size_t piece : {shape.n / 3 + 1, (shape.n / 2) | 1}) {
            check_pieces(Whole<TypeParam>(shape, kWays[turn++ % 8]), piece, named_for<TypeParam>());
            check_pieces(Whole<TypeParam>(shape, kWays[turn++ % 8]), piece, named_for<TypeParam>());
        }
    }
}

// More than the caches hold, which CPUs scan slab by slab.
TYPED_TEST(ScanCarry, PastTheCaches) {
    const size_t n = past_caches(sizeof(typename TypeParam::in) + sizeof(typename TypeParam::sum));
    if (!takes_past_caches() || !named_for<TypeParam>()) GTEST_SKIP() << "so many elements take too long here";
    check_pieces(Whole<TypeParam>({n / 2 + 1, 2}, {GP_ADD, true, true, false}), n / 2 - 3, false);
    check_pieces(Whole<TypeParam>({n, 1}, {GP_ADD, false, false, true}), n - 99, false);
}

// One call of every size with an initial value alone, a final one alone, and both apart.
TYPED_TEST(ScanCarry, EverySizeWithEitherCarry) {
    using In = typename TypeParam::in;
    using Sum = typename TypeParam::sum;
    size_t turn = 0;
    for (const size_t n : sizes()) {
        if (n > (named_for<TypeParam>() ? max_n() : 5000)) continue;
        const int which = static_cast<int>(turn % 3); // 0: both, 1: initial, 2: final
        const Whole<TypeParam> whole({n, 1}, kWays[turn++ % 8], which != 2);
        for (const char *algorithm : algorithms(GP_SCAN, named_for<TypeParam>())) {
            SCOPED_TRACE(whole.text() + ", carries " + std::to_string(which) + ", " + name(algorithm));
            Guarded<In> source(whole.in);
            Guarded<Sum> out(whole.before), initial(whole.initial), last(1);
            gp_scan_options options = whole.options(algorithm);
            if (which != 2) options.initial = initial.data();
            if (which != 1) options.final_value = last.data();
            if (whole.way.segmented) options.heads = whole.heads.data();
            const gp_status status = gp_scan(context(), code<In>(), n, source.data(), out.data(), &options);
            if (refused(GP_SCAN, algorithm, status)) continue;
            ASSERT_OK(status);
            ASSERT_TRUE(same_bits(whole.expected, out.values()));
            ASSERT_TRUE(same_bits(whole.initial, initial.values())) << "the initial value was changed";
            ASSERT_TRUE(which == 1 ? last.untouched() : same_bits(whole.last, last.values())) << "the final value";
            ASSERT_TRUE(source.intact() && out.intact() && initial.intact() && last.intact());
        }
    }
}

TYPED_TEST(ScanCarry, EveryOperator) {
    using Sum = typename TypeParam::sum;
    for (const gp_operator op : {GP_MULTIPLY, GP_MINIMUM, GP_MAXIMUM}) {
        const size_t n = std::min<size_t>(max_n(), 3001);
        Whole<TypeParam> whole({n, 1}, {op, op == GP_MINIMUM, op == GP_MAXIMUM, false});
        if (op == GP_MULTIPLY && !std::is_integral_v<Sum>) continue; // powers of many small numbers overflow
        check_pieces(whole, 701, false);
    }
}

// Buffers at odd offsets, calls that follow each other without waiting, on the same carry and on
// two that take turns.
TYPED_TEST(ScanCarry, BuffersAtOddOffsets) {
    using In = typename TypeParam::in;
    using Sum = typename TypeParam::sum;
    size_t turn = 0;
    for (const Shape &shape : {Shape{33, 1}, Shape{40, 5, false, 3}, Shape{20, 30, true, 1}, Shape{10007, 1}}) {
        if (shape.span() > max_n()) continue;
        for (const bool in_turns : {false, true}) {
            const Whole<TypeParam> whole(shape, kWays[turn++ % 8]);
            SCOPED_TRACE(whole.text() + (in_turns ? ", two carries" : ", one carry"));
            DeviceArray<In> source(whole.in, 3);
            DeviceArray<uint8_t> heads(whole.heads, 7);
            DeviceArray<Sum> out(whole.before, 5), carry(whole.initial, 1), other(whole.initial, 9);
            const DeviceArray<Sum> *from = &carry, *to = in_turns ? &other : &carry;
            for (const auto &[begin, count] : whole.pieces(shape.n / 3 + 1)) {
                const size_t at = begin * shape.next();
                gp_scan_options options = whole.options(nullptr);
                options.initial_buffer = from->buffer();
                options.initial_offset = from->offset();
                options.final_buffer = to->buffer();
                options.final_offset = to->offset();
                if (whole.way.segmented) {
                    options.heads_buffer = heads.buffer();
                    options.heads_offset = heads.offset() + at;
                }
                ASSERT_OK(gp_enqueue_scan(context(), code<In>(), count, source.buffer(), source.offset() + at,
                                          out.buffer(), out.offset() + at, &options, 0, nullptr, nullptr));
                std::swap(from, to);
            }
            ASSERT_OK(gp_finish(context()));
            ASSERT_TRUE(same_bits(whole.expected, out.values()));
            ASSERT_TRUE(same_bits(whole.last, from->values())) << "the carry";
            carry.values();
            other.values(); // their canaries
            ASSERT_TRUE(same_bits(whole.in, source.values()));
        }
    }
}

// In place, with an initial value in host memory and the final one in a buffer.
TYPED_TEST(ScanCarry, HostInitialForBuffers) {
    using Sum = typename TypeParam::sum;
    using Own = Pair<Sum>;
    const size_t n = std::min<size_t>(max_n(), 5003);
    const Whole<Own> whole({n, 1}, {GP_ADD, true, false, false});
    DeviceArray<Sum> array(whole.in, 3), last(whole.initial, 1);
    Sum initial = whole.initial[0];
    gp_scan_options options = whole.options(nullptr);
    options.initial = &initial;
    options.final_buffer = last.buffer();
    options.final_offset = last.offset();
    ASSERT_OK(gp_enqueue_scan(context(), code<Sum>(), n, array.buffer(), array.offset(), array.buffer(), array.offset(),
                              &options, 0, nullptr, nullptr));
    initial = Sum(1); // read already
    ASSERT_OK(gp_finish(context()));
    ASSERT_TRUE(same_bits(whole.expected, array.values()));
    ASSERT_TRUE(same_bits(whole.last, last.values()));
}

// n = 0 hands the carry on, or the identity; in buffers, too.
TYPED_TEST(ScanCarry, NothingPassesItOn) {
    using In = typename TypeParam::in;
    using Sum = typename TypeParam::sum;
    for (const gp_operator op : kOperators) {
        if (op != GP_ADD && !named_for<TypeParam>()) continue;
        const Whole<TypeParam> whole({0, 5}, {op, false, false, false});
        gp_scan_options options = whole.options(nullptr);
        Guarded<Sum> last(5);
        options.final_value = last.data();
        ASSERT_OK(gp_scan(context(), code<In>(), 0, nullptr, nullptr, &options));
        EXPECT_TRUE(same_bits(std::vector<Sum>(5, reference::identity<Sum>(op)), last.values()));
        options.initial = whole.initial.data();
        ASSERT_OK(gp_scan(context(), code<In>(), 0, nullptr, nullptr, &options));
        EXPECT_TRUE(same_bits(whole.initial, last.values()) && last.intact());

        options = whole.options(nullptr);
        DeviceArray<In> in(std::vector<In>(1));
        DeviceArray<Sum> out(std::vector<Sum>(1)), first(whole.initial, 2), end(std::vector<Sum>(5), 3);
        options.initial_buffer = first.buffer();
        options.initial_offset = first.offset();
        options.final_buffer = end.buffer();
        options.final_offset = end.offset();
        ASSERT_OK(
            gp_enqueue_scan(context(), code<In>(), 0, in.buffer(), 0, out.buffer(), 0, &options, 0, nullptr, nullptr));
        ASSERT_OK(gp_finish(context()));
        EXPECT_TRUE(same_bits(whole.initial, end.values()));
    }
}

// Reals: piece by piece within the whole's bound, eps * (i + 1) * sum |in[0..i]|, the initial value
// being in[0].
template <class T> class ScanCarryReals : public RunningTest<T> {};
TYPED_TEST_SUITE(ScanCarryReals, RealTypes, TypeNames);

TYPED_TEST(ScanCarryReals, PiecesStayWithinTheBound) {
    using W = reference::Wide<TypeParam>;
    const size_t n = std::min<size_t>(max_n(), 50021);
    const auto in = real_values<TypeParam>(n);
    for (const bool reverse : {false, true}) {
        std::vector<W> expected(n), bounds(n);
        W sum = 0, magnitude = 0;
        for (size_t k = 0; k < n; ++k) {
            const size_t i = reverse ? n - 1 - k : k;
            sum += W(in[i]);
            magnitude += std::fabs(W(in[i]));
            expected[i] = sum;
            bounds[i] = W(std::numeric_limits<TypeParam>::epsilon()) * static_cast<W>(k + 1) * magnitude;
        }
        for (const size_t piece : {size_t(1), size_t(3), size_t(257), size_t(9999)}) {
            const size_t some = piece < 5 ? std::min<size_t>(n, 300) : n;
            for (const char *algorithm : algorithms(GP_SCAN, with_named_algorithms<TypeParam>(GP_ADD))) {
                SCOPED_TRACE("pieces of " + std::to_string(piece) + (reverse ? ", reverse, " : ", ") + name(algorithm));
                gp_scan_options options = GP_SCAN_OPTIONS_INIT;
                options.direction = reverse ? GP_REVERSE : GP_FORWARD;
                options.algorithm = algorithm;
                std::vector<TypeParam> out = in;
                TypeParam carry = 0;
                options.initial = options.final_value = &carry;
                gp_status status = GP_SUCCESS;
                for (size_t done = 0; done < some && status == GP_SUCCESS; done += piece) {
                    const size_t count = std::min(piece, some - done), first = reverse ? n - done - count : done;
                    status =
                        gp_scan(context(), dtype<TypeParam>(), count, out.data() + first, out.data() + first, &options);
                }
                if (refused(GP_SCAN, algorithm, status)) continue;
                ASSERT_OK(status);
                const auto part = [&](const auto &all) { // those that were scanned
                    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(reverse ? n - some : 0);
                    return std::vector(begin, begin + static_cast<std::ptrdiff_t>(some));
                };
                ASSERT_TRUE(close_to(part(expected), part(out), part(bounds)));
            }
        }
    }
}

TYPED_TEST(ScanCarryReals, NanAndInfinityAreCarried) {
    using limits = std::numeric_limits<TypeParam>;
    for (const TypeParam value : {limits::quiet_NaN(), limits::infinity(), -limits::infinity()})
        for (const char *algorithm : algorithms(GP_SCAN, with_named_algorithms<TypeParam>(GP_ADD))) {
            gp_scan_options options = GP_SCAN_OPTIONS_INIT;
            options.algorithm = algorithm;
            std::vector<TypeParam> in(100, TypeParam(1)), out(100);
            TypeParam carry = value;
            options.initial = options.final_value = &carry;
            const gp_status status = gp_scan(context(), dtype<TypeParam>(), in.size(), in.data(), out.data(), &options);
            if (refused(GP_SCAN, algorithm, status)) continue;
            ASSERT_OK(status);
            for (const TypeParam x : out) ASSERT_TRUE(same_value(value, x)) << name(algorithm);
            ASSERT_TRUE(same_value(value, carry)) << name(algorithm);
        }
}

// Maps that do not commute: what comes before is the first operand.
TEST(ScanCarryText, AffinePieces) {
    if (on_host()) GTEST_SKIP() << "the host takes no operator text";
    const size_t n = std::min<size_t>(max_n(), 10007);
    const auto in = affine_maps(n);
    for (const bool reverse : {false, true}) {
        const auto expected = reference::scan(in, kAffineOne, affine, false, reverse);
        for (const char *algorithm : algorithms(GP_SCAN, thorough() || !reverse)) {
            SCOPED_TRACE(std::string(reverse ? "reverse, " : "forward, ") + name(algorithm));
            gp_scan_options options = GP_SCAN_OPTIONS_INIT;
            options.operator_source = kAffineSource;
            options.operator_identity = kAffineIdentity;
            options.operator_helpers = kAffineHelpers;
            options.direction = reverse ? GP_REVERSE : GP_FORWARD;
            std::vector<uint64_t> out(n);
            uint64_t carry = 0;
            options.final_value = &carry; // from nothing, the identity
            ASSERT_OK(gp_scan(context(), GP_UINT64, 0, nullptr, nullptr, &options));
            ASSERT_EQ(kAffineOne, carry);
            options.initial = &carry;
            options.algorithm = algorithm;
            gp_status status = GP_SUCCESS;
            for (size_t done = 0; done < n && status == GP_SUCCESS; done += 2999) {
                const size_t count = std::min<size_t>(2999, n - done), first = reverse ? n - done - count : done;
                status = gp_scan(context(), GP_UINT64, count, in.data() + first, out.data() + first, &options);
            }
            if (refused(GP_SCAN, algorithm, status)) continue;
            ASSERT_OK(status);
            ASSERT_TRUE(same_bits(expected, out));
            ASSERT_EQ(expected[reverse ? 0 : n - 1], carry);
        }
    }
}

TEST(ScanCarryErrors, AreRefused) {
    constexpr size_t kN = 12;
    std::vector<int32_t> in(100, 1), out(200, 7);
    std::vector<uint8_t> heads(100);
    DeviceArray<int32_t> device_in(in), device_out(out), small({1, 2});
    const auto refused = [&](gp_status expected, const char *word, const auto &set) {
        gp_scan_options options = GP_SCAN_OPTIONS_INIT;
        set(options);
        EXPECT_EQ(expected, gp_scan(context(), GP_INT32, kN, in.data(), out.data(), &options)) << word;
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), word)) << gp_error_message();
        EXPECT_EQ(std::vector<int32_t>(200, 7), out);
    };
    refused(GP_ERROR_OPTION, "initial_buffer", [&](gp_scan_options &o) { o.initial_buffer = small.buffer(); });
    refused(GP_ERROR_OPTION, "final_buffer", [&](gp_scan_options &o) { o.final_buffer = small.buffer(); });
    refused(GP_ERROR_OPTION, "initial_offset", [&](gp_scan_options &o) { o.initial_offset = 1; });
    refused(GP_ERROR_OPTION, "final_offset", [&](gp_scan_options &o) { o.final_offset = 1; });
    refused(GP_ERROR_OVERLAP, "initial", [&](gp_scan_options &o) { o.initial = out.data() + kN - 1; });
    refused(GP_ERROR_OVERLAP, "final_value", [&](gp_scan_options &o) { o.final_value = out.data(); });
    refused(GP_ERROR_OVERLAP, "final_value", [&](gp_scan_options &o) { o.final_value = in.data() + 3; });
    refused(GP_ERROR_OVERLAP, "final_value", [&](gp_scan_options &o) {
        o.heads = heads.data();
        o.final_value = heads.data() + 4;
    });
    refused(GP_ERROR_OVERLAP, "initial and final_value", [&](gp_scan_options &o) {
        o.batch = 3;
        o.initial = in.data() + 60;
        o.final_value = in.data() + 61;
    });
    refused(GP_ERROR_ALIGNMENT, "initial", [&](gp_scan_options &o) { o.initial = heads.data() + 1; });
    refused(GP_ERROR_ALIGNMENT, "final_value", [&](gp_scan_options &o) { o.final_value = heads.data() + 1; });

    const auto refused_there = [&](gp_status expected, const char *word, const auto &set) {
        gp_scan_options options = GP_SCAN_OPTIONS_INIT;
        set(options);
        EXPECT_EQ(expected, gp_enqueue_scan(context(), GP_INT32, kN, device_in.buffer(), 3, device_out.buffer(), 3,
                                            &options, 0, nullptr, nullptr))
            << word;
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), word)) << gp_error_message();
        EXPECT_TRUE(same_bits(out, device_out.values()) && same_bits({1, 2}, small.values()));
    };
    refused_there(GP_ERROR_OPTION, "final_value", [&](gp_scan_options &o) { o.final_value = in.data(); });
    refused_there(GP_ERROR_OPTION, "options->heads is for gp_scan",
                  [&](gp_scan_options &o) { o.heads = heads.data(); });
    refused_there(GP_ERROR_OPTION, "both", [&](gp_scan_options &o) {
        o.initial = in.data();
        o.initial_buffer = small.buffer();
    });
    refused_there(GP_ERROR_OUT_OF_BOUNDS, "initial_buffer", [&](gp_scan_options &o) {
        o.initial_buffer = small.buffer();
        o.initial_offset = 8;
    });
    refused_there(GP_ERROR_OUT_OF_BOUNDS, "final_buffer", [&](gp_scan_options &o) {
        o.batch = 5; // of rows that follow each other
        o.final_buffer = small.buffer();
        o.final_offset = 4;
    });
    refused_there(GP_ERROR_HANDLE, "initial_buffer", [&](gp_scan_options &o) {
        o.initial_buffer = reinterpret_cast<gp_buffer *>(in.data()); // host memory
    });
    refused_there(GP_ERROR_OVERLAP, "initial_buffer", [&](gp_scan_options &o) {
        o.initial_buffer = device_out.buffer();
        o.initial_offset = 3 + kN - 1;
    });
    refused_there(GP_ERROR_OVERLAP, "final_buffer", [&](gp_scan_options &o) {
        o.final_buffer = device_out.buffer();
        o.final_offset = 3;
    });
    refused_there(GP_ERROR_OVERLAP, "final_buffer", [&](gp_scan_options &o) {
        o.final_buffer = device_in.buffer();
        o.final_offset = 3;
    });
    refused_there(GP_ERROR_OVERLAP, "initial_buffer and final_buffer", [&](gp_scan_options &o) {
        o.batch = 2;
        o.initial_buffer = o.final_buffer = small.buffer();
        o.initial_offset = 3;
        o.final_offset = 4;
    });
}

} // namespace
