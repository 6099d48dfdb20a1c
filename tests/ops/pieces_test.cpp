// Reductions and histograms that add to what is there, and recurrences whose states go on: pieces
// against the whole.
// SPDX-License-Identifier: MIT
#include "rows.h"

#include "../reference/histogram.h"
#include "../reference/recurrence.h"
#include "../reference/reduce.h"

namespace {

using namespace test;
using reference::half;
using reference::widen;

// The parts of n elements, so many each but for the last.
std::vector<std::pair<size_t, size_t>> pieces(size_t n, size_t piece) {
    std::vector<std::pair<size_t, size_t>> all;
    for (size_t done = 0; done < n; done += piece) all.emplace_back(done, std::min(piece, n - done));
    return all;
}

// ---- reduce

template <class P> class ReducePieces : public RowsTest<P> {};
TYPED_TEST_SUITE(ReducePieces, RowTypes, RowTypeNames);

// The results of the rows, before which `first` comes in each.
template <class P> std::vector<typename P::sum> reduced(const Shape &shape, const std::vector<typename P::in> &in,
                                                        gp_operator op, typename P::sum first) {
    using Sum = typename P::sum;
    std::vector<Sum> results;
    for (size_t row = 0; row < shape.batch; ++row) {
        std::vector<Sum> values = {first};
        for (size_t i = 0; i < shape.n; ++i) values.push_back(static_cast<Sum>(widen(in[shape.at(row, i)])));
        results.push_back(reference::reduce(values, reference::identity<Sum>(op),
                                            [op](Sum a, Sum b) { return reference::combine(op, a, b); }));
    }
    return results;
}

TYPED_TEST(ReducePieces, AddToTheOutput) {
    using In = typename TypeParam::in;
    using Sum = typename TypeParam::sum;
    const bool named = named_for<TypeParam>();
    for (const Shape &shape :
         {Shape{0, 2}, Shape{1, 1}, Shape{2, 1}, Shape{33, 1}, Shape{33, 3, false, 5, 3}, Shape{100, 3, true},
          Shape{4095, 1}, Shape{4097, 2, false, 1}, Shape{3, 4099}, Shape{70, 1025, true}, Shape{100003, 1}}) {
        if (shape.span() > (named ? max_n() : std::min<size_t>(max_n(), 20000))) continue;
        const auto in = addends<In, Sum>(shape.span(), shape.n + shape.batch);
        const auto expected = reduced<TypeParam>(shape, in, GP_ADD, Sum(5));
        for (const size_t piece : {shape.n | 1, (shape.n / 3) | 1}) {
            for (const size_t stride : {1, 3}) { // between the results
                for (const char *algorithm : algorithms(GP_REDUCE, named)) {
                    SCOPED_TRACE(shape.text() + ", pieces of " + std::to_string(piece) + ", " + name(algorithm));
                    gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
                    options.algorithm = algorithm;
                    options.accumulate = 1;
                    options.batch = shape.batch;
                    options.stride_in = shape.stride();
                    options.step_in = shape.next();
                    options.stride_out = stride;
                    if constexpr (!std::is_same_v<In, Sum>) options.accumulator = code<Sum>();
                    Guarded<In> source(in);
                    std::vector<Sum> before((shape.batch - 1) * stride + 1, Sum(77)), after = before;
                    for (size_t row = 0; row < shape.batch; ++row) {
                        before[row * stride] = Sum(5);
                        after[row * stride] = expected[row];
                    }
                    Guarded<Sum> out(before);
                    gp_status status = GP_SUCCESS;
                    auto all = pieces(shape.n, piece);
                    if (shape.n == 0) all.emplace_back(0, 0);
                    for (const auto &[begin, count] : all) {
                        status = gp_reduce(context(), code<In>(), count, source.data() + begin * shape.next(),
                                           out.data(), &options);
                        if (status != GP_SUCCESS) break;
                    }
                    if (refused(GP_REDUCE, algorithm, status)) continue;
                    ASSERT_OK(status);
                    ASSERT_TRUE(same_bits(after, out.values()));
                    ASSERT_TRUE(source.intact() && out.intact()) << "a canary was overwritten";
                }
            }
        }
    }
}

TYPED_TEST(ReducePieces, EveryOperatorInBuffers) {
    using In = typename TypeParam::in;
    using Sum = typename TypeParam::sum;
    for (const gp_operator op : kOperators) {
        if (op == GP_MULTIPLY && !std::is_integral_v<Sum>) continue; // products of many small numbers overflow
        const Shape shape{std::min<size_t>(max_n(), 1001), 2, false, 4};
        if (shape.span() > max_n()) continue;
        const auto in = addends<In, Sum>(shape.span(), 3);
        DeviceArray<In> source(in, 3);
        DeviceArray<Sum> out(std::vector<Sum>(2, Sum(3)), 5);
        gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
        options.op = op;
        options.accumulate = 1;
        options.batch = shape.batch;
        options.stride_in = shape.stride();
        if constexpr (!std::is_same_v<In, Sum>) options.accumulator = code<Sum>();
        for (const auto &[begin, count] : pieces(shape.n, 333))
            ASSERT_OK(gp_enqueue_reduce(context(), code<In>(), count, source.buffer(), source.offset() + begin,
                                        out.buffer(), out.offset(), &options, 0, nullptr, nullptr));
        ASSERT_OK(gp_finish(context()));
        ASSERT_TRUE(same_bits(reduced<TypeParam>(shape, in, op, Sum(3)), out.values())) << operator_name(op);
    }
}

// The old value is the first operand of a text that does not commute.
TEST(ReducePiecesText, AffineMaps) {
    if (on_host()) GTEST_SKIP() << "the host takes no operator text";
    const size_t n = std::min<size_t>(max_n(), 5003);
    const auto in = affine_maps(n);
    gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
    options.operator_source = kAffineSource;
    options.operator_identity = kAffineIdentity;
    options.operator_helpers = kAffineHelpers;
    for (const char *algorithm : algorithms(GP_REDUCE)) {
        SCOPED_TRACE(name(algorithm));
        options.algorithm = algorithm;
        uint64_t out = kAffineOne;
        options.accumulate = 1;
        gp_status status = GP_SUCCESS;
        for (const auto &[begin, count] : pieces(n, 999))
            if (status == GP_SUCCESS)
                status = gp_reduce(context(), GP_UINT64, count, in.data() + begin, &out, &options);
        if (refused(GP_REDUCE, algorithm, status)) continue;
        ASSERT_OK(status);
        EXPECT_EQ(reference::reduce(in, kAffineOne, affine), out);
    }
}

TEST(PiecesErrors, AreRefused) {
    const std::vector<uint8_t> in(9, 1);
    for (const int32_t value : {2, -1}) {
        gp_reduce_options reduce = GP_REDUCE_OPTIONS_INIT;
        reduce.accumulate = value;
        reduce.accumulator = GP_INT32;
        int32_t out = 7;
        EXPECT_EQ(GP_ERROR_OPTION, gp_reduce(context(), GP_UINT8, in.size(), in.data(), &out, &reduce));
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), "accumulate")) << gp_error_message();
        EXPECT_EQ(7, out);
        gp_histogram_options histogram = GP_HISTOGRAM_OPTIONS_INIT;
        histogram.accumulate = value;
        std::vector<uint64_t> counts(256, 7);
        EXPECT_EQ(GP_ERROR_OPTION,
                  gp_histogram(context(), GP_UINT8, in.size(), in.data(), 256, counts.data(), &histogram));
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), "accumulate")) << gp_error_message();
        EXPECT_EQ(std::vector<uint64_t>(256, 7), counts);
    }
    gp_reduce_options reduce = GP_REDUCE_OPTIONS_INIT;
    reduce.reserved3 = 1;
    int32_t one = 1, out = 7;
    EXPECT_EQ(GP_ERROR_OPTION, gp_reduce(context(), GP_INT32, 1, &one, &out, &reduce));
    EXPECT_EQ(7, out);
}

