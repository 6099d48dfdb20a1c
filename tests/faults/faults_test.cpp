// Each operation runs again and again, with its first, second, ... OpenCL call failing, until none
// fails any more. It must never crash, never call a wrong result a success, always say what failed,
// leave the context usable and give back every OpenCL object.
// SPDX-License-Identifier: MIT
#include "faults/cases.h"

#include <filesystem>

namespace {

// Does the sweep from gp_open on build this case's programs from sources, or take them from the
// cache? PoCL reads its headers again for each source, and all programs are built alike: one of the
// library's, one with a caller's text, and a caller's own are. GPCL_TEST_TYPES=all: those of every
// case.
bool from_sources(const Case &tested) {
    const char *types = std::getenv("GPCL_TEST_TYPES");
    return (types != nullptr && std::string(types) == "all") || tested.run == reduce ||
           tested.run == scan_with_operator_text || tested.run == own_kernel;
}

class Faults : public testing::TestWithParam<Case> {
  protected:
    void SetUp() override {
        if (GetParam().staged) setenv("GPCL_STAGING", kStaging, 1);
    }
    void TearDown() override {
        unsetenv("GPCL_STAGING");
        faults_arm(0);
        EXPECT_EQ(held_before_, faults_live()) << "still held after gp_close";
    }

    // After a call that was meant to fail. The case may have found another way and succeeded, with
    // the right result.
    static void expect_told(gp_status status) {
        if (status == GP_SUCCESS) return;
        EXPECT_NE("", said) << gp_status_name(status);
        EXPECT_NE(GP_ERROR_INTERNAL, status) << said;
        EXPECT_TRUE(status < 200 || status >= 300)
            << "the caller made no mistake, but is told " << gp_status_name(status) << ": " << said;
    }

    const std::string held_before_ = faults_live();
};

TEST_P(Faults, InAWarmContext) {
    const Case &tested = GetParam();
    Context context;
    ASSERT_EQ(GP_SUCCESS, gp_open(nullptr, &context.handle)) << gp_error_message();
    ASSERT_EQ(GP_SUCCESS, tested.run(context.handle)) << gp_error_message();
    long call = 1;
    for (; call < kMost; ++call) {
        said.clear();
        faults_arm(call);
        const gp_status status = tested.run(context.handle);
        const char *hit = faults_hit();
        faults_arm(0);
        if (hit == nullptr) {
            EXPECT_EQ(GP_SUCCESS, status) << said;
            break;
        }
        SCOPED_TRACE(testing::Message() << "call " << call << ", " << hit);
        expect_told(status);
        ASSERT_EQ(GP_SUCCESS, tested.run(context.handle)) << "afterwards: " << gp_error_message();
        if (HasFailure()) break;
    }
    EXPECT_GE(call, 4) << "so few calls can fail?";
    EXPECT_LT(call, kMost);
}

TEST_P(Faults, FromOpenToClose) {
    const Case &tested = GetParam();
    if (tested.run == streamed) GTEST_SKIP() << "its programs take too long to build for each of its calls";
    if (tested.run == sort_segments) GTEST_SKIP() << "its algorithm is refused where the device tells less of itself";
    std::optional<Variable> cache;
    if (!from_sources(tested)) {
        cache.emplace("GPCL_CACHE", "on");
        Context context; // which fills it
        ASSERT_EQ(GP_SUCCESS, gp_open(nullptr, &context.handle)) << gp_error_message();
        ASSERT_EQ(GP_SUCCESS, tested.run(context.handle)) << gp_error_message();
    }
    long call = 1;
    for (; call < kMost; ++call) {
        said.clear();
        faults_arm(call);
        gp_context *context = nullptr;
        gp_status status = NOTED(gp_open(nullptr, &context));
        EXPECT_EQ(status == GP_SUCCESS, context != nullptr);
        if (status == GP_SUCCESS) {
            status = tested.run(context);
            const gp_status closed = NOTED(gp_close(context));
            if (status == GP_SUCCESS) status = closed;
        }
        const char *hit = faults_hit();
        faults_arm(0);
        if (hit == nullptr) {
            EXPECT_EQ(GP_SUCCESS, status) << said;
            break;
        }
        SCOPED_TRACE(testing::Message() << "call " << call << ", " << hit);
        expect_told(status);
        EXPECT_EQ(held_before_, faults_live()) << "still held after gp_close";
        if (HasFailure()) break;
    }
    EXPECT_GE(call, 10) << "so few calls can fail?";
    EXPECT_LT(call, kMost);
}

INSTANTIATE_TEST_SUITE_P(Every, Faults, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case> &info) { return std::string(info.param.name); });

