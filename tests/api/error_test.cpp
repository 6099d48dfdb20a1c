// Bad input: each has its own status and a message that names the function and the argument;
// nothing is written, and the context works afterwards.
// SPDX-License-Identifier: MIT
#include "support/support.h"

#include <cstddef>
#include <functional>
#include <numeric>
#include <regex>
#include <thread>

namespace {

bool has_word(const std::string &text, const std::string &word) {
    return std::regex_search(text, std::regex("(^|[^A-Za-z0-9_])" + word + "($|[^A-Za-z0-9_])"));
}

class Errors : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_OK(gp_buffer_create(context_, kBytes, &buffer_));
        ASSERT_OK(gp_buffer_create(context_, kBytes, &second_));
        ASSERT_OK(gp_buffer_create(context_, kBytes, &third_));
        clear();
    }
    void TearDown() override {
        EXPECT_OK(gp_buffer_free(buffer_));
        EXPECT_OK(gp_buffer_free(second_));
        EXPECT_OK(gp_buffer_free(third_));
    }

    void clear() {
        const unsigned char canary = 0xa5;
        for (gp_buffer *buffer : {buffer_, second_, third_}) {
            ASSERT_OK(gp_buffer_fill(buffer, 0, kBytes, &canary, 1));
        }
        in_ = out_ = matrix_ = test::Guarded<int32_t>(kN);
    }

    // The call is refused with that status; its message names the function and the argument.
    void refused(gp_status expected, const std::string &function, const std::string &argument,
                 const std::function<gp_status()> &call) {
        SCOPED_TRACE(function + ", " + argument);
        const gp_status status = call();
        const std::string message = gp_error_message();
        EXPECT_EQ(expected, status) << "expected " << gp_status_name(expected) << ", got " << gp_status_name(status)
                                    << ": " << message;
        EXPECT_TRUE(has_word(message, function)) << message;
        EXPECT_TRUE(has_word(message, argument)) << message;
        EXPECT_STREQ("", gp_error_build_log());
        EXPECT_TRUE(in_.untouched() && out_.untouched() && matrix_.untouched()) << "host memory was written";
        for (gp_buffer *buffer : {buffer_, second_, third_}) {
            std::vector<unsigned char> bytes(kBytes);
            ASSERT_OK(gp_buffer_read(buffer, 0, kBytes, bytes.data()));
            EXPECT_EQ(std::vector<unsigned char>(kBytes, 0xa5), bytes) << "a buffer was written";
        }
        works();
    }

    // The context still computes, and success clears the error.
    void works() {
        const std::vector<int32_t> in = {3, 1, 2};
        std::vector<int32_t> out(3);
        EXPECT_OK(gp_scan(context_, GP_INT32, 3, in.data(), out.data(), nullptr));
        EXPECT_EQ((std::vector<int32_t>{3, 4, 6}), out);
        EXPECT_STREQ("", gp_error_message());
        EXPECT_STREQ("", gp_error_build_log());
        EXPECT_EQ(0, gp_error_opencl());
    }

    // The operations with good arguments but for those that the test changes.
    gp_status matmul(const gp_matmul_options *options, size_t lda = 4, size_t ldb = 4, size_t ldc = 4, size_t m = 4,
                     size_t n = 4, size_t k = 4, gp_dtype dtype = GP_INT32) {
        return gp_matmul(context_, dtype, m, n, k, in_.data(), lda, matrix_.data(), ldb, out_.data(), ldc, options);
    }
    gp_status enqueue_matmul(const gp_matmul_options *options, size_t a_offset = 0, size_t b_offset = 0,
                             size_t c_offset = 0, size_t ldc = 4) {
        return gp_enqueue_matmul(context_, GP_INT32, 4, 4, 4, buffer_, a_offset, 4, second_, b_offset, 4, third_,
                                 c_offset, ldc, options, 0, nullptr, nullptr);
    }
    gp_status scan(const gp_scan_options *options, gp_dtype dtype = GP_INT32, size_t n = kN) {
        return gp_scan(context_, dtype, n, in_.data(), out_.data(), options);
    }
    gp_status reduce(const gp_reduce_options *options, gp_dtype dtype = GP_INT32, size_t n = kN) {
        return gp_reduce(context_, dtype, n, in_.data(), out_.data(), options);
    }
    gp_status sort(const gp_sort_options *options, gp_dtype dtype = GP_INT32, size_t n = kN) {
        return gp_sort(context_, dtype, n, in_.data(), options);
    }

    gp_status histogram(const gp_histogram_options *options, gp_dtype dtype = GP_UINT8, size_t bins = 256) {
        static uint64_t counts[256];
        return gp_histogram(context_, dtype, kN, in_.data(), bins, counts, options);
    }
    gp_status recurrence(const gp_recurrence_options *options, gp_dtype dtype = GP_FLOAT32, size_t order = 2,
                         size_t n = 8) {
        static const double coefficients[8] = {0.5};
        return gp_recurrence(context_, dtype, n, in_.data(), out_.data(), order, coefficients, options);
    }

    static constexpr size_t kN = 64;
    static constexpr size_t kBytes = sizeof(int32_t) * kN;
    gp_context *context_ = test::context();
    gp_buffer *buffer_ = nullptr, *second_ = nullptr, *third_ = nullptr;
    test::Guarded<int32_t> in_{kN}, out_{kN}, matrix_{kN};
};

