// Devices that are lost, and devices that hang: every case runs again and again, with its first,
// second, ... OpenCL call as the one from which on the device is gone, or runs no command any more.
// After a loss every call must say so without a call of OpenCL's; with a deadline no call may wait
// for ever.
// SPDX-License-Identifier: MIT
#include "faults/support.h"
#include "support/patience.h"

#include <chrono>
#include <cstdlib>
#include <deque>
#include <thread>
#include <utility>

namespace {

constexpr size_t kLarge = 40000;    // bytes, which are staged in several chunks where GPCL_STAGING is
constexpr uint64_t kLong = 600'000; // ms
constexpr uint64_t kShort = 60;     // ms; where nothing hangs a call may take longer, and is given up as well
constexpr long kFew = 40;           // calls that are tried in a case, spread over all

// Memory that calls are given: a device that hangs may still use it, so it lives as long as the
// process.
std::vector<int32_t> &kept(std::vector<int32_t> values) {
    static auto *all = new std::deque<std::vector<int32_t>>;
    all->push_back(std::move(values));
    return all->back();
}

// The cases: each checks its results as far as it succeeds.

gp_status sort(gp_context *context) {
    auto &keys = kept(input());
    TRY(gp_sort(context, GP_INT32, kN, keys.data(), nullptr));
    EXPECT_EQ(sorted(), keys);
    return GP_SUCCESS;
}

// Rows with gaps, which come back through memory of the library's own.
gp_status scan_of_rows(gp_context *context) {
    auto &in = kept(input()), &out = kept(std::vector<int32_t>(kN, 7));
    gp_scan_options options = GP_SCAN_OPTIONS_INIT;
    options.batch = 7;
    options.stride_in = options.stride_out = 100;
    TRY(gp_scan(context, GP_INT32, 99, in.data(), out.data(), &options));
    for (size_t row = 0; row < 7; ++row) {
        EXPECT_EQ(7, out[row * 100 + 99]);
        EXPECT_EQ(in[row * 100] + in[row * 100 + 1], out[row * 100 + 1]);
    }
    return GP_SUCCESS;
}

gp_status reduce(gp_context *context) {
    auto &in = kept(input()), &sum = kept({0});
    TRY(gp_reduce(context, GP_INT32, kN, in.data(), sum.data(), nullptr));
    EXPECT_EQ(summed(in).back(), sum[0]);
    return GP_SUCCESS;
}

// Counts are read into a variable of the library's.
gp_status select(gp_context *context) {
    auto &in = kept(input()), &out = kept(std::vector<int32_t>(kN)), &flags = kept(std::vector<int32_t>(kN));
    auto *each = reinterpret_cast<uint8_t *>(flags.data());
    for (size_t i = 0; i < kN; i += 3) each[i] = 1;
    uint64_t count = 0;
    TRY(gp_select(context, sizeof(int32_t), kN, in.data(), each, out.data(), &count, nullptr));
    EXPECT_EQ((kN + 2) / 3, count);
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(in[3 * i], out[i]);
    return GP_SUCCESS;
}

// Offsets are copied to memory of the library's, on which the device works in place where it can.
gp_status merge_runs(gp_context *context) {
    auto &keys = kept(input()), &out = kept(std::vector<int32_t>(kN));
    const uint64_t offsets[] = {0, kN / 3, kN};
    std::sort(keys.begin(), keys.begin() + kN / 3);
    std::sort(keys.begin() + kN / 3, keys.end());
    TRY(gp_merge_runs(context, GP_INT32, kN, keys.data(), 2, offsets, out.data(), nullptr));
    EXPECT_EQ(sorted(), out);
    return GP_SUCCESS;
}

gp_status matmul(gp_context *context) {
    constexpr size_t kSide = 20, kPitch = 23;
    auto &a = kept(std::vector<int32_t>(kSide * kSide, 2)), &c = kept(std::vector<int32_t>(kSide * kPitch, 7));
    TRY(gp_matmul(context, GP_INT32, kSide, kSide, kSide, a.data(), kSide, a.data(), kSide, c.data(), kPitch, nullptr));
    EXPECT_EQ(4 * static_cast<int32_t>(kSide), c[kSide - 1]);
    EXPECT_EQ(7, c[kSide]);
    return GP_SUCCESS;
}

gp_status chained(gp_context *context) {
    auto &in = kept(input()), &out = kept(std::vector<int32_t>(kN));
    Buffer buffer, copied;
    Event written, read;
    TRY(gp_buffer_create(context, kBytes, &buffer.handle));
    TRY(gp_buffer_create(context, kBytes, &copied.handle));
    TRY(gp_enqueue_write(buffer.handle, 0, kBytes, in.data(), 0, nullptr, &written.handle));
    TRY(gp_enqueue_sort(context, GP_INT32, kN, buffer.handle, 0, nullptr, 1, &written.handle, nullptr));
    TRY(gp_enqueue_scan(context, GP_INT32, kN, buffer.handle, 0, buffer.handle, 0, nullptr, 0, nullptr, nullptr));
    TRY(gp_flush(context));
    TRY(gp_buffer_copy(buffer.handle, 0, copied.handle, 0, kBytes));
    TRY(gp_enqueue_read(copied.handle, 0, kBytes, out.data(), 0, nullptr, &read.handle));
    TRY(gp_event_wait(read.handle));
    EXPECT_EQ(summed(sorted()), out);
    return gp_finish(context);
}

gp_status mapped(gp_context *context) {
    Buffer buffer;
    const int32_t pattern = 41;
    TRY(gp_buffer_create(context, kBytes, &buffer.handle));
    TRY(gp_buffer_fill(buffer.handle, 0, kBytes, &pattern, sizeof pattern));
    void *pointer = nullptr;
    TRY(gp_buffer_map(buffer.handle, GP_READ_WRITE, 0, kBytes, &pointer));
    EXPECT_EQ(41, static_cast<int32_t *>(pointer)[kN - 1]++);
    TRY(gp_buffer_unmap(buffer.handle, pointer));
    auto &out = kept(std::vector<int32_t>(kN));
    TRY(gp_buffer_read(buffer.handle, 0, kBytes, out.data()));
    EXPECT_EQ(42, out[kN - 1]);
    return GP_SUCCESS;
}

gp_status timed(gp_context *context) {
    TRY(gp_profile(context, 1));
    auto &keys = kept(input());
    Event event;
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.event = &event.handle;
    TRY(gp_sort(context, GP_INT32, kN, keys.data(), &options));
    gp_timing timing = GP_TIMING_INIT;
    TRY(gp_event_timing(event.handle, &timing));
    EXPECT_GT(timing.kernels, 0u);
    return gp_profile(context, 0);
}

gp_status own_kernel(gp_context *context) {
    Buffer buffer;
    Kernel kernel;
    auto &values = kept(input());
    TRY(gp_kernel_build(context, "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }", nullptr, "twice",
                        &kernel.handle));
    TRY(gp_buffer_create(context, kBytes, &buffer.handle));
    TRY(gp_buffer_write(buffer.handle, 0, kBytes, values.data()));
    const gp_argument argument = {buffer.handle, nullptr, 0};
    TRY(gp_enqueue_kernel(kernel.handle, 1, &kN, nullptr, 1, &argument, 0, nullptr, nullptr));
    TRY(gp_buffer_read(buffer.handle, 0, kBytes, values.data()));
    EXPECT_EQ(2 * input()[5], values[5]);
    return GP_SUCCESS;
}

gp_status warmed_up(gp_context *context) {
    TRY(gp_warmup(context, GP_REDUCE, GP_FLOAT32));
    TRY(gp_trim(context));
    return reduce(context);
}

gp_status staged(gp_context *context) {
    auto &sent = kept(input(kLarge / 4)), &back = kept(std::vector<int32_t>(kLarge / 4));
    Buffer buffer;
    TRY(gp_buffer_create(context, kLarge, &buffer.handle));
    TRY(gp_buffer_write(buffer.handle, 0, kLarge, sent.data()));
    TRY(gp_buffer_read(buffer.handle, 0, kLarge, back.data()));
    EXPECT_TRUE(sent == back);
    TRY(gp_sort(context, GP_INT32, kLarge / 4, back.data(), nullptr));
    EXPECT_TRUE(std::is_sorted(back.begin(), back.end()));
    return GP_SUCCESS;
}

gp_status staged_enqueued(gp_context *context) {
    auto &sent = kept(input(kLarge / 4)), &back = kept(std::vector<int32_t>(kLarge / 4));
    Buffer buffer;
    Event written, read;
    TRY(gp_buffer_create(context, kLarge, &buffer.handle));
    TRY(gp_enqueue_write(buffer.handle, 0, kLarge, sent.data(), 0, nullptr, &written.handle));
    TRY(gp_enqueue_read(buffer.handle, 0, kLarge, back.data(), 0, nullptr, &read.handle));
    TRY(gp_event_wait(read.handle));
    TRY(gp_event_wait(written.handle)); // which tells whether the first copy failed
    EXPECT_TRUE(sent == back);
    return gp_finish(context);
}

gp_status streamed(gp_context *context) {
    setenv("GPCL_STREAM", "16384", 1);
    auto &in = kept(input(kLarge / 4)), &out = kept(std::vector<int32_t>(kLarge / 4));
    const gp_status status = gp_scan(context, GP_INT32, kLarge / 4, in.data(), out.data(), nullptr);
    unsetenv("GPCL_STREAM");
    TRY(status);
    EXPECT_TRUE(summed(in) == out);
    return GP_SUCCESS;
}

gp_status pinned(gp_context *context) {
    auto &back = kept(std::vector<int32_t>(kLarge / 4));
    void *memory = nullptr;
    TRY(gp_host_alloc(context, kLarge, &memory));
    std::fill_n(static_cast<int32_t *>(memory), kLarge / 4, 5);
    const gp_status status = [&]() -> gp_status {
        Buffer buffer;
        TRY(gp_buffer_create(context, kLarge, &buffer.handle));
        TRY(gp_buffer_write(buffer.handle, 0, kLarge, memory));
        TRY(gp_host_register(context, back.data(), kLarge));
        TRY(gp_buffer_read(buffer.handle, 0, kLarge, back.data()));
        EXPECT_EQ(5, back.back());
        return gp_host_unregister(context, back.data());
    }();
    const gp_status freed = gp_host_free(memory);
    return status != GP_SUCCESS ? status : freed;
}

// Every call on a context that is lost, and on what belongs to it.
struct Things {
    gp_context *context = nullptr;
    gp_buffer *buffer = nullptr;
    gp_event *event = nullptr;
    gp_kernel *kernel = nullptr;
    void *memory = nullptr;