// Arrays from the least size on go in chunks; smaller ones, and those in pinned memory, as one
// command.
TEST(Staging, TakesLargeArraysAlone) {
    setenv("GPCL_STAGING", kStaging, 1);
    {
        Context context;
        ASSERT_EQ(GP_SUCCESS, gp_open(nullptr, &context.handle)) << gp_error_message();
        ASSERT_EQ(GP_SUCCESS, staged(context.handle)) << gp_error_message();
        Buffer buffer;
        ASSERT_EQ(GP_SUCCESS, gp_buffer_create(context.handle, kLarge, &buffer.handle));
        const auto expect = [&](void *host, size_t bytes, bool chunks) {
            SCOPED_TRACE(testing::Message() << bytes << " bytes");
            faults_arm(0);
            ASSERT_EQ(GP_SUCCESS, gp_buffer_write(buffer.handle, 0, bytes, host)) << gp_error_message();
            ASSERT_EQ(GP_SUCCESS, gp_buffer_read(buffer.handle, 0, bytes, host)) << gp_error_message();
            for (const char *name : {"clEnqueueWriteBuffer", "clEnqueueReadBuffer"}) {
                if (chunks) {
                    EXPECT_GE(faults_calls_of(name), 8) << name;
                } else {
                    EXPECT_EQ(1, faults_calls_of(name)) << name;
                }
            }
            if (!chunks) {
                EXPECT_EQ(2, faults_calls()) << "a small transfer takes one call";
            }
        };
        expect(large(1).data(), kLarge, true);
        expect(large(1).data(), 4095, false);
        void *memory = nullptr;
        ASSERT_EQ(GP_SUCCESS, gp_host_alloc(context.handle, kLarge, &memory)) << gp_error_message();
        expect(memory, kLarge, false);
        EXPECT_EQ(GP_SUCCESS, gp_host_free(memory));
        ASSERT_EQ(GP_SUCCESS, gp_host_register(context.handle, large(1).data(), kLarge)) << gp_error_message();
        expect(large(1).data() + 100, kLarge - 200, false);
        EXPECT_EQ(GP_SUCCESS, gp_host_unregister(context.handle, large(1).data())) << gp_error_message();
        expect(large(1).data(), kLarge, true);
    }
    unsetenv("GPCL_STAGING");
}

// A call on buffers that has run before takes everything from pools, kernels with their arguments
// too, and waits for nothing.
TEST(SteadyState, NothingIsMadeAndNothingBlocks) {
    Context context;
    faults_arm(0);
    ASSERT_EQ(GP_SUCCESS, gp_open(nullptr, &context.handle)) << gp_error_message();
    EXPECT_GE(faults_calls_of("clCreate"), 1) << "it does not count";
    constexpr size_t kLarge = 300'000, kSide = 100;
    Buffer in, out;
    ASSERT_EQ(GP_SUCCESS, gp_buffer_create(context.handle, kLarge * sizeof(uint32_t), &in.handle));
    ASSERT_EQ(GP_SUCCESS, gp_buffer_create(context.handle, kLarge * sizeof(uint32_t), &out.handle));
    const std::vector<uint32_t> zeros(kLarge);
    ASSERT_EQ(GP_SUCCESS, gp_buffer_write(in.handle, 0, kLarge * sizeof(uint32_t), zeros.data()));
    const float half = 0.5f;
    for (const size_t n : {kN, kLarge}) {
        const struct {
            const char *name;
            std::function<gp_status()> enqueue;
        } calls[] = {
            {"scan",
             [&] {
                 return gp_enqueue_scan(context.handle, GP_INT32, n, in.handle, 0, out.handle, 0, nullptr, 0, nullptr,
                                        nullptr);
             }},
            {"reduce",
             [&] {
                 return gp_enqueue_reduce(context.handle, GP_FLOAT32, n, in.handle, 0, out.handle, 0, nullptr, 0,
                                          nullptr, nullptr);
             }},
            {"sort",
             [&] { return gp_enqueue_sort(context.handle, GP_UINT32, n, in.handle, 0, nullptr, 0, nullptr, nullptr); }},
            {"histogram",
             [&] {
                 return gp_enqueue_histogram(context.handle, GP_UINT8, n, in.handle, 0, 256, out.handle, 0, nullptr, 0,
                                             nullptr, nullptr);
             }},
            {"recurrence",
             [&] {
                 return gp_enqueue_recurrence(context.handle, GP_FLOAT32, n, in.handle, 0, out.handle, 0, 1, &half,
                                              nullptr, 0, nullptr, nullptr);
             }},
            {"matmul",
             [&] {
                 return gp_enqueue_matmul(context.handle, GP_FLOAT32, kSide, kSide, kSide, in.handle, 0, kSide,
                                          in.handle, 0, kSide, out.handle, 0, kSide, nullptr, 0, nullptr, nullptr);
             }},
        };
        for (const auto &call : calls) {
            SCOPED_TRACE(testing::Message() << call.name << ", n = " << n);
            for (int i = 0; i < 3; ++i) ASSERT_EQ(GP_SUCCESS, call.enqueue()) << gp_error_message();
            faults_arm(0);
            ASSERT_EQ(GP_SUCCESS, call.enqueue()) << gp_error_message();
            const long launches = faults_calls_of("clEnqueueNDRangeKernel");
            EXPECT_GE(launches, 1);
            if (n == kN && std::string(call.name) != "matmul") {
                EXPECT_EQ(1, launches) << "of a small call";
            }
            for (const char *name : {"clCreate", "clBuildProgram", "clFinish", "clWaitForEvents", "clEnqueueMap",
                                     "clEnqueueRead", "clEnqueueWrite", "clSetKernelArg"})
                EXPECT_EQ(0, faults_calls_of(name)) << name;
            ASSERT_EQ(GP_SUCCESS, gp_finish(context.handle)) << gp_error_message();
        }
    }
}

