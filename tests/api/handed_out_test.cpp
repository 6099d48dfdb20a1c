// What calls hand out, handles, events, counts and structures, is written by those that succeed and
// by no others.
// SPDX-License-Identifier: MIT
#include "support/support.h"

#include <functional>

namespace {

constexpr size_t kN = 64;
constexpr size_t kBytes = kN * sizeof(int64_t);

// The calls that enqueue: on a buffer, after `count` events, with an event.
using Enqueue = std::function<gp_status(gp_buffer *, size_t, gp_event *const *, gp_event **)>;

class HandedOut : public testing::Test {
  protected:
    void SetUp() override {
        for (gp_buffer **buffer : {&buffer_, &other_, &freed_}) ASSERT_OK(gp_buffer_create(context_, kBytes, buffer));
        ASSERT_OK(gp_buffer_fill(buffer_, 0, kBytes, &kZero, 1));
        ASSERT_OK(gp_buffer_free(freed_));
    }
    void TearDown() override {
        EXPECT_OK(gp_buffer_free(buffer_));
        EXPECT_OK(gp_buffer_free(other_));
    }

    gp_event *event() {
        gp_event *made = nullptr;
        EXPECT_OK(gp_enqueue_fill(other_, 0, 8, &kZero, 1, 0, nullptr, &made));
        return made;
    }
    std::vector<std::pair<const char *, Enqueue>> enqueues();

