// <gpcl/opencl.h>: the caller's own context, queue, memory and events.
// SPDX-License-Identifier: MIT
#define CL_TARGET_OPENCL_VERSION 120
#include "child.h"
#include "support/support.h"

#include <gpcl/opencl.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <functional>
#include <numeric>
#include <string>
#include <thread>

namespace {

constexpr size_t kN = 1000;
constexpr size_t kBytes = kN * sizeof(int32_t);

class Interop : public testing::TestWithParam<cl_command_queue_properties> {
  protected:
    void SetUp() override {
        if (test::on_host()) GTEST_SKIP() << "host is no OpenCL device";
        ASSERT_OK(gp_opencl_device(test::context(), &device_));
        cl_int status = CL_SUCCESS;
        opencl_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
        ASSERT_EQ(CL_SUCCESS, status);
        queue_ = clCreateCommandQueue(opencl_, device_, GetParam(), &status);
        if (status == CL_INVALID_QUEUE_PROPERTIES) GTEST_SKIP() << "the device has no such queue";
        ASSERT_EQ(CL_SUCCESS, status);
        ASSERT_OK(gp_open_opencl(opencl_, device_, queue_, &context_));
        for (size_t i = 0; i < kN; ++i) values_[i] = static_cast<int32_t>((i * 7919) % 997) - 400;
    }
    void TearDown() override {
        EXPECT_OK(gp_close(context_));
        if (queue_ != nullptr) clReleaseCommandQueue(queue_);
        if (opencl_ != nullptr) clReleaseContext(opencl_);
    }
    cl_mem memory(const std::vector<int32_t> &values) {
        cl_int status = CL_SUCCESS;
        cl_mem result = clCreateBuffer(opencl_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                       values.size() * sizeof(int32_t), const_cast<int32_t *>(values.data()), &status);
        EXPECT_EQ(CL_SUCCESS, status);
        return result;
    }
    std::vector<int32_t> content(cl_mem from) {
        std::vector<int32_t> result(kN);
        EXPECT_EQ(CL_SUCCESS,
                  clEnqueueReadBuffer(queue_, from, CL_TRUE, 0, kBytes, result.data(), 0, nullptr, nullptr));
        return result;
    }

    // A context of its own on the same queue, a buffer there, and an event that is complete when
    // the gate opens.
    struct BehindGate {
        cl_event gate = nullptr;
        gp_context *context = nullptr;
        gp_buffer *buffer = nullptr;
        gp_event *wait = nullptr;
    };
    void open(BehindGate &behind, cl_mem memory) {
        cl_int status = CL_SUCCESS;
        behind.gate = clCreateUserEvent(opencl_, &status);
        ASSERT_EQ(CL_SUCCESS, status);
        ASSERT_OK(gp_open_opencl(opencl_, device_, queue_, &behind.context));
        ASSERT_OK(gp_buffer_wrap(behind.context, memory, &behind.buffer));
        ASSERT_OK(gp_event_wrap(behind.context, behind.gate, &behind.wait));
    }
    void free_lost(const BehindGate &behind) {
        EXPECT_EQ(GP_ERROR_DEVICE_LOST, gp_event_free(behind.wait));
        EXPECT_EQ(GP_ERROR_DEVICE_LOST, gp_buffer_free(behind.buffer));
        EXPECT_EQ(GP_ERROR_DEVICE_LOST, gp_close(behind.context));
        ASSERT_EQ(CL_SUCCESS, clSetUserEventStatus(behind.gate, CL_COMPLETE));
        EXPECT_OK(gp_finish(context_)) << "it has the same queue";
    }

    cl_uint references(cl_context object) {
        cl_uint count = 0;
        EXPECT_EQ(CL_SUCCESS, clGetContextInfo(object, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr));
        return count;
    }
    cl_uint references(cl_command_queue object) {
        cl_uint count = 0;
        EXPECT_EQ(CL_SUCCESS, clGetCommandQueueInfo(object, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, nullptr));
        return count;
    }
    cl_uint references(cl_mem object) {
        cl_uint count = 0;
        EXPECT_EQ(CL_SUCCESS, clGetMemObjectInfo(object, CL_MEM_REFERENCE_COUNT, sizeof count, &count, nullptr));
        return count;
    }

