// The caller's own kernels: build, launch, arguments, errors.
// SPDX-License-Identifier: MIT
#include "support/support.h"

#include <functional>
#include <thread>

namespace {

using namespace std::string_literals;

constexpr const char *kSource = R"(
kernel void scale_add(global int *x, int factor, int added) {
    const size_t i = get_global_id(0);
    x[i] = x[i] * factor + added;
}
// Each work-group turns its part of x round, through local memory.
kernel void turn_round(global int *x, local int *part) {
    const size_t i = get_local_id(0);
    part[i] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = part[get_local_size(0) - 1 - i];
}
kernel void number(global int *x) {
    x[(get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0)] =
        (int)(get_global_id(0) + 10 * get_global_id(1) + 100 * get_global_id(2));
}
kernel void constant_of_the_build(global int *x) { x[get_global_id(0)] = VALUE; }
typedef global int *pointer;
typedef int whole;
typedef struct { int a, b; } pair;
kernel void kinds(pointer x, const global int *restrict y, constant int *z, local float4 *scratch, char c, ushort3 s,
                  float4 f, unsigned long l, whole w, pair p) {
    scratch[get_local_id(0)] = f;
    x[get_global_id(0)] = y[0] + z[0] + c + s.z + (int)scratch[get_local_id(0)].w + (int)l + w + p.b;
}
kernel void own_arrays(global int *x, local int *part) {
    local int own[LOCAL_INTS];
    own[get_local_id(0)] = x[get_global_id(0)];
    part[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = own[get_local_id(0)] + part[get_local_id(0)];
}
)";

class Kernel : public testing::Test {
  protected:
    void SetUp() override {
        if (test::on_host()) GTEST_SKIP() << "host takes no OpenCL C";
        ASSERT_OK(gp_buffer_create(context_, sizeof(int) * kN, &x_));
        for (size_t i = 0; i < kN; ++i) expected_[i] = static_cast<int>(i);
        ASSERT_OK(gp_buffer_write(x_, 0, sizeof(int) * kN, expected_.data()));
    }
    void TearDown() override {
        if (test::on_host()) return;
        std::vector<int> got(kN);
        EXPECT_OK(gp_buffer_read(x_, 0, sizeof(int) * kN, got.data()));
        EXPECT_EQ(expected_, got);
        EXPECT_OK(gp_buffer_free(x_));
    }
    gp_kernel *build(const char *name, const char *options = "-DVALUE=7 -DLOCAL_INTS=16") {
        gp_kernel *kernel = nullptr;
        EXPECT_OK(gp_kernel_build(context_, kSource, options, name, &kernel));
        return kernel;
    }

    static constexpr size_t kN = 240;
    gp_context *context_ = test::context();
    gp_buffer *x_ = nullptr;
    std::vector<int> expected_ = std::vector<int>(kN); // what x must hold when the test ends
    const int factor_ = 3, added_ = -5;
};

TEST(KernelOnHost, IsRefused) {
    gp_context *host = nullptr;
    ASSERT_OK(gp_open("host", &host));
    gp_kernel *kernel = nullptr;
    EXPECT_EQ(GP_ERROR_UNSUPPORTED_DEVICE, gp_kernel_build(host, kSource, nullptr, "number", &kernel));
    EXPECT_EQ(nullptr, kernel);
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "gp_kernel_build")) << gp_error_message();
    EXPECT_OK(gp_close(host));
}

TEST_F(Kernel, TakesBuffersAndValues) {
    gp_kernel *kernel = build("scale_add");
    const gp_argument arguments[] = {
        {x_, nullptr, 0}, {nullptr, &factor_, sizeof(int)}, {nullptr, &added_, sizeof(int)}};
    gp_event *event = nullptr;
    ASSERT_OK(gp_enqueue_kernel(kernel, 1, &kN, nullptr, 3, arguments, 0, nullptr, &event));
    EXPECT_OK(gp_kernel_free(kernel)); // before the work is complete
    ASSERT_OK(gp_event_wait(event));
    EXPECT_OK(gp_event_free(event));
    for (int &value : expected_) value = value * factor_ + added_;
}

TEST_F(Kernel, TakesLocalMemory) {
    gp_kernel *kernel = build("turn_round");
    const size_t group = std::min<size_t>(8, test::device().work_group_size);
    const gp_argument arguments[] = {{x_, nullptr, 0}, {nullptr, nullptr, group * sizeof(int)}};
    ASSERT_OK(gp_enqueue_kernel(kernel, 1, &kN, &group, 2, arguments, 0, nullptr, nullptr));
    EXPECT_OK(gp_kernel_free(kernel));
    for (size_t i = 0; i < kN; i += group) {
        std::reverse(expected_.begin() + static_cast<std::ptrdiff_t>(i),
                     expected_.begin() + static_cast<std::ptrdiff_t>(i + group));
    }
}