// ---- histogram

template <class T> void check_histogram(gp_dtype type, const std::vector<T> &in, size_t bins, double lower,
                                        double upper, const std::vector<uint64_t> &counted) {
    if (loses_turns(in.size(), bins)) return;
    for (const char *algorithm : algorithms(GP_HISTOGRAM)) {
        for (const size_t piece : {in.size() | 1, (in.size() / 3) | 1}) {
            SCOPED_TRACE(std::string(gp_dtype_name(type)) + ", n = " + std::to_string(in.size()) + ", bins = " +
                         std::to_string(bins) + ", pieces of " + std::to_string(piece) + ", " + name(algorithm));
            std::vector<uint64_t> before(bins), after = counted;
            for (size_t b = 0; b < bins; ++b) before[b] = (uint64_t(1) << 40) + b, after[b] += before[b];
            gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
            options.algorithm = algorithm;
            options.accumulate = 1;
            options.lower = lower;
            options.upper = upper;
            Guarded<uint64_t> counts(before);
            auto all = pieces(in.size(), piece);
            all.emplace_back(0, 0); // a piece without elements
            gp_status status = GP_SUCCESS;
            for (const auto &[begin, count] : all) {
                status = gp_histogram(context(), type, count, in.data() + begin, bins, counts.data(), &options);
                if (status != GP_SUCCESS) break;
            }
            if (refused(GP_HISTOGRAM, algorithm, status)) continue;
            ASSERT_OK(status);
            ASSERT_TRUE(same_bits(after, counts.values()) && counts.intact());

            DeviceArray<T> source(in, 3);
            DeviceArray<uint64_t> there(before, 5);
            for (const auto &[begin, count] : all)
                ASSERT_OK(gp_enqueue_histogram(context(), type, count, source.buffer(), source.offset() + begin, bins,
                                               there.buffer(), there.offset(), &options, 0, nullptr, nullptr));
            ASSERT_OK(gp_finish(context()));
            ASSERT_TRUE(same_bits(after, there.values()));
        }
    }
}