TEST_F(Errors, NullPointers) {
    const auto expect = [&](const char *function, const char *argument, const std::function<gp_status()> &call) {
        refused(GP_ERROR_NULL_POINTER, function, argument, call);
    };
    expect("gp_matmul", "context", [&] {
        return gp_matmul(nullptr, GP_INT32, 4, 4, 4, in_.data(), 4, in_.data(), 4, out_.data(), 4, nullptr);
    });
    expect("gp_matmul", "a",
           [&] { return gp_matmul(context_, GP_INT32, 4, 4, 4, nullptr, 4, in_.data(), 4, out_.data(), 4, nullptr); });
    expect("gp_matmul", "b",
           [&] { return gp_matmul(context_, GP_INT32, 4, 4, 4, in_.data(), 4, nullptr, 4, out_.data(), 4, nullptr); });
    expect("gp_matmul", "c",
           [&] { return gp_matmul(context_, GP_INT32, 4, 4, 4, in_.data(), 4, in_.data(), 4, nullptr, 4, nullptr); });
    expect("gp_scan", "context", [&] { return gp_scan(nullptr, GP_INT32, 4, in_.data(), out_.data(), nullptr); });
    expect("gp_scan", "in", [&] { return gp_scan(context_, GP_INT32, 4, nullptr, out_.data(), nullptr); });
    expect("gp_scan", "out", [&] { return gp_scan(context_, GP_INT32, 4, in_.data(), nullptr, nullptr); });
    expect("gp_reduce", "context", [&] { return gp_reduce(nullptr, GP_INT32, 4, in_.data(), out_.data(), nullptr); });
    expect("gp_reduce", "in", [&] { return gp_reduce(context_, GP_INT32, 4, nullptr, out_.data(), nullptr); });
    expect("gp_reduce", "out", [&] { return gp_reduce(context_, GP_INT32, 4, in_.data(), nullptr, nullptr); });
    expect("gp_reduce", "out", [&] { return gp_reduce(context_, GP_INT32, 0, in_.data(), nullptr, nullptr); });
    expect("gp_sort", "context", [&] { return gp_sort(nullptr, GP_INT32, 4, in_.data(), nullptr); });
    expect("gp_sort", "keys", [&] { return gp_sort(context_, GP_INT32, 4, nullptr, nullptr); });
    expect("gp_sort_pairs", "keys",
           [&] { return gp_sort_pairs(context_, GP_INT32, 4, nullptr, 4, out_.data(), nullptr); });
    expect("gp_sort_pairs", "values",
           [&] { return gp_sort_pairs(context_, GP_INT32, 4, in_.data(), 4, nullptr, nullptr); });
    expect("gp_argsort", "keys",
           [&] { return gp_argsort(context_, GP_INT32, 4, nullptr, GP_UINT32, out_.data(), nullptr); });
    expect("gp_argsort", "indices",
           [&] { return gp_argsort(context_, GP_INT32, 4, in_.data(), GP_UINT32, nullptr, nullptr); });

    uint64_t counts[256];
    const float coefficient = 0.5f;
    expect("gp_histogram", "context",
           [&] { return gp_histogram(nullptr, GP_UINT8, 4, in_.data(), 256, counts, nullptr); });
    expect("gp_histogram", "in", [&] { return gp_histogram(context_, GP_UINT8, 4, nullptr, 256, counts, nullptr); });
    expect("gp_histogram", "counts",
           [&] { return gp_histogram(context_, GP_UINT8, 0, in_.data(), 256, nullptr, nullptr); });
    expect("gp_recurrence", "context",
           [&] { return gp_recurrence(nullptr, GP_FLOAT32, 4, in_.data(), out_.data(), 1, &coefficient, nullptr); });
    expect("gp_recurrence", "out",
           [&] { return gp_recurrence(context_, GP_FLOAT32, 4, in_.data(), nullptr, 1, &coefficient, nullptr); });
    expect("gp_recurrence", "coefficients",
           [&] { return gp_recurrence(context_, GP_FLOAT32, 4, in_.data(), out_.data(), 1, nullptr, nullptr); });
    expect("gp_enqueue_histogram", "in", [&] {
        return gp_enqueue_histogram(context_, GP_UINT8, 4, nullptr, 0, 256, buffer_, 0, nullptr, 0, nullptr, nullptr);
    });
    expect("gp_enqueue_histogram", "counts", [&] {
        return gp_enqueue_histogram(context_, GP_UINT8, 4, buffer_, 0, 256, nullptr, 0, nullptr, 0, nullptr, nullptr);
    });
    expect("gp_enqueue_recurrence", "out", [&] {
        return gp_enqueue_recurrence(context_, GP_FLOAT32, 4, buffer_, 0, nullptr, 0, 1, &coefficient, nullptr, 0,
                                     nullptr, nullptr);
    });

    expect("gp_enqueue_matmul", "c", [&] {
        return gp_enqueue_matmul(context_, GP_INT32, 4, 4, 4, buffer_, 0, 4, second_, 0, 4, nullptr, 0, 4, nullptr, 0,
                                 nullptr, nullptr);
    });
    expect("gp_enqueue_scan", "in", [&] {
        return gp_enqueue_scan(context_, GP_INT32, 4, nullptr, 0, buffer_, 0, nullptr, 0, nullptr, nullptr);
    });
    expect("gp_enqueue_reduce", "out", [&] {
        return gp_enqueue_reduce(context_, GP_INT32, 4, buffer_, 0, nullptr, 0, nullptr, 0, nullptr, nullptr);
    });
    expect("gp_enqueue_sort", "keys",
           [&] { return gp_enqueue_sort(context_, GP_INT32, 4, nullptr, 0, nullptr, 0, nullptr, nullptr); });
    expect("gp_enqueue_sort_pairs", "values", [&] {
        return gp_enqueue_sort_pairs(context_, GP_INT32, 4, buffer_, 0, 4, nullptr, 0, nullptr, 0, nullptr, nullptr);
    });
    expect("gp_enqueue_argsort", "indices", [&] {
        return gp_enqueue_argsort(context_, GP_INT32, 4, buffer_, 0, GP_UINT32, nullptr, 0, nullptr, 0, nullptr,
                                  nullptr);
    });
    expect("gp_buffer_create", "buffer", [&] { return gp_buffer_create(context_, 4, nullptr); });
    gp_buffer *made = nullptr;
    expect("gp_buffer_create", "context", [&] { return gp_buffer_create(nullptr, 4, &made); });
    expect("gp_buffer_write", "source", [&] { return gp_buffer_write(buffer_, 0, 4, nullptr); });
    expect("gp_buffer_write", "buffer", [&] { return gp_buffer_write(nullptr, 0, 4, in_.data()); });
    expect("gp_buffer_read", "destination", [&] { return gp_buffer_read(buffer_, 0, 4, nullptr); });
    expect("gp_buffer_copy", "source", [&] { return gp_buffer_copy(nullptr, 0, buffer_, 0, 4); });
    expect("gp_buffer_copy", "destination", [&] { return gp_buffer_copy(buffer_, 0, nullptr, 0, 4); });
    expect("gp_buffer_fill", "pattern", [&] { return gp_buffer_fill(buffer_, 0, 4, nullptr, 1); });
    expect("gp_buffer_bytes", "bytes", [&] { return gp_buffer_bytes(buffer_, nullptr); });
    expect("gp_finish", "context", [] { return gp_finish(nullptr); });
    expect("gp_flush", "context", [] { return gp_flush(nullptr); });
    expect("gp_trim", "context", [] { return gp_trim(nullptr); });
    expect("gp_host_register", "context", [&] { return gp_host_register(nullptr, out_.data(), 4); });
    expect("gp_host_unregister", "context", [&] { return gp_host_unregister(nullptr, out_.data()); });
    expect("gp_profile", "context", [] { return gp_profile(nullptr, 1); });
    expect("gp_warmup", "context", [] { return gp_warmup(nullptr, GP_SCAN, GP_INT32); });
    expect("gp_prove", "context", [] { return gp_prove(nullptr, GP_SCAN, 0, GP_INT32, 0); });
}

TEST_F(Errors, UnknownTypes) {
    for (const gp_dtype dtype : {0, -1, 13, 1000}) {
        const auto expect = [&](const char *function, const std::function<gp_status()> &call) {
            refused(GP_ERROR_DTYPE, function, "dtype", call);
            EXPECT_EQ(GP_ERROR_DTYPE, call());
            EXPECT_TRUE(has_word(gp_error_message(), std::to_string(dtype))) << gp_error_message();
        };
        expect("gp_matmul", [&] { return matmul(nullptr, 4, 4, 4, 4, 4, 4, dtype); });
        expect("gp_scan", [&] { return scan(nullptr, dtype); });
        expect("gp_reduce", [&] { return reduce(nullptr, dtype); });
        expect("gp_sort", [&] { return sort(nullptr, dtype); });
        expect("gp_warmup", [&] { return gp_warmup(context_, GP_SORT, dtype); });
        expect("gp_histogram", [&] { return histogram(nullptr, dtype); });
        expect("gp_recurrence", [&] { return recurrence(nullptr, dtype); });
    }
    for (const gp_dtype dtype : {GP_INT8, GP_UINT16, GP_FLOAT16}) {
        refused(GP_ERROR_DTYPE, "gp_scan", "dtype", [&] { return scan(nullptr, dtype); });
        refused(GP_ERROR_DTYPE, "gp_reduce", "dtype", [&] { return reduce(nullptr, dtype); });
        refused(GP_ERROR_DTYPE, "gp_recurrence", "dtype", [&] { return recurrence(nullptr, dtype); });
    }
    for (const gp_dtype dtype : {GP_INT64, GP_UINT16, GP_UINT32}) {
        refused(GP_ERROR_DTYPE, "gp_matmul", "dtype", [&] { return matmul(nullptr, 4, 4, 4, 4, 4, 4, dtype); });
    }
    refused(GP_ERROR_DTYPE, "gp_sort", "dtype", [&] { return sort(nullptr, GP_FLOAT16); });
    for (const gp_dtype index : std::vector<gp_dtype>{0, GP_INT32, GP_INT64, GP_FLOAT32}) {
        refused(GP_ERROR_DTYPE, "gp_argsort", "index",
                [&] { return gp_argsort(context_, GP_INT32, 4, in_.data(), index, out_.data(), nullptr); });
    }
    // The message says what to do instead, once.
    const auto said = [&](const char *words) {
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), words)) << gp_error_message();
    };
    EXPECT_EQ(GP_ERROR_DTYPE, scan(nullptr, GP_UINT8));
    said("options->accumulator");
    EXPECT_EQ(GP_ERROR_DTYPE, reduce(nullptr, GP_UINT8));
    said("options->accumulator");
    const double edges[] = {0, 1};
    gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
    options.edges = edges;
    options.edges_dtype = GP_INT8;
    EXPECT_EQ(GP_ERROR_DTYPE, histogram(&options, GP_FLOAT64, 1));
    said("expected float64");
    EXPECT_EQ(GP_ERROR_DTYPE, histogram(&options, GP_FLOAT32, 1));
    said("expected one of float64, float32");
    EXPECT_EQ(0u, gp_dtype_size(13));
    EXPECT_EQ(2u, gp_dtype_size(GP_BFLOAT16));
    EXPECT_STREQ("bfloat16", gp_dtype_name(GP_BFLOAT16));
    EXPECT_STREQ("unknown", gp_dtype_name(0));
}