TEST_F(Kernel, LaunchesThreeDimensions) {
    gp_kernel *kernel = build("number");
    const size_t global[] = {4, 5, 12};
    const gp_argument argument = {x_, nullptr, 0};
    ASSERT_OK(gp_enqueue_kernel(kernel, 3, global, nullptr, 1, &argument, 0, nullptr, nullptr));
    EXPECT_OK(gp_kernel_free(kernel));
    for (int i = 0; i < static_cast<int>(kN); ++i) {
        expected_[static_cast<size_t>(i)] = i % 4 + 10 * (i / 4 % 5) + 100 * (i / 20);
    }
}

TEST_F(Kernel, TakesBuildOptions) {
    const gp_argument argument = {x_, nullptr, 0};
    const size_t n = 10;
    for (const auto &[options, value] :
         {std::pair("-DLOCAL_INTS=1 -DVALUE=7", 7), std::pair("-DLOCAL_INTS=1 -DVALUE=8 -cl-std=CL1.2", 8)}) {
        gp_kernel *kernel = build("constant_of_the_build", options);
        ASSERT_OK(gp_enqueue_kernel(kernel, 1, &n, nullptr, 1, &argument, 0, nullptr, nullptr));
        EXPECT_OK(gp_kernel_free(kernel));
        std::vector<int> got(n);
        ASSERT_OK(gp_buffer_read(x_, 0, sizeof(int) * n, got.data()));
        EXPECT_EQ(std::vector<int>(n, value), got);
    }
    std::fill_n(expected_.begin(), n, 8);
}

TEST_F(Kernel, WaitsForEventsAndRunsInOrderWithOperations) {
    gp_kernel *kernel = build("scale_add");
    const int minus = -1, none = 0;
    const gp_argument arguments[] = {{x_, nullptr, 0}, {nullptr, &minus, sizeof(int)}, {nullptr, &none, sizeof(int)}};
    gp_event *negated = nullptr, *sorted = nullptr;
    ASSERT_OK(gp_enqueue_kernel(kernel, 1, &kN, nullptr, 3, arguments, 0, nullptr, &negated));
    ASSERT_OK(gp_enqueue_sort(context_, GP_INT32, kN, x_, 0, nullptr, 1, &negated, &sorted));
    ASSERT_OK(gp_enqueue_kernel(kernel, 1, &kN, nullptr, 3, arguments, 1, &sorted, nullptr));
    for (gp_event *event : {negated, sorted}) EXPECT_OK(gp_event_free(event));
    EXPECT_OK(gp_kernel_free(kernel));
    std::sort(expected_.begin(), expected_.end(), std::greater<>());
}

TEST_F(Kernel, BuildErrors) {
    gp_kernel *kernel = nullptr;
    EXPECT_EQ(GP_ERROR_KERNEL_NAME,
              gp_kernel_build(context_, kSource, "-DVALUE=1 -DLOCAL_INTS=1", "no_such_kernel", &kernel));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "no_such_kernel")) << gp_error_message();
    EXPECT_EQ(nullptr, kernel);
    EXPECT_EQ(GP_ERROR_BUILD, gp_kernel_build(context_, "kernel void f( {", nullptr, "f", &kernel));
    EXPECT_STRNE("", gp_error_build_log());
    EXPECT_EQ(nullptr, kernel);
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_kernel_build(context_, nullptr, nullptr, "f", &kernel));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_kernel_build(context_, kSource, "-DVALUE=1 -DLOCAL_INTS=1", nullptr, &kernel));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_kernel_build(context_, kSource, "-DVALUE=1 -DLOCAL_INTS=1", "number", nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_kernel_build(nullptr, kSource, "-DVALUE=1 -DLOCAL_INTS=1", "number", &kernel));
}