TEST(HistogramPieces, AddToTheCounts) {
    std::mt19937_64 random(1);
    for (const size_t n : {size_t(1), size_t(2), size_t(33), size_t(4097), size_t(70001)}) {
        if (n > max_n()) continue;
        std::vector<uint8_t> bytes(n);
        std::vector<float> reals(n);
        for (uint8_t &x : bytes) x = static_cast<uint8_t>(random());
        for (float &x : reals) x = std::uniform_real_distribution<float>(-0.2f, 1.2f)(random);
        check_histogram<uint8_t>(GP_UINT8, bytes, 256, 0, 0, reference::histogram(bytes, 256));
        for (const size_t bins : {size_t(3), size_t(max_n() > 100 || all_types() ? 5000 : 300)})
            check_histogram<float>(GP_FLOAT32, reals, bins, 0, 1,
                                   reference::histogram(reals, reference::even_edges<float>(bins, 0, 1)));
        // No element can be counted: bins past the type.
        check_histogram<uint8_t>(GP_UINT8, bytes, 4, 300, 304, std::vector<uint64_t>(4));
    }
}

// ---- recurrence

template <class T> class RecurrencePieces : public RunningTest<T> {};
TYPED_TEST_SUITE(RecurrencePieces, RealTypes, TypeNames);

// Rows of whole numbers, exact in any order, by pieces whose states go on in host memory and in
// buffers.
template <class T> struct Rows {
    size_t n, batch, order, gap;
    bool reverse, varying;
    std::vector<T> in, a, initial, last, before, expected; // `a`: coefficients that vary
    std::vector<T> c;

    Rows(size_t n, size_t batch, size_t order, size_t gap, bool reverse, bool varying)
        : n(n), batch(batch), order(order), gap(gap), reverse(reverse), varying(varying), in(batch * stride()),
          a(batch * stride()), initial(batch * order), last(initial), before(batch * stride(), T(77)), expected(before),
          c(order, T(-1)) {
        std::mt19937_64 random(n + order);
        for (auto *values : {&in, &initial})
            for (T &x : *values) x = static_cast<T>(static_cast<int>(random() % 7) - 3);
        for (T &x : a) x = static_cast<T>(static_cast<int>(random() % 3) - 1);
        for (size_t row = 0; row < batch; ++row) {
            const auto part = [&](const std::vector<T> &all) {
                const auto first = all.begin() + static_cast<std::ptrdiff_t>(row * stride());
                std::vector<T> values(first, first + static_cast<std::ptrdiff_t>(n));
                if (reverse) std::reverse(values.begin(), values.end());
                return values;
            };
            const auto first = initial.begin() + static_cast<std::ptrdiff_t>(row * order);
            const std::vector<T> state(first, first + static_cast<std::ptrdiff_t>(order));
            const auto y = varying ? reference::recurrence_varying(part(a), part(in), state[0])
                                   : reference::recurrence(part(in), c, state);
            for (size_t j = 0; j < order; ++j) last[row * order + j] = j < n ? y[n - 1 - j] : state[j - n];
            for (size_t t = 0; t < n; ++t) expected[row * stride() + (reverse ? n - 1 - t : t)] = y[t];
        }
    }
    size_t stride() const { return n + gap; }
    std::string text() const {
        return std::to_string(batch) + " rows of " + std::to_string(n) + ", order " + std::to_string(order) +
               (reverse ? ", reverse" : ", forward") + (varying ? ", varying" : "");
    }
    gp_recurrence_options options(const char *algorithm) const {
        gp_recurrence_options o = GP_RECURRENCE_OPTIONS_INIT;
        o.algorithm = algorithm;
        o.batch = batch;
        o.stride_in = o.stride_out = stride();
        if (varying) o.stride_coefficients = stride();
        o.direction = reverse ? GP_REVERSE : GP_FORWARD;
        return o;
    }
};