// bfloat16 is for products, and for what moves elements by their size.
TEST_F(Errors, BfloatsElsewhere) {
    const std::vector<uint16_t> in(4, 0x3f80);
    std::vector<uint16_t> out(4, 7);
    const auto said = [](gp_status status) {
        EXPECT_EQ(GP_ERROR_DTYPE, status);
        EXPECT_NE(std::string::npos, std::string(gp_error_message()).find("is bfloat16; expected one of"))
            << gp_error_message();
    };
    for (const gp_operation operation : test::operations())
        if (operation != GP_MATMUL && operation != GP_GATHER && operation != GP_TRANSPOSE_MATRIX &&
            operation != GP_REPEAT)
            said(gp_warmup(test::context(), operation, GP_BFLOAT16));
    said(gp_sort(test::context(), GP_BFLOAT16, 4, out.data(), nullptr));
    said(gp_scan(test::context(), GP_BFLOAT16, 4, in.data(), out.data(), nullptr));
    said(gp_reduce(test::context(), GP_BFLOAT16, 4, in.data(), out.data(), nullptr));
    EXPECT_EQ(std::vector<uint16_t>(4, 7), out);
}

TEST_F(Errors, ATypeThatTheDeviceLacks) {
    if (!test::lacks(GP_FLOAT64)) GTEST_SKIP() << "this device has float64";
    const std::vector<double> in(4, 1);
    std::vector<double> out(4, 7);
    refused(GP_ERROR_UNSUPPORTED_TYPE, "gp_scan", "dtype",
            [&] { return gp_scan(context_, GP_FLOAT64, 4, in.data(), out.data(), nullptr); });
    refused(GP_ERROR_UNSUPPORTED_TYPE, "gp_reduce", "dtype",
            [&] { return gp_reduce(context_, GP_FLOAT64, 4, in.data(), out.data(), nullptr); });
    refused(GP_ERROR_UNSUPPORTED_TYPE, "gp_matmul", "dtype", [&] {
        return gp_matmul(context_, GP_FLOAT64, 2, 2, 2, in.data(), 2, in.data(), 2, out.data(), 2, nullptr);
    });
    refused(GP_ERROR_UNSUPPORTED_TYPE, "gp_recurrence", "dtype",
            [&] { return gp_recurrence(context_, GP_FLOAT64, 4, in.data(), out.data(), 1, in.data(), nullptr); });
    refused(GP_ERROR_UNSUPPORTED_TYPE, "gp_enqueue_recurrence", "dtype", [&] {
        return gp_enqueue_recurrence(context_, GP_FLOAT64, 4, buffer_, 0, second_, 0, 1, in.data(), nullptr, 0, nullptr,
                                     nullptr);
    });
    refused(GP_ERROR_UNSUPPORTED_TYPE, "gp_difference", "dtype",
            [&] { return gp_difference(context_, GP_FLOAT64, 4, in.data(), out.data(), nullptr); });
    refused(GP_ERROR_UNSUPPORTED_TYPE, "gp_paths", "dtype",
            [&] { return gp_paths(context_, GP_FLOAT64, 2, in.data(), 2, out.data(), 2, nullptr, 0, nullptr); });
    refused(GP_ERROR_UNSUPPORTED_TYPE, "gp_transform", "dtype", [&] {
        const gp_dtype type = GP_FLOAT32;
        const void *const from = in.data();
        return gp_transform(context_, 4, 1, &type, &from, GP_FLOAT64, out.data(), "x0", nullptr);
    });
    EXPECT_EQ(std::vector<double>(4, 7), out);
    std::vector<double> keys = {2.5, -1, 0};
    EXPECT_OK(gp_sort(context_, GP_FLOAT64, 3, keys.data(), nullptr)) << "sorting needs no arithmetic";
    EXPECT_EQ((std::vector<double>{-1, 0, 2.5}), keys);
}

TEST_F(Errors, UnknownOperatorsSemiringsAndOptions) {
    for (const int32_t bad : {-1, 4, 99}) {
        gp_scan_options scan_options = GP_SCAN_OPTIONS_INIT;
        scan_options.op = bad;
        refused(GP_ERROR_OPERATOR, "gp_scan", "op", [&] { return scan(&scan_options); });
        gp_reduce_options reduce_options = GP_REDUCE_OPTIONS_INIT;
        reduce_options.op = bad;
        refused(GP_ERROR_OPERATOR, "gp_reduce", "op", [&] { return reduce(&reduce_options); });
    }
    const auto scan_option = [&](const char *member, auto set) {
        gp_scan_options options = GP_SCAN_OPTIONS_INIT;
        set(options);
        refused(GP_ERROR_OPTION, "gp_scan", member, [&] { return scan(&options); });
    };
    scan_option("kind", [](gp_scan_options &options) { options.kind = 2; });
    scan_option("direction", [](gp_scan_options &options) { options.direction = -1; });
    gp_sort_options sort_options = GP_SORT_OPTIONS_INIT;
    sort_options.order = 2;
    refused(GP_ERROR_OPTION, "gp_sort", "order", [&] { return sort(&sort_options); });
    gp_matmul_options matmul_options = GP_MATMUL_OPTIONS_INIT;
    matmul_options.semiring = 5;
    refused(GP_ERROR_SEMIRING, "gp_matmul", "semiring", [&] { return matmul(&matmul_options); });
    const auto matmul_option = [&](const char *member, auto set) {
        gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
        set(options);
        refused(GP_ERROR_OPTION, "gp_matmul", member, [&] { return matmul(&options); });
    };
    matmul_option("layout", [](gp_matmul_options &options) { options.layout = 2; });
    matmul_option("transpose_a", [](gp_matmul_options &options) { options.transpose_a = 2; });
    matmul_option("transpose_b", [](gp_matmul_options &options) { options.transpose_b = -1; });
    matmul_option("transpose_c", [](gp_matmul_options &options) { options.transpose_c = 2; });
    matmul_option("activation", [](gp_matmul_options &options) { options.activation = 5; });
    matmul_option("bias_by", [](gp_matmul_options &options) { options.bias_by = -1; });
    matmul_option("precision", [](gp_matmul_options &options) { options.precision = 7; });
    refused(GP_ERROR_OPTION, "gp_profile", "enabled", [&] { return gp_profile(context_, 2); });
    refused(GP_ERROR_INDEX, "gp_prove", "index", [&] { return gp_prove(context_, GP_SCAN, 1000, GP_INT32, 0); });
    refused(GP_ERROR_DTYPE, "gp_prove", "dtype", [&] { return gp_prove(context_, GP_SCAN, 0, 0, 0); });
    refused(GP_ERROR_OPTION, "gp_prove", "now", [&] { return gp_prove(context_, GP_SCAN, 0, GP_INT32, 2); });
}