TEST_F(Kernel, BadArguments) {
    gp_kernel *kernel = build("scale_add");
    const gp_argument buffer = {x_, nullptr, 0};
    const gp_argument factor = {nullptr, &factor_, sizeof(int)};
    const int64_t wide = 1;
    const gp_argument too_wide = {nullptr, &wide, sizeof wide};
    const gp_argument local = {nullptr, nullptr, 64};
    const auto expect = [&](const char *what, const std::vector<gp_argument> &arguments) {
        EXPECT_EQ(GP_ERROR_KERNEL_ARGUMENT,
                  gp_enqueue_kernel(kernel, 1, &kN, nullptr, arguments.size(), arguments.data(), 0, nullptr, nullptr))
            << what << ": " << gp_error_message();
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), "argument")) << what << ": " << gp_error_message();
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), "scale_add")) << what << ": " << gp_error_message();
    };
    expect("too few", {buffer, factor});
    expect("none", {});
    expect("too many", {buffer, factor, factor, factor});
    expect("too wide", {buffer, factor, too_wide});
    expect("buffer for a value", {buffer, buffer, factor});
    expect("local memory for a value", {buffer, local, factor});
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_enqueue_kernel(kernel, 1, &kN, nullptr, 3, nullptr, 0, nullptr, nullptr));
    const gp_argument arguments[] = {buffer, factor, factor};
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_enqueue_kernel(kernel, 1, nullptr, nullptr, 3, arguments, 0, nullptr, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_enqueue_kernel(nullptr, 1, &kN, nullptr, 3, arguments, 0, nullptr, nullptr));
    EXPECT_OK(gp_kernel_free(kernel));
    EXPECT_EQ(GP_ERROR_HANDLE, gp_enqueue_kernel(kernel, 1, &kN, nullptr, 3, arguments, 0, nullptr, nullptr));
    EXPECT_EQ(GP_ERROR_HANDLE, gp_kernel_free(kernel));
}

// PoCL lets some of these pass: it dereferences values, and passes addresses as numbers.
TEST_F(Kernel, ArgumentsOfAnotherKind) {
    gp_kernel *kernel = build("kinds");
    gp_buffer *y = nullptr;
    ASSERT_OK(gp_buffer_create(context_, 64, &y));
    const int one = 1;
    ASSERT_OK(gp_buffer_fill(y, 0, 64, &one, sizeof one));
    const unsigned char bytes[64] = {};
    const auto value = [&](size_t size) { return gp_argument{nullptr, bytes, size}; };
    const auto local = [](size_t size) { return gp_argument{nullptr, nullptr, size}; };
    const gp_argument buffer = {y, nullptr, 0};
    const std::vector<gp_argument> right = {{x_, nullptr, 0}, buffer,    buffer,   local(128), value(1),
                                            value(8),         value(16), value(8), value(4),   value(8)};
    const size_t group = std::min<size_t>(8, test::device().work_group_size);
    ASSERT_OK(gp_enqueue_kernel(kernel, 1, &kN, &group, right.size(), right.data(), 0, nullptr, nullptr));
    std::fill(expected_.begin(), expected_.end(), 2);
    const auto expect = [&](size_t index, const gp_argument &wrong, const char *given, const char *declared,
                            const char *taken) {
        std::vector<gp_argument> arguments = right;
        arguments[index] = wrong;
        EXPECT_EQ(GP_ERROR_KERNEL_ARGUMENT,
                  gp_enqueue_kernel(kernel, 1, &kN, &group, arguments.size(), arguments.data(), 0, nullptr, nullptr))
            << declared << " takes " << given;
        for (const std::string &part : {"arguments[" + std::to_string(index) + "] is " + given, "kernel kinds"s,
                                        "declares \"" + std::string(declared) + "\"", "takes " + std::string(taken)})
            EXPECT_NE(std::string::npos, std::string(gp_error_message()).find(part))
                << "no \"" << part << "\" in: " << gp_error_message();
    };
    expect(0, value(8), "a value of 8 bytes", "global int* x", "a buffer");
    expect(0, local(8), "local memory of 8 bytes", "global int* x", "a buffer");
    expect(1, value(8), "a value of 8 bytes", "global int* y", "a buffer");
    expect(1, value(4), "a value of 4 bytes", "global int* y", "a buffer");
    expect(2, value(8), "a value of 8 bytes", "constant int* z", "a buffer");
    expect(2, local(64), "local memory of 64 bytes", "constant int* z", "a buffer");
    expect(3, buffer, "a buffer", "local float4* scratch", "local memory");
    expect(3, value(8), "a value of 8 bytes", "local float4* scratch", "local memory");
    expect(4, buffer, "a buffer", "private char c", "a value of 1 byte");
    expect(4, value(4), "a value of 4 bytes", "private char c", "a value of 1 byte");
    expect(4, local(1), "local memory of 1 byte", "private char c", "a value of 1 byte");
    expect(5, value(6), "a value of 6 bytes", "private ushort3 s", "a value of 8 bytes");
    expect(6, value(12), "a value of 12 bytes", "private float4 f", "a value of 16 bytes");
    expect(6, value(4), "a value of 4 bytes", "private float4 f", "a value of 16 bytes");
    expect(7, buffer, "a buffer", "private ulong l", "a value of 8 bytes");
    expect(7, value(4), "a value of 4 bytes", "private ulong l", "a value of 8 bytes");
    expect(7, value(0), "a value of 0 bytes", "private ulong l", "a value of 8 bytes");
    expect(8, buffer, "a buffer", "private whole w", "a value");
    expect(9, buffer, "a buffer", "private pair p", "a value");
    for (size_t i = 0; i < right.size(); ++i) { // what gp_argument keeps for later versions
        std::vector<gp_argument> empty = right;
        empty[i] = value(0);
        EXPECT_EQ(GP_ERROR_KERNEL_ARGUMENT,
                  gp_enqueue_kernel(kernel, 1, &kN, &group, empty.size(), empty.data(), 0, nullptr, nullptr))
            << "argument " << i;
    }
    EXPECT_OK(gp_kernel_free(kernel));
    EXPECT_OK(gp_buffer_free(y));
}