    cl_device_id device_ = nullptr;
    cl_context opencl_ = nullptr;
    cl_command_queue queue_ = nullptr;
    gp_context *context_ = nullptr;
    std::vector<int32_t> values_ = std::vector<int32_t>(kN);
};

TEST_P(Interop, GivesTheCallersObjectsBack) {
    cl_context opencl = nullptr;
    cl_device_id device = nullptr;
    cl_command_queue queue = nullptr;
    EXPECT_OK(gp_opencl_context(context_, &opencl));
    EXPECT_OK(gp_opencl_device(context_, &device));
    EXPECT_OK(gp_opencl_queue(context_, &queue));
    EXPECT_EQ(opencl_, opencl);
    EXPECT_EQ(device_, device);
    EXPECT_EQ(queue_, queue);
    gp_device_info info{};
    info.struct_size = sizeof info;
    EXPECT_OK(gp_describe(context_, &info));
    EXPECT_STREQ(test::device().name, info.name);
    EXPECT_EQ(-1, info.platform_index);
}

TEST_P(Interop, TheEnvironmentBoundsItsMemory) {
    setenv("GPCL_DEVICE_MEMORY", "1M", 1);
    gp_context *bounded = nullptr;
    gp_buffer *buffer = nullptr;
    gp_device_info info{};
    info.struct_size = sizeof info;
    ASSERT_OK(gp_open_opencl(opencl_, device_, queue_, &bounded));
    EXPECT_OK(gp_describe(bounded, &info));
    EXPECT_EQ(uint64_t{1} << 20, info.global_bytes);
    EXPECT_EQ(GP_ERROR_TOO_LARGE, gp_buffer_create(bounded, (1 << 20) + 1, &buffer));
    EXPECT_OK(gp_close(bounded));
    auto *const unrelated = reinterpret_cast<gp_context *>(this);
    bounded = unrelated;
    setenv("GPCL_DEVICE_MEMORY", "much", 1);
    EXPECT_EQ(GP_ERROR_OPTION, gp_open_opencl(opencl_, device_, queue_, &bounded));
    EXPECT_EQ(unrelated, bounded) << "gp_open and gp_open_with alone write after a failure";
    unsetenv("GPCL_DEVICE_MEMORY");
}

TEST_P(Interop, ComputesOnTheCallersQueue) {
    std::vector<int32_t> keys = values_;
    ASSERT_OK(gp_sort(context_, GP_INT32, kN, keys.data(), nullptr));
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    std::vector<int32_t> sums(kN), expected(kN);
    ASSERT_OK(gp_scan(context_, GP_INT32, kN, values_.data(), sums.data(), nullptr));
    std::partial_sum(values_.begin(), values_.end(), expected.begin());
    EXPECT_EQ(expected, sums);
}

TEST_P(Interop, CallsRunInOrderOnAnyQueue) {
    gp_buffer *a = nullptr, *b = nullptr;
    ASSERT_OK(gp_buffer_create(context_, kBytes, &a));
    ASSERT_OK(gp_buffer_create(context_, kBytes, &b));
    for (int round = 0; round < 20; ++round) { // without a single event
        std::vector<int32_t> expected = values_, got(kN);
        ASSERT_OK(gp_enqueue_write(a, 0, kBytes, values_.data(), 0, nullptr, nullptr));
        ASSERT_OK(gp_enqueue_sort(context_, GP_INT32, kN, a, 0, nullptr, 0, nullptr, nullptr));
        ASSERT_OK(gp_enqueue_scan(context_, GP_INT32, kN, a, 0, b, 0, nullptr, 0, nullptr, nullptr));
        ASSERT_OK(gp_enqueue_copy(b, 0, a, 0, kBytes, 0, nullptr, nullptr));
        ASSERT_OK(gp_enqueue_sort(context_, GP_INT32, kN, a, 0, nullptr, 0, nullptr, nullptr));
        ASSERT_OK(gp_buffer_read(a, 0, kBytes, got.data()));
        std::sort(expected.begin(), expected.end());
        std::partial_sum(expected.begin(), expected.end(), expected.begin());
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(expected, got) << "round " << round;
    }
    EXPECT_OK(gp_buffer_free(a));
    EXPECT_OK(gp_buffer_free(b));
}

// What is enqueued out of order waits for nothing that waits, unless a barrier stands between.
TEST_P(Interop, AskingForWorkSpaceEnqueuesNothing) {
    if ((GetParam() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0) GTEST_SKIP() << "nothing overtakes in order";
    cl_int status = CL_SUCCESS;
    cl_event gate = clCreateUserEvent(opencl_, &status);
    ASSERT_EQ(CL_SUCCESS, status);
    cl_mem memory = this->memory(values_);
    const auto overtakes = [&] {
        const int32_t zero = 0;
        cl_event filled = nullptr;
        EXPECT_EQ(CL_SUCCESS, clEnqueueFillBuffer(queue_, memory, &zero, sizeof zero, 0, kBytes, 0, nullptr, &filled));
        clFlush(queue_);
        cl_int state = CL_QUEUED;
        for (int tries = 0; state != CL_COMPLETE && tries < 5000; ++tries) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            clGetEventInfo(filled, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
        }
        clReleaseEvent(filled);
        return state == CL_COMPLETE;
    };
    ASSERT_EQ(CL_SUCCESS, clEnqueueMarkerWithWaitList(queue_, 1, &gate, nullptr));
    const bool can = overtakes();
    size_t bytes = 0;
    EXPECT_OK(gp_sort_work_bytes(context_, GP_INT32, 100'000, 0, 0, nullptr, &bytes));
    if (can) {
        EXPECT_TRUE(overtakes());
    }
    clSetUserEventStatus(gate, CL_COMPLETE);
    clFinish(queue_);
    clReleaseEvent(gate);
    clReleaseMemObject(memory);
    if (!can) GTEST_SKIP() << "OpenCL runs this queue in order all the same";
}

TEST_P(Interop, WrapsMemory) {
    cl_mem memory = this->memory(values_);
    gp_buffer *buffer = nullptr;
    ASSERT_OK(gp_buffer_wrap(context_, memory, &buffer));
    size_t bytes = 0;
    EXPECT_OK(gp_buffer_bytes(buffer, &bytes));
    EXPECT_EQ(kBytes, bytes);
    cl_mem back = nullptr;
    EXPECT_OK(gp_opencl_mem(buffer, &back));
    EXPECT_EQ(memory, back);
    ASSERT_OK(gp_enqueue_sort(context_, GP_INT32, kN, buffer, 0, nullptr, 0, nullptr, nullptr));
    ASSERT_OK(gp_finish(context_));
    EXPECT_OK(gp_buffer_free(buffer));
    std::sort(values_.begin(), values_.end());
    EXPECT_EQ(values_, content(memory));
    clReleaseMemObject(memory);
}

TEST_P(Interop, WrapsSubBuffers) {
    cl_uint align_bits = 0;
    clGetDeviceInfo(device_, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align_bits, &align_bits, nullptr);
    const size_t first = std::max<size_t>(align_bits / 8 / sizeof(int32_t), 1);
    ASSERT_LT(first, kN / 2);
    cl_mem memory = this->memory(values_);
    const cl_buffer_region region = {first * sizeof(int32_t), 200 * sizeof(int32_t)};
    cl_int status = CL_SUCCESS;
    cl_mem part = clCreateSubBuffer(memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    ASSERT_EQ(CL_SUCCESS, status);
    gp_buffer *buffer = nullptr;
    ASSERT_OK(gp_buffer_wrap(context_, part, &buffer));
    ASSERT_OK(gp_enqueue_sort(context_, GP_INT32, 100, buffer, 50, nullptr, 0, nullptr, nullptr));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS,
              gp_enqueue_sort(context_, GP_INT32, 100, buffer, 101, nullptr, 0, nullptr, nullptr));
    ASSERT_OK(gp_finish(context_));
    EXPECT_OK(gp_buffer_free(buffer));
    const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(first + 50);
    std::sort(begin, begin + 100);
    EXPECT_EQ(values_, content(memory));
    clReleaseMemObject(part);
    clReleaseMemObject(memory);
}

// Two handles of one cl_mem, and handles of sub-buffers of it. The place of each is the same byte.
class Overlap : public Interop {
  protected:
    void SetUp() override {
        Interop::SetUp();
        if (context_ == nullptr) return;
        cl_uint align_bits = 0;
        clGetDeviceInfo(device_, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align_bits, &align_bits, nullptr);
        const size_t step = std::max<size_t>(align_bits / 8, 8);
        memory_ = memory(std::vector<int32_t>(kElements, 1));
        ASSERT_OK(gp_buffer_create(context_, kBytes, &other_));
        for (const size_t begin : {size_t{0}, size_t{0}, step, 2 * step, 2 * step}) {
            cl_mem part = memory_;
            const cl_buffer_region region = {begin, kElements * 4 - 2 * step};
            cl_int status = CL_SUCCESS;
            if (begin > 0)
                part = clCreateSubBuffer(memory_, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
            ASSERT_EQ(CL_SUCCESS, status);
            Place place{};
            ASSERT_OK(gp_buffer_wrap(context_, part, &place.buffer));
            place.offset = (2 * step - begin) / 4;
            places_.push_back(place);
            if (begin > 0) clReleaseMemObject(part);
        }
    }
    void TearDown() override {
        for (const Place &place : places_) EXPECT_OK(gp_buffer_free(place.buffer));
        if (context_ != nullptr) {
            EXPECT_OK(gp_buffer_free(other_));
        }
        if (memory_ != nullptr) clReleaseMemObject(memory_);
        Interop::TearDown();
    }

    struct Place {
        gp_buffer *buffer;
        size_t offset; // in elements of 4 bytes
    };
    static constexpr size_t kElements = 1 << 16;
    static constexpr size_t kCount = 100;

    // Each call takes an array of kCount elements at `a`, and another one at `b`.
    std::vector<std::pair<const char *, std::function<gp_status()>>> calls(const Place &a, const Place &b) {
        const auto heads = [](const Place &at) {
            gp_scan_options options = GP_SCAN_OPTIONS_INIT;
            options.heads_buffer = at.buffer;
            options.heads_offset = (at.offset + kCount) * 4 - kCount; // bytes, the last ones of the array
            return options;
        };
        const auto matmul = [this](const Place &in_a, const Place &in_b, const Place &out) {
            return gp_enqueue_matmul(context_, GP_FLOAT32, 10, 10, 10, in_a.buffer, in_a.offset, 10, in_b.buffer,
                                     in_b.offset, 10, out.buffer, out.offset, 10, nullptr, 0, nullptr, nullptr);
        };
        const auto work = [this](size_t value_size, gp_dtype index, const Place &at, gp_sort_options &options) {
            options.algorithm = "radix-chunks";
            options.work = at.buffer;
            options.work_offset = at.offset * 4;
            size_t bytes = 0;
            EXPECT_OK(gp_sort_work_bytes(context_, GP_INT32, kCount, value_size, index, &options, &bytes));
            EXPECT_GT(bytes, 0u);
        };
        const Place other{other_, 0};
        return {
            {"scan",
             [=, this] {
                 return gp_enqueue_scan(context_, GP_INT32, kCount, a.buffer, a.offset, b.buffer, b.offset, nullptr, 0,
                                        nullptr, nullptr);
             }},
            {"scan of segments",
             [=, this] {
                 const auto options = heads(a);
                 return gp_enqueue_scan(context_, GP_INT32, kCount, other_, 0, b.buffer, b.offset, &options, 0, nullptr,
                                        nullptr);
             }},
            {"reduce",
             [=, this] {
                 return gp_enqueue_reduce(context_, GP_INT32, kCount, a.buffer, a.offset, b.buffer, b.offset, nullptr,
                                          0, nullptr, nullptr);
             }},
            {"histogram",
             [=, this] {
                 return gp_enqueue_histogram(context_, GP_INT32, kCount, a.buffer, a.offset, 10, b.buffer, b.offset / 2,
                                             nullptr, 0, nullptr, nullptr);
             }},
            {"recurrence",
             [=, this] {
                 const float half = 0.5F;
                 return gp_enqueue_recurrence(context_, GP_FLOAT32, kCount, a.buffer, a.offset, b.buffer, b.offset, 1,
                                              &half, nullptr, 0, nullptr, nullptr);
             }},
            {"recurrence_varying",
             [=, this] {
                 return gp_enqueue_recurrence_varying(context_, GP_FLOAT32, kCount, other_, 0, a.buffer, a.offset,
                                                      b.buffer, b.offset, nullptr, 0, nullptr, nullptr);
             }},
            {"recurrence_varying's coefficients",
             [=, this] {
                 return gp_enqueue_recurrence_varying(context_, GP_FLOAT32, kCount, a.buffer, a.offset, other_, 0,
                                                      b.buffer, b.offset, nullptr, 0, nullptr, nullptr);
             }},
            {"matmul's a", [=] { return matmul(a, other, b); }},
            {"matmul's b", [=] { return matmul(other, a, b); }},
            {"sort_pairs",
             [=, this] {
                 return gp_enqueue_sort_pairs(context_, GP_INT32, kCount, a.buffer, a.offset, 4, b.buffer, b.offset,
                                              nullptr, 0, nullptr, nullptr);
             }},
            {"argsort",
             [=, this] {
                 return gp_enqueue_argsort(context_, GP_INT32, kCount, a.buffer, a.offset, GP_UINT32, b.buffer,
                                           b.offset, nullptr, 0, nullptr, nullptr);
             }},
            {"sort's work space",
             [=, this] {
                 gp_sort_options options = GP_SORT_OPTIONS_INIT;
                 work(0, 0, b, options);
                 return gp_enqueue_sort(context_, GP_INT32, kCount, a.buffer, a.offset, &options, 0, nullptr, nullptr);
             }},
            {"sort_pairs' work space beside the values",
             [=, this] {
                 gp_sort_options options = GP_SORT_OPTIONS_INIT;
                 work(4, 0, b, options);
                 return gp_enqueue_sort_pairs(context_, GP_INT32, kCount, other_, 0, 4, a.buffer, a.offset, &options, 0,
                                              nullptr, nullptr);
             }},
            {"argsort's work space beside the indices",
             [=, this] {
                 gp_sort_options options = GP_SORT_OPTIONS_INIT;
                 work(0, GP_UINT32, b, options);
                 return gp_enqueue_argsort(context_, GP_INT32, kCount, other_, 0, GP_UINT32, a.buffer, a.offset,
                                           &options, 0, nullptr, nullptr);
             }},
            {"copy", [=] { return gp_buffer_copy(a.buffer, a.offset * 4, b.buffer, b.offset * 4, kCount * 4); }},
        };
    }

    cl_mem memory_ = nullptr;
    gp_buffer *other_ = nullptr;
    std::vector<Place> places_;
};

TEST_P(Overlap, IsSeenThroughEveryHandle) {
    for (size_t i = 0; i < places_.size(); ++i) {
        for (size_t j = 0; j < places_.size(); ++j) {
            const Place a = places_[i];
            Place b = places_[j];
            b.offset += kCount / 2;
            for (const auto &[name, call] : calls(a, b)) {
                EXPECT_EQ(GP_ERROR_OVERLAP, call()) << name << ", handles " << i << " and " << j;
            }
        }
    }
    EXPECT_EQ(std::vector<int32_t>(kN, 1), content(memory_)) << "a refused call wrote";
}

TEST_P(Overlap, ThereIsNoneSideBySide) {
    for (const auto &[i, j] : {std::pair(0, 1), std::pair(0, 2), std::pair(2, 3), std::pair(3, 4)}) {
        const Place a = places_[static_cast<size_t>(i)];
        Place b = places_[static_cast<size_t>(j)];
        b.offset += kCount;
        for (const auto &[name, call] : calls(a, b)) EXPECT_OK(call()) << name << ", handles " << i << " and " << j;
    }
    EXPECT_OK(gp_finish(context_));
}

TEST_P(Overlap, InPlaceIsTheSameMemoryThroughAnyHandle) {
    const auto scan = [&](const Place &in, const Place &out) {
        return gp_enqueue_scan(context_, GP_INT32, kCount, in.buffer, in.offset, out.buffer, out.offset, nullptr, 0,
                               nullptr, nullptr);
    };
    ASSERT_OK(scan(places_[0], places_[1]));
    std::vector<int32_t> expected(kCount), got(kCount);
    std::iota(expected.begin(), expected.end(), 1);
    ASSERT_OK(gp_buffer_read(places_[0].buffer, places_[0].offset * 4, kCount * 4, got.data()));
    EXPECT_EQ(expected, got);
    EXPECT_EQ(GP_ERROR_OVERLAP, scan(places_[0], places_[2])) << "OpenCL does not define one through the other";
}

TEST_P(Interop, WaitsForTheCallersEvents) {
    cl_mem memory = this->memory(std::vector<int32_t>(kN, 0));
    cl_int status = CL_SUCCESS;
    cl_event gate = clCreateUserEvent(opencl_, &status);
    ASSERT_EQ(CL_SUCCESS, status);
    gp_buffer *buffer = nullptr;
    gp_event *wait = nullptr, *sorted = nullptr;
    ASSERT_OK(gp_buffer_wrap(context_, memory, &buffer));
    ASSERT_OK(gp_event_wrap(context_, gate, &wait));
    ASSERT_OK(gp_enqueue_write(buffer, 0, kBytes, values_.data(), 1, &wait, nullptr));
    ASSERT_OK(gp_enqueue_sort(context_, GP_INT32, kN, buffer, 0, nullptr, 0, nullptr, &sorted));
    int32_t done = 1;
    EXPECT_OK(gp_event_done(sorted, &done));
    EXPECT_EQ(0, done) << "the gate is still shut";
    ASSERT_EQ(CL_SUCCESS, clSetUserEventStatus(gate, CL_COMPLETE));
    EXPECT_OK(gp_event_wait(sorted));
    EXPECT_OK(gp_event_free(sorted));
    EXPECT_OK(gp_event_free(wait));
    EXPECT_OK(gp_buffer_free(buffer));
    std::sort(values_.begin(), values_.end());
    EXPECT_EQ(values_, content(memory));
    clReleaseEvent(gate);
    clReleaseMemObject(memory);
}

// Its copies go through the library's own queues.
class StagedInterop : public Interop {
  protected:
    void SetUp() override {
        setenv("GPCL_STAGING", "1024", 1);
        Interop::SetUp();
    }
    void TearDown() override {
        if (context_ != nullptr) Interop::TearDown();
        unsetenv("GPCL_STAGING");
    }
};

TEST_P(StagedInterop, WaitsForTheCallersEvents) {
    cl_mem memory = this->memory(std::vector<int32_t>(kN, 0));
    cl_int status = CL_SUCCESS;
    cl_event gate = clCreateUserEvent(opencl_, &status);
    ASSERT_EQ(CL_SUCCESS, status);
    gp_buffer *buffer = nullptr;
    gp_event *wait = nullptr, *sorted = nullptr, *read = nullptr;
    std::vector<int32_t> before(kN, 5), after(kN, 5);
    ASSERT_OK(gp_buffer_wrap(context_, memory, &buffer));
    ASSERT_OK(gp_event_wrap(context_, gate, &wait));
    ASSERT_OK(gp_enqueue_read(buffer, 0, kBytes, before.data(), 1, &wait, nullptr));
    for (int i = 0; i < 40; ++i) { // more than there are threads
        ASSERT_OK(gp_enqueue_write(buffer, 0, kBytes, values_.data(), 0, nullptr, nullptr));
    }
    ASSERT_OK(gp_enqueue_sort(context_, GP_INT32, kN, buffer, 0, nullptr, 0, nullptr, &sorted));
    ASSERT_OK(gp_enqueue_read(buffer, 0, kBytes, after.data(), 0, nullptr, &read));
    // Another context does not wait for the gate.
    gp_context *other = nullptr;
    gp_buffer *others = nullptr;
    gp_event *written = nullptr;
    std::vector<int32_t> back(kN);
    ASSERT_OK(gp_open(nullptr, &other));
    ASSERT_OK(gp_buffer_create(other, kBytes, &others));
    ASSERT_OK(gp_enqueue_write(others, 0, kBytes, values_.data(), 0, nullptr, &written));
    ASSERT_OK(gp_event_wait(written));
    ASSERT_OK(gp_buffer_read(others, 0, kBytes, back.data()));
    EXPECT_EQ(values_, back);
    EXPECT_OK(gp_event_free(written));
    EXPECT_OK(gp_buffer_free(others));
    EXPECT_OK(gp_close(other));
    int32_t done = 1;
    EXPECT_OK(gp_event_done(sorted, &done));
    EXPECT_EQ(0, done) << "the gate is still shut";
    EXPECT_EQ(std::vector<int32_t>(kN, 5), before) << "read too early";
    EXPECT_EQ(std::vector<int32_t>(kN, 5), after) << "read too early";
    ASSERT_EQ(CL_SUCCESS, clSetUserEventStatus(gate, CL_COMPLETE));
    EXPECT_OK(gp_event_wait(read));
    EXPECT_EQ(std::vector<int32_t>(kN, 0), before);
    std::sort(values_.begin(), values_.end());
    EXPECT_EQ(values_, after);
    EXPECT_EQ(values_, content(memory));
    for (gp_event *event : {wait, sorted, read}) EXPECT_OK(gp_event_free(event));
    EXPECT_OK(gp_buffer_free(buffer));
    clReleaseEvent(gate);
    clReleaseMemObject(memory);
}

// PoCL waits for ever for what waits for such an event.
TEST_P(Interop, WhatHasFailedIsNotWaitedFor) {
    cl_mem memory = this->memory(values_);
    cl_int status = CL_SUCCESS;
    cl_event failed = clCreateUserEvent(opencl_, &status);
    ASSERT_EQ(CL_SUCCESS, status);
    ASSERT_EQ(CL_SUCCESS, clSetUserEventStatus(failed, -7));
    gp_buffer *buffer = nullptr;
    gp_event *wait = nullptr;
    ASSERT_OK(gp_buffer_wrap(context_, memory, &buffer));
    ASSERT_OK(gp_event_wrap(context_, failed, &wait));
    const int32_t zero = 0;
    EXPECT_EQ(GP_ERROR_LAUNCH, gp_enqueue_fill(buffer, 0, kBytes, &zero, sizeof zero, 1, &wait, nullptr));
    EXPECT_EQ(-7, gp_error_opencl()) << gp_error_message();
    EXPECT_EQ(GP_ERROR_LAUNCH, gp_enqueue_sort(context_, GP_INT32, kN, buffer, 0, nullptr, 1, &wait, nullptr));
    // Of no elements, too. An event that has not failed makes up for nothing.
    gp_event *sound = nullptr, *const unrelated = wait, *event = unrelated;
    ASSERT_OK(gp_enqueue_read(buffer, 0, 0, nullptr, 0, nullptr, &sound));
    gp_event *const both[] = {sound, wait};
    const std::vector<std::pair<const char *, std::function<gp_status()>>> empty = {
        {"write", [&] { return gp_enqueue_write(buffer, 0, 0, nullptr, 2, both, &event); }},
        {"read", [&] { return gp_enqueue_read(buffer, 0, 0, nullptr, 2, both, &event); }},
        {"copy", [&] { return gp_enqueue_copy(buffer, 0, buffer, 0, 0, 2, both, &event); }},
        {"fill", [&] { return gp_enqueue_fill(buffer, 0, 0, &zero, 4, 2, both, &event); }},
        {"sort", [&] { return gp_enqueue_sort(context_, GP_INT32, 0, buffer, 0, nullptr, 2, both, &event); }},
        {"scan",
         [&] { return gp_enqueue_scan(context_, GP_INT32, 0, buffer, 0, buffer, 0, nullptr, 2, both, &event); }},
        {"reduce",
         [&] { return gp_enqueue_reduce(context_, GP_INT32, 0, buffer, 0, buffer, 0, nullptr, 2, both, &event); }},
    };
    for (const auto &[name, call] : empty) {
        EXPECT_EQ(GP_ERROR_LAUNCH, call()) << name << ": " << gp_error_message();
        EXPECT_EQ(unrelated, event) << name;
    }
    EXPECT_OK(gp_event_free(sound));
    EXPECT_OK(gp_finish(context_));
    EXPECT_EQ(values_, content(memory));
    EXPECT_OK(gp_enqueue_sort(context_, GP_INT32, kN, buffer, 0, nullptr, 0, nullptr, nullptr));
    EXPECT_OK(gp_finish(context_));
    EXPECT_OK(gp_event_free(wait));
    EXPECT_OK(gp_buffer_free(buffer));
    std::sort(values_.begin(), values_.end());
    EXPECT_EQ(values_, content(memory));
    clReleaseEvent(failed);
    clReleaseMemObject(memory);
}

// Nor has it times: whoever asks hears what it failed with.
TEST_P(Interop, WhatHasFailedHasNoTimes) {
    const bool profiled = (GetParam() & CL_QUEUE_PROFILING_ENABLE) != 0;
    ASSERT_EQ(profiled ? GP_SUCCESS : GP_ERROR_NO_PROFILING, gp_profile(context_, 1));
    cl_int status = CL_SUCCESS;
    cl_event failed = clCreateUserEvent(opencl_, &status);
    ASSERT_EQ(CL_SUCCESS, status);
    gp_event *event = nullptr;
    ASSERT_OK(gp_event_wrap(context_, failed, &event));
    ASSERT_EQ(CL_SUCCESS, clSetUserEventStatus(failed, -7));
    const auto expect_no_times = [&](gp_status expected) {
        gp_timing timing, timing_before;
        gp_command command, command_before;
        std::memset(&timing, 0x5a, sizeof timing);
        std::memset(&command, 0x5a, sizeof command);
        timing.struct_size = sizeof timing;
        command.struct_size = sizeof command;
        std::memcpy(&timing_before, &timing, sizeof timing);
        std::memcpy(&command_before, &command, sizeof command);
        EXPECT_EQ(expected, gp_event_timing(event, &timing)) << gp_error_message();
        EXPECT_EQ(expected, gp_event_command(event, 0, &command)) << gp_error_message();
        EXPECT_EQ(0, std::memcmp(&timing_before, &timing, sizeof timing)) << "times of a call that failed";
        EXPECT_EQ(0, std::memcmp(&command_before, &command, sizeof command)) << "a command of a call that failed";
    };
    for (int twice = 0; twice < 2; ++twice) {
        EXPECT_EQ(GP_ERROR_LAUNCH, gp_event_wait(event));
        EXPECT_NE(0, gp_error_opencl()) << gp_error_message();
        EXPECT_EQ(GP_ERROR_LAUNCH, gp_event_wait_for(event, 1));
        int32_t done = 77;
        EXPECT_EQ(GP_ERROR_LAUNCH, gp_event_done(event, &done));
        EXPECT_EQ(77, done);
        expect_no_times(GP_ERROR_LAUNCH);
    }
    EXPECT_OK(gp_event_free(event));
    clReleaseEvent(failed);
    // The library recorded no times of the caller's events, whatever gp_profile said.
    cl_event complete = clCreateUserEvent(opencl_, &status);
    ASSERT_EQ(CL_SUCCESS, status);
    ASSERT_EQ(CL_SUCCESS, clSetUserEventStatus(complete, CL_COMPLETE));
    ASSERT_OK(gp_event_wrap(context_, complete, &event));
    EXPECT_OK(gp_event_wait(event));
    expect_no_times(GP_ERROR_NO_PROFILING);
    EXPECT_OK(gp_event_free(event));
    clReleaseEvent(complete);
}

// What waits for a gate that stays shut ends in time; when the gate opens all goes on.
TEST_P(Interop, WaitsEndInTime) {
    cl_mem memory = this->memory(std::vector<int32_t>(kN, 0));
    cl_int status = CL_SUCCESS;
    cl_event gate = clCreateUserEvent(opencl_, &status);
    ASSERT_EQ(CL_SUCCESS, status);
    gp_buffer *buffer = nullptr;
    gp_event *wait = nullptr, *sorted = nullptr;
    ASSERT_OK(gp_buffer_wrap(context_, memory, &buffer));
    ASSERT_OK(gp_event_wrap(context_, gate, &wait));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_event_wait_for(wait, 1));
    ASSERT_OK(gp_enqueue_write(buffer, 0, kBytes, values_.data(), 1, &wait, nullptr));
    ASSERT_OK(gp_enqueue_sort(context_, GP_INT32, kN, buffer, 0, nullptr, 0, nullptr, &sorted));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_event_wait_for(sorted, 0));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_event_wait_for(sorted, 10));
    ASSERT_OK(gp_deadline(context_, 10));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_event_wait(sorted));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_event_wait_for(sorted, UINT64_MAX));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_finish(context_));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_buffer_fill(buffer, 0, 4, "wxyz", 4));
    ASSERT_OK(gp_deadline(context_, UINT64_MAX));
    ASSERT_EQ(CL_SUCCESS, clSetUserEventStatus(gate, CL_COMPLETE));
    EXPECT_OK(gp_event_wait_for(sorted, 600'000));
    EXPECT_OK(gp_event_wait(sorted));
    EXPECT_OK(gp_finish(context_));
    std::vector<int32_t> back(kN);
    EXPECT_OK(gp_buffer_read(buffer, 0, kBytes, back.data()));
    ASSERT_OK(gp_deadline(context_, 0));
    EXPECT_OK(gp_event_free(sorted));
    EXPECT_OK(gp_event_free(wait));
    EXPECT_OK(gp_buffer_free(buffer));
    std::sort(values_.begin(), values_.end());
    std::memcpy(values_.data(), "wxyz", 4);
    EXPECT_EQ(values_, back);
    clReleaseEvent(gate);
    clReleaseMemObject(memory);
}

// A caller's event that is not complete at the deadline loses nothing, neither for those who wait
// for it nor for those who wrap it then.
TEST_P(Interop, WrappedEventsLoseNothingAtTheDeadline) {
    cl_mem memory = this->memory(values_);
    cl_int status = CL_SUCCESS;
    cl_event gate = clCreateUserEvent(opencl_, &status);
    ASSERT_EQ(CL_SUCCESS, status);
    gp_buffer *buffer = nullptr;
    gp_event *wait = nullptr, *later = nullptr, *filled = nullptr;
    ASSERT_OK(gp_buffer_wrap(context_, memory, &buffer));
    ASSERT_OK(gp_deadline(context_, 5));
    ASSERT_OK(gp_event_wrap(context_, gate, &wait));
    gp_timing timing = GP_TIMING_INIT;
    gp_command command = GP_COMMAND_INIT;
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_event_wait(wait));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_event_wait_for(wait, UINT64_MAX));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_event_timing(wait, &timing));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_event_command(wait, 0, &command));
    ASSERT_OK(gp_event_wrap(context_, gate, &later));
    cl_event back = nullptr;
    EXPECT_OK(gp_opencl_event(later, &back));
    EXPECT_EQ(gate, back);
    gp_event *const both[] = {wait, later};
    ASSERT_OK(gp_enqueue_fill(buffer, 0, 4, "wxyz", 4, 2, both, &filled));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_event_wait(filled));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_profile(context_, 0));
    void *pointer = nullptr;
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_buffer_map(buffer, GP_READ, 0, kBytes, &pointer));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_buffer_copy(buffer, 4, buffer, 0, 0)) << "even of no bytes";
    int32_t done = 77;
    EXPECT_OK(gp_event_done(filled, &done));
    EXPECT_EQ(0, done);
    EXPECT_OK(gp_flush(context_));
    EXPECT_OK(gp_event_free(later)) << "while the gate is shut";
    ASSERT_OK(gp_deadline(context_, 0));
    ASSERT_EQ(CL_SUCCESS, clSetUserEventStatus(gate, CL_COMPLETE));
    for (gp_event *event : {wait, filled}) {
        EXPECT_OK(gp_event_wait(event));
        EXPECT_OK(gp_event_free(event));
    }
    EXPECT_OK(gp_finish(context_));
    std::vector<int32_t> keys = values_, now(kN);
    EXPECT_OK(gp_sort(context_, GP_INT32, kN, keys.data(), nullptr)) << "the device is not lost";
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    EXPECT_OK(gp_buffer_read(buffer, 0, kBytes, now.data()));
    std::memcpy(values_.data(), "wxyz", 4);
    EXPECT_EQ(values_, now);
    EXPECT_OK(gp_buffer_free(buffer));
    clReleaseEvent(gate);
    clReleaseMemObject(memory);
}