    void make() {
        ASSERT_EQ(GP_SUCCESS, gp_open(nullptr, &context)) << gp_error_message();
        ASSERT_EQ(GP_SUCCESS, gp_buffer_create(context, kBytes, &buffer));
        ASSERT_EQ(GP_SUCCESS, gp_buffer_fill(buffer, 0, kBytes, "x", 1));
        ASSERT_EQ(GP_SUCCESS, gp_enqueue_fill(buffer, 0, kBytes, "x", 1, 0, nullptr, &event));
        ASSERT_EQ(GP_SUCCESS, gp_event_wait(event));
        ASSERT_EQ(GP_SUCCESS, gp_kernel_build(context, "kernel void f() {}", nullptr, "f", &kernel))
            << gp_error_message();
        ASSERT_EQ(GP_SUCCESS, gp_host_alloc(context, 1, &memory));
    }

    void expect_lost() {
        const long before = faults_calls();
        int32_t done = 0;
        size_t bytes = 0;
        gp_device_info info{};
        info.struct_size = sizeof info;
        gp_timing timing = GP_TIMING_INIT;
        gp_command command = GP_COMMAND_INIT;
        gp_parameter_info parameter{};
        parameter.struct_size = sizeof parameter;
        gp_buffer *another = nullptr;
        gp_kernel *other = nullptr;
        gp_event *later = nullptr;
        void *pointer = nullptr;
        std::vector<int32_t> values(kN);
        const gp_status statuses[] = {
            gp_describe(context, &info),
            gp_finish(context),
            gp_flush(context),
            gp_deadline(context, 0),
            gp_profile(context, 1),
            gp_trim(context),
            gp_buffer_create(context, kBytes, &another),
            gp_buffer_bytes(buffer, &bytes),
            gp_buffer_write(buffer, 0, kBytes, values.data()),
            gp_buffer_read(buffer, 0, kBytes, values.data()),
            gp_buffer_copy(buffer, 0, buffer, 8, 8),
            gp_buffer_fill(buffer, 0, kBytes, "x", 1),
            gp_buffer_map(buffer, GP_READ, 0, kBytes, &pointer),
            gp_buffer_unmap(buffer, values.data()),
            gp_enqueue_write(buffer, 0, kBytes, values.data(), 0, nullptr, &later),
            gp_enqueue_read(buffer, 0, kBytes, values.data(), 0, nullptr, &later),
            gp_enqueue_copy(buffer, 0, buffer, 8, 8, 0, nullptr, &later),
            gp_enqueue_fill(buffer, 0, kBytes, "x", 1, 1, &event, &later),
            gp_host_alloc(context, kBytes, &pointer),
            gp_host_register(context, values.data(), kBytes),
            gp_host_unregister(context, values.data()),
            gp_event_wait(event),
            gp_event_wait_for(event, 0),
            gp_event_done(event, &done),
            gp_event_timing(event, &timing),
            gp_event_command(event, 0, &command),
            gp_kernel_build(context, "kernel void g() {}", nullptr, "g", &other),
            gp_enqueue_kernel(kernel, 1, &kN, nullptr, 0, nullptr, 0, nullptr, &later),
            gp_warmup(context, GP_SORT, GP_INT8),
            gp_parameter_describe(context, GP_SORT, GP_INT32, 0, &parameter),
            gp_parameter_set(context, GP_SORT, GP_INT32, "x", "y", 0),
            gp_tuning_save(context, "/dev/null"),
            gp_sort(context, GP_INT32, kN, values.data(), nullptr),
            gp_scan(context, GP_INT32, kN, values.data(), values.data(), nullptr),
            gp_enqueue_sort(context, GP_INT32, kN, buffer, 0, nullptr, 0, nullptr, &later),
            gp_enqueue_scan(context, GP_INT32, kN, buffer, 0, buffer, 0, nullptr, 0, nullptr, nullptr),
        };
        size_t number = 0;
        for (const gp_status status : statuses) {
            EXPECT_EQ(GP_ERROR_DEVICE_LOST, status) << "call " << number << " of the list: " << gp_status_name(status);
            ++number;
        }
        EXPECT_NE(std::string::npos, std::string(gp_error_message()).find("lost")) << gp_error_message();
        free(GP_ERROR_DEVICE_LOST);
        EXPECT_EQ(before, faults_calls()) << "OpenCL was called";
    }