// Does the driver say how much local memory a kernel's own arrays take? PoCL 6 says 0.
bool counts_own_arrays() {
    const std::string platform = test::device().platform, version = test::device().platform_version;
    return platform != "rusticl" && version.find("PoCL 6") == std::string::npos;
}

TEST_F(Kernel, LocalMemoryBeyondTheDevices) {
    gp_kernel *own = build("own_arrays");
    const size_t all = test::device().local_bytes, group = 1;
    const auto local = [](size_t size) { return gp_argument{nullptr, nullptr, size}; };
    const auto expect = [&](size_t size) {
        const gp_argument arguments[] = {{x_, nullptr, 0}, local(size)};
        EXPECT_EQ(GP_ERROR_TOO_LARGE, gp_enqueue_kernel(own, 1, &kN, &group, 2, arguments, 0, nullptr, nullptr))
            << size;
        for (const size_t number : {size, all})
            EXPECT_NE(nullptr, std::strstr(gp_error_message(), std::to_string(number).c_str())) << gp_error_message();
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), "arguments[1]")) << gp_error_message();
    };
    for (const size_t size : {all + 1, SIZE_MAX - 15, SIZE_MAX}) expect(size);
    if (counts_own_arrays()) expect(all);
    EXPECT_OK(gp_kernel_free(own));
}

TEST_F(Kernel, SeveralLocalArguments) {
    gp_kernel *kernel = nullptr;
    ASSERT_OK(gp_kernel_build(context_, R"(
        kernel void two(global int *x, local int *a, local int *b) {
            a[0] = 1;
            b[0] = 2;
            x[get_global_id(0)] = a[0] + b[0];
        })",
                              nullptr, "two", &kernel));
    const size_t half = test::device().local_bytes / 2, group = 1;
    const auto launch = [&](size_t a, size_t b) {
        const gp_argument arguments[] = {{x_, nullptr, 0}, {nullptr, nullptr, a}, {nullptr, nullptr, b}};
        return gp_enqueue_kernel(kernel, 1, &kN, &group, 3, arguments, 0, nullptr, nullptr);
    };
    EXPECT_EQ(GP_ERROR_TOO_LARGE, launch(half, half + 4));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "arguments[2]")) << gp_error_message();
    EXPECT_EQ(GP_ERROR_TOO_LARGE, launch(SIZE_MAX - 3, 4)) << "their sum wraps";
    ASSERT_OK(launch(half, half / 2)); // what was refused is forgotten
    EXPECT_OK(gp_kernel_free(kernel));
    std::fill(expected_.begin(), expected_.end(), 3);
}

TEST_F(Kernel, OwnArraysBeyondTheDevices) {
    if (!counts_own_arrays() || test::device().platform == std::string("NVIDIA CUDA"))
        GTEST_SKIP() << "the driver has more local memory than it says, or does not say how much arrays take";
    gp_kernel *kernel = nullptr;
    const std::string ints = std::to_string(test::device().local_bytes / sizeof(int) + 1);
    const gp_status built =
        gp_kernel_build(context_, kSource, ("-DVALUE=1 -DLOCAL_INTS=" + ints).c_str(), "own_arrays", &kernel);
    if (built == GP_ERROR_BUILD) return; // refused earlier
    ASSERT_OK(built);
    const size_t group = 1;
    const gp_argument arguments[] = {{x_, nullptr, 0}, {nullptr, nullptr, 64}};
    EXPECT_EQ(GP_ERROR_TOO_LARGE, gp_enqueue_kernel(kernel, 1, &kN, &group, 2, arguments, 0, nullptr, nullptr));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "own_arrays")) << gp_error_message();
    EXPECT_OK(gp_kernel_free(kernel));
}