// What would go unheard is refused.
TEST_F(Errors, MembersWithoutMeaning) {
    const auto expect = [&](const char *function, const char *member, auto options, const auto &set, const auto &call) {
        set(options);
        refused(GP_ERROR_OPTION, function, member, [&] { return call(&options); });
    };
    const auto reserved = [](auto &options) { options.reserved = 1; };
    const auto reserved2 = [](auto &options) { options.reserved2 = -1; };
    const auto helpers = [](auto &options) { options.operator_helpers = "int f(int x) { return x; }"; };
    const gp_matmul_options matmul_options = GP_MATMUL_OPTIONS_INIT;
    const auto matmul_call = [&](const gp_matmul_options *options) { return matmul(options); };
    expect("gp_matmul", "reserved", matmul_options, reserved, matmul_call);
    const gp_scan_options scan_options = GP_SCAN_OPTIONS_INIT;
    const auto scan_call = [&](const gp_scan_options *options) { return scan(options); };
    expect("gp_scan", "reserved", scan_options, reserved, scan_call);
    expect("gp_scan", "reserved2", scan_options, reserved2, scan_call);
    expect("gp_scan", "operator_helpers", scan_options, helpers, scan_call);
    expect(
        "gp_scan", "heads_offset", scan_options, [](auto &options) { options.heads_offset = 1; }, scan_call);
    const gp_reduce_options reduce_options = GP_REDUCE_OPTIONS_INIT;
    const auto reduce_call = [&](const gp_reduce_options *options) { return reduce(options); };
    expect("gp_reduce", "reserved", reduce_options, reserved, reduce_call);
    expect("gp_reduce", "reserved2", reduce_options, reserved2, reduce_call);
    expect("gp_reduce", "operator_helpers", reduce_options, helpers, reduce_call);
    const gp_sort_options sort_options = GP_SORT_OPTIONS_INIT;
    const auto sort_call = [&](const gp_sort_options *options) { return sort(options); };
    expect("gp_sort", "reserved", sort_options, reserved, sort_call);
    expect(
        "gp_sort", "work_offset", sort_options, [](auto &options) { options.work_offset = 8; }, sort_call);
    expect(
        "gp_sort", "work_bytes", sort_options, [](auto &options) { options.work_bytes = 8; }, sort_call);
    const gp_histogram_options histogram_options = GP_HISTOGRAM_OPTIONS_INIT;
    const auto histogram_call = [&](const gp_histogram_options *options) { return histogram(options); };
    expect("gp_histogram", "reserved", histogram_options, reserved, histogram_call);
    expect(
        "gp_histogram", "edges_dtype", histogram_options, [](auto &options) { options.edges_dtype = GP_FLOAT64; },
        histogram_call);
}

TEST_F(Errors, TheOtherFormsEvent) {
    gp_event *event = nullptr;
    const auto expect = [&](const char *function, auto options, const auto &call) {
        options.event = &event;
        refused(GP_ERROR_OPTION, function, "event", [&] { return call(&options); });
        EXPECT_EQ(nullptr, event);
    };
    const float coefficient = 0.5f;
    expect("gp_enqueue_matmul", gp_matmul_options(GP_MATMUL_OPTIONS_INIT),
           [&](const auto *options) { return enqueue_matmul(options); });
    expect("gp_enqueue_scan", gp_scan_options(GP_SCAN_OPTIONS_INIT), [&](const auto *options) {
        return gp_enqueue_scan(context_, GP_INT32, 8, buffer_, 0, second_, 0, options, 0, nullptr, nullptr);
    });
    expect("gp_enqueue_reduce", gp_reduce_options(GP_REDUCE_OPTIONS_INIT), [&](const auto *options) {
        return gp_enqueue_reduce(context_, GP_INT32, 8, buffer_, 0, second_, 0, options, 0, nullptr, nullptr);
    });
    const gp_sort_options sort_options = GP_SORT_OPTIONS_INIT;
    expect("gp_enqueue_sort", sort_options, [&](const auto *options) {
        return gp_enqueue_sort(context_, GP_INT32, 8, buffer_, 0, options, 0, nullptr, nullptr);
    });
    expect("gp_enqueue_sort_pairs", sort_options, [&](const auto *options) {
        return gp_enqueue_sort_pairs(context_, GP_INT32, 8, buffer_, 0, 4, second_, 0, options, 0, nullptr, nullptr);
    });
    expect("gp_enqueue_argsort", sort_options, [&](const auto *options) {
        return gp_enqueue_argsort(context_, GP_INT32, 8, buffer_, 0, GP_UINT32, second_, 0, options, 0, nullptr,
                                  nullptr);
    });
    expect("gp_enqueue_histogram", gp_histogram_options(GP_HISTOGRAM_OPTIONS_INIT), [&](const auto *options) {
        return gp_enqueue_histogram(context_, GP_UINT8, 8, buffer_, 0, 4, second_, 0, options, 0, nullptr, nullptr);
    });
    const gp_recurrence_options recurrence_options = GP_RECURRENCE_OPTIONS_INIT;
    expect("gp_enqueue_recurrence", recurrence_options, [&](const auto *options) {
        return gp_enqueue_recurrence(context_, GP_FLOAT32, 8, buffer_, 0, second_, 0, 1, &coefficient, options, 0,
                                     nullptr, nullptr);
    });
    expect("gp_enqueue_recurrence_varying", recurrence_options, [&](const auto *options) {
        return gp_enqueue_recurrence_varying(context_, GP_FLOAT32, 8, third_, 0, buffer_, 0, second_, 0, options, 0,
                                             nullptr, nullptr);
    });
}

TEST_F(Errors, BinsAndOrders) {
    for (const size_t bins : {size_t{0}, (size_t{1} << 24) + 1, SIZE_MAX})
        refused(GP_ERROR_OPTION, "gp_histogram", "bins", [&] { return histogram(nullptr, GP_UINT8, bins); });
    for (const size_t order : {size_t{0}, size_t{9}, SIZE_MAX})
        refused(GP_ERROR_OPTION, "gp_recurrence", "order", [&] { return recurrence(nullptr, GP_FLOAT32, order); });
}

TEST_F(Errors, OperatorTextNeedsItsIdentity) {
    if (test::on_host()) {
        gp_scan_options options = GP_SCAN_OPTIONS_INIT;
        options.operator_source = "a + b";
        options.operator_identity = "0";
        refused(GP_ERROR_UNSUPPORTED_DEVICE, "gp_scan", "operator_source", [&] { return scan(&options); });
        return;
    }
    gp_scan_options options = GP_SCAN_OPTIONS_INIT;
    options.operator_source = "a + b";
    refused(GP_ERROR_OPERATOR, "gp_scan", "operator_identity", [&] { return scan(&options); });
    options.operator_source = nullptr;
    options.operator_identity = "0";
    refused(GP_ERROR_OPERATOR, "gp_scan", "operator_source", [&] { return scan(&options); });
    gp_reduce_options reduce_options = GP_REDUCE_OPTIONS_INIT;
    reduce_options.operator_source = "a + b";
    refused(GP_ERROR_OPERATOR, "gp_reduce", "operator_identity", [&] { return reduce(&reduce_options); });
    reduce_options.operator_identity = " \n";
    refused(GP_ERROR_OPERATOR, "gp_reduce", "operator_identity", [&] { return reduce(&reduce_options); });
}

