// Machines without OpenCL: no platform, or not even a loader. "host" serves.
// SPDX-License-Identifier: MIT
#include "child.h"
#include "support/support.h"

namespace {

int only_host_works() {
    size_t count = 0;
    CHILD_OK(gp_devices(&count));
    CHILD_CHECK(count == 1);
    for (const char *selector : {static_cast<const char *>(nullptr), "", "host"}) {
        gp_context *context = nullptr;
        CHILD_OK(gp_open(selector, &context));
        gp_device_info info{};
        info.struct_size = sizeof info;
        CHILD_OK(gp_describe(context, &info));
        CHILD_CHECK(info.kind == GP_DEVICE_HOST);
        std::vector<float> keys = {3, 1, 2};
        CHILD_OK(gp_sort(context, GP_FLOAT32, 3, keys.data(), nullptr));
        CHILD_CHECK((keys == std::vector<float>{1, 2, 3}));
        CHILD_OK(gp_close(context));
    }
    for (const char *selector : {"gpu", "cpu", "accelerator", "0:0", "Portable"}) {
        gp_context *context = nullptr;
        CHILD_CHECK(gp_open(selector, &context) == GP_ERROR_NO_DEVICE);
        CHILD_CHECK(context == nullptr);
        CHILD_CHECK(std::strstr(gp_error_message(), "host") != nullptr);
    }
    return 0;
}

void expect_host_serves(test::Environment changes) {
    changes["GPCL_DEVICE"] = "";
    const test::Ended ended = test::run_child("only_host_works", changes);
    EXPECT_EQ(0, ended.code) << ended.output;
    EXPECT_EQ("", ended.output) << "the library must not print";
}

TEST(NoPlatform, HostServes) {
    expect_host_serves(
        {{"OCL_ICD_VENDORS", "/nonexistent"}, {"OPENCL_VENDOR_PATH", "/nonexistent"}, {"OCL_ICD_FILENAMES", ""}});
}

// A loader that was named and can't be had is told of, where it is missed.
int misses_a_loader(const char *expected) {
    gp_context *context = nullptr;
    CHILD_CHECK(gp_open("gpu", &context) == GP_ERROR_NO_DEVICE);
    std::printf("%s\n", gp_error_message());
    CHILD_CHECK(std::strstr(gp_error_message(), "GPCL_OPENCL_LIBRARY") != nullptr);
    CHILD_CHECK(std::strstr(gp_error_message(), expected) != nullptr);
    return 0;
}

void expect_missed(const char *library, const char *child) {
    const test::Ended ended = test::run_child(child, {{"GPCL_OPENCL_LIBRARY", library}});
    EXPECT_EQ(0, ended.code) << ended.output;
}

TEST(NoLoader, IsToldWithTheReason) {
    expect_missed("/nonexistent.so", "misses_a_file");
    expect_missed("libm.so.6", "misses_a_function");
}

TEST(NoLoader, HostServes) { expect_host_serves({{"GPCL_OPENCL_LIBRARY", "/nonexistent.so"}}); }

TEST(NoLoader, ALibraryThatIsNoLoaderIsNone) { expect_host_serves({{"GPCL_OPENCL_LIBRARY", "libm.so.6"}}); }

const test::Children
    children({{"only_host_works", only_host_works},
              {"misses_a_file", [] { return misses_a_loader("/nonexistent.so: cannot open shared object file"); }},
              {"misses_a_function", [] { return misses_a_loader("libm.so.6 has no clGetPlatformIDs"); }}});

} // namespace