    static constexpr char kZero = 0;
    static constexpr float kHalf = 0.5f;
    gp_context *context_ = test::context();
    gp_buffer *buffer_ = nullptr, *other_ = nullptr, *freed_ = nullptr;
    unsigned char memory_[kBytes] = {};
};

std::vector<std::pair<const char *, Enqueue>> HandedOut::enqueues() {
    return {
        {"gp_enqueue_write",
         [&](gp_buffer *buffer, size_t count, gp_event *const *wait, gp_event **event) {
             return gp_enqueue_write(buffer, 0, 8, memory_, count, wait, event);
         }},
        {"gp_enqueue_read",
         [&](gp_buffer *buffer, size_t count, gp_event *const *wait, gp_event **event) {
             return gp_enqueue_read(buffer, 0, 8, memory_, count, wait, event);
         }},
        {"gp_enqueue_copy",
         [&](gp_buffer *buffer, size_t count, gp_event *const *wait, gp_event **event) {
             return gp_enqueue_copy(other_, 0, buffer, 0, 8, count, wait, event);
         }},
        {"gp_enqueue_fill",
         [&](gp_buffer *buffer, size_t count, gp_event *const *wait, gp_event **event) {
             return gp_enqueue_fill(buffer, 0, 8, &kZero, 1, count, wait, event);
         }},
        {"gp_enqueue_matmul",
         [&](gp_buffer *buffer, size_t count, gp_event *const *wait, gp_event **event) {
             return gp_enqueue_matmul(context_, GP_INT32, 2, 2, 2, other_, 0, 2, other_, 0, 2, buffer, 0, 2, nullptr,
                                      count, wait, event);
         }},
        {"gp_enqueue_scan",
         [&](gp_buffer *buffer, size_t count, gp_event *const *wait, gp_event **event) {
             return gp_enqueue_scan(context_, GP_INT32, kN, other_, 0, buffer, 0, nullptr, count, wait, event);
         }},
        {"gp_enqueue_reduce",
         [&](gp_buffer *buffer, size_t count, gp_event *const *wait, gp_event **event) {
             return gp_enqueue_reduce(context_, GP_INT32, kN, other_, 0, buffer, 0, nullptr, count, wait, event);
         }},
        {"gp_enqueue_sort",
         [&](gp_buffer *buffer, size_t count, gp_event *const *wait, gp_event **event) {
             return gp_enqueue_sort(context_, GP_INT32, kN, buffer, 0, nullptr, count, wait, event);
         }},
        {"gp_enqueue_sort_pairs",
         [&](gp_buffer *buffer, size_t count, gp_event *const *wait, gp_event **event) {
             return gp_enqueue_sort_pairs(context_, GP_INT32, kN, other_, 0, 4, buffer, 0, nullptr, count, wait, event);
         }},
        {"gp_enqueue_argsort",
         [&](gp_buffer *buffer, size_t count, gp_event *const *wait, gp_event **event) {
             return gp_enqueue_argsort(context_, GP_INT32, kN, other_, 0, GP_UINT32, buffer, 0, nullptr, count, wait,
                                       event);
         }},
        {"gp_enqueue_histogram",
         [&](gp_buffer *buffer, size_t count, gp_event *const *wait, gp_event **event) {
             return gp_enqueue_histogram(context_, GP_UINT8, kN, other_, 0, 4, buffer, 0, nullptr, count, wait, event);
         }},
        {"gp_enqueue_recurrence",
         [&](gp_buffer *buffer, size_t count, gp_event *const *wait, gp_event **event) {
             return gp_enqueue_recurrence(context_, GP_FLOAT32, kN, other_, 0, buffer, 0, 1, &kHalf, nullptr, count,
                                          wait, event);
         }},
        {"gp_enqueue_recurrence_varying",
         [&](gp_buffer *buffer, size_t count, gp_event *const *wait, gp_event **event) {
             return gp_enqueue_recurrence_varying(context_, GP_FLOAT32, kN, other_, 0, other_, 0, buffer, 0, nullptr,
                                                  count, wait, event);
         }},
    };
}

// One variable is the wait list and receives the event. After a refusal it is as it was, and the
// event lives.
TEST_F(HandedOut, OneVariableWaitsAndReceives) {
    auto calls = enqueues();
    gp_kernel *kernel = nullptr;
    if (!test::on_host()) {
        ASSERT_OK(gp_kernel_build(context_, "kernel void f(global char *x) { x[get_global_id(0)] = 0; }", nullptr, "f",
                                  &kernel));
        calls.emplace_back("gp_enqueue_kernel",
                           [&](gp_buffer *buffer, size_t count, gp_event *const *wait, gp_event **event) {
                               const gp_argument argument = {buffer, nullptr, 0};
                               return gp_enqueue_kernel(kernel, 1, &kN, nullptr, 1, &argument, count, wait, event);
                           });
    }
    gp_event *freed = event();
    ASSERT_OK(gp_event_free(freed));
    for (const auto &[name, call] : calls) {
        SCOPED_TRACE(name);
        gp_event *const first = event();
        gp_event *both = first;
        EXPECT_EQ(GP_ERROR_HANDLE, call(freed_, 1, &both, &both)) << gp_error_message();
        EXPECT_EQ(first, both);
        EXPECT_EQ(GP_ERROR_HANDLE, call(buffer_, 1, &freed, &both)) << gp_error_message();
        EXPECT_EQ(first, both);
        EXPECT_OK(gp_event_wait(both));
        ASSERT_OK(call(buffer_, 1, &both, &both));
        EXPECT_NE(first, both);
        EXPECT_OK(gp_event_wait(both));
        EXPECT_OK(gp_event_free(both));
        EXPECT_OK(gp_event_free(first));
    }
    EXPECT_OK(gp_kernel_free(kernel));
}

// Calls that hand out something at `to`, and are refused.
using Refused = std::function<gp_status(void *to)>;

TEST_F(HandedOut, ByNoCallThatIsRefused) {
    gp_context *closed = nullptr;
    ASSERT_OK(gp_open("host", &closed));
    ASSERT_OK(gp_close(closed));
    const std::vector<std::pair<const char *, Refused>> calls = {
        {"gp_buffer_create", [&](void *to) { return gp_buffer_create(closed, 8, static_cast<gp_buffer **>(to)); }},
        {"gp_buffer_bytes", [&](void *to) { return gp_buffer_bytes(freed_, static_cast<size_t *>(to)); }},
        {"gp_buffer_map", [&](void *to) { return gp_buffer_map(buffer_, 77, 0, 8, static_cast<void **>(to)); }},
        {"gp_kernel_build",
         [&](void *to) { return gp_kernel_build(closed, "", nullptr, "f", static_cast<gp_kernel **>(to)); }},
        {"gp_event_done",
         [&](void *to) { return gp_event_done(reinterpret_cast<gp_event *>(freed_), static_cast<int32_t *>(to)); }},
        {"gp_algorithms", [](void *to) { return gp_algorithms(77, static_cast<size_t *>(to)); }},
        {"gp_parameters", [](void *to) { return gp_parameters(77, static_cast<size_t *>(to)); }},
        {"gp_sort_work_bytes",
         [&](void *to) {
             return gp_sort_work_bytes(context_, GP_INT32, 8, 65, 0, nullptr, static_cast<size_t *>(to));
         }},
        {"gp_describe", [&](void *to) { return gp_describe(closed, static_cast<gp_device_info *>(to)); }},
        {"gp_device_describe",
         [](void *to) { return gp_device_describe(SIZE_MAX, static_cast<gp_device_info *>(to)); }},
        {"gp_algorithm_describe",
         [](void *to) { return gp_algorithm_describe(GP_SORT, SIZE_MAX, static_cast<gp_algorithm_info *>(to)); }},
        {"gp_parameter_describe",
         [&](void *to) {
             return gp_parameter_describe(context_, GP_SORT, GP_INT32, SIZE_MAX, static_cast<gp_parameter_info *>(to));
         }},
        {"gp_event_timing",
         [&](void *to) { return gp_event_timing(reinterpret_cast<gp_event *>(freed_), static_cast<gp_timing *>(to)); }},
        {"gp_event_command",
         [&](void *to) {
             return gp_event_command(reinterpret_cast<gp_event *>(freed_), 0, static_cast<gp_command *>(to));
         }},
    };
    for (const auto &[name, call] : calls) {
        const std::vector<uint64_t> before(kN * 4, 0x5a5a5a5a);
        std::vector<uint64_t> to = before;
        const gp_status status = call(to.data());
        EXPECT_TRUE(status >= 200 && status < 300) << name << ": " << gp_status_name(status);
        EXPECT_EQ(before, to) << name;
    }
}

// The same of the event of a call on host pointers, which goes where its options say.
TEST_F(HandedOut, ByNoCallOnHostPointersThatIsRefused) {
    auto *const unrelated = reinterpret_cast<gp_event *>(this);
    const auto refused = [&](const char *name, auto options, const auto &call) {
        gp_event *event = unrelated;
        options.event = &event;
        const gp_status status = call(&options, gp_dtype{77});
        EXPECT_EQ(GP_ERROR_DTYPE, status) << name << ": " << gp_error_message();
        EXPECT_EQ(unrelated, event) << name;
        options.algorithm = "none such"; // is found out late
        EXPECT_EQ(GP_ERROR_ALGORITHM, call(&options, gp_dtype{GP_FLOAT32})) << name << ": " << gp_error_message();
        EXPECT_EQ(unrelated, event) << name;
        options.algorithm = nullptr;
        ASSERT_OK(call(&options, gp_dtype{GP_FLOAT32})) << name;
        EXPECT_NE(unrelated, event) << name;
        EXPECT_OK(gp_event_free(event)) << name;
    };
    float a[4] = {4, 3, 2, 1}, b[4] = {}, c[4] = {};
    uint64_t counts[4];
    refused("gp_matmul", gp_matmul_options(GP_MATMUL_OPTIONS_INIT), [&](const auto *options, gp_dtype dtype) {
        return gp_matmul(context_, dtype, 2, 2, 2, a, 2, b, 2, c, 2, options);
    });
    refused("gp_scan", gp_scan_options(GP_SCAN_OPTIONS_INIT),
            [&](const auto *options, gp_dtype dtype) { return gp_scan(context_, dtype, 4, a, b, options); });
    refused("gp_reduce", gp_reduce_options(GP_REDUCE_OPTIONS_INIT),
            [&](const auto *options, gp_dtype dtype) { return gp_reduce(context_, dtype, 4, a, b, options); });
    refused("gp_sort", gp_sort_options(GP_SORT_OPTIONS_INIT),
            [&](const auto *options, gp_dtype dtype) { return gp_sort(context_, dtype, 4, a, options); });
    refused("gp_sort_pairs", gp_sort_options(GP_SORT_OPTIONS_INIT),
            [&](const auto *options, gp_dtype dtype) { return gp_sort_pairs(context_, dtype, 4, a, 4, b, options); });
    refused("gp_argsort", gp_sort_options(GP_SORT_OPTIONS_INIT), [&](const auto *options, gp_dtype dtype) {
        return gp_argsort(context_, dtype, 4, a, GP_UINT32, b, options);
    });
    gp_histogram_options bins = GP_HISTOGRAM_OPTIONS_INIT;
    bins.upper = 8;
    refused("gp_histogram", bins, [&](const auto *options, gp_dtype dtype) {
        return gp_histogram(context_, dtype, 4, a, 4, counts, options);
    });
    refused("gp_recurrence", gp_recurrence_options(GP_RECURRENCE_OPTIONS_INIT),
            [&](const auto *options, gp_dtype dtype) {
                return gp_recurrence(context_, dtype, 4, a, b, 1, &kHalf, options);
            });
    refused("gp_recurrence_varying", gp_recurrence_options(GP_RECURRENCE_OPTIONS_INIT),
            [&](const auto *options, gp_dtype dtype) {
                return gp_recurrence_varying(context_, dtype, 4, c, a, b, options);
            });
}

// Nor by one that fails otherwise.
TEST_F(HandedOut, ByNoCallThatFails) {
    auto *const unrelated = reinterpret_cast<gp_buffer *>(this);
    gp_buffer *buffer = unrelated;
    EXPECT_NE(GP_SUCCESS, gp_buffer_create(context_, SIZE_MAX / 2, &buffer));
    EXPECT_EQ(unrelated, buffer);
    auto *const no_kernel = reinterpret_cast<gp_kernel *>(this);
    gp_kernel *kernel = no_kernel;
    EXPECT_EQ(test::on_host() ? GP_ERROR_UNSUPPORTED_DEVICE : GP_ERROR_BUILD,
              gp_kernel_build(context_, "kernel void f( {", nullptr, "f", &kernel));
    EXPECT_EQ(no_kernel, kernel);
}

} // namespace