// Calls that wait for all that was enqueued do, a read into the caller's memory too. With a
// deadline they wait in another way, by an event.
TEST_P(Interop, EnqueuedWorkIsWaitedFor) {
    cl_mem memory = this->memory(values_);
    std::vector<int32_t> back(kN);
    const std::vector<std::pair<const char *, std::function<gp_status(gp_context *)>>> calls = {
        {"gp_finish", gp_finish},
        {"gp_profile", [](gp_context *context) { return gp_profile(context, 0); }},
        {"gp_buffer_map",
         [](gp_context *context) {
             gp_buffer *other = nullptr; // of which no command is
             void *pointer = nullptr;
             EXPECT_OK(gp_buffer_create(context, 64, &other));
             const gp_status mapped = gp_buffer_map(other, GP_READ, 0, 64, &pointer);
             EXPECT_OK(gp_buffer_unmap(other, pointer));
             EXPECT_OK(gp_buffer_free(other));
             return mapped;
         }},
        {"gp_host_unregister", [&](gp_context *context) { return gp_host_unregister(context, back.data()); }},
        {"gp_close", gp_close},
    };
    for (size_t i = 0; i < 2 * calls.size(); ++i) {
        const auto &[name, call] = calls[i / 2];
        const uint64_t deadline = i % 2 == 0 ? 0 : 600'000;
        SCOPED_TRACE(testing::Message() << name << ", deadline " << deadline);
        back.assign(kN, 7);
        BehindGate behind;
        ASSERT_NO_FATAL_FAILURE(open(behind, memory));
        const auto &[gate, context, buffer, wait] = behind;
        ASSERT_OK(gp_host_register(context, back.data(), kBytes));
        ASSERT_OK(gp_enqueue_read(buffer, 0, kBytes, back.data(), 1, &wait, nullptr));
        ASSERT_OK(gp_deadline(context, deadline));
        std::thread opens([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            clSetUserEventStatus(behind.gate, CL_COMPLETE);
        });
        EXPECT_OK(call(context));
        EXPECT_EQ(values_, back) << "returned before the read was done";
        opens.join();
        clFinish(queue_); // nothing is under way where that failed
        EXPECT_OK(gp_event_free(wait));
        EXPECT_OK(gp_buffer_free(buffer));
        EXPECT_EQ(std::string(name) == "gp_close" ? GP_ERROR_HANDLE : GP_SUCCESS, gp_close(context));
        clReleaseEvent(gate);
    }
    clReleaseMemObject(memory);
}