    // They are given back all the same.
    void free(gp_status expected) {
        EXPECT_EQ(expected, gp_event_free(event));
        EXPECT_EQ(GP_ERROR_HANDLE, gp_event_wait(event));
        EXPECT_EQ(expected, gp_buffer_free(buffer));
        EXPECT_EQ(GP_ERROR_HANDLE, gp_buffer_free(buffer));
        EXPECT_EQ(expected, gp_host_free(memory));
        EXPECT_EQ(GP_ERROR_NOT_PINNED, gp_host_free(memory));
        EXPECT_EQ(expected, gp_close(context));
        EXPECT_EQ(GP_ERROR_HANDLE, gp_close(context));
        EXPECT_EQ(expected, gp_kernel_free(kernel)); // the last that holds the context
    }
};

class Lost : public testing::TestWithParam<Case> {
  protected:
    void SetUp() override {
        if (GetParam().staged) setenv("GPCL_STAGING", "4096", 1);
        Context context;
        ASSERT_EQ(GP_SUCCESS, gp_open(nullptr, &context.handle)) << gp_error_message();
        ASSERT_EQ(GP_SUCCESS, GetParam().run(context.handle)) << said; // fills the cache
        faults_arm(0);
        ASSERT_EQ(GP_SUCCESS, GetParam().run(context.handle)) << said;
        calls_ = faults_calls() + 4; // the first call on a context makes some more
    }
    void TearDown() override {
        faults_arm(0);
        unsetenv("GPCL_STAGING");
    }
    // GPCL_TEST_TYPES=all tries each.
    long step() const {
        const char *types = std::getenv("GPCL_TEST_TYPES");
        return types != nullptr && std::string(types) == "all" ? 1 : calls_ / kFew + 1;
    }

