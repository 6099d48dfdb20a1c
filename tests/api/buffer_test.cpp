// Device memory: create, write, read, copy, fill, map, and every range that is refused.
// SPDX-License-Identifier: MIT
#include "child.h"
#include "support/process_memory.h"
#include "support/support.h"

#include <fstream>
#include <numeric>

#include <sys/resource.h>

namespace {

// In a child: creates buffers and uses them until there is no memory left.
int use_up_memory() {
    constexpr size_t kPart = 64 << 20;
    gp_context *context = nullptr;
    CHILD_OK(gp_open(nullptr, &context));
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t limit = pages * static_cast<size_t>(getpagesize()) + 10 * kPart;
    const rlimit limits = {limit, limit};
    CHILD_CHECK(setrlimit(RLIMIT_AS, &limits) == 0);
    std::vector<gp_buffer *> buffers;
    const std::vector<char> one(1);
    gp_status status = GP_SUCCESS;
    while (status == GP_SUCCESS && buffers.size() < 20) {
        gp_buffer *buffer = nullptr;
        status = gp_buffer_create(context, kPart, &buffer);
        if (status != GP_SUCCESS) break;
        buffers.push_back(buffer);
        CHILD_OK(gp_buffer_write(buffer, 0, one.size(), one.data()));
    }
    CHILD_CHECK(status == GP_ERROR_DEVICE_MEMORY || status == GP_ERROR_HOST_MEMORY);
    CHILD_CHECK(std::string(gp_error_message()) != "");
    CHILD_CHECK(buffers.size() > 2);
    for (gp_buffer *buffer : buffers) CHILD_OK(gp_buffer_free(buffer));
    gp_buffer *buffer = nullptr;
    CHILD_OK(gp_buffer_create(context, kPart, &buffer));
    CHILD_OK(gp_buffer_write(buffer, 0, one.size(), one.data()));
    CHILD_OK(gp_buffer_free(buffer));
    CHILD_OK(gp_close(context));
    return 0;
}

// PoCL allocates when a buffer is first used, unless it is asked not to, and ends the process where
// that fails.
TEST(BufferMemory, CanBeUsedUp) {
    if (test::is_sanitized()) GTEST_SKIP() << "sanitizers need address space without end";
    const std::string platform = test::device().platform;
    if (!test::on_host() && platform != "Portable Computing Language") GTEST_SKIP() << "buffers are not in the process";
    const test::Ended ended = test::run_child("use_up_memory");
    EXPECT_EQ(0, ended.code) << ended.output;
}

const test::Children children({{"use_up_memory", use_up_memory}});

using Bytes = std::vector<unsigned char>;

Bytes counted(size_t n, unsigned char first = 1) {
    Bytes bytes(n);
    std::iota(bytes.begin(), bytes.end(), first);
    return bytes;
}

class Buffer : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_OK(gp_buffer_create(test::context(), kBytes, &buffer_));
        ASSERT_OK(gp_buffer_write(buffer_, 0, kBytes, expected_.data()));
    }
    void TearDown() override {
        EXPECT_EQ(expected_, content(buffer_));
        EXPECT_OK(gp_buffer_free(buffer_));
    }
    static Bytes content(gp_buffer *buffer) {
        size_t bytes = 0;
        EXPECT_OK(gp_buffer_bytes(buffer, &bytes));
        Bytes result(bytes);
        EXPECT_OK(gp_buffer_read(buffer, 0, bytes, result.data()));
        return result;
    }

    static constexpr size_t kBytes = 1024;
    gp_buffer *buffer_ = nullptr;
    Bytes expected_ = counted(kBytes); // what the buffer must hold when the test ends
};

TEST_F(Buffer, KnowsItsSize) {
    size_t bytes = 0;
    EXPECT_OK(gp_buffer_bytes(buffer_, &bytes));
    EXPECT_EQ(kBytes, bytes);
}

TEST_F(Buffer, WritesAndReadsAtOffsets) {
    const Bytes source = counted(100, 77);
    ASSERT_OK(gp_buffer_write(buffer_, 13, source.size(), source.data()));
    std::copy(source.begin(), source.end(), expected_.begin() + 13);
    test::Guarded<unsigned char> destination(50);
    ASSERT_OK(gp_buffer_read(buffer_, 20, 50, destination.data()));
    EXPECT_TRUE(destination.intact());
    EXPECT_TRUE(std::equal(source.begin() + 7, source.begin() + 57, destination.data()));
}

TEST_F(Buffer, CopiesBetweenAndWithinBuffers) {
    gp_buffer *other = nullptr;
    ASSERT_OK(gp_buffer_create(test::context(), 200, &other));
    ASSERT_OK(gp_buffer_copy(buffer_, 31, other, 5, 150));
    Bytes copied(150);
    ASSERT_OK(gp_buffer_read(other, 5, 150, copied.data()));
    EXPECT_TRUE(std::equal(copied.begin(), copied.end(), expected_.begin() + 31));
    ASSERT_OK(gp_buffer_copy(buffer_, 0, buffer_, 300, 300)); // side by side, not overlapping
    std::copy(expected_.begin(), expected_.begin() + 300, expected_.begin() + 300);
    EXPECT_OK(gp_buffer_free(other));
}