TEST_F(Errors, OperatorTextThatDoesNotBuild) {
    if (test::on_host()) GTEST_SKIP() << "host takes no OpenCL C";
    gp_scan_options options = GP_SCAN_OPTIONS_INIT;
    options.operator_source = "a + an_undeclared_name";
    options.operator_identity = "0";
    EXPECT_EQ(GP_ERROR_BUILD, scan(&options));
    EXPECT_TRUE(has_word(gp_error_message(), "gp_scan")) << gp_error_message();
    EXPECT_NE(nullptr, std::strstr(gp_error_build_log(), "an_undeclared_name")) << gp_error_build_log();
    EXPECT_TRUE(in_.untouched() && out_.untouched());
    works();
}

TEST_F(Errors, TheBuildLogIsWhole) {
    if (test::on_host()) GTEST_SKIP() << "host takes no OpenCL C";
    constexpr int kWarnings = 20000;
    std::string source;
    for (int i = 0; i < kWarnings; ++i) source += "#warning marker_" + std::to_string(i) + "_end\n";
    source += "kernel void f(global int *x) { x[0] = an_undeclared_name; }\n";
    gp_kernel *kernel = nullptr;
    ASSERT_EQ(GP_ERROR_BUILD, gp_kernel_build(context_, source.c_str(), nullptr, "f", &kernel));
    EXPECT_EQ(nullptr, kernel);
    const std::string log = gp_error_build_log();
    EXPECT_NE(std::string::npos, log.find("an_undeclared_name"));
    if (log.find("marker") == std::string::npos) GTEST_SKIP() << "this compiler's log has no warnings beside an error";
    EXPECT_GT(log.size(), size_t{1} << 20) << "a log of over 1 MB must arrive whole";
    EXPECT_NE(std::string::npos, log.find("marker_0_end"));
    EXPECT_NE(std::string::npos, log.find("marker_" + std::to_string(kWarnings - 1) + "_end"));
    EXPECT_TRUE(has_word(gp_error_message(), "gp_kernel_build")) << gp_error_message();
    works();
}

TEST_F(Errors, LeadingDimensions) {
    refused(GP_ERROR_LEADING_DIMENSION, "gp_matmul", "lda", [&] { return matmul(nullptr, 3); });
    refused(GP_ERROR_LEADING_DIMENSION, "gp_matmul", "ldb", [&] { return matmul(nullptr, 4, 3); });
    refused(GP_ERROR_LEADING_DIMENSION, "gp_matmul", "ldc", [&] { return matmul(nullptr, 4, 4, 3); });
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT; // A is stored k x m = 2 x 5
    options.transpose_a = GP_TRANSPOSE;
    refused(GP_ERROR_LEADING_DIMENSION, "gp_matmul", "lda", [&] { return matmul(&options, 4, 3, 3, 5, 3, 2); });
    options = GP_MATMUL_OPTIONS_INIT; // C has 5 rows
    options.layout = GP_COLUMN_MAJOR;
    refused(GP_ERROR_LEADING_DIMENSION, "gp_matmul", "ldc", [&] { return matmul(&options, 5, 2, 4, 5, 3, 2); });
    refused(GP_ERROR_LEADING_DIMENSION, "gp_enqueue_matmul", "ldc",
            [&] { return enqueue_matmul(nullptr, 0, 0, 0, 3); });
}

TEST_F(Errors, Batches) {
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
    options.batch = 2;
    refused(GP_ERROR_BATCH_STRIDE, "gp_matmul", "stride_c", [&] { return matmul(&options); });
    options.stride_c = 15; // one element short of 4 x 4
    refused(GP_ERROR_BATCH_STRIDE, "gp_matmul", "stride_c", [&] { return matmul(&options); });
    options.stride_c = 0;
    refused(GP_ERROR_BATCH_STRIDE, "gp_enqueue_matmul", "stride_c", [&] { return enqueue_matmul(&options); });
    gp_recurrence_options rows = GP_RECURRENCE_OPTIONS_INIT;
    rows.batch = 2;
    rows.stride_out = 7; // one element short of a row
    refused(GP_ERROR_BATCH_STRIDE, "gp_recurrence", "stride_out", [&] { return recurrence(&rows); });
}

TEST_F(Errors, Overlaps) {
    const auto expect = [&](const char *function, const char *argument, const std::function<gp_status()> &call) {
        refused(GP_ERROR_OVERLAP, function, argument, call);
    };
    expect("gp_scan", "out", [&] { return gp_scan(context_, GP_INT32, 8, in_.data(), in_.data() + 7, nullptr); });
    expect("gp_scan", "out", [&] { return gp_scan(context_, GP_INT32, 8, in_.data() + 1, in_.data(), nullptr); });
    expect("gp_reduce", "out", [&] { return gp_reduce(context_, GP_INT32, 8, in_.data(), in_.data() + 7, nullptr); });
    expect("gp_sort_pairs", "values",
           [&] { return gp_sort_pairs(context_, GP_INT32, 8, in_.data(), 4, in_.data() + 7, nullptr); });
    expect("gp_argsort", "indices",
           [&] { return gp_argsort(context_, GP_INT32, 8, in_.data(), GP_UINT32, in_.data(), nullptr); });
    expect("gp_matmul", "c", [&] {
        return gp_matmul(context_, GP_INT32, 4, 4, 4, in_.data(), 4, out_.data(), 4, in_.data() + 15, 4, nullptr);
    });
    expect("gp_matmul", "c", [&] {
        return gp_matmul(context_, GP_INT32, 4, 4, 4, in_.data(), 4, out_.data(), 4, out_.data(), 4, nullptr);
    });
    const float coefficient = 0.5f;
    alignas(8) unsigned char large[256 * 8 + 8] = {};
    expect("gp_histogram", "counts", [&] {
        return gp_histogram(context_, GP_UINT8, 8, large + 256 * 8 - 1, 256, reinterpret_cast<uint64_t *>(large),
                            nullptr);
    });
    expect("gp_recurrence", "out", [&] {
        return gp_recurrence(context_, GP_FLOAT32, 8, in_.data(), in_.data() + 7, 1, &coefficient, nullptr);
    });
    gp_recurrence_options rows = GP_RECURRENCE_OPTIONS_INIT; // in place, but for the second row
    rows.batch = 2;
    rows.stride_out = 9;
    expect("gp_recurrence", "out",
           [&] { return gp_recurrence(context_, GP_FLOAT32, 8, in_.data(), in_.data(), 1, &coefficient, &rows); });
    expect("gp_enqueue_recurrence", "out", [&] {
        return gp_enqueue_recurrence(context_, GP_FLOAT32, 8, buffer_, 0, buffer_, 7, 1, &coefficient, nullptr, 0,
                                     nullptr, nullptr);
    });
    expect("gp_enqueue_scan", "out", [&] {
        return gp_enqueue_scan(context_, GP_INT32, 8, buffer_, 0, buffer_, 7, nullptr, 0, nullptr, nullptr);
    });
    expect("gp_enqueue_reduce", "out", [&] {
        return gp_enqueue_reduce(context_, GP_INT32, 8, buffer_, 1, buffer_, 8, nullptr, 0, nullptr, nullptr);
    });
    expect("gp_enqueue_sort_pairs", "values", [&] {
        return gp_enqueue_sort_pairs(context_, GP_INT32, 8, buffer_, 0, 2, buffer_, 15, nullptr, 0, nullptr, nullptr);
    });
    expect("gp_enqueue_argsort", "indices", [&] {
        return gp_enqueue_argsort(context_, GP_INT32, 8, buffer_, 0, GP_UINT64, buffer_, 3, nullptr, 0, nullptr,
                                  nullptr);
    });
    expect("gp_enqueue_matmul", "c", [&] {
        return gp_enqueue_matmul(context_, GP_INT32, 4, 4, 4, buffer_, 0, 4, second_, 0, 4, buffer_, 15, 4, nullptr, 0,
                                 nullptr, nullptr);
    });
}