    long calls_ = 0;
};

TEST_P(Lost, EveryCallSaysSo) {
    for (long call = 1; call < calls_ && !HasFailure(); call += step()) {
        Things things;
        things.make();
        if (HasFatalFailure()) return;
        faults_lose(call);
        const gp_status status = GetParam().run(things.context);
        const char *hit = faults_hit();
        if (hit == nullptr) {
            EXPECT_EQ(GP_SUCCESS, status) << said;
            faults_arm(0);
            things.free(GP_SUCCESS);
            break;
        }
        SCOPED_TRACE(testing::Message() << "call " << call << ", " << hit);
        EXPECT_TRUE(status == GP_SUCCESS || status == GP_ERROR_DEVICE_LOST) << gp_status_name(status) << ": " << said;
        EXPECT_EQ(GP_ERROR_DEVICE_LOST, gp_finish(things.context)) << gp_error_message();
        std::this_thread::sleep_for(std::chrono::milliseconds(2)); // threads that were about to call OpenCL
        things.expect_lost();
        faults_arm(0);
        Context anew;
        EXPECT_EQ(GP_SUCCESS, gp_open(nullptr, &anew.handle)) << gp_error_message();
        if (call == 1) {
            EXPECT_EQ(GP_SUCCESS, GetParam().run(anew.handle)) << said;
        }
    }
}

TEST_P(Lost, NoCallWaitsForADeviceThatHangs) {
    long hits = 0;
    for (long call = 1; call < calls_ && !HasFailure(); call += step()) {
        Things things;
        things.make();
        if (HasFatalFailure()) return;
        ASSERT_EQ(GP_SUCCESS, gp_deadline(things.context, kShort * test::patience(1)));
        faults_hang(call);
        const gp_status status = GetParam().run(things.context);
        const char *hit = faults_hit();
        SCOPED_TRACE(testing::Message() << "call " << call << ", " << (hit != nullptr ? hit : "none"));
        const auto expect_ended = [&](gp_status ended) {
            EXPECT_TRUE(ended == GP_ERROR_TIMEOUT || ended == GP_ERROR_DEVICE_LOST ||
                        (ended == GP_SUCCESS && hit == nullptr))
                << gp_status_name(ended) << ": " << said << "; " << gp_error_message();
        };
        if (status != GP_SUCCESS) expect_ended(status);
        const gp_status finished = gp_finish(things.context);
        expect_ended(finished);
        expect_ended(gp_close(things.context));
        const bool is_lost = gp_event_wait(things.event) == GP_ERROR_DEVICE_LOST;
        EXPECT_TRUE(is_lost || hit == nullptr) << "closed in vain, so it is lost";
        gp_event_free(things.event);
        gp_buffer_free(things.buffer);
        gp_host_free(things.memory);
        gp_kernel_free(things.kernel);
        EXPECT_EQ(nullptr, faults_waited()) << "would have waited for ever";
        hits += hit != nullptr ? 1 : 0;
        faults_arm(0);
    }
    EXPECT_GE(hits, 3);
}

// With a deadline that does not pass all is as without one, failing calls too.
TEST_P(Lost, DeadlinesChangeNothingElse) {
    Context context;
    ASSERT_EQ(GP_SUCCESS, gp_open(nullptr, &context.handle)) << gp_error_message();
    ASSERT_EQ(GP_SUCCESS, gp_deadline(context.handle, kLong));
    ASSERT_EQ(GP_SUCCESS, GetParam().run(context.handle)) << said;
    faults_arm(0);
    ASSERT_EQ(GP_SUCCESS, GetParam().run(context.handle)) << said;
    const long calls = faults_calls();
    for (long call = 1; call <= calls && !HasFailure(); call += step()) {
        faults_arm(call);
        const gp_status status = GetParam().run(context.handle);
        const char *hit = faults_hit();
        faults_arm(0);
        SCOPED_TRACE(testing::Message() << "call " << call << ", " << (hit != nullptr ? hit : "none"));
        EXPECT_TRUE(status != GP_ERROR_TIMEOUT && status != GP_ERROR_DEVICE_LOST && status != GP_ERROR_INTERNAL)
            << said;
        gp_profile(context.handle, 0);
        ASSERT_EQ(GP_SUCCESS, GetParam().run(context.handle)) << "afterwards: " << said;
    }
}

constexpr Case kCases[] = {{"sort", sort},
                           {"scan_of_rows", scan_of_rows},
                           {"reduce", reduce},
                           {"select", select},
                           {"merge_runs", merge_runs},
                           {"matmul", matmul},
                           {"chained", chained},
                           {"mapped", mapped},
                           {"timed", timed},
                           {"own_kernel", own_kernel},
                           {"warmed_up", warmed_up},
                           {"staged", staged, true},
                           {"staged_enqueued", staged_enqueued, true},
                           {"streamed_staged", streamed, true},
                           {"pinned", pinned, true}};

INSTANTIATE_TEST_SUITE_P(Every, Lost, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case> &info) { return std::string(info.param.name); });

