// Lifetimes: a thousand opens and closes in flat memory, handles freed in any order, exit with
// handles open.
// SPDX-License-Identifier: MIT
#include "child.h"
#include "support/process_memory.h"
#include "support/support.h"

#include <numeric>

namespace {

void scan_once(gp_context *context) {
    std::vector<int32_t> values(100, 1);
    EXPECT_OK(gp_scan(context, GP_INT32, values.size(), values.data(), values.data(), nullptr));
    EXPECT_EQ(100, values[99]);
}

// The memory that `rounds` calls of `body` keep, once the first ones have filled what stays anyway.
size_t growth(int rounds, const std::function<void()> &body) {
    for (int i = 0; i < rounds / 4; ++i) body();
    const size_t before = test::resident_bytes();
    for (int i = 0; i < rounds; ++i) body();
    const size_t after = test::resident_bytes();
    return after > before ? after - before : 0;
}

constexpr size_t kFlat = size_t{8} << 20;
// What sanitizers see shows in a few rounds.
const int kRounds = test::is_sanitized() ? 100 : 1000;

TEST(Lifetime, AThousandOpensAndClosesInFlatMemory) {
    const size_t grown = growth(kRounds, [] {
        gp_context *context = nullptr;
        ASSERT_OK(gp_open(nullptr, &context));
        ASSERT_OK(gp_close(context));
    });
    if (!test::is_sanitized()) {
        EXPECT_LT(grown, kFlat);
    }
}

TEST(Lifetime, AThousandBuffersAndEventsInFlatMemory) {
    const size_t grown = growth(kRounds, [] {
        gp_buffer *buffer = nullptr;
        gp_event *event = nullptr;
        const char byte = 1;
        ASSERT_OK(gp_buffer_create(test::context(), size_t{1} << 16, &buffer));
        ASSERT_OK(gp_enqueue_fill(buffer, 0, size_t{1} << 16, &byte, 1, 0, nullptr, &event));
        ASSERT_OK(gp_buffer_free(buffer));
        ASSERT_OK(gp_event_wait(event));
        ASSERT_OK(gp_event_free(event));
    });
    if (!test::is_sanitized()) {
        EXPECT_LT(grown, kFlat);
    }
}

TEST(Lifetime, ContextsThatComputeCloseCleanly) {
    for (int i = 0; i < 20; ++i) {
        gp_context *context = nullptr;
        ASSERT_OK(gp_open(nullptr, &context));
        scan_once(context);
        ASSERT_OK(gp_trim(context));
        scan_once(context);
        ASSERT_OK(gp_close(context));
    }
}

TEST(Lifetime, HandlesAreFreedInAnyOrder) {
    std::vector<int> order = {0, 1, 2, 3};
    do { // context, buffer, buffer, event
        gp_context *context = nullptr;
        gp_buffer *first = nullptr, *second = nullptr;
        gp_event *event = nullptr;
        ASSERT_OK(gp_open(nullptr, &context));
        ASSERT_OK(gp_buffer_create(context, 4096, &first));
        ASSERT_OK(gp_buffer_create(context, 4096, &second));
        const int32_t one = 1;
        ASSERT_OK(gp_buffer_fill(first, 0, 4096, &one, sizeof one));
        ASSERT_OK(gp_enqueue_scan(context, GP_INT32, 1024, first, 0, second, 0, nullptr, 0, nullptr, &event));
        for (const int which : order) {
            switch (which) {
            case 0: ASSERT_OK(gp_close(context)); break;
            case 1: ASSERT_OK(gp_buffer_free(first)); break;
            case 2: ASSERT_OK(gp_buffer_free(second)); break;
            default: ASSERT_OK(gp_event_free(event)); break;
            }
        }
    } while (std::next_permutation(order.begin(), order.end()));
}

// The memory of a freed object goes to the next one; its handle does not.
TEST(Lifetime, AFreedHandleMeansNoLaterObject) {
    constexpr int kRounds = 100;
    std::vector<gp_context *> contexts;
    std::vector<gp_buffer *> buffers;
    std::vector<gp_event *> events;
    const char byte = 1;
    for (int i = 0; i < kRounds; ++i) {
        ASSERT_OK(gp_open("host", &contexts.emplace_back()));
        ASSERT_OK(gp_close(contexts.back()));
        ASSERT_OK(gp_buffer_create(test::context(), 64, &buffers.emplace_back()));
        ASSERT_OK(gp_enqueue_fill(buffers.back(), 0, 64, &byte, 1, 0, nullptr, &events.emplace_back()));
        ASSERT_OK(gp_event_free(events.back()));
        ASSERT_OK(gp_buffer_free(buffers.back()));
    }
    gp_context *context = nullptr;
    gp_buffer *buffer = nullptr;
    gp_event *event = nullptr;
    ASSERT_OK(gp_open("host", &context));
    ASSERT_OK(gp_buffer_create(test::context(), 64, &buffer));
    ASSERT_OK(gp_enqueue_fill(buffer, 0, 64, &byte, 1, 0, nullptr, &event));
    for (int i = 0; i < kRounds; ++i) {
        EXPECT_EQ(GP_ERROR_HANDLE, gp_close(contexts[i]));
        EXPECT_EQ(GP_ERROR_HANDLE, gp_buffer_free(buffers[i]));
        EXPECT_EQ(GP_ERROR_HANDLE, gp_event_free(events[i]));
    }
    EXPECT_OK(gp_event_wait(event));
    EXPECT_OK(gp_event_free(event));
    EXPECT_OK(gp_buffer_free(buffer));
    EXPECT_OK(gp_close(context));
}

TEST(Lifetime, BuffersWorkAfterTheirContextIsClosed) {
    gp_context *context = nullptr;
    gp_buffer *first = nullptr, *second = nullptr;
    ASSERT_OK(gp_open(nullptr, &context));
    ASSERT_OK(gp_buffer_create(context, 64, &first));
    ASSERT_OK(gp_buffer_create(context, 64, &second));
    ASSERT_OK(gp_close(context));
    std::vector<unsigned char> in(64), out(64);
    std::iota(in.begin(), in.end(), static_cast<unsigned char>(1));
    ASSERT_OK(gp_buffer_write(first, 0, 64, in.data()));
    ASSERT_OK(gp_buffer_copy(first, 0, second, 0, 64));
    ASSERT_OK(gp_buffer_read(second, 0, 64, out.data()));
    EXPECT_EQ(in, out);
    void *pointer = nullptr;
    ASSERT_OK(gp_buffer_map(first, GP_READ, 0, 64, &pointer));
    EXPECT_EQ(0, std::memcmp(pointer, in.data(), 64));
    ASSERT_OK(gp_buffer_unmap(first, pointer));
    EXPECT_OK(gp_buffer_free(first));
    EXPECT_OK(gp_buffer_free(second));
}

// A program that ends without giving anything back, with work under way.
int leave_handles_open() {
    static gp_context *context = nullptr;
    static gp_buffer *buffer = nullptr;
    static gp_event *event = nullptr;
    CHILD_OK(gp_open(nullptr, &context));
    CHILD_OK(gp_buffer_create(context, size_t{1} << 20, &buffer));
    const int32_t one = 1;
    CHILD_OK(gp_buffer_fill(buffer, 0, size_t{1} << 20, &one, sizeof one));
    CHILD_OK(gp_enqueue_sort(context, GP_INT32, size_t{1} << 18, buffer, 0, nullptr, 0, nullptr, &event));
    return 0;
}

int open_and_leave() {
    static gp_context *context = nullptr;
    CHILD_OK(gp_open(nullptr, &context));
    return 0;
}

TEST(Lifetime, ExitWithHandlesOpen) {
    const test::Environment quiet = {{"ASAN_OPTIONS", "detect_leaks=0"}}; // these handles are left on purpose
    for (const char *child : {"open_and_leave", "leave_handles_open"}) {
        const test::Ended ended = test::run_child(child, quiet);
        EXPECT_EQ(0, ended.code) << child << ": " << ended.output;
        EXPECT_EQ("", ended.output) << child;
    }
}

// PoCL crashed in some of such runs, where a thread of its own compiled kernels at the end.
TEST(Lifetime, ExitWhileKernelsAreCompiled) {
    const test::Environment cold = {
        {"ASAN_OPTIONS", "detect_leaks=0"}, {"GPCL_CACHE", "off"}, {"POCL_KERNEL_CACHE", "0"}};
    for (int i = 0; i < 3; ++i) {
        const test::Ended ended = test::run_child("leave_handles_open", cold);
        EXPECT_EQ(0, ended.code) << ended.output;
        EXPECT_EQ("", ended.output);
    }
}

const test::Children children({{"leave_handles_open", leave_handles_open}, {"open_and_leave", open_and_leave}});

} // namespace