TEST_F(Errors, InPlaceAndSideBySideAreNoOverlap) {
    std::vector<int32_t> values(kN, 1);
    EXPECT_OK(gp_scan(context_, GP_INT32, kN, values.data(), values.data(), nullptr));
    EXPECT_EQ(static_cast<int32_t>(kN), values.back());
    EXPECT_OK(gp_scan(context_, GP_INT32, kN / 2, values.data(), values.data() + kN / 2, nullptr));
    EXPECT_OK(gp_enqueue_scan(context_, GP_INT32, 8, buffer_, 0, buffer_, 8, nullptr, 0, nullptr, nullptr));
    EXPECT_OK(gp_finish(context_));
}

TEST_F(Errors, RangesPastABuffer) {
    const gp_status expected = GP_ERROR_OUT_OF_BOUNDS;
    const auto expect = [&](const char *function, const char *argument, const std::function<gp_status()> &call) {
        refused(expected, function, argument, call);
    };
    for (const size_t offset : {kN - 7, kN, SIZE_MAX / 4 + 1, SIZE_MAX}) {
        SCOPED_TRACE(offset);
        expect("gp_enqueue_scan", "in", [&] {
            return gp_enqueue_scan(context_, GP_INT32, 8, buffer_, offset, second_, 0, nullptr, 0, nullptr, nullptr);
        });
        expect("gp_enqueue_scan", "out", [&] {
            return gp_enqueue_scan(context_, GP_INT32, 8, buffer_, 0, second_, offset, nullptr, 0, nullptr, nullptr);
        });
        expect("gp_enqueue_reduce", "in", [&] {
            return gp_enqueue_reduce(context_, GP_INT32, 8, buffer_, offset, second_, 0, nullptr, 0, nullptr, nullptr);
        });
        expect("gp_enqueue_sort", "keys",
               [&] { return gp_enqueue_sort(context_, GP_INT32, 8, buffer_, offset, nullptr, 0, nullptr, nullptr); });
        expect("gp_enqueue_sort_pairs", "values", [&] {
            return gp_enqueue_sort_pairs(context_, GP_INT32, 8, buffer_, 0, 4, second_, offset, nullptr, 0, nullptr,
                                         nullptr);
        });
        expect("gp_enqueue_argsort", "indices", [&] {
            return gp_enqueue_argsort(context_, GP_INT32, 8, buffer_, 0, GP_UINT32, second_, offset, nullptr, 0,
                                      nullptr, nullptr);
        });
    }
    expect("gp_enqueue_reduce", "out", [&] {
        return gp_enqueue_reduce(context_, GP_INT32, 8, buffer_, 0, second_, kN, nullptr, 0, nullptr, nullptr);
    });
    expect("gp_enqueue_sort", "keys",
           [&] { return gp_enqueue_sort(context_, GP_INT32, kN + 1, buffer_, 0, nullptr, 0, nullptr, nullptr); });
    expect("gp_enqueue_argsort", "indices", [&] { // 64 indices of 8 bytes
        return gp_enqueue_argsort(context_, GP_INT32, kN, buffer_, 0, GP_UINT64, second_, 0, nullptr, 0, nullptr,
                                  nullptr);
    });
    const float coefficient = 0.5f;
    expect("gp_enqueue_histogram", "in", [&] {
        return gp_enqueue_histogram(context_, GP_UINT8, kBytes, buffer_, 1, 256, second_, 0, nullptr, 0, nullptr,
                                    nullptr);
    });
    expect("gp_enqueue_histogram", "counts", [&] { // 256 counts of 8 bytes
        return gp_enqueue_histogram(context_, GP_UINT8, 8, buffer_, 0, 256, second_, 0, nullptr, 0, nullptr, nullptr);
    });
    gp_recurrence_options rows = GP_RECURRENCE_OPTIONS_INIT;
    rows.batch = 2;
    rows.stride_in = kN - 7;
    expect("gp_enqueue_recurrence", "in", [&] {
        return gp_enqueue_recurrence(context_, GP_FLOAT32, 8, buffer_, 0, second_, 0, 1, &coefficient, &rows, 0,
                                     nullptr, nullptr);
    });
    expect("gp_enqueue_recurrence", "out", [&] {
        return gp_enqueue_recurrence(context_, GP_FLOAT32, 8, nullptr, 0, second_, kN - 15, 1, &coefficient, &rows, 0,
                                     nullptr, nullptr);
    });
    expect("gp_enqueue_matmul", "a", [&] { return enqueue_matmul(nullptr, kN - 15); });
    expect("gp_enqueue_matmul", "b", [&] { return enqueue_matmul(nullptr, 0, kN - 15); });
    expect("gp_enqueue_matmul", "c", [&] { return enqueue_matmul(nullptr, 0, 0, kN - 15); });
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
    options.batch = 5;
    options.stride_c = 16;
    expect("gp_enqueue_matmul", "c", [&] { return enqueue_matmul(&options); });
}

TEST_F(Errors, SizesWhoseBytesOverflow) {
    const auto expect = [&](const char *function, const char *argument, const std::function<gp_status()> &call) {
        refused(GP_ERROR_SIZE_OVERFLOW, function, argument, call);
    };
    constexpr size_t kHuge = SIZE_MAX / 2;
    expect("gp_scan", "n", [&] { return scan(nullptr, GP_INT32, kHuge); });
    expect("gp_reduce", "n", [&] { return reduce(nullptr, GP_INT32, kHuge); });
    expect("gp_sort", "n", [&] { return sort(nullptr, GP_INT32, kHuge); });
    expect("gp_recurrence", "n", [&] { return recurrence(nullptr, GP_FLOAT32, 1, kHuge); });
    refused(GP_ERROR_SIZE_OVERFLOW, "gp_matmul", "gp_matmul",
            [&] { return matmul(nullptr, kHuge, kHuge, kHuge, 4, kHuge, kHuge); });
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
    options.batch = SIZE_MAX;
    options.stride_c = kHuge;
    refused(GP_ERROR_SIZE_OVERFLOW, "gp_matmul", "gp_matmul", [&] { return matmul(&options); });
}