// A call that was given host memory and is given up loses the context; another context of the same
// device goes on.
TEST_P(Interop, HostMemoryThatIsGivenUpLosesTheContext) {
    cl_mem memory = this->memory(values_);
    BehindGate behind;
    ASSERT_NO_FATAL_FAILURE(open(behind, memory));
    const auto &[gate, lost, buffer, wait] = behind;
    gp_event *filled = nullptr;
    ASSERT_OK(gp_enqueue_fill(buffer, 0, 4, "wxyz", 4, 1, &wait, &filled));
    ASSERT_OK(gp_deadline(lost, 10));
    static std::vector<int32_t> back; // which outlives the read
    back.assign(kN, 7);
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_buffer_read(buffer, 0, kBytes, back.data()));
    EXPECT_EQ(GP_ERROR_DEVICE_LOST, gp_event_wait(filled));
    EXPECT_NE(std::string::npos, std::string(gp_error_message()).find("deadline")) << gp_error_message();
    EXPECT_EQ(GP_ERROR_DEVICE_LOST, gp_sort(lost, GP_INT32, kN, values_.data(), nullptr));
    EXPECT_EQ(GP_ERROR_DEVICE_LOST, gp_event_free(filled));
    ASSERT_NO_FATAL_FAILURE(free_lost(behind));
    std::memcpy(values_.data(), "wxyz", 4);
    std::vector<int32_t> now(kN); // rusticl's clFinish returns before the read is done
    for (int tries = 0; now != values_ && tries < 5000; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(tries > 0 ? 1 : 0));
        std::copy_n(const_cast<const volatile int32_t *>(back.data()), kN, now.begin());
    }
    EXPECT_EQ(values_, now) << "the device went on";
    clReleaseEvent(gate);
    clReleaseMemObject(memory);
}