template <class T> void check_recurrence(const Rows<T> &rows, size_t piece, bool named) {
    if (rows.in.size() > max_n()) return;
    const gp_operation operation = rows.varying ? GP_RECURRENCE_VARYING : GP_RECURRENCE;
    auto all = pieces(rows.n, piece);
    all.emplace_back(rows.n, 0); // which hands the states on
    for (auto &[begin, count] : all)
        if (rows.reverse) begin = rows.n - begin - count;
    for (const char *algorithm : algorithms(operation, named)) {
        if (testing::Test::HasFatalFailure()) return;
        SCOPED_TRACE(rows.text() + ", pieces of " + std::to_string(piece) + ", " + name(algorithm));
        Guarded<T> in(rows.in), out(rows.before), a(rows.a), state(rows.initial);
        gp_status status = GP_SUCCESS;
        for (const auto &[begin, count] : all) {
            gp_recurrence_options options = rows.options(algorithm);
            options.initial = options.final_state = state.data();
            status = rows.varying ? gp_recurrence_varying(context(), dtype<T>(), count, a.data() + begin,
                                                          in.data() + begin, out.data() + begin, &options)
                                  : gp_recurrence(context(), dtype<T>(), count, in.data() + begin, out.data() + begin,
                                                  rows.order, rows.c.data(), &options);
            if (status != GP_SUCCESS) break;
        }
        if (refused(rows.varying ? GP_RECURRENCE_VARYING : GP_RECURRENCE, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_TRUE(same_bits(rows.expected, out.values()) && same_bits(rows.last, state.values()));
        ASSERT_TRUE(in.intact() && out.intact() && a.intact() && state.intact()) << "a canary was overwritten";

        for (const bool in_turns : {false, true}) { // one state, or two
            DeviceArray<T> source(rows.in, 3), target(rows.before, 5), varying(rows.a, 2), one(rows.initial, 7),
                other(rows.initial, 1);
            const DeviceArray<T> *from = &one, *to = in_turns ? &other : &one;
            for (const auto &[begin, count] : all) {
                gp_recurrence_options options = rows.options(algorithm);
                options.initial_buffer = from->buffer();
                options.initial_offset = from->offset();
                options.final_buffer = to->buffer();
                options.final_offset = to->offset();
                if (rows.varying)
                    status = gp_enqueue_recurrence_varying(context(), dtype<T>(), count, varying.buffer(),
                                                           varying.offset() + begin, source.buffer(),
                                                           source.offset() + begin, target.buffer(),
                                                           target.offset() + begin, &options, 0, nullptr, nullptr);
                else
                    status = gp_enqueue_recurrence(context(), dtype<T>(), count, source.buffer(),
                                                   source.offset() + begin, target.buffer(), target.offset() + begin,
                                                   rows.order, rows.c.data(), &options, 0, nullptr, nullptr);
                ASSERT_OK(status);
                std::swap(from, to);
            }
            ASSERT_OK(gp_finish(context()));
            ASSERT_TRUE(same_bits(rows.expected, target.values()) && same_bits(rows.last, from->values()));
            one.values();
            other.values(); // their canaries
        }
    }
}

TYPED_TEST(RecurrencePieces, StatesGoOn) {
    for (const size_t order : {1, 2, 3, 8})
        for (const bool reverse : {false, true}) {
            const bool named = thorough() || order == 2;
            for (const size_t piece : {1, 3, 7, 33, 1025})
                check_recurrence(Rows<TypeParam>(2 * piece + piece / 2, 1, order, 0, reverse, false), piece, named);
            check_recurrence(Rows<TypeParam>(std::min<size_t>(max_n() / 4, 501), 3, order, 2, reverse, false), 201,
                             named);
            check_recurrence(Rows<TypeParam>(std::min<size_t>(max_n(), 40009), 1, order, 0, reverse, false), 16385,
                             named);
            check_recurrence(Rows<TypeParam>(0, 3, order, 0, reverse, false), 1, named);
        }
}

TYPED_TEST(RecurrencePieces, VaryingStatesGoOn) {
    for (const bool reverse : {false, true}) {
        for (const size_t piece : {1, 3, 33, 1025})
            check_recurrence(Rows<TypeParam>(2 * piece + piece / 2, 1, 1, 0, reverse, true), piece, true);
        check_recurrence(Rows<TypeParam>(std::min<size_t>(max_n() / 4, 501), 3, 1, 2, reverse, true), 201, true);
        check_recurrence(Rows<TypeParam>(std::min<size_t>(max_n(), 40009), 1, 1, 0, reverse, true), 16385, true);
    }
}

// A filter of reals by pieces stays as near to the exact values as the whole may be.
TYPED_TEST(RecurrencePieces, RealsStayWithinTheBound) {
    using W = reference::Wide<TypeParam>;
    const size_t n = std::min<size_t>(max_n(), 10007);
    const auto x = real_values<TypeParam>(n);
    const std::vector<TypeParam> c = {TypeParam(1.2), TypeParam(-0.5)};
    const auto exact = reference::recurrence(widen(x), widen(c), std::vector<W>(2));
    const auto bounds = reference::recurrence_bounds(widen(x), widen(c), std::vector<W>(2),
                                                     W(std::numeric_limits<TypeParam>::epsilon()));
    for (const char *algorithm : algorithms(GP_RECURRENCE)) {
        std::vector<TypeParam> y(n), state(2);
        gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
        options.algorithm = algorithm;
        options.initial = options.final_state = state.data();
        gp_status status = GP_SUCCESS;
        for (const auto &[begin, count] : pieces(n, 997))
            if (status == GP_SUCCESS)
                status = gp_recurrence(context(), dtype<TypeParam>(), count, x.data() + begin, y.data() + begin, 2,
                                       c.data(), &options);
        if (refused(GP_RECURRENCE, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_TRUE(close_to<TypeParam>(exact, y, bounds)) << name(algorithm);
    }
}

TEST(RecurrencePiecesErrors, AreRefused) {
    const std::vector<float> in(20, 1), c = {1, 1};
    DeviceArray<float> source(in), target(in), small(std::vector<float>(2));
    std::vector<float> out(20, 7), state(2);
    gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
    const auto refused = [&](gp_status expected, const char *word, bool in_buffers, const auto &set) {
        options = GP_RECURRENCE_OPTIONS_INIT;
        set();
        const gp_status status =
            in_buffers ? gp_enqueue_recurrence(context(), GP_FLOAT32, 20, source.buffer(), 3, target.buffer(), 3, 2,
                                               c.data(), &options, 0, nullptr, nullptr)
                       : gp_recurrence(context(), GP_FLOAT32, 20, in.data(), out.data(), 2, c.data(), &options);
        EXPECT_EQ(expected, status) << word;
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), word)) << gp_error_message();
        EXPECT_EQ(std::vector<float>(20, 7), out);
        EXPECT_TRUE(same_bits(in, target.values()) && same_bits(std::vector<float>(2), small.values()));
    };
    refused(GP_ERROR_OPTION, "initial_buffer", false, [&] { options.initial_buffer = small.buffer(); });
    refused(GP_ERROR_OPTION, "final_buffer", false, [&] { options.final_buffer = small.buffer(); });
    refused(GP_ERROR_OPTION, "final_state", true, [&] { options.final_state = state.data(); });
    const auto odd = [&] { return reinterpret_cast<char *>(state.data()) + 1; };
    refused(GP_ERROR_ALIGNMENT, "options->initial is", false, [&] { options.initial = odd(); });
    refused(GP_ERROR_ALIGNMENT, "options->final_state is", false, [&] { options.final_state = odd(); });
    refused(GP_ERROR_OPTION, "initial_offset", true, [&] { options.initial_offset = 1; });
    refused(GP_ERROR_OPTION, "final_offset", true, [&] { options.final_offset = 1; });
    refused(GP_ERROR_OPTION, "both", true, [&] {
        options.initial = state.data();
        options.initial_buffer = small.buffer();
    });
    refused(GP_ERROR_OUT_OF_BOUNDS, "initial_buffer", true, [&] {
        options.initial_buffer = small.buffer();
        options.initial_offset = 7;
    });
    refused(GP_ERROR_OUT_OF_BOUNDS, "final_buffer", true, [&] {
        options.final_buffer = small.buffer();
        options.final_offset = 7;
    });
    refused(GP_ERROR_OVERLAP, "initial_buffer", true, [&] {
        options.initial_buffer = target.buffer();
        options.initial_offset = 3;
    });
    refused(GP_ERROR_OVERLAP, "final_buffer", true, [&] {
        options.final_buffer = source.buffer();
        options.final_offset = 22;
    });
    refused(GP_ERROR_OVERLAP, "initial_buffer and final_buffer", true, [&] {
        options.initial_buffer = options.final_buffer = small.buffer();
        options.initial_offset = 3;
        options.final_offset = 4;
    });
}

} // namespace