// A negative number that became a size_t is told as what it was.
TEST_F(Errors, NegativeSizes) {
    constexpr auto kMinus = static_cast<size_t>(-3);
    const auto expect = [&](gp_status expected, const char *function, const char *argument,
                            const std::function<gp_status()> &call) {
        refused(expected, function, argument, call);
        EXPECT_EQ(expected, call());
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), "looks negative: -3")) << gp_error_message();
    };
    const gp_status size = GP_ERROR_SIZE_OVERFLOW;
    const uint8_t byte = 0;
    uint64_t counts[256];
    expect(size, "gp_scan", "n", [&] { return scan(nullptr, GP_INT32, kMinus); });
    expect(size, "gp_reduce", "n", [&] { return reduce(nullptr, GP_INT32, kMinus); });
    for (const gp_dtype dtype : {GP_INT8, GP_INT32})
        expect(size, "gp_sort", "n", [&] { return sort(nullptr, dtype, kMinus); });
    expect(size, "gp_histogram", "n",
           [&] { return gp_histogram(context_, GP_UINT8, kMinus, &byte, 256, counts, nullptr); });
    expect(size, "gp_recurrence", "n", [&] { return recurrence(nullptr, GP_FLOAT32, 1, kMinus); });
    expect(size, "gp_matmul", "m", [&] { return matmul(nullptr, 4, 4, 4, kMinus); });
    expect(size, "gp_matmul", "n", [&] { return matmul(nullptr, 4, 4, 4, 4, kMinus); });
    expect(size, "gp_matmul", "k", [&] { return matmul(nullptr, 4, 4, 4, 4, 4, kMinus); });
    expect(GP_ERROR_OPTION, "gp_histogram", "bins", [&] { return histogram(nullptr, GP_UINT8, kMinus); });
    expect(GP_ERROR_OPTION, "gp_recurrence", "order", [&] { return recurrence(nullptr, GP_FLOAT32, kMinus); });
    expect(GP_ERROR_VALUE_SIZE, "gp_sort_pairs", "value_size",
           [&] { return gp_sort_pairs(context_, GP_INT32, 2, in_.data(), kMinus, out_.data(), nullptr); });
    expect(GP_ERROR_OUT_OF_BOUNDS, "gp_buffer_read", "bytes",
           [&] { return gp_buffer_read(buffer_, 0, kMinus, out_.data()); });
    expect(GP_ERROR_OUT_OF_BOUNDS, "gp_enqueue_sort", "keys",
           [&] { return gp_enqueue_sort(context_, GP_INT32, 4, buffer_, kMinus, nullptr, 0, nullptr, nullptr); });
    gp_buffer *made = nullptr;
    expect(GP_ERROR_TOO_LARGE, "gp_buffer_create", "buffer", [&] { return gp_buffer_create(context_, kMinus, &made); });
}

TEST_F(Errors, MoreThanTheDeviceHolds) {
    if (test::on_host()) GTEST_SKIP() << "host takes whatever is in memory";
    constexpr size_t kMany = SIZE_MAX / 8 - 1024; // its bytes fit size_t
    refused(GP_ERROR_TOO_LARGE, "gp_scan", "(n|in)",
            [&] { return gp_scan(context_, GP_INT32, kMany, in_.data(), in_.data(), nullptr); });
    refused(GP_ERROR_TOO_LARGE, "gp_sort", "(n|keys)", [&] { return sort(nullptr, GP_INT32, kMany); });
}

TEST_F(Errors, BuffersOfAnotherContext) {
    gp_context *stranger = nullptr;
    gp_buffer *theirs = nullptr;
    ASSERT_OK(gp_open(nullptr, &stranger));
    ASSERT_OK(gp_buffer_create(stranger, kBytes, &theirs));
    const auto expect = [&](const char *function, const char *argument, const std::function<gp_status()> &call) {
        refused(GP_ERROR_WRONG_CONTEXT, function, argument, call);
    };
    expect("gp_enqueue_scan", "in",
           [&] { return gp_enqueue_scan(context_, GP_INT32, 8, theirs, 0, second_, 0, nullptr, 0, nullptr, nullptr); });
    expect("gp_enqueue_scan", "out",
           [&] { return gp_enqueue_scan(context_, GP_INT32, 8, buffer_, 0, theirs, 0, nullptr, 0, nullptr, nullptr); });
    expect("gp_enqueue_sort", "keys",
           [&] { return gp_enqueue_sort(context_, GP_INT32, 8, theirs, 0, nullptr, 0, nullptr, nullptr); });
    expect("gp_enqueue_matmul", "b", [&] {
        return gp_enqueue_matmul(context_, GP_INT32, 4, 4, 4, buffer_, 0, 4, theirs, 0, 4, third_, 0, 4, nullptr, 0,
                                 nullptr, nullptr);
    });
    const float coefficient = 0.5f;
    expect("gp_enqueue_histogram", "in", [&] {
        return gp_enqueue_histogram(context_, GP_UINT8, 8, theirs, 0, 256, buffer_, 0, nullptr, 0, nullptr, nullptr);
    });
    expect("gp_enqueue_recurrence", "out", [&] {
        return gp_enqueue_recurrence(context_, GP_FLOAT32, 8, buffer_, 0, theirs, 0, 1, &coefficient, nullptr, 0,
                                     nullptr, nullptr);
    });
    expect("gp_buffer_copy", "destination", [&] { return gp_buffer_copy(buffer_, 0, theirs, 0, 8); });
    EXPECT_OK(gp_buffer_free(theirs));
    EXPECT_OK(gp_close(stranger));
}

TEST_F(Errors, ClosedAndForeignHandles) {
    const auto expect = [&](const char *function, const char *argument, const std::function<gp_status()> &call) {
        refused(GP_ERROR_HANDLE, function, argument, call);
    };
    gp_context *closed = nullptr;
    ASSERT_OK(gp_open(nullptr, &closed));
    ASSERT_OK(gp_close(closed));
    int64_t memory[8] = {};
    auto *foreign = reinterpret_cast<gp_context *>(memory);
    auto *crossed = reinterpret_cast<gp_context *>(buffer_);
    for (gp_context *bad : {closed, foreign, crossed}) {
        expect("gp_scan", "context", [&] { return gp_scan(bad, GP_INT32, 8, in_.data(), out_.data(), nullptr); });
        expect("gp_sort", "context", [&] { return gp_sort(bad, GP_INT32, 8, in_.data(), nullptr); });
        expect("gp_finish", "context", [&] { return gp_finish(bad); });
        expect("gp_close", "context", [&] { return gp_close(bad); });
    }
    gp_buffer *freed = nullptr;
    ASSERT_OK(gp_buffer_create(context_, 64, &freed));
    ASSERT_OK(gp_buffer_free(freed));
    for (gp_buffer *bad : {freed, reinterpret_cast<gp_buffer *>(memory)}) {
        expect("gp_buffer_free", "buffer", [&] { return gp_buffer_free(bad); });
        expect("gp_buffer_read", "buffer", [&] { return gp_buffer_read(bad, 0, 8, out_.data()); });
        expect("gp_enqueue_scan", "in", [&] {
            return gp_enqueue_scan(context_, GP_INT32, 8, bad, 0, buffer_, 0, nullptr, 0, nullptr, nullptr);
        });
    }
    expect("gp_event_wait", "event", [&] { return gp_event_wait(reinterpret_cast<gp_event *>(memory)); });
    expect("gp_kernel_free", "kernel", [&] { return gp_kernel_free(reinterpret_cast<gp_kernel *>(memory)); });
    EXPECT_OK(gp_close(nullptr));
    EXPECT_OK(gp_buffer_free(nullptr));
    EXPECT_OK(gp_event_free(nullptr));
    EXPECT_OK(gp_kernel_free(nullptr));
}

template <class Options> struct Newer {
    Options known;
    int64_t added[2];
};