// So does gp_host_unregister, whose memory the device may still use.
TEST_P(Interop, MemoryThatIsUnregisteredTooLateLosesTheContext) {
    cl_mem memory = this->memory(values_);
    static std::vector<int32_t> back; // which outlives the read
    back.assign(kN, 7);
    BehindGate behind;
    ASSERT_NO_FATAL_FAILURE(open(behind, memory));
    const auto &[gate, lost, buffer, wait] = behind;
    ASSERT_OK(gp_host_register(lost, back.data(), kBytes));
    ASSERT_OK(gp_enqueue_read(buffer, 0, kBytes, back.data(), 1, &wait, nullptr));
    ASSERT_OK(gp_deadline(lost, 5));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_host_unregister(lost, back.data()));
    EXPECT_EQ(GP_ERROR_DEVICE_LOST, gp_finish(lost));
    ASSERT_NO_FATAL_FAILURE(free_lost(behind));
    clReleaseEvent(gate);
    clReleaseMemObject(memory);
}

TEST_P(Interop, GivesEventsToTheCaller) {
    cl_mem memory = this->memory(values_);
    gp_buffer *buffer = nullptr;
    gp_event *sorted = nullptr;
    ASSERT_OK(gp_buffer_wrap(context_, memory, &buffer));
    ASSERT_OK(gp_enqueue_sort(context_, GP_INT32, kN, buffer, 0, nullptr, 0, nullptr, &sorted));
    cl_event event = nullptr;
    ASSERT_OK(gp_opencl_event(sorted, &event));
    ASSERT_NE(nullptr, event);
    std::vector<int32_t> got(kN);
    ASSERT_EQ(CL_SUCCESS, clEnqueueReadBuffer(queue_, memory, CL_TRUE, 0, kBytes, got.data(), 1, &event, nullptr));
    std::sort(values_.begin(), values_.end());
    EXPECT_EQ(values_, got);
    EXPECT_OK(gp_event_free(sorted));
    EXPECT_OK(gp_buffer_free(buffer));
    clReleaseMemObject(memory);
}

