// Events: wait lists, completion, times and the list of commands.
// SPDX-License-Identifier: MIT
#include "support/intervals.h"
#include "support/support.h"

#include <functional>
#include <numeric>

namespace {

// A context of its own, since gp_profile changes it for everybody.
class Event : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_OK(gp_open(nullptr, &context_));
        ASSERT_OK(gp_buffer_create(context_, sizeof(int32_t) * kN, &buffer_));
        ASSERT_OK(gp_buffer_create(context_, sizeof(int32_t) * kN, &other_));
        std::iota(values_.begin(), values_.end(), -1000);
        std::reverse(values_.begin(), values_.end());
        ASSERT_OK(gp_buffer_write(buffer_, 0, sizeof(int32_t) * kN, values_.data()));
    }
    void TearDown() override {
        EXPECT_OK(gp_buffer_free(buffer_));
        EXPECT_OK(gp_buffer_free(other_));
        EXPECT_OK(gp_close(context_));
    }

    static void expect_consistent_times(gp_event *event);

    static constexpr size_t kN = 5000;
    gp_context *context_ = nullptr;
    gp_buffer *buffer_ = nullptr;
    gp_buffer *other_ = nullptr;
    std::vector<int32_t> values_ = std::vector<int32_t>(kN);
};

gp_command command_at(gp_event *event, size_t index) {
    gp_command command = GP_COMMAND_INIT;
    EXPECT_OK(gp_event_command(event, index, &command));
    return command;
}

gp_timing timing_of(gp_event *event) {
    gp_timing timing = GP_TIMING_INIT;
    EXPECT_OK(gp_event_timing(event, &timing));
    return timing;
}

// A time is how long at least one command of its kind lasted, and the commands lie within the span.
// Commands may overlap: rusticl gives those of one submission the same times.
void Event::expect_consistent_times(gp_event *event) {
    const gp_timing timing = timing_of(event);
    ASSERT_GE(timing.commands, 1u);
    test::Intervals uploads, runs, downloads;
    uint64_t end = 0;
    size_t kernels = 0;
    for (size_t i = 0; i < timing.commands; ++i) {
        const gp_command command = command_at(event, i);
        if (i == 0) {
            EXPECT_EQ(0u, command.start_ns);
        }
        const std::pair time(command.start_ns, command.start_ns + command.run_ns);
        end = std::max(end, time.second);
        EXPECT_STRNE("", command.name) << "command " << i;
        switch (command.kind) {
        case GP_UPLOAD:
            uploads.push_back(time);
            EXPECT_STREQ("upload", command.name);
            break;
        case GP_DOWNLOAD:
            downloads.push_back(time);
            EXPECT_STREQ("download", command.name);
            break;
        case GP_KERNEL:
            ++kernels;
            if (!test::on_host()) {
                EXPECT_GE(command.global_size[0], 1u) << command.name;
            }
            runs.push_back(time);
            break;
        case GP_COPY: runs.push_back(time); break;
        case GP_FILL: runs.push_back(time); break;
        default: FAIL() << "kind " << command.kind;
        }
    }
    EXPECT_EQ(test::covered(uploads), timing.upload_ns);
    EXPECT_EQ(test::covered(runs), timing.run_ns);
    EXPECT_EQ(test::covered(downloads), timing.download_ns);
    EXPECT_EQ(kernels, timing.kernels);
    EXPECT_EQ(end, timing.span_ns);
    gp_command past = GP_COMMAND_INIT;
    EXPECT_EQ(GP_ERROR_INDEX, gp_event_command(event, timing.commands, &past));
}