TEST_F(Errors, StructSizes) {
    gp_scan_options unset{};
    refused(GP_ERROR_STRUCT_SIZE, "gp_scan", "struct_size", [&] { return scan(&unset); });
    gp_reduce_options unset_reduce{};
    refused(GP_ERROR_STRUCT_SIZE, "gp_reduce", "struct_size", [&] { return reduce(&unset_reduce); });
    gp_sort_options unset_sort{};
    refused(GP_ERROR_STRUCT_SIZE, "gp_sort", "struct_size", [&] { return sort(&unset_sort); });
    gp_matmul_options unset_matmul{};
    refused(GP_ERROR_STRUCT_SIZE, "gp_matmul", "struct_size", [&] { return matmul(&unset_matmul); });

    gp_histogram_options unset_histogram{};
    refused(GP_ERROR_STRUCT_SIZE, "gp_histogram", "struct_size", [&] { return histogram(&unset_histogram); });
    gp_recurrence_options unset_recurrence{};
    refused(GP_ERROR_STRUCT_SIZE, "gp_recurrence", "struct_size", [&] { return recurrence(&unset_recurrence); });

    Newer<gp_sort_options> newer{GP_SORT_OPTIONS_INIT, {0, 1}};
    newer.known.struct_size = sizeof newer;
    refused(GP_ERROR_STRUCT_SIZE, "gp_sort", "struct_size", [&] { return sort(&newer.known); });
    newer.added[1] = 0; // a newer program that uses nothing new
    std::vector<int32_t> keys = {2, 3, 1};
    EXPECT_OK(gp_sort(context_, GP_INT32, 3, keys.data(), &newer.known));
    EXPECT_EQ((std::vector<int32_t>{1, 2, 3}), keys);

    for (const size_t none : {size_t{4097}, SIZE_MAX - sizeof(gp_sort_options), SIZE_MAX}) { // never filled in
        SCOPED_TRACE(none);
        const auto expect = [&](const char *function, auto structure, const auto &call) {
            structure.struct_size = none;
            const auto before = structure;
            refused(GP_ERROR_STRUCT_SIZE, function, "struct_size", [&] { return call(&structure); });
            EXPECT_EQ(0, std::memcmp(&before, &structure, sizeof structure));
        };
        expect("gp_scan", gp_scan_options{}, [&](auto *options) { return scan(options); });
        expect("gp_reduce", gp_reduce_options{}, [&](auto *options) { return reduce(options); });
        expect("gp_sort", gp_sort_options{}, [&](auto *options) { return sort(options); });
        expect("gp_matmul", gp_matmul_options{}, [&](auto *options) { return matmul(options); });
        expect("gp_histogram", gp_histogram_options{}, [&](auto *options) { return histogram(options); });
        expect("gp_recurrence", gp_recurrence_options{}, [&](auto *options) { return recurrence(options); });
        expect("gp_describe", gp_device_info{}, [&](auto *info) { return gp_describe(context_, info); });
        expect("gp_algorithm_describe", gp_algorithm_info{},
               [](auto *info) { return gp_algorithm_describe(GP_SORT, 0, info); });
    }

    gp_sort_options older; // a program whose structure ends behind `order`
    std::memset(&older, 0x5a, sizeof older);
    older.struct_size = offsetof(gp_sort_options, reserved);
    older.order = GP_DESCENDING;
    EXPECT_OK(gp_sort(context_, GP_INT32, 3, keys.data(), &older));
    EXPECT_EQ((std::vector<int32_t>{3, 2, 1}), keys);
}

TEST_F(Errors, ValueSizesAndAlignment) {
    for (const size_t size : {size_t{0}, size_t{65}, SIZE_MAX}) {
        refused(GP_ERROR_VALUE_SIZE, "gp_sort_pairs", "value_size",
                [&] { return gp_sort_pairs(context_, GP_INT32, 2, in_.data(), size, out_.data(), nullptr); });
    }
    const auto odd = [](int32_t *pointer) {
        return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(pointer) + 1);
    };
    const auto expect = [&](const char *function, const char *argument, const std::function<gp_status()> &call) {
        refused(GP_ERROR_ALIGNMENT, function, argument, call);
    };
    expect("gp_scan", "in", [&] { return gp_scan(context_, GP_INT32, 8, odd(in_.data()), out_.data(), nullptr); });
    expect("gp_scan", "out", [&] { return gp_scan(context_, GP_INT32, 8, in_.data(), odd(out_.data()), nullptr); });
    expect("gp_reduce", "in", [&] { return gp_reduce(context_, GP_INT32, 8, odd(in_.data()), out_.data(), nullptr); });
    expect("gp_sort", "keys", [&] { return gp_sort(context_, GP_INT32, 8, odd(in_.data()), nullptr); });
    const float coefficient = 0.5f;
    expect("gp_histogram", "counts", [&] {
        return gp_histogram(context_, GP_UINT8, 8, in_.data(), 256, static_cast<uint64_t *>(odd(out_.data())), nullptr);
    });
    expect("gp_recurrence", "in", [&] {
        return gp_recurrence(context_, GP_FLOAT32, 8, odd(in_.data()), out_.data(), 1, &coefficient, nullptr);
    });
    expect("gp_recurrence", "out", [&] {
        return gp_recurrence(context_, GP_FLOAT32, 8, in_.data(), odd(out_.data()), 1, &coefficient, nullptr);
    });
    expect("gp_recurrence", "coefficients", [&] {
        return gp_recurrence(context_, GP_FLOAT32, 8, in_.data(), out_.data(), 1, odd(matrix_.data()), nullptr);
    });
    expect("gp_argsort", "indices",
           [&] { return gp_argsort(context_, GP_INT32, 8, in_.data(), GP_UINT32, odd(out_.data()), nullptr); });
    expect("gp_matmul", "a", [&] {
        return gp_matmul(context_, GP_INT32, 4, 4, 4, odd(in_.data()), 4, matrix_.data(), 4, out_.data(), 4, nullptr);
    });
}

TEST_F(Errors, EveryStatusHasItsName) {
    EXPECT_STREQ("GP_SUCCESS", gp_status_name(GP_SUCCESS));
    EXPECT_STREQ("GP_ERROR_OVERLAP", gp_status_name(GP_ERROR_OVERLAP));
    EXPECT_STREQ("GP_ERROR_FILE", gp_status_name(GP_ERROR_FILE));
    EXPECT_STREQ("GP_ERROR_FORK", gp_status_name(GP_ERROR_FORK));
    EXPECT_STREQ("GP_ERROR_TIMEOUT", gp_status_name(GP_ERROR_TIMEOUT));
    EXPECT_STREQ("GP_ERROR_DEVICE_LOST", gp_status_name(GP_ERROR_DEVICE_LOST));
    EXPECT_STREQ("GP_ERROR_NOT_PINNED", gp_status_name(GP_ERROR_NOT_PINNED));
    EXPECT_STREQ("GP_ERROR_PINNED", gp_status_name(GP_ERROR_PINNED));
    EXPECT_STREQ("GP_ERROR_EMPTY", gp_status_name(GP_ERROR_EMPTY));
    EXPECT_STREQ("GP_ERROR_INTERNAL", gp_status_name(GP_ERROR_INTERNAL));
    EXPECT_STREQ("unknown status", gp_status_name(-1));
    EXPECT_STREQ("unknown status", gp_status_name(1));
    std::vector<std::string> names;
    for (gp_status status = 0; status < 1000; ++status) {
        const std::string name = gp_status_name(status);
        if (name != "unknown status") names.push_back(name);
    }
    EXPECT_EQ(41u, names.size()) << "a new status belongs into gp_status_name and into this test";
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names.end(), std::adjacent_find(names.begin(), names.end()));
}

TEST_F(Errors, BelongToTheCallingThread) {
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_finish(nullptr));
    const std::string message = gp_error_message();
    EXPECT_NE("", message);
    std::string elsewhere = "unset";
    std::thread([&] { elsewhere = gp_error_message(); }).join();
    EXPECT_EQ("", elsewhere);
    EXPECT_EQ(message, gp_error_message()) << "asking for the error must not clear it";
}

} // namespace