// What is asked beforehand, whatever its algorithm, takes no OpenCL call.
TEST(WorkSpace, IsReckonedWithoutACall) {
    Context context;
    ASSERT_EQ(GP_SUCCESS, gp_open(nullptr, &context.handle)) << gp_error_message();
    faults_arm(0);
    for (const char *algorithm : {static_cast<const char *>(nullptr), "single-tile", "radix-tiles", "radix-buckets",
                                  "radix-chunks", "merged-runs", "bitonic", "radix-registers"}) {
        gp_sort_options options = GP_SORT_OPTIONS_INIT;
        options.algorithm = algorithm;
        size_t bytes = 0;
        EXPECT_EQ(GP_SUCCESS, gp_sort_work_bytes(context.handle, GP_INT32, 1000, 0, 0, &options, &bytes))
            << gp_error_message();
    }
    EXPECT_EQ(0, faults_calls());
}

// Programs of callers' texts stay until gp_trim, but for that of a kernel that is not freed.
TEST(Trim, GivesProgramsOfTextsBack) {
    Context context;
    ASSERT_EQ(GP_SUCCESS, gp_open(nullptr, &context.handle)) << gp_error_message();
    const auto programs = [] {
        const std::string live = faults_live();
        const size_t end = live.find(" program"), begin = live.rfind(' ', end - 1);
        return end == std::string::npos ? 0 : std::stoi(live.substr(begin == std::string::npos ? 0 : begin + 1));
    };
    const auto scan = [&](int added) {
        const std::string source = "a + b + " + std::to_string(added);
        const std::string identity = std::to_string(-added);
        gp_scan_options options = GP_SCAN_OPTIONS_INIT;
        options.operator_source = source.c_str();
        options.operator_identity = identity.c_str();
        const std::vector<int32_t> in(kN, 1);
        std::vector<int32_t> out(kN), expected(kN);
        for (size_t i = 0; i < kN; ++i) expected[i] = 1 + static_cast<int32_t>(i) * (1 + added);
        ASSERT_EQ(GP_SUCCESS, gp_scan(context.handle, GP_INT32, kN, in.data(), out.data(), &options))
            << gp_error_message();
        EXPECT_EQ(expected, out);
    };
    ASSERT_EQ(GP_SUCCESS, sort(context.handle)); // the library's own programs stay
    const int own = programs();
    EXPECT_GT(own, 0);
    for (int added = 0; added < 3; ++added) scan(added);
    EXPECT_GE(programs(), own + 3);
    Kernel kernel;
    ASSERT_EQ(GP_SUCCESS, own_kernel(context.handle)) << gp_error_message(); // which frees its kernel
    ASSERT_EQ(GP_SUCCESS, gp_kernel_build(context.handle, "kernel void f() {}", nullptr, "f", &kernel.handle));
    EXPECT_GE(programs(), own + 5);
    ASSERT_EQ(GP_SUCCESS, gp_trim(context.handle)) << gp_error_message();
    EXPECT_EQ(own + 1, programs()) << "the one with a kernel is left";
    const size_t one = 1;
    EXPECT_EQ(GP_SUCCESS, gp_enqueue_kernel(kernel.handle, 1, &one, nullptr, 0, nullptr, 0, nullptr, nullptr))
        << gp_error_message();
    EXPECT_EQ(GP_SUCCESS, gp_finish(context.handle));
    EXPECT_EQ(GP_SUCCESS, gp_kernel_free(kernel.handle));
    kernel.handle = nullptr;
    EXPECT_EQ(GP_SUCCESS, gp_trim(context.handle)) << gp_error_message();
    EXPECT_EQ(own, programs());
    scan(1); // is built anew
}