TEST_F(Event, EveryEnqueueGivesOne) {
    std::vector<gp_event *> events;
    const auto next = [&] { return &events.emplace_back(nullptr); };
    std::vector<int32_t> back(kN);
    const size_t bytes = sizeof(int32_t) * kN;
    const int32_t zero = 0;
    events.reserve(16);
    ASSERT_OK(gp_enqueue_write(buffer_, 0, bytes, values_.data(), 0, nullptr, next()));
    ASSERT_OK(gp_enqueue_fill(other_, 0, bytes, &zero, sizeof zero, 0, nullptr, next()));
    ASSERT_OK(gp_enqueue_copy(buffer_, 0, other_, 0, bytes, 0, nullptr, next()));
    ASSERT_OK(gp_enqueue_sort(context_, GP_INT32, kN, buffer_, 0, nullptr, 0, nullptr, next()));
    ASSERT_OK(gp_enqueue_scan(context_, GP_INT32, kN, buffer_, 0, other_, 0, nullptr, 0, nullptr, next()));
    ASSERT_OK(gp_enqueue_reduce(context_, GP_INT32, kN, buffer_, 0, other_, 0, nullptr, 0, nullptr, next()));
    ASSERT_OK(
        gp_enqueue_argsort(context_, GP_INT32, kN, buffer_, 0, GP_UINT32, other_, 0, nullptr, 0, nullptr, next()));
    ASSERT_OK(gp_enqueue_sort_pairs(context_, GP_INT32, kN, buffer_, 0, 4, other_, 0, nullptr, 0, nullptr, next()));
    ASSERT_OK(gp_enqueue_matmul(context_, GP_INT32, 8, 8, 8, buffer_, 0, 8, buffer_, 64, 8, other_, 0, 8, nullptr, 0,
                                nullptr, next()));
    ASSERT_OK(gp_enqueue_read(buffer_, 0, bytes, back.data(), 0, nullptr, next()));
    ASSERT_OK(gp_flush(context_));
    ASSERT_EQ(10u, events.size());
    for (size_t i = events.size(); i-- > 0;) { // the last one first: waiting for it waits for all
        SCOPED_TRACE(i);
        ASSERT_NE(nullptr, events[i]);
        EXPECT_OK(gp_event_wait(events[i]));
        int32_t done = 0;
        EXPECT_OK(gp_event_done(events[i], &done));
        EXPECT_EQ(1, done);
        EXPECT_OK(gp_event_free(events[i]));
    }
    std::sort(values_.begin(), values_.end());
    EXPECT_EQ(values_, back);
}

TEST_F(Event, OfAnEmptyCallIsComplete) {
    gp_event *event = nullptr;
    ASSERT_OK(gp_enqueue_sort(context_, GP_INT32, 0, buffer_, 0, nullptr, 0, nullptr, &event));
    ASSERT_NE(nullptr, event);
    EXPECT_OK(gp_event_wait(event));
    EXPECT_OK(gp_event_free(event));
}

TEST_F(Event, WaitListsChainCalls) {
    gp_event *sorted = nullptr, *scanned = nullptr, *read = nullptr;
    std::vector<int32_t> back(kN);
    ASSERT_OK(gp_enqueue_sort(context_, GP_INT32, kN, buffer_, 0, nullptr, 0, nullptr, &sorted));
    ASSERT_OK(gp_enqueue_scan(context_, GP_INT32, kN, buffer_, 0, other_, 0, nullptr, 1, &sorted, &scanned));
    gp_event *const both[] = {sorted, scanned};
    ASSERT_OK(gp_enqueue_read(other_, 0, sizeof(int32_t) * kN, back.data(), 2, both, &read));
    EXPECT_OK(gp_event_free(sorted)); // before the work is complete
    EXPECT_OK(gp_event_free(scanned));
    ASSERT_OK(gp_event_wait(read));
    EXPECT_OK(gp_event_free(read));
    std::sort(values_.begin(), values_.end());
    std::partial_sum(values_.begin(), values_.end(), values_.begin());
    EXPECT_EQ(values_, back);
}