// What only waits can wait again; what was given host memory can't.
TEST(Hanging, WaitsLoseNothingAndHostMemoryLosesAll) {
    Things things;
    things.make();
    if (HasFatalFailure()) return;
    auto &keys = kept(input());
    faults_hang(1);
    ASSERT_EQ(GP_SUCCESS, gp_flush(things.context)); // the call from which on it hangs
    gp_event *event = nullptr;
    ASSERT_EQ(GP_SUCCESS, gp_enqueue_fill(things.buffer, 0, kBytes, "y", 1, 0, nullptr, &event));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_event_wait_for(event, 0));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_event_wait_for(event, 20));
    EXPECT_NE(std::string::npos, std::string(gp_error_message()).find("gp_event_wait_for")) << gp_error_message();
    ASSERT_EQ(GP_SUCCESS, gp_deadline(things.context, 20));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_event_wait(event));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_event_wait_for(event, 1 << 30));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_finish(things.context));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_profile(things.context, 1));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_buffer_fill(things.buffer, 0, kBytes, "z", 1));
    void *pointer = nullptr;
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_buffer_map(things.buffer, GP_READ, 0, kBytes, &pointer));
    int32_t done = 1;
    EXPECT_EQ(GP_SUCCESS, gp_event_done(event, &done));
    EXPECT_EQ(0, done);
    EXPECT_EQ(GP_SUCCESS, gp_flush(things.context)) << gp_error_message();
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_sort(things.context, GP_INT32, kN, keys.data(), nullptr));
    EXPECT_EQ(GP_ERROR_DEVICE_LOST, gp_event_free(event));
    things.expect_lost();
    EXPECT_EQ(nullptr, faults_waited());
    faults_arm(0);
}