TEST_P(Interop, AHundredRoundsLeaveTheCountsAsTheyWere) {
    cl_mem memory = this->memory(values_);
    const auto round = [&] {
        gp_context *context = nullptr;
        gp_buffer *buffer = nullptr;
        gp_event *event = nullptr;
        ASSERT_OK(gp_open_opencl(opencl_, device_, queue_, &context));
        ASSERT_OK(gp_buffer_wrap(context, memory, &buffer));
        ASSERT_OK(gp_enqueue_scan(context, GP_INT32, kN, buffer, 0, buffer, 0, nullptr, 0, nullptr, &event));
        cl_event opencl_event = nullptr;
        ASSERT_OK(gp_opencl_event(event, &opencl_event));
        gp_event *wrapped = nullptr;
        ASSERT_OK(gp_event_wrap(context, opencl_event, &wrapped));
        ASSERT_OK(gp_event_wait(wrapped));
        ASSERT_OK(gp_event_free(wrapped));
        ASSERT_OK(gp_event_free(event));
        ASSERT_OK(gp_buffer_free(buffer));
        ASSERT_OK(gp_close(context));
        clFinish(queue_);
    };
    const auto counts = [&] {
        return std::array<cl_uint, 3>{references(opencl_), references(queue_), references(memory)};
    };
    const auto untouched = counts();
    round(); // PoCL's queue keeps its last command, which keeps the queue
    const auto before = counts();
    for (int i = 0; i < 10; ++i) round();
    const char *cache = std::getenv("GPCL_CACHE");
    const std::string as_set = cache != nullptr ? cache : "";
    setenv("GPCL_CACHE", "on", 1); // PoCL takes long for a program's source, in each context anew
    for (int i = 0; i < 90; ++i) round();
    cache != nullptr ? setenv("GPCL_CACHE", as_set.c_str(), 1) : unsetenv("GPCL_CACHE");
    // rusticl's queue thread gives references back a moment after clFinish, perhaps after `before`
    // was taken; then those from before the first round are what remains. A leak never comes back.
    const auto as_they_were = [&] {
        const auto now = counts();
        return now == before || now == untouched;
    };
    for (int i = 0; i < 500 && !as_they_were(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(as_they_were()) << "references to the context, the queue and the memory: "
                                << testing::PrintToString(untouched) << ", after a round "
                                << testing::PrintToString(before) << ", now " << testing::PrintToString(counts());
    clReleaseMemObject(memory);
}

TEST_P(Interop, RunsTheCallersKernels) {
    gp_kernel *kernel = nullptr;
    ASSERT_OK(gp_kernel_build(context_, "kernel void negate(global int *x) { x[get_global_id(0)] *= -1; }", nullptr,
                              "negate", &kernel));
    cl_mem memory = this->memory(values_);
    gp_buffer *buffer = nullptr;
    ASSERT_OK(gp_buffer_wrap(context_, memory, &buffer));
    const gp_argument argument = {buffer, nullptr, 0};
    ASSERT_OK(gp_enqueue_kernel(kernel, 1, &kN, nullptr, 1, &argument, 0, nullptr, nullptr));
    ASSERT_OK(gp_finish(context_));
    for (int32_t &value : values_) value = -value;
    EXPECT_EQ(values_, content(memory));
    EXPECT_OK(gp_kernel_free(kernel));
    EXPECT_OK(gp_buffer_free(buffer));
    clReleaseMemObject(memory);
}

TEST_P(Interop, TimesNeedAQueueThatKeepsThem) {
    if ((GetParam() & CL_QUEUE_PROFILING_ENABLE) == 0) {
        EXPECT_EQ(GP_ERROR_NO_PROFILING, gp_profile(context_, 1));
        return;
    }
    ASSERT_OK(gp_profile(context_, 1));
    gp_event *event = nullptr;
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.event = &event;
    ASSERT_OK(gp_sort(context_, GP_INT32, kN, values_.data(), &options));
    gp_timing timing = GP_TIMING_INIT;
    EXPECT_OK(gp_event_timing(event, &timing));
    EXPECT_GE(timing.kernels, 1u);
    EXPECT_OK(gp_event_free(event));
}

TEST_P(Interop, ObjectsOfAnotherContextAreRefused) {
    cl_int status = CL_SUCCESS;
    cl_context other = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    ASSERT_EQ(CL_SUCCESS, status);
    cl_mem memory = clCreateBuffer(other, CL_MEM_READ_WRITE, 64, nullptr, &status);
    ASSERT_EQ(CL_SUCCESS, status);
    cl_event event = clCreateUserEvent(other, &status);
    ASSERT_EQ(CL_SUCCESS, status);
    auto *const no_buffer = reinterpret_cast<gp_buffer *>(this);
    auto *const no_event = reinterpret_cast<gp_event *>(this);
    auto *const no_context = reinterpret_cast<gp_context *>(this);
    gp_buffer *buffer = no_buffer;
    gp_event *wrapped = no_event;
    gp_context *context = no_context;
    EXPECT_EQ(GP_ERROR_WRONG_CONTEXT, gp_buffer_wrap(context_, memory, &buffer)) << gp_error_message();
    EXPECT_EQ(GP_ERROR_WRONG_CONTEXT, gp_event_wrap(context_, event, &wrapped)) << gp_error_message();
    EXPECT_EQ(GP_ERROR_WRONG_CONTEXT, gp_open_opencl(other, device_, queue_, &context)) << gp_error_message();
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "queue belongs to another cl_context; expected opencl_context"))
        << gp_error_message();
    cl_mem their_memory = memory;
    cl_event their_event = event;
    EXPECT_EQ(GP_ERROR_HANDLE, gp_opencl_mem(no_buffer, &their_memory));
    EXPECT_EQ(GP_ERROR_HANDLE, gp_opencl_event(no_event, &their_event));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_open_opencl(nullptr, device_, queue_, &context));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_open_opencl(opencl_, nullptr, queue_, &context));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_open_opencl(opencl_, device_, nullptr, &context));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_open_opencl(opencl_, device_, queue_, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_buffer_wrap(context_, nullptr, &buffer));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_buffer_wrap(context_, memory, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_event_wrap(context_, event, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_event_wrap(context_, nullptr, &wrapped));
    EXPECT_TRUE(buffer == no_buffer && wrapped == no_event && context == no_context) << "handed out by refused calls";
    EXPECT_TRUE(their_memory == memory && their_event == event) << "handed out by refused calls";
    clSetUserEventStatus(event, CL_COMPLETE);
    clReleaseEvent(event);
    clReleaseMemObject(memory);
    clReleaseContext(other);
}