TEST_F(Event, FinishCompletesAll) {
    gp_event *event = nullptr;
    ASSERT_OK(gp_enqueue_sort(context_, GP_INT32, kN, buffer_, 0, nullptr, 0, nullptr, &event));
    ASSERT_OK(gp_finish(context_));
    int32_t done = 0;
    ASSERT_OK(gp_event_done(event, &done));
    EXPECT_EQ(1, done);
    EXPECT_OK(gp_event_free(event));
}

TEST_F(Event, BadWaitListsAreRefused) {
    gp_event *event = nullptr;
    const auto sort = [&](size_t count, gp_event *const *wait) {
        return gp_enqueue_sort(context_, GP_INT32, kN, buffer_, 0, nullptr, count, wait, nullptr);
    };
    EXPECT_EQ(GP_ERROR_NULL_POINTER, sort(1, nullptr));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "wait")) << gp_error_message();
    EXPECT_EQ(GP_ERROR_NULL_POINTER, sort(1, &event));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "wait[0] is NULL")) << gp_error_message();
    EXPECT_EQ(GP_ERROR_SIZE_OVERFLOW, sort(SIZE_MAX, &event)) << "which can't be an array";

    ASSERT_OK(gp_enqueue_copy(buffer_, 0, other_, 0, 8, 0, nullptr, &event));
    gp_event *const second_is_null[] = {event, nullptr};
    EXPECT_EQ(GP_ERROR_NULL_POINTER, sort(2, second_is_null));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "wait[1] is NULL")) << gp_error_message();
    gp_event *const freed = event;
    ASSERT_OK(gp_event_free(event));
    EXPECT_EQ(GP_ERROR_HANDLE, sort(1, &freed));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "wait[0] (")) << gp_error_message();
    EXPECT_EQ(GP_ERROR_HANDLE, gp_event_wait(freed));
    EXPECT_EQ(GP_ERROR_HANDLE, gp_event_free(freed));

    gp_context *stranger = nullptr;
    gp_buffer *strange_buffer = nullptr;
    ASSERT_OK(gp_open(nullptr, &stranger));
    ASSERT_OK(gp_buffer_create(stranger, 8, &strange_buffer));
    const char byte = 0;
    ASSERT_OK(gp_enqueue_fill(strange_buffer, 0, 8, &byte, 1, 0, nullptr, &event));
    EXPECT_EQ(GP_ERROR_WRONG_CONTEXT, sort(1, &event));
    EXPECT_OK(gp_event_free(event));
    EXPECT_OK(gp_buffer_free(strange_buffer));
    EXPECT_OK(gp_close(stranger));

    std::vector<int32_t> back(kN);
    ASSERT_OK(gp_buffer_read(buffer_, 0, sizeof(int32_t) * kN, back.data()));
    EXPECT_EQ(values_, back) << "a refused call wrote";
}

TEST_F(Event, NullArgumentsAreRefused) {
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_event_wait(nullptr));
    EXPECT_OK(gp_event_free(nullptr));
    gp_event *event = nullptr;
    ASSERT_OK(gp_profile(context_, 1));
    ASSERT_OK(gp_enqueue_copy(buffer_, 0, other_, 0, 8, 0, nullptr, &event));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_event_done(event, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_event_timing(event, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_event_command(event, 0, nullptr));
    gp_timing timing{};
    EXPECT_EQ(GP_ERROR_STRUCT_SIZE, gp_event_timing(event, &timing));
    gp_command command{};
    EXPECT_EQ(GP_ERROR_STRUCT_SIZE, gp_event_command(event, 0, &command));
    EXPECT_OK(gp_event_free(event));
}

TEST_F(Event, TimesNeedProfiling) {
    gp_event *event = nullptr;
    gp_timing timing = GP_TIMING_INIT;
    gp_command command = GP_COMMAND_INIT;
    ASSERT_OK(gp_enqueue_sort(context_, GP_INT32, kN, buffer_, 0, nullptr, 0, nullptr, &event));
    EXPECT_EQ(GP_ERROR_NO_PROFILING, gp_event_timing(event, &timing));
    EXPECT_EQ(GP_ERROR_NO_PROFILING, gp_event_command(event, 0, &command));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "gp_profile")) << gp_error_message();
    EXPECT_OK(gp_event_free(event));
}