TEST_F(Kernel, ABufferOfAnotherContext) {
    gp_context *stranger = nullptr;
    gp_buffer *theirs = nullptr;
    ASSERT_OK(gp_open(nullptr, &stranger));
    ASSERT_OK(gp_buffer_create(stranger, sizeof(int) * kN, &theirs));
    gp_kernel *kernel = build("number");
    const gp_argument argument = {theirs, nullptr, 0};
    EXPECT_EQ(GP_ERROR_WRONG_CONTEXT, gp_enqueue_kernel(kernel, 1, &kN, nullptr, 1, &argument, 0, nullptr, nullptr));
    EXPECT_OK(gp_kernel_free(kernel));
    EXPECT_OK(gp_buffer_free(theirs));
    EXPECT_OK(gp_close(stranger));
}

TEST_F(Kernel, BadWorkSizes) {
    gp_kernel *kernel = build("number");
    const gp_argument argument = {x_, nullptr, 0};
    const auto expect = [&](const char *what, uint32_t dimensions, std::vector<size_t> global,
                            std::vector<size_t> local) {
        EXPECT_EQ(GP_ERROR_WORK_SIZE,
                  gp_enqueue_kernel(kernel, dimensions, global.data(), local.empty() ? nullptr : local.data(), 1,
                                    &argument, 0, nullptr, nullptr))
            << what << ": " << gp_error_message();
    };
    expect("no dimension", 0, {1}, {});
    expect("four dimensions", 4, {1, 1, 1, 1}, {});
    expect("local does not divide global", 1, {10}, {3});
    expect("global is 0", 2, {10, 0}, {});
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "global_size[1] is 0; expected at least 1"))
        << gp_error_message();
    expect("local is 0", 1, {10}, {0});
    const size_t large = test::device().work_group_size * 2;
    expect("local exceeds the device", 1, {large}, {large});
    EXPECT_OK(gp_kernel_free(kernel));
}

TEST_F(Kernel, OneIsSharedByThreads) {
    gp_kernel *kernel = build("scale_add");
    const int rounds = test::max_n() > 1000 ? 50 : 4;
    std::vector<std::thread> threads;
    std::vector<std::vector<int>> results(8, std::vector<int>(kN));
    for (size_t t = 0; t < results.size(); ++t) {
        threads.emplace_back([&, t] {
            gp_buffer *mine = nullptr;
            const int zero = 0, factor = 1, added = static_cast<int>(t) + 1;
            EXPECT_OK(gp_buffer_create(context_, sizeof(int) * kN, &mine));
            EXPECT_OK(gp_buffer_fill(mine, 0, sizeof(int) * kN, &zero, sizeof zero));
            const gp_argument arguments[] = {
                {mine, nullptr, 0}, {nullptr, &factor, sizeof(int)}, {nullptr, &added, sizeof(int)}};
            for (int i = 0; i < rounds; ++i) {
                EXPECT_OK(gp_enqueue_kernel(kernel, 1, &kN, nullptr, 3, arguments, 0, nullptr, nullptr));
            }
            EXPECT_OK(gp_buffer_read(mine, 0, sizeof(int) * kN, results[t].data()));
            EXPECT_OK(gp_buffer_free(mine));
        });
    }
    for (std::thread &thread : threads) thread.join();
    EXPECT_OK(gp_kernel_free(kernel));
    for (size_t t = 0; t < results.size(); ++t) {
        EXPECT_EQ(std::vector<int>(kN, rounds * (static_cast<int>(t) + 1)), results[t]) << "thread " << t;
    }
}

TEST_F(Kernel, OutlivesItsContext) {
    gp_context *context = nullptr;
    gp_kernel *kernel = nullptr;
    gp_buffer *buffer = nullptr;
    ASSERT_OK(gp_open(nullptr, &context));
    ASSERT_OK(gp_buffer_create(context, sizeof(int) * kN, &buffer));
    ASSERT_OK(gp_kernel_build(context, kSource, "-DVALUE=1 -DLOCAL_INTS=1", "constant_of_the_build", &kernel));
    ASSERT_OK(gp_close(context));
    const gp_argument argument = {buffer, nullptr, 0};
    ASSERT_OK(gp_enqueue_kernel(kernel, 1, &kN, nullptr, 1, &argument, 0, nullptr, nullptr));
    std::vector<int> got(kN);
    EXPECT_OK(gp_buffer_read(buffer, 0, sizeof(int) * kN, got.data()));
    EXPECT_EQ(std::vector<int>(kN, 1), got);
    EXPECT_OK(gp_kernel_free(kernel));
    EXPECT_OK(gp_buffer_free(buffer));
}

} // namespace