TEST_P(Interop, AQueueOfAnotherDeviceIsRefused) {
    // Mesa 22.3's driver has no clCreateSubDevices at all.
    cl_uint most = 0;
    clGetDeviceInfo(device_, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, nullptr);
    if (most < 2) GTEST_SKIP() << "the device can't be divided";
    const std::array<cl_device_partition_property, 3> each = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint count = 0;
    const cl_int divided = clCreateSubDevices(device_, each.data(), 0, nullptr, &count);
    if (divided != CL_SUCCESS || count == 0) GTEST_SKIP() << "the device can't be divided";
    std::vector<cl_device_id> parts(count);
    ASSERT_EQ(CL_SUCCESS, clCreateSubDevices(device_, each.data(), count, parts.data(), nullptr));
    cl_int status = CL_SUCCESS;
    cl_context theirs = clCreateContext(nullptr, 1, parts.data(), nullptr, nullptr, &status);
    ASSERT_EQ(CL_SUCCESS, status);
    cl_command_queue queue = clCreateCommandQueue(theirs, parts[0], 0, &status);
    ASSERT_EQ(CL_SUCCESS, status);
    gp_context *context = nullptr;
    EXPECT_EQ(GP_ERROR_WRONG_CONTEXT, gp_open_opencl(theirs, device_, queue, &context));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "queue belongs to another cl_device_id; expected device"))
        << gp_error_message();
    EXPECT_EQ(nullptr, context);
    clReleaseCommandQueue(queue);
    clReleaseContext(theirs);
    for (cl_device_id part : parts) clReleaseDevice(part);
}

TEST_P(Interop, ImagesAreRefused) {
    if (test::device().has_images == 0) GTEST_SKIP() << "the device has no images";
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc shape = {};
    shape.image_type = CL_MEM_OBJECT_IMAGE2D;
    shape.image_width = shape.image_height = 4;
    cl_int status = CL_SUCCESS;
    cl_mem image = clCreateImage(opencl_, CL_MEM_READ_WRITE, &format, &shape, nullptr, &status);
    ASSERT_EQ(CL_SUCCESS, status);
    gp_buffer *buffer = nullptr;
    EXPECT_EQ(GP_ERROR_OPTION, gp_buffer_wrap(context_, image, &buffer)) << gp_error_message();
    clReleaseMemObject(image);
}

std::string queue_name(const testing::TestParamInfo<cl_command_queue_properties> &info) {
    const char *order = (info.param & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0 ? "OutOfOrder" : "InOrder";
    return std::string(order) + ((info.param & CL_QUEUE_PROFILING_ENABLE) != 0 ? "Profiling" : "");
}

INSTANTIATE_TEST_SUITE_P(Queues, Interop,
                         testing::Values(cl_command_queue_properties{0},
                                         cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE},
                                         cl_command_queue_properties{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}),
                         queue_name);
INSTANTIATE_TEST_SUITE_P(Queues, StagedInterop,
                         testing::Values(cl_command_queue_properties{0},
                                         cl_command_queue_properties{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}),
                         queue_name);
INSTANTIATE_TEST_SUITE_P(InOrder, Overlap, testing::Values(cl_command_queue_properties{0}));

TEST(InteropOnHost, IsRefused) {
    gp_context *host = nullptr;
    ASSERT_OK(gp_open("host", &host));
    cl_context opencl = nullptr;
    cl_device_id device = nullptr;
    cl_command_queue queue = nullptr;
    EXPECT_EQ(GP_ERROR_UNSUPPORTED_DEVICE, gp_opencl_context(host, &opencl));
    EXPECT_EQ(GP_ERROR_UNSUPPORTED_DEVICE, gp_opencl_device(host, &device));
    EXPECT_EQ(GP_ERROR_UNSUPPORTED_DEVICE, gp_opencl_queue(host, &queue));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_opencl_context(host, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_opencl_device(host, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_opencl_queue(host, nullptr));
    gp_buffer *buffer = nullptr;
    gp_event *event = nullptr;
    ASSERT_OK(gp_buffer_create(host, 4, &buffer));
    ASSERT_OK(gp_enqueue_fill(buffer, 0, 4, "wxyz", 4, 0, nullptr, &event));
    cl_mem memory = nullptr;
    cl_event opencl_event = nullptr;
    EXPECT_EQ(GP_ERROR_UNSUPPORTED_DEVICE, gp_opencl_mem(buffer, &memory));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_opencl_mem(buffer, nullptr));
    EXPECT_EQ(GP_ERROR_UNSUPPORTED_DEVICE, gp_opencl_event(event, &opencl_event));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "has no cl_event")) << gp_error_message();
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_opencl_event(event, nullptr));
    EXPECT_OK(gp_event_free(event));
    EXPECT_OK(gp_buffer_free(buffer));
    EXPECT_OK(gp_close(host));
}

int opens_without_a_loader() {
    gp_context *context = nullptr;
    auto *const object = static_cast<void *>(&context);
    CHILD_CHECK(gp_open_opencl(static_cast<cl_context>(object), static_cast<cl_device_id>(object),
                               static_cast<cl_command_queue>(object), &context) == GP_ERROR_OPENCL);
    CHILD_CHECK(std::strstr(gp_error_message(), "there is no OpenCL loader: ") != nullptr);
    CHILD_CHECK(context == nullptr);
    return 0;
}

int leaves_a_gate_shut() {
    gp_context *context = nullptr;
    gp_buffer *buffer = nullptr;
    gp_event *gate = nullptr;
    cl_context opencl = nullptr;
    cl_int status = CL_SUCCESS;
    CHILD_CHECK(gp_open(nullptr, &context) == GP_SUCCESS);
    CHILD_CHECK(gp_opencl_context(context, &opencl) == GP_SUCCESS);
    cl_event shut = clCreateUserEvent(opencl, &status);
    CHILD_CHECK(status == CL_SUCCESS);
    CHILD_CHECK(gp_buffer_create(context, kBytes, &buffer) == GP_SUCCESS);
    CHILD_CHECK(gp_event_wrap(context, shut, &gate) == GP_SUCCESS);
    CHILD_CHECK(gp_enqueue_sort(context, GP_INT32, kN, buffer, 0, nullptr, 1, &gate, nullptr) == GP_SUCCESS);
    return 0;
}

const test::Children children({{"opens_without_a_loader", opens_without_a_loader},
                               {"leaves_a_gate_shut", leaves_a_gate_shut}});