TEST_F(Event, TimesCoverEveryCommandOfACall) {
    ASSERT_OK(gp_profile(context_, 1));
    const std::vector<std::pair<const char *, std::function<gp_status(gp_event **)>>> calls = {
        {"sort",
         [&](gp_event **event) {
             return gp_enqueue_sort(context_, GP_INT32, kN, buffer_, 0, nullptr, 0, nullptr, event);
         }},
        {"argsort",
         [&](gp_event **event) {
             return gp_enqueue_argsort(context_, GP_INT32, kN, buffer_, 0, GP_UINT32, other_, 0, nullptr, 0, nullptr,
                                       event);
         }},
        {"scan",
         [&](gp_event **event) {
             return gp_enqueue_scan(context_, GP_INT32, kN, buffer_, 0, other_, 0, nullptr, 0, nullptr, event);
         }},
        {"reduce",
         [&](gp_event **event) {
             return gp_enqueue_reduce(context_, GP_INT32, kN, buffer_, 0, other_, 0, nullptr, 0, nullptr, event);
         }},
        {"matmul",
         [&](gp_event **event) {
             return gp_enqueue_matmul(context_, GP_INT32, 16, 16, 16, buffer_, 0, 16, buffer_, 256, 16, other_, 0, 16,
                                      nullptr, 0, nullptr, event);
         }},
    };
    for (const auto &[name, call] : calls) {
        SCOPED_TRACE(name);
        gp_event *event = nullptr;
        ASSERT_OK(call(&event));
        expect_consistent_times(event);
        if (!test::on_host()) {
            EXPECT_GE(timing_of(event).kernels, 1u);
        }
        EXPECT_OK(gp_event_free(event));
    }
}

TEST_F(Event, TimesOfTransfersAreToldApart) {
    ASSERT_OK(gp_profile(context_, 1));
    const auto expect_one = [&](gp_command_kind kind, gp_event *event) {
        expect_consistent_times(event);
        EXPECT_EQ(1u, timing_of(event).commands);
        EXPECT_EQ(kind, command_at(event, 0).kind);
        EXPECT_OK(gp_event_free(event));
    };
    gp_event *event = nullptr;
    ASSERT_OK(gp_enqueue_write(buffer_, 0, 64, values_.data(), 0, nullptr, &event));
    expect_one(GP_UPLOAD, event);
    ASSERT_OK(gp_enqueue_read(buffer_, 0, 64, values_.data(), 0, nullptr, &event));
    expect_one(GP_DOWNLOAD, event);
    ASSERT_OK(gp_enqueue_copy(buffer_, 0, other_, 0, 64, 0, nullptr, &event));
    expect_one(GP_COPY, event);
    ASSERT_OK(gp_enqueue_fill(other_, 0, 64, values_.data(), 4, 0, nullptr, &event));
    expect_one(GP_FILL, event);
}