// A device that is lost takes its call with it, and no other: later calls go to those that are
// left.
class SeveralDevices : public testing::TestWithParam<size_t> {
  protected:
    void SetUp() override { setenv("GPCL_DEAL", "1", 1); }
    void TearDown() override {
        unsetenv("GPCL_DEAL");
        faults_arm(0);
        faults_hang_device(-1);
    }
};

TEST_P(SeveralDevices, LoseOneAndGoOn) {
    Context context;
    ASSERT_EQ(GP_SUCCESS, gp_open(nullptr, &context.handle)) << gp_error_message();
    size_t count = 0;
    ASSERT_EQ(GP_SUCCESS, gp_context_devices(context.handle, &count));
    if (count < 2) GTEST_SKIP() << "one device is not several";
    std::vector<gp_context *> devices(count);
    for (size_t i = 0; i < count; ++i)
        ASSERT_EQ(GP_SUCCESS, gp_context_device(context.handle, i, &devices[i])) << gp_error_message();
    const size_t lost = GetParam(), left = 1 - lost;
    for (const auto run : {sort, scan_of_rows, reduce, matmul, select})
        ASSERT_EQ(GP_SUCCESS, run(context.handle)) << said;

    ASSERT_EQ(GP_SUCCESS, gp_deadline(context.handle, 4 * kShort * test::patience(1)));
    faults_hang_device(static_cast<long>(lost));
    faults_hang(1);
    EXPECT_EQ(GP_ERROR_TIMEOUT, reduce(context.handle)) << said;
    EXPECT_NE(std::string::npos, said.find("the part of ")) << said;
    faults_arm(0);
    ASSERT_EQ(GP_SUCCESS, gp_deadline(context.handle, 0));

    EXPECT_EQ(GP_ERROR_DEVICE_LOST, gp_finish(devices[lost]));
    EXPECT_EQ(GP_SUCCESS, gp_finish(devices[left])) << gp_error_message();
    EXPECT_EQ(GP_SUCCESS, gp_finish(context.handle)) << gp_error_message();
    for (const auto run : {sort, scan_of_rows, reduce, matmul, select})
        EXPECT_EQ(GP_SUCCESS, run(context.handle)) << said;
    for (const auto run : {sort, reduce, chained}) EXPECT_EQ(GP_SUCCESS, run(devices[left])) << said;
    gp_buffer *buffer = nullptr; // is the first device's
    EXPECT_EQ(lost == 0 ? GP_ERROR_DEVICE_LOST : GP_SUCCESS, gp_buffer_create(context.handle, 1, &buffer));
    EXPECT_EQ(GP_SUCCESS, gp_buffer_free(buffer));
    EXPECT_EQ(GP_ERROR_DEVICE_LOST, gp_close(std::exchange(context.handle, nullptr)));
    EXPECT_EQ(GP_ERROR_HANDLE, gp_finish(devices[left]));
}

INSTANTIATE_TEST_SUITE_P(Each, SeveralDevices, testing::Values(0, 1));

} // namespace

int main(int argc, char **argv) {
    setenv("GPCL_CACHE", "on", 1); // each round opens a context
    return run_with_layer(argc, argv);
}