// exit() waits for what is enqueued on a CPU, but not for ever.
TEST(InteropAtExit, EndsWhereAnEventNeverComes) {
    if (test::on_host()) GTEST_SKIP() << "host is no OpenCL device";
    const auto begin = std::chrono::steady_clock::now();
    const test::Ended ended = test::run_child("leaves_a_gate_shut", {{"ASAN_OPTIONS", "detect_leaks=0"}});
    EXPECT_EQ(0, ended.code) << ended.output;
    std::printf("%.1f s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}

TEST(InteropWithoutLoader, IsRefused) {
    const test::Ended ended = test::run_child("opens_without_a_loader", {{"GPCL_OPENCL_LIBRARY", "/nonexistent.so"}});
    EXPECT_EQ(0, ended.code) << ended.output;
}

TEST(InteropObjects, AreHandedOut) {
    if (test::on_host()) GTEST_SKIP() << "host is no OpenCL device";
    cl_command_queue queue = nullptr;
    cl_context context = nullptr, of_queue = nullptr;
    ASSERT_OK(gp_opencl_queue(test::context(), &queue));
    ASSERT_OK(gp_opencl_context(test::context(), &context));
    ASSERT_EQ(CL_SUCCESS, clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof of_queue, &of_queue, nullptr));
    EXPECT_EQ(context, of_queue);
}

// The caller's memory in a context of the library's own, whose device may run native kernels: no
// command has used it, the host has no access, and one buffer is a part of it.
TEST(InteropObjects, TakeTheCallersMemory) {
    if (test::on_host()) GTEST_SKIP() << "host is no OpenCL device";
    cl_context opencl = nullptr;
    ASSERT_OK(gp_opencl_context(test::context(), &opencl));
    constexpr size_t kAlignment = 1024; // of elements; of more bytes than devices ask for
    constexpr size_t kPart = 500, kAt = 7;
    cl_int status = CL_SUCCESS;
    cl_mem memory = clCreateBuffer(opencl, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, 4 * kAlignment * sizeof(int32_t),
                                   nullptr, &status);
    ASSERT_EQ(CL_SUCCESS, status);
    const cl_buffer_region region = {kAlignment * sizeof(int32_t), kPart * sizeof(int32_t)};
    cl_mem part = clCreateSubBuffer(memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    ASSERT_EQ(CL_SUCCESS, status);
    gp_buffer *in = nullptr, *out = nullptr, *copy = nullptr;
    ASSERT_OK(gp_buffer_wrap(test::context(), part, &in));
    ASSERT_OK(gp_buffer_wrap(test::context(), memory, &out));
    ASSERT_OK(gp_buffer_create(test::context(), kBytes, &copy));
    const int32_t one = 1;
    const size_t n = kPart - kAt;
    ASSERT_OK(gp_enqueue_fill(in, 0, kPart * sizeof one, &one, sizeof one, 0, nullptr, nullptr));
    ASSERT_OK(
        gp_enqueue_scan(test::context(), GP_INT32, n, in, kAt, out, 2 * kAlignment + 1, nullptr, 0, nullptr, nullptr));
    ASSERT_OK(gp_enqueue_copy(out, (2 * kAlignment + 1) * sizeof one, copy, 0, n * sizeof one, 0, nullptr, nullptr));
    std::vector<int32_t> sums(n), expected(n);
    ASSERT_OK(gp_buffer_read(copy, 0, n * sizeof one, sums.data()));
    std::iota(expected.begin(), expected.end(), 1);
    EXPECT_EQ(expected, sums);
    for (gp_buffer *buffer : {in, out, copy}) EXPECT_OK(gp_buffer_free(buffer));
    clReleaseMemObject(part);
    clReleaseMemObject(memory);
}

// A context of the library's own, whose device does nothing before the gate opens.
class Gated : public testing::Test {
  protected:
    void SetUp() override {
        if (test::on_host()) GTEST_SKIP() << "host is no OpenCL device";
        ASSERT_OK(gp_open(nullptr, &context_));
        cl_context opencl = nullptr;
        ASSERT_OK(gp_opencl_context(context_, &opencl));
        cl_int status = CL_SUCCESS;
        gate_ = clCreateUserEvent(opencl, &status);
        ASSERT_EQ(CL_SUCCESS, status);
        ASSERT_OK(gp_buffer_create(context_, 4, &buffer_));
        gp_event *wait = nullptr;
        ASSERT_OK(gp_event_wrap(context_, gate_, &wait));
        ASSERT_OK(gp_enqueue_fill(buffer_, 0, 4, "wxyz", 4, 1, &wait, &passed_));
        EXPECT_OK(gp_event_free(wait));
    }
    void TearDown() override {
        if (context_ == nullptr) return;
        EXPECT_OK(gp_event_free(passed_));
        EXPECT_OK(gp_buffer_free(buffer_));
        EXPECT_OK(gp_close(context_));
        clReleaseEvent(gate_);
    }
    void open() { EXPECT_EQ(CL_SUCCESS, clSetUserEventStatus(gate_, CL_COMPLETE)); }
    // A buffer of the context with these values.
    template <class T> gp_buffer *filled(const std::vector<T> &values) {
        gp_buffer *buffer = nullptr;
        EXPECT_OK(gp_buffer_create(context_, values.size() * sizeof(T), &buffer));
        // Behind the gate, where all writes of this context are.
        kept_.emplace_back(values.size() * sizeof(T));
        std::memcpy(kept_.back().data(), values.data(), kept_.back().size());
        EXPECT_OK(gp_enqueue_write(buffer, 0, kept_.back().size(), kept_.back().data(), 0, nullptr, nullptr));
        return buffer;
    }

    gp_context *context_ = nullptr;
    gp_buffer *buffer_ = nullptr;
    gp_event *passed_ = nullptr; // complete when the gate is open
    cl_event gate_ = nullptr;
    std::deque<std::vector<char>> kept_;
};

// What a call takes by a pointer to host memory it has read when it returns, arrays of
// gp_enqueue_write and gp_enqueue_read excepted.
TEST_F(Gated, NumbersAreReadBeforeTheCallReturns) {
    const std::vector<float> ones(4, 1);
    gp_buffer *const a = filled(ones), *const c = filled(std::vector<float>(4, 1)), *const d = filled(ones);
    gp_buffer *const sums = filled(ones), *const steps = filled(ones),
                     *const in = filled(std::vector<float>{1, 2, 3, 4});
    gp_buffer *const counts = filled(std::vector<uint64_t>(2));
    float alpha = 3, beta = 10, low = 5, high = 6, initial = 100, state = 8, factor = 2;
    double edges[] = {0, 2.5, 9};
    char source[] = "kernel void f(global float *x, float y) { x[get_global_id(0)] += y; }", name[] = "f";
    gp_kernel *kernel = nullptr;
    ASSERT_OK(gp_kernel_build(context_, source, nullptr, name, &kernel));
    std::memset(source, 'x', sizeof source - 1);
    name[0] = 'x';

    gp_matmul_options product = GP_MATMUL_OPTIONS_INIT;
    product.alpha = &alpha;
    product.beta = &beta;
    ASSERT_OK(
        gp_enqueue_matmul(context_, GP_FLOAT32, 2, 2, 2, a, 0, 2, a, 0, 2, c, 0, 2, &product, 0, nullptr, nullptr));
    product = GP_MATMUL_OPTIONS_INIT;
    product.activation = GP_CLAMP;
    product.clamp_low = &low;
    product.clamp_high = &high;
    ASSERT_OK(
        gp_enqueue_matmul(context_, GP_FLOAT32, 2, 2, 2, in, 0, 2, a, 0, 2, d, 0, 2, &product, 0, nullptr, nullptr));
    gp_scan_options scan = GP_SCAN_OPTIONS_INIT;
    scan.initial = &initial;
    ASSERT_OK(gp_enqueue_scan(context_, GP_FLOAT32, 4, a, 0, sums, 0, &scan, 0, nullptr, nullptr));
    gp_recurrence_options recurrence = GP_RECURRENCE_OPTIONS_INIT;
    recurrence.initial = &state;
    ASSERT_OK(
        gp_enqueue_recurrence(context_, GP_FLOAT32, 4, a, 0, steps, 0, 1, &factor, &recurrence, 0, nullptr, nullptr));
    gp_histogram_options bins = GP_HISTOGRAM_OPTIONS_INIT;
    bins.edges = edges;
    ASSERT_OK(gp_enqueue_histogram(context_, GP_FLOAT32, 4, in, 0, 2, counts, 0, &bins, 0, nullptr, nullptr));
    float added = 7;
    gp_argument arguments[] = {{in, nullptr, 0}, {nullptr, &added, sizeof added}};
    size_t size = 4, group = 1;
    ASSERT_OK(gp_enqueue_kernel(kernel, 1, &size, &group, 2, arguments, 0, nullptr, nullptr));
    for (float *each : {&alpha, &beta, &low, &high, &initial, &state, &factor, &added}) *each = -1000;
    for (double &edge : edges) edge = -1000;
    arguments[0].buffer = arguments[1].buffer = nullptr;
    size = group = 0;
    int32_t done = 1;
    EXPECT_OK(gp_event_done(passed_, &done));
    EXPECT_EQ(0, done) << "what is changed above might have been used before";

    open();
    const auto expect = [&]<class T>(const std::vector<T> &expected, gp_buffer *buffer, const char *what) {
        std::vector<T> values(expected.size());
        EXPECT_OK(gp_buffer_read(buffer, 0, values.size() * sizeof(T), values.data()));
        EXPECT_EQ(expected, values) << what;
        EXPECT_OK(gp_buffer_free(buffer));
    };
    expect(std::vector<float>(4, 3 * 2 + 10 * 1), c, "alpha and beta");
    expect(std::vector<float>{5, 5, 6, 6}, d, "the bounds of GP_CLAMP");
    expect(std::vector<float>{101, 102, 103, 104}, sums, "the initial value of a scan");
    expect(std::vector<float>{17, 35, 71, 143}, steps, "coefficients and state of a recurrence");
    expect(std::vector<uint64_t>{2, 2}, counts, "edges");
    expect(std::vector<float>{8, 9, 10, 11}, in, "arguments of a kernel");
    expect(ones, a, "the input");
    EXPECT_OK(gp_kernel_free(kernel));
}

// A call that is waiting keeps the deadline that it began with; later ones have the new.
TEST_F(Gated, WaitsKeepTheDeadlineThatTheyBeganWith) {
    const uint64_t deadlines[] = {0, 600'000};
    std::vector<gp_status> waited(std::size(deadlines), GP_ERROR_INTERNAL);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < std::size(deadlines); ++i) {
        ASSERT_OK(gp_deadline(context_, deadlines[i]));
        threads.emplace_back([&, i] { waited[i] = gp_event_wait(passed_); });
        std::this_thread::sleep_for(std::chrono::milliseconds(30)); // it waits by then
    }
    EXPECT_OK(gp_deadline(context_, 1));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_event_wait(passed_));
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    open();
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(std::vector<gp_status>(std::size(deadlines), GP_SUCCESS), waited);
    EXPECT_OK(gp_deadline(context_, 0));
}

} // namespace