// Whether a wrong argument is refused must not depend on where the program came from.
TEST(WithoutParameters, ThoseOfProgramsInTheCacheAreKnown) {
    std::string folder = std::filesystem::temp_directory_path() / "gpcl-faults.XXXXXX";
    ASSERT_NE(nullptr, mkdtemp(folder.data()));
    const Variable cache("GPCL_CACHE", "on"), directory("GPCL_CACHE_DIR", folder);
    // Launches with a number for its second argument, which a buffer is handed for as well.
    const auto launch = [](const char *source, bool wrong) {
        Context context;
        Kernel kernel;
        Buffer buffer;
        TRY(gp_open(nullptr, &context.handle));
        TRY(gp_kernel_build(context.handle, source, nullptr, "add", &kernel.handle));
        TRY(gp_buffer_create(context.handle, kBytes, &buffer.handle));
        const int64_t one = 1;
        gp_argument arguments[] = {{buffer.handle, nullptr, 0}, {nullptr, &one, sizeof one}};
        if (wrong) arguments[1] = arguments[0];
        TRY(gp_enqueue_kernel(kernel.handle, 1, &kN, nullptr, 2, arguments, 0, nullptr, nullptr));
        return NOTED(gp_finish(context.handle));
    };
    const char *const stored = "kernel void add(global int *x, long y) { x[get_global_id(0)] += y; }";
    const char *const unknown = "kernel void add(global int *x, long y) { x[get_global_id(0)] += 2 * y; }";
    EXPECT_EQ(GP_ERROR_KERNEL_ARGUMENT, launch(stored, true));
    faults_hide_parameters(true);
    faults_arm(0);
    EXPECT_EQ(GP_SUCCESS, launch(stored, false)) << said;
    EXPECT_EQ(GP_ERROR_KERNEL_ARGUMENT, launch(stored, true));
    EXPECT_EQ(0, faults_calls_of("clCreateProgramWithSource")) << "it was to come from the cache";
    EXPECT_EQ(GP_SUCCESS, launch(unknown, false)) << "where nothing is known, nothing is checked: " << said;
    faults_hide_parameters(false);
    std::filesystem::remove_all(folder);
}

// The last test: it stays that way for the rest of the process.
TEST(WithoutFloat64, FloatingPointIsRefusedButSorts) {
    faults_hide_float64();
    Context context;
    ASSERT_EQ(GP_SUCCESS, gp_open(nullptr, &context.handle)) << gp_error_message();
    gp_device_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(GP_SUCCESS, gp_describe(context.handle, &info));
    EXPECT_EQ(0, info.has_float64);
    std::vector<double> values = {2.5, -0.0, 1e300, -3}, out(4, 7);
    EXPECT_EQ(GP_ERROR_UNSUPPORTED_TYPE, gp_scan(context.handle, GP_FLOAT64, 4, values.data(), out.data(), nullptr));
    EXPECT_NE(std::string::npos, std::string(gp_error_message()).find("float64")) << gp_error_message();
    EXPECT_EQ(GP_ERROR_UNSUPPORTED_TYPE, gp_reduce(context.handle, GP_FLOAT64, 4, values.data(), out.data(), nullptr));
    EXPECT_EQ(GP_ERROR_UNSUPPORTED_TYPE, gp_matmul(context.handle, GP_FLOAT64, 2, 2, 2, values.data(), 2, values.data(),
                                                   2, out.data(), 2, nullptr));
    EXPECT_EQ(std::vector<double>(4, 7), out) << "a refused call wrote";
    EXPECT_EQ(GP_SUCCESS, gp_sort(context.handle, GP_FLOAT64, 4, values.data(), nullptr)) << gp_error_message();
    EXPECT_EQ((std::vector<double>{-3, -0.0, 2.5, 1e300}), values);
}

} // namespace

int main(int argc, char **argv) { return run_with_layer(argc, argv); }