TEST_F(Buffer, RefusesAnOverlappingCopy) {
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_buffer_copy(buffer_, 0, buffer_, 99, 100));
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_buffer_copy(buffer_, 99, buffer_, 0, 100));
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_buffer_copy(buffer_, 10, buffer_, 10, 1));
}

TEST_F(Buffer, FillsWithEveryPattern) {
    for (size_t size = 1; size <= 128; size *= 2) {
        const Bytes pattern = counted(size, static_cast<unsigned char>(size));
        ASSERT_OK(gp_buffer_fill(buffer_, 2 * size, 3 * size, pattern.data(), size)) << size;
        for (size_t i = 0; i < 3 * size; ++i) expected_[2 * size + i] = pattern[i % size];
        EXPECT_EQ(expected_, content(buffer_)) << size;
    }
}

TEST_F(Buffer, RefusesBadPatterns) {
    const Bytes pattern = counted(256);
    for (const size_t size : {0, 3, 5, 24, 127, 129, 256}) {
        EXPECT_EQ(GP_ERROR_OPTION, gp_buffer_fill(buffer_, 0, size * 2, pattern.data(), size)) << size;
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), "pattern_bytes")) << gp_error_message();
    }
    EXPECT_NE(GP_SUCCESS, gp_buffer_fill(buffer_, 2, 8, pattern.data(), 4)) << "offset is no multiple of the pattern";
    EXPECT_NE(GP_SUCCESS, gp_buffer_fill(buffer_, 4, 6, pattern.data(), 4)) << "bytes is no multiple of the pattern";
}

TEST_F(Buffer, ZeroBytesTouchNothing) {
    unsigned char byte = 9;
    for (const size_t offset : {size_t{0}, size_t{7}, kBytes}) {
        EXPECT_OK(gp_buffer_write(buffer_, offset, 0, &byte));
        EXPECT_OK(gp_buffer_read(buffer_, offset, 0, &byte));
        EXPECT_OK(gp_buffer_copy(buffer_, offset, buffer_, offset, 0));
        EXPECT_OK(gp_buffer_fill(buffer_, offset, 0, &byte, 1));
    }
    EXPECT_EQ(9, byte);
}

TEST_F(Buffer, ABufferOfZeroBytes) {
    gp_buffer *empty = nullptr;
    ASSERT_OK(gp_buffer_create(test::context(), 0, &empty));
    size_t bytes = 1;
    EXPECT_OK(gp_buffer_bytes(empty, &bytes));
    EXPECT_EQ(0u, bytes);
    unsigned char byte = 9;
    int32_t number = 0;
    EXPECT_OK(gp_buffer_write(empty, 0, 0, &byte));
    EXPECT_OK(gp_buffer_read(empty, 0, 0, &byte));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, gp_buffer_read(empty, 0, 1, &byte));
    EXPECT_OK(gp_scan(test::context(), GP_INT32, 0, &number, &number, nullptr));
    EXPECT_OK(gp_enqueue_scan(test::context(), GP_INT32, 0, empty, 0, empty, 0, nullptr, 0, nullptr, nullptr));
    EXPECT_OK(gp_buffer_free(empty));
}

TEST_F(Buffer, RefusesRangesPastTheEnd) {
    const struct {
        size_t offset, bytes;
    } ranges[] = {{0, kBytes + 1}, {kBytes, 1}, {1, kBytes}, {SIZE_MAX, 2}, {2, SIZE_MAX}, {SIZE_MAX, SIZE_MAX}};
    Bytes memory(16, 3);
    gp_buffer *other = nullptr;
    ASSERT_OK(gp_buffer_create(test::context(), 2 * kBytes, &other));
    for (const auto [offset, bytes] : ranges) {
        SCOPED_TRACE(testing::Message() << "offset " << offset << ", bytes " << bytes);
        const auto expect_refused = [](gp_status status) {
            EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, status) << gp_error_message();
            EXPECT_NE(nullptr, std::strstr(gp_error_message(), "past the end")) << gp_error_message();
        };
        expect_refused(gp_buffer_write(buffer_, offset, bytes, memory.data()));
        expect_refused(gp_buffer_read(buffer_, offset, bytes, memory.data()));
        expect_refused(gp_buffer_copy(buffer_, offset, other, 0, bytes));
        expect_refused(gp_buffer_copy(other, 0, buffer_, offset, bytes));
        expect_refused(gp_buffer_fill(buffer_, offset, bytes, memory.data(), 1));
        expect_refused(gp_enqueue_write(buffer_, offset, bytes, memory.data(), 0, nullptr, nullptr));
        expect_refused(gp_enqueue_read(buffer_, offset, bytes, memory.data(), 0, nullptr, nullptr));
        expect_refused(gp_enqueue_copy(buffer_, offset, other, 0, bytes, 0, nullptr, nullptr));
        expect_refused(gp_enqueue_fill(buffer_, offset, bytes, memory.data(), 1, 0, nullptr, nullptr));
        void *pointer = nullptr;
        expect_refused(gp_buffer_map(buffer_, GP_READ, offset, bytes, &pointer));
    }
    EXPECT_EQ(Bytes(16, 3), memory);
    EXPECT_OK(gp_buffer_free(other));
}