TEST_F(Event, TheHostFormGivesItsTimesToo) {
    ASSERT_OK(gp_profile(context_, 1));
    gp_event *event = nullptr;
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.event = &event;
    std::vector<int32_t> keys = values_;
    ASSERT_OK(gp_sort(context_, GP_INT32, kN, keys.data(), &options));
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    ASSERT_NE(nullptr, event);
    int32_t done = 0;
    ASSERT_OK(gp_event_done(event, &done));
    EXPECT_EQ(1, done);
    expect_consistent_times(event);
    if (!test::on_host()) {
        const gp_timing timing = timing_of(event);
        EXPECT_GE(timing.kernels, 1u);
        const auto count = [&](gp_command_kind kind) {
            size_t found = 0;
            for (size_t i = 0; i < timing.commands; ++i) found += command_at(event, i).kind == kind ? 1 : 0;
            return found;
        };
        if (test::device().has_unified_memory == 0) { // else no copy is needed
            EXPECT_GE(count(GP_UPLOAD), 1u);
            EXPECT_GE(count(GP_DOWNLOAD), 1u);
        }
    }
    EXPECT_OK(gp_event_free(event));

    event = nullptr;
    gp_reduce_options reduce = GP_REDUCE_OPTIONS_INIT;
    reduce.event = &event;
    int32_t sum = 0;
    ASSERT_OK(gp_reduce(context_, GP_INT32, kN, keys.data(), &sum, &reduce));
    EXPECT_EQ(std::accumulate(keys.begin(), keys.end(), 0), sum);
    ASSERT_NE(nullptr, event);
    expect_consistent_times(event);
    EXPECT_OK(gp_event_free(event));
}

TEST_F(Event, ProfilingSwitchesOffAgain) {
    ASSERT_OK(gp_profile(context_, 1));
    ASSERT_OK(gp_profile(context_, 0));
    gp_event *event = nullptr;
    ASSERT_OK(gp_enqueue_copy(buffer_, 0, other_, 0, 8, 0, nullptr, &event));
    gp_timing timing = GP_TIMING_INIT;
    EXPECT_EQ(GP_ERROR_NO_PROFILING, gp_event_timing(event, &timing));
    EXPECT_OK(gp_event_free(event));
}

// Work on "host" is done before the call returns, whatever the deadline.
TEST(EventOnHost, NoDeadlineEndsItsWork) {
    gp_context *host = nullptr;
    gp_buffer *buffer = nullptr;
    gp_event *event = nullptr;
    ASSERT_OK(gp_open("host", &host));
    constexpr size_t kMany = 3'000'000; // takes longer than the deadline
    std::vector<uint64_t> keys(kMany), back(kMany);
    for (size_t i = 0; i < kMany; ++i) keys[i] = i * 0x9e3779b97f4a7c15U;
    ASSERT_OK(gp_buffer_create(host, kMany * sizeof(uint64_t), &buffer));
    ASSERT_OK(gp_buffer_write(buffer, 0, kMany * sizeof(uint64_t), keys.data()));
    ASSERT_OK(gp_deadline(host, 1));
    ASSERT_OK(gp_enqueue_sort(host, GP_UINT64, kMany, buffer, 0, nullptr, 0, nullptr, &event));
    EXPECT_OK(gp_event_wait_for(event, 0));
    EXPECT_OK(gp_event_wait(event));
    EXPECT_OK(gp_finish(host));
    EXPECT_OK(gp_buffer_read(buffer, 0, kMany * sizeof(uint64_t), back.data()));
    EXPECT_OK(gp_sort(host, GP_UINT64, kMany, keys.data(), nullptr));
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    EXPECT_TRUE(keys == back);
    EXPECT_OK(gp_event_free(event));
    EXPECT_OK(gp_buffer_free(buffer));
    EXPECT_OK(gp_close(host));
}

TEST_F(Event, OutlivesItsContext) {
    gp_context *context = nullptr;
    gp_buffer *buffer = nullptr;
    gp_event *event = nullptr;
    ASSERT_OK(gp_open(nullptr, &context));
    ASSERT_OK(gp_profile(context, 1));
    ASSERT_OK(gp_buffer_create(context, 64, &buffer));
    const char byte = 5;
    ASSERT_OK(gp_enqueue_fill(buffer, 0, 64, &byte, 1, 0, nullptr, &event));
    ASSERT_OK(gp_close(context));
    EXPECT_OK(gp_event_wait(event));
    expect_consistent_times(event);
    EXPECT_OK(gp_event_free(event));
    EXPECT_OK(gp_buffer_free(buffer));
}

} // namespace
