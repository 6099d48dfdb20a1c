// Contexts of several devices: selectors, the devices' own contexts, and calls that are dealt out.
// Results are compared with those of one device; what these are, the tests of the operations tell,
// which run on several devices too.
// SPDX-License-Identifier: MIT
#include "support/support.h"

#include <functional>
#include <numeric>
#include <thread>

namespace {

// A context that closes itself.
class Opened {
  public:
    explicit Opened(const std::string &selector) { EXPECT_OK(gp_open(selector.c_str(), &context_)) << selector; }
    Opened(const Opened &) = delete;
    Opened &operator=(const Opened &) = delete;
    ~Opened() { EXPECT_OK(gp_close(context_)); }
    operator gp_context *() const { return context_; } // NOLINT(google-explicit-constructor): as the calls take it

  private:
    gp_context *context_ = nullptr;
};

gp_context *device_of(gp_context *context, size_t index) {
    gp_context *device = nullptr;
    EXPECT_OK(gp_context_device(context, index, &device));
    return device;
}

std::string selector_of(gp_context *context) {
    gp_device_info info = {};
    info.struct_size = sizeof info;
    EXPECT_OK(gp_describe(context, &info));
    return info.selector;
}

// The selectors of the devices of the kind under test.
std::vector<std::string> selectors() {
    std::vector<std::string> result;
    size_t count = 0;
    EXPECT_OK(gp_devices(&count));
    for (size_t i = 0; i < count; ++i) {
        gp_device_info info = {};
        info.struct_size = sizeof info;
        EXPECT_OK(gp_device_describe(i, &info));
        if (info.kind == test::device().kind && std::string(info.platform) == test::device().platform)
            result.emplace_back(info.selector);
    }
    return result;
}

std::string joined(const std::vector<std::string> &parts) {
    std::string result;
    for (const std::string &part : parts) result += (result.empty() ? "" : ",") + part;
    return result;
}

class Several : public testing::Test {
  protected:
    void SetUp() override {
        if (test::on_host() || selectors().size() < 2) GTEST_SKIP() << "one device is not several";
        setenv("GPCL_DEAL", "1", 1); // every call of two elements is dealt out
    }
};

std::string refusal_of(const std::string &selector, gp_status status) {
    gp_context *context = nullptr;
    EXPECT_EQ(status, gp_open(selector.c_str(), &context)) << selector << ": " << gp_error_message();
    EXPECT_EQ(nullptr, context);
    return gp_error_message();
}

TEST_F(Several, AreOpenedByTheirSelectors) {
    const auto all = selectors();
    for (const std::string &selector : {joined(all), " " + all[0] + " , " + joined({all.begin() + 1, all.end()}),
                                        std::string(test::device().platform) + "*"}) {
        const Opened context(selector);
        size_t count = 0;
        EXPECT_OK(gp_context_devices(context, &count));
        ASSERT_EQ(all.size(), count) << selector;
        for (size_t i = 0; i < count; ++i) EXPECT_EQ(all[i], selector_of(device_of(context, i)));
        EXPECT_EQ(all[0], selector_of(context));
    }
    const Opened turned(all[1] + "," + all[0]);
    EXPECT_EQ(all[1], selector_of(turned));
    EXPECT_EQ(all[0], selector_of(device_of(turned, 1)));
}

TEST_F(Several, RefusesWhatDoesNotGoTogether) {
    const auto all = selectors();
    EXPECT_NE(std::string::npos, refusal_of(all[0] + "," + all[0], GP_ERROR_OPTION).find("which comes twice"));
    EXPECT_NE(std::string::npos, refusal_of(all[0] + ",host", GP_ERROR_OPTION).find("none of OpenCL's"));
    for (const std::string &selector :
         {all[0] + ",", "," + all[0], all[0] + ",99:0", std::string("*"), std::string("no such thing*")})
        EXPECT_NE(std::string::npos, refusal_of(selector, GP_ERROR_NO_DEVICE).find(all[1])) << selector;
}

TEST_F(Several, EachIsAContextOfItsOwn) {
    gp_context *context = nullptr, *second = nullptr;
    ASSERT_OK(gp_open(joined(selectors()).c_str(), &context));
    second = device_of(context, 1);
    EXPECT_EQ(GP_ERROR_INDEX, gp_context_device(context, selectors().size(), &second));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_context_device(context, 0, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_context_devices(context, nullptr));
    EXPECT_EQ(GP_ERROR_HANDLE, gp_close(second));

    std::vector<int32_t> keys = {3, 1, 2};
    gp_buffer *buffer = nullptr;
    ASSERT_OK(gp_buffer_create(second, sizeof(int32_t) * keys.size(), &buffer));
    EXPECT_OK(gp_buffer_write(buffer, 0, sizeof(int32_t) * keys.size(), keys.data()));
    EXPECT_OK(gp_enqueue_sort(second, GP_INT32, keys.size(), buffer, 0, nullptr, 0, nullptr, nullptr));
    EXPECT_EQ(GP_ERROR_WRONG_CONTEXT,
              gp_enqueue_sort(context, GP_INT32, keys.size(), buffer, 0, nullptr, 0, nullptr, nullptr));
    EXPECT_OK(gp_finish(context));
    EXPECT_OK(gp_buffer_read(buffer, 0, sizeof(int32_t) * keys.size(), keys.data()));
    EXPECT_EQ((std::vector<int32_t>{1, 2, 3}), keys);
    EXPECT_OK(gp_buffer_free(buffer));

    // The first device is the context's own.
    ASSERT_OK(gp_buffer_create(device_of(context, 0), sizeof(int32_t), &buffer));
    const int32_t seven = 7;
    EXPECT_OK(gp_buffer_fill(buffer, 0, sizeof seven, &seven, sizeof seven));
    EXPECT_OK(gp_enqueue_sort(context, GP_INT32, 1, buffer, 0, nullptr, 0, nullptr, nullptr));
    EXPECT_OK(gp_buffer_free(buffer));

    EXPECT_OK(gp_close(context));
    EXPECT_EQ(GP_ERROR_HANDLE, gp_finish(second));
    EXPECT_EQ(GP_ERROR_HANDLE, gp_close(context));
}

// ---- Calls that are dealt out

using Bytes = std::vector<unsigned char>;

// Call number `variant` of an operation on arrays of about n elements; what it writes.
struct Call {
    const char *name;
    std::function<gp_status(gp_context *, size_t n, Bytes &out)> run;
    bool same_bits = true; // as on one device
};

template <class T> std::vector<T> values(size_t n, uint32_t seed = 1) {
    std::mt19937 random(seed);
    std::vector<T> result(n);
    for (T &value : result) value = static_cast<T>(static_cast<int32_t>(random() % 2001) - 1000);
    return result;
}

template <class T> T *room(Bytes &out, size_t count) {
    out.assign(count * sizeof(T), 0xa5);
    return reinterpret_cast<T *>(out.data());
}

template <class T> T *copied(Bytes &out, const std::vector<T> &from) {
    T *const to = room<T>(out, from.size());
    std::copy(from.begin(), from.end(), to);
    return to;
}

const std::vector<Call> kCalls = {
    {"scan, on one device",
     [](gp_context *c, size_t n, Bytes &out) {
         return gp_scan(c, GP_INT32, n, values<int32_t>(n).data(), room<int32_t>(out, n), nullptr);
     }},
    {"scan in place, reverse, exclusive, with carries, on one device",
     [](gp_context *c, size_t n, Bytes &out) {
         auto all = values<int32_t>(n);
         all.push_back(5); // the carry
         int32_t *const at = copied(out, all);
         gp_scan_options options = GP_SCAN_OPTIONS_INIT;
         options.kind = GP_EXCLUSIVE;
         options.direction = GP_REVERSE;
         options.initial = options.final_value = at + n;
         return gp_scan(c, GP_INT32, n, at, at, &options);
     }},
    {"scan of a text, which does not commute, on one device",
     [](gp_context *c, size_t n, Bytes &out) {
         gp_scan_options options = GP_SCAN_OPTIONS_INIT;
         options.operator_source = "b != 0 ? b : a"; // the last that is not 0
         options.operator_identity = "0";
         auto in = values<int32_t>(n);
         for (int32_t &value : in) value = value % 5 == 0 ? value : 0;
         return gp_scan(c, GP_INT32, n, in.data(), room<int32_t>(out, n), &options);
     }},
    {"scan of floats, on one device",
     [](gp_context *c, size_t n, Bytes &out) {
         auto in = values<float>(n);
         for (float &value : in) value /= 3;
         return gp_scan(c, GP_FLOAT32, n, in.data(), room<float>(out, n), nullptr);
     },
     false},
    {"scan of rows",
     [](gp_context *c, size_t n, Bytes &out) {
         gp_scan_options options = GP_SCAN_OPTIONS_INIT;
         options.batch = 5;
         options.stride_out = n + 1;
         return gp_scan(c, GP_INT32, n, values<int32_t>(5 * n).data(), room<int32_t>(out, 5 * (n + 1)), &options);
     }},
    {"reduce",
     [](gp_context *c, size_t n, Bytes &out) {
         gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
         options.accumulate = 1;
         int64_t *const sum = room<int64_t>(out, 1);
         *sum = 1000;
         options.accumulator = GP_INT64;
         return gp_reduce(c, GP_INT32, n, values<int32_t>(n).data(), sum, &options);
     }},
    {"reduce by a text",
     [](gp_context *c, size_t n, Bytes &out) {
         gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
         options.operator_source = "a != 0 ? a : b"; // the first that is not 0
         options.operator_identity = "0";
         return gp_reduce(c, GP_INT32, n, values<int32_t>(n).data(), room<int32_t>(out, 1), &options);
     }},
    {"reduce floats",
     [](gp_context *c, size_t n, Bytes &out) {
         auto in = values<float>(n);
         for (float &value : in) value /= 3;
         return gp_reduce(c, GP_FLOAT32, n, in.data(), room<float>(out, 1), nullptr);
     },
     false},
    {"arg-reduce",
     [](gp_context *c, size_t n, Bytes &out) {
         if (n == 0) return gp_status{GP_SUCCESS};
         uint32_t *const at = room<uint32_t>(out, 2);
         return gp_arg_reduce(c, GP_MAXIMUM, GP_INT32, n, values<int32_t>(n).data(), GP_UINT32, at, at + 1, nullptr);
     }},
    {"top-k",
     [](gp_context *c, size_t n, Bytes &out) {
         const size_t k = n / 20;
         uint32_t *const at = room<uint32_t>(out, 2 * k);
         return gp_top_k(c, GP_DESCENDING, GP_INT32, n, values<int32_t>(n).data(), k, GP_UINT32, at, at + k, nullptr);
     }},
    {"histogram",
     [](gp_context *c, size_t n, Bytes &out) {
         gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
         options.accumulate = 1;
         uint64_t *const counts = room<uint64_t>(out, 3);
         std::fill_n(counts, 3, 10);
         options.lower = -1000;
         options.upper = 1000;
         return gp_histogram(c, GP_INT32, n, values<int32_t>(n).data(), 3, counts, &options);
     }},
    {"is-sorted",
     [](gp_context *c, size_t n, Bytes &out) {
         std::vector<int32_t> in(n, 4);
         uint64_t *const firsts = room<uint64_t>(out, n + 1);
         gp_status status = gp_is_sorted(c, GP_INT32, n, in.data(), firsts, nullptr);
         for (size_t i = 1; i < std::min(n, size_t{40}) && status == GP_SUCCESS; ++i) { // the borders are among them
             const size_t at = n <= 40 ? i : i * n / 40;
             in[at] = 3;
             status = gp_is_sorted(c, GP_INT32, n, in.data(), firsts + i, nullptr);
             in[at] = 4;
         }
         return status;
     }},
    {"difference",
     [](gp_context *c, size_t n, Bytes &out) {
         return gp_difference(c, GP_INT32, n, values<int32_t>(n).data(), room<int32_t>(out, n), nullptr);
     }},
    {"difference, the first left out",
     [](gp_context *c, size_t n, Bytes &out) {
         gp_difference_options options = GP_DIFFERENCE_OPTIONS_INIT;
         options.first = GP_FIRST_LEFT_OUT;
         return gp_difference(c, GP_INT32, n, values<int32_t>(n).data(), room<int32_t>(out, n), &options);
     }},
    {"sort, on one device",
     [](gp_context *c, size_t n, Bytes &out) {
         return gp_sort(c, GP_INT32, n, copied(out, values<int32_t>(n)), nullptr);
     }},
    {"sort of floats with NaN and zeros of both signs, descending, on one device",
     [](gp_context *c, size_t n, Bytes &out) {
         auto keys = values<float>(n);
         for (size_t i = 0; i < n; ++i) {
             if (i % 7 == 3) keys[i] = std::numeric_limits<float>::quiet_NaN();
             if (i % 5 == 3) keys[i] = i % 2 == 0 ? 0.0F : -0.0F;
         }
         gp_sort_options options = GP_SORT_OPTIONS_INIT;
         options.order = GP_DESCENDING;
         return gp_sort(c, GP_FLOAT32, n, copied(out, keys), &options);
     }},
    {"sort of pairs, on one device",
     [](gp_context *c, size_t n, Bytes &out) {
         auto all = values<int16_t>(2 * n); // few values: many equal keys
         for (size_t i = 0; i < n; ++i) all[i] = static_cast<int16_t>(all[i] % 50);
         int16_t *const keys = copied(out, all);
         return gp_sort_pairs(c, GP_INT16, n, keys, 2, keys + n, nullptr);
     }},
    {"argsort, on one device",
     [](gp_context *c, size_t n, Bytes &out) {
         auto keys = values<int32_t>(n);
         for (int32_t &key : keys) key %= 50;
         const auto before = keys;
         const gp_status status = gp_argsort(c, GP_INT32, n, keys.data(), GP_UINT32, room<uint32_t>(out, n), nullptr);
         EXPECT_EQ(before, keys);
         return status;
     }},
    {"sort of rows",
     [](gp_context *c, size_t n, Bytes &out) {
         gp_sort_options options = GP_SORT_OPTIONS_INIT;
         options.batch = 4;
         options.stride = n + 2;
         return gp_sort(c, GP_INT32, n, copied(out, values<int32_t>(4 * (n + 2))), &options);
     }},
    {"sort of rows of pairs",
     [](gp_context *c, size_t n, Bytes &out) {
         gp_sort_options options = GP_SORT_OPTIONS_INIT;
         options.batch = 5;
         auto all = values<int16_t>(10 * n);
         for (size_t i = 0; i < 5 * n; ++i) all[i] = static_cast<int16_t>(all[i] % 50);
         int16_t *const keys = copied(out, all);
         return gp_sort_pairs(c, GP_INT16, n, keys, 2, keys + 5 * n, &options);
     }},
    {"argsort of rows",
     [](gp_context *c, size_t n, Bytes &out) {
         gp_sort_options options = GP_SORT_OPTIONS_INIT;
         options.batch = 5;
         const auto keys = values<int32_t>(5 * n);
         return gp_argsort(c, GP_INT32, n, keys.data(), GP_UINT32, room<uint32_t>(out, 5 * n), &options);
     }},
    {"sort by some bits, on one device",
     [](gp_context *c, size_t n, Bytes &out) {
         gp_sort_options options = GP_SORT_OPTIONS_INIT;
         options.begin_bit = 3;
         options.end_bit = 9;
         return gp_sort(c, GP_UINT32, n, copied(out, values<uint32_t>(n)), &options);
     }},
    {"search",
     [](gp_context *c, size_t n, Bytes &out) {
         auto sorted = values<int32_t>(100);
         std::sort(sorted.begin(), sorted.end());
         return gp_search(c, GP_INT32, 100, sorted.data(), n, values<int32_t>(n, 2).data(), GP_UINT32,
                          room<uint32_t>(out, n), nullptr);
     }},
    {"transform",
     [](gp_context *c, size_t n, Bytes &out) {
         const auto x = values<int32_t>(n), one = values<int32_t>(1);
         const gp_dtype types[] = {GP_INT32, GP_INT32};
         const void *const in[] = {x.data(), one.data()};
         gp_transform_options options = GP_TRANSFORM_OPTIONS_INIT;
         options.broadcast = 2;
         return gp_transform(c, n, 2, types, in, GP_INT32, room<int32_t>(out, n), "x0 * 3 + x1", &options);
     }},
    {"transform with positions, on one device",
     [](gp_context *c, size_t n, Bytes &out) {
         return gp_transform(c, n, 0, nullptr, nullptr, GP_INT32, room<int32_t>(out, n), "(int)i - 3", nullptr);
     }},
};

// Products of int32 of every layout, with a bias and C among it.
gp_status multiply(gp_context *context, size_t n, size_t which, Bytes &out) {
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
    options.layout = which & 1;
    options.transpose_a = which >> 1 & 1;
    options.transpose_b = which >> 2 & 1;
    options.transpose_c = which >> 3 & 1;
    options.bias_by = which >> 4 & 1;
    options.batch = which >> 5 & 1 ? 5 : 1;
    const size_t m = n, columns = n / 2 + 1, k = 7, ld = n + k + 3, matrix = ld * ld;
    options.stride_a = options.stride_c = matrix;
    options.stride_bias = which >> 4 & 1 ? 3 : 0;
    const int32_t two = 2, three = 3;
    options.alpha = &two;
    options.beta = &three;
    const auto a = values<int32_t>(5 * matrix), b = values<int32_t>(matrix, 2), bias = values<int32_t>(n + 20, 3);
    options.bias = bias.data();
    return gp_matmul(context, GP_INT32, m, columns, k, a.data(), ld, b.data(), ld,
                     copied(out, values<int32_t>(5 * matrix, 4)), ld, &options);
}

std::vector<size_t> some_sizes() { return {0, 1, 2, 3, 33, 1009, 4097}; }

void expect_same(const Call &call, gp_context *several, size_t n) {
    Bytes dealt, again, alone;
    ASSERT_OK(call.run(several, n, dealt)) << call.name << ", n = " << n;
    ASSERT_OK(call.run(several, n, again)) << call.name << ", n = " << n;
    EXPECT_TRUE(dealt == again) << call.name << ", n = " << n << ": another result in the second run";
    if (!call.same_bits) return;
    ASSERT_OK(call.run(device_of(several, 0), n, alone)) << call.name << ", n = " << n;
    EXPECT_TRUE(dealt == alone) << call.name << ", n = " << n << ": another result than on one device";
}

TEST_F(Several, GiveTheResultsOfOne) {
    const Opened context(joined(selectors()));
    for (const Call &call : kCalls) {
        for (const size_t n : some_sizes()) expect_same(call, context, n);
        const bool is_alone = std::string(call.name).find("on one device") != std::string::npos;
        Bytes out;
        ASSERT_OK(call.run(context, 1009, out));
        const std::string told = gp_explain(context);
        EXPECT_EQ(is_alone, told.find(" dealt out: ") == std::string::npos) << call.name << ": " << told;
    }
    const size_t large = (size_t{1} << 20) + 1;
    if (test::max_n() < large) return;
    for (const Call &call : kCalls)
        if (std::string(call.name) != "is-sorted") expect_same(call, context, large);
}

TEST_F(Several, MultiplyInEveryLayout) {
    const Opened context(joined(selectors()));
    for (size_t which = 0; which < 64; ++which)
        for (const size_t n : {size_t{0}, size_t{1}, size_t{2}, size_t{33}})
            expect_same({"product", [&](gp_context *c, size_t m, Bytes &out) { return multiply(c, m, which, out); }},
                        context, n);
    Bytes out;
    ASSERT_OK(multiply(context, 33, 0, out));
    EXPECT_EQ(0U, std::string(gp_explain(context)).find("matmul dealt out: ")) << gp_explain(context);
}

// The same floats are summed up by each number of devices in its own way, and always the same one.
TEST_F(Several, TakePartsThatAreLargeEnough) {
    unsetenv("GPCL_DEAL");
    const Opened context(joined(selectors()));
    const auto explained = [&](size_t n) {
        int32_t sum = 0;
        EXPECT_OK(gp_reduce(context, GP_INT32, n, values<int32_t>(n).data(), &sum, nullptr));
        return std::string(gp_explain(context));
    };
    EXPECT_EQ(0U, explained(1000).find("reduce: on " + selectors()[0] + " alone")) << gp_explain(context);
    EXPECT_EQ(0U, explained(size_t{1} << 21).find("reduce: on " + selectors()[0] + " alone")) << gp_explain(context);
    EXPECT_EQ(0U, explained(size_t{1} << 22)
                      .find("reduce dealt out: " + selectors()[0] + " from 0 on, " + selectors()[1] +
                            " from 2097152 on, of 4194304"))
        << gp_explain(context);
    setenv("GPCL_DEAL", "0", 1);
    EXPECT_EQ(0U, explained(size_t{1} << 22).find("reduce: on " + selectors()[0] + " alone")) << gp_explain(context);
    EXPECT_STREQ("", gp_explain(nullptr));
}

TEST_F(Several, HaveErrorsAsOneHas) {
    const Opened context(joined(selectors()));
    int32_t in[100] = {};
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_scan(context, GP_INT32, 99, in, in + 1, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_sort(context, GP_INT32, 100, nullptr, nullptr));
    gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
    options.operator_source = "a +";
    options.operator_identity = "0";
    EXPECT_EQ(GP_ERROR_BUILD, gp_reduce(context, GP_INT32, 99, in + 1, in, &options));
    EXPECT_STRNE("", gp_error_build_log());
    EXPECT_NE(std::string::npos, std::string(gp_error_message()).find("the part of " + selectors()[0]))
        << gp_error_message();
    EXPECT_OK(gp_reduce(context, GP_INT32, 99, in + 1, in, nullptr));
}

TEST_F(Several, HaveTimes) {
    const Opened context(joined(selectors()));
    gp_event *event = nullptr;
    gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
    options.event = &event;
    const auto in = values<int32_t>(1000);
    int32_t sum = 0;
    ASSERT_OK(gp_reduce(context, GP_INT32, in.size(), in.data(), &sum, &options));
    gp_timing timing = GP_TIMING_INIT;
    EXPECT_OK(gp_event_wait(event));
    EXPECT_EQ(GP_ERROR_NO_PROFILING, gp_event_timing(event, &timing));
    EXPECT_OK(gp_event_free(event));

    ASSERT_OK(gp_profile(context, 1));
    ASSERT_OK(gp_reduce(context, GP_INT32, in.size(), in.data(), &sum, &options));
    ASSERT_OK(gp_event_timing(event, &timing));
    EXPECT_EQ(2U, timing.commands); // the parts, and their sums
    EXPECT_GT(timing.span_ns, 0U);
    gp_command command = GP_COMMAND_INIT;
    ASSERT_OK(gp_event_command(event, 0, &command));
    EXPECT_STREQ("devices", command.name);
    gp_buffer *buffer = nullptr; // calls on buffers may wait for it
    ASSERT_OK(gp_buffer_create(context, 4, &buffer));
    EXPECT_OK(gp_enqueue_sort(context, GP_INT32, 1, buffer, 0, nullptr, 1, &event, nullptr));
    EXPECT_OK(gp_buffer_free(buffer));
    EXPECT_OK(gp_event_free(event));
}

TEST_F(Several, ShareWhatIsSetAndKept) {
    const Opened context(joined(selectors()));
    ASSERT_OK(gp_warmup(context, GP_REDUCE, GP_INT32));
    size_t count = 0;
    ASSERT_OK(gp_parameters(GP_REDUCE, &count));
    gp_parameter_info info = {};
    info.struct_size = sizeof info;
    ASSERT_GT(count, 0U);
    ASSERT_OK(gp_parameter_describe(context, GP_REDUCE, GP_INT32, 0, &info));
    const size_t other = info.values[info.values[0] == info.value ? 1 : 0];
    ASSERT_OK(gp_parameter_set(context, GP_REDUCE, GP_INT32, info.algorithm, info.name, other));
    for (size_t i = 0; i < selectors().size(); ++i) {
        ASSERT_OK(gp_parameter_describe(device_of(context, i), GP_REDUCE, GP_INT32, 0, &info));
        EXPECT_EQ(other, info.value);
    }
    EXPECT_OK(gp_deadline(context, 600'000));
    EXPECT_OK(gp_trim(context));
    EXPECT_OK(gp_flush(context));
    for (const Call &call : kCalls) expect_same(call, context, 33);
}

TEST_F(Several, ReachPinnedMemory) {
    void *pinned = nullptr, *late = nullptr;
    std::vector<int32_t> registered = values<int32_t>(5000);
    {
        const Opened context(joined(selectors()));
        ASSERT_OK(gp_host_alloc(context, 4000, &pinned));
        ASSERT_OK(gp_host_alloc(context, 4000, &late));
        auto *const keys = static_cast<int32_t *>(pinned);
        std::iota(keys, keys + 1000, 0);
        std::reverse(keys, keys + 1000);
        EXPECT_OK(gp_sort(context, GP_INT32, 1000, keys, nullptr));
        EXPECT_TRUE(std::is_sorted(keys, keys + 1000));
        ASSERT_OK(gp_host_register(context, registered.data(), registered.size() * sizeof(int32_t)));
        EXPECT_EQ(GP_ERROR_PINNED, gp_host_register(device_of(context, 1), registered.data(), 4));
        EXPECT_OK(gp_sort(context, GP_INT32, registered.size(), registered.data(), nullptr));
        EXPECT_TRUE(std::is_sorted(registered.begin(), registered.end()));
        EXPECT_OK(gp_host_unregister(context, registered.data()));
        EXPECT_OK(gp_host_register(device_of(context, 1), registered.data(), 4));
        EXPECT_OK(gp_host_free(pinned));
    }
    EXPECT_OK(gp_host_free(late));
}

TEST_F(Several, TakeCallsOfSeveralThreads) {
    const Opened context(joined(selectors()));
    std::vector<std::thread> threads;
    for (uint32_t t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (uint32_t turn = 0; turn < 5; ++turn) {
                auto keys = values<int32_t>(2000 + 100 * t, t), expected = keys;
                std::sort(expected.begin(), expected.end());
                EXPECT_OK(gp_sort(context, GP_INT32, keys.size(), keys.data(), nullptr));
                EXPECT_EQ(expected, keys);
            }
        });
    }
    for (std::thread &thread : threads) thread.join();
}

TEST(OneDevice, IsItsOnlyDevice) {
    size_t count = 0;
    const Opened context("host");
    ASSERT_OK(gp_context_devices(context, &count));
    EXPECT_EQ(1U, count);
    EXPECT_EQ(static_cast<gp_context *>(context), device_of(context, 0));
    gp_context *none = nullptr;
    EXPECT_EQ(GP_ERROR_INDEX, gp_context_device(context, 1, &none));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_context_devices(nullptr, &count));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_context_devices(context, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_context_device(context, 0, nullptr));
}

} // namespace