TEST_F(Buffer, MapsForReadingAndWriting) {
    void *pointer = nullptr;
    ASSERT_OK(gp_buffer_map(buffer_, GP_READ, 100, 50, &pointer));
    EXPECT_EQ(0, std::memcmp(pointer, expected_.data() + 100, 50));
    ASSERT_OK(gp_buffer_unmap(buffer_, pointer));

    ASSERT_OK(gp_buffer_map(buffer_, GP_WRITE, 64, 32, &pointer));
    std::memset(pointer, 7, 32);
    ASSERT_OK(gp_buffer_unmap(buffer_, pointer));
    std::fill_n(expected_.begin() + 64, 32, 7);
    EXPECT_EQ(expected_, content(buffer_));

    ASSERT_OK(gp_buffer_map(buffer_, GP_READ_WRITE, 0, kBytes, &pointer));
    auto *bytes = static_cast<unsigned char *>(pointer);
    for (size_t i = 0; i < kBytes; ++i) bytes[i] = expected_[i] = static_cast<unsigned char>(bytes[i] * 3);
    ASSERT_OK(gp_buffer_unmap(buffer_, pointer));
}

TEST_F(Buffer, MapWaitsForEnqueuedWork) {
    const unsigned char nine = 9;
    ASSERT_OK(gp_enqueue_fill(buffer_, 0, kBytes, &nine, 1, 0, nullptr, nullptr));
    void *pointer = nullptr;
    ASSERT_OK(gp_buffer_map(buffer_, GP_READ, 0, kBytes, &pointer));
    expected_ = Bytes(kBytes, 9);
    EXPECT_EQ(0, std::memcmp(pointer, expected_.data(), kBytes));
    ASSERT_OK(gp_buffer_unmap(buffer_, pointer));
}

TEST_F(Buffer, RefusesBadMaps) {
    void *pointer = nullptr;
    EXPECT_EQ(GP_ERROR_OPTION, gp_buffer_map(buffer_, 0, 0, 8, &pointer));
    EXPECT_EQ(GP_ERROR_OPTION, gp_buffer_map(buffer_, 4, 0, 8, &pointer));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_buffer_map(buffer_, GP_READ, 0, 8, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_buffer_unmap(buffer_, nullptr));
    int unrelated = 0;
    EXPECT_NE(GP_SUCCESS, gp_buffer_unmap(buffer_, &unrelated)) << "this pointer was never mapped";
    ASSERT_OK(gp_buffer_map(buffer_, GP_READ, 0, 8, &pointer));
    ASSERT_OK(gp_buffer_unmap(buffer_, pointer));
    EXPECT_NE(GP_SUCCESS, gp_buffer_unmap(buffer_, pointer)) << "unmapped before";
}

TEST_F(Buffer, EnqueuedCallsRunInOrder) {
    const Bytes source = counted(kBytes, 200);
    Bytes result(kBytes);
    gp_buffer *other = nullptr;
    ASSERT_OK(gp_buffer_create(test::context(), kBytes, &other));
    unsigned char pattern[2] = {1, 2};
    ASSERT_OK(gp_enqueue_write(buffer_, 0, kBytes, source.data(), 0, nullptr, nullptr));
    ASSERT_OK(gp_enqueue_fill(buffer_, 100, 50, pattern, 2, 0, nullptr, nullptr));
    pattern[0] = pattern[1] = 0; // the fill has its own copy
    ASSERT_OK(gp_enqueue_copy(buffer_, 0, other, 0, kBytes, 0, nullptr, nullptr));
    gp_event *event = nullptr;
    ASSERT_OK(gp_enqueue_read(other, 0, kBytes, result.data(), 0, nullptr, &event));
    ASSERT_OK(gp_buffer_free(other)); // enqueued work keeps what it needs
    ASSERT_OK(gp_event_wait(event));
    ASSERT_OK(gp_event_free(event));
    expected_ = source;
    for (size_t i = 0; i < 50; ++i) expected_[100 + i] = i % 2 == 0 ? 1 : 2;
    EXPECT_EQ(expected_, result);
}

TEST(BufferCreate, TooLargeIsRefused) {
    const auto too_large = [](size_t bytes) {
        gp_buffer *buffer = nullptr;
        const gp_status status = gp_buffer_create(test::context(), bytes, &buffer);
        EXPECT_TRUE(status == GP_ERROR_TOO_LARGE || status == GP_ERROR_DEVICE_MEMORY)
            << gp_status_name(status) << ": " << gp_error_message();
        EXPECT_EQ(nullptr, buffer);
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), "gp_buffer_create")) << gp_error_message();
    };
    too_large(SIZE_MAX);
    too_large(SIZE_MAX / 2);
    if (!test::on_host()) too_large(test::device().allocation_bytes + 1);
}

} // namespace
