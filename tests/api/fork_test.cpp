// Fork: a child can't use the OpenCL of its parent, and is told so in every call; "host" serves.
// SPDX-License-Identifier: MIT
#include "child.h"
#include "support/patience.h"
#include "support/support.h"

#include <numeric>

namespace {

// Runs the body in a process forked from this one, and tells its exit code. An alarm ends one that
// hangs.
int in_fork(int (*body)()) {
    std::fflush(stdout);
    const pid_t process = fork();
    if (process == 0) {
        alarm(test::patience(100));
        const int code = body();
        std::fflush(stdout);
        _exit(code);
    }
    int status = 0;
    waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

constexpr size_t kSide = 200, kN = 100000; // enough for the threads of "host"

int computes(gp_context *context) {
    std::vector<float> ones(kSide * kSide, 1), product(kSide * kSide);
    CHILD_OK(gp_matmul(context, GP_FLOAT32, kSide, kSide, kSide, ones.data(), kSide, ones.data(), kSide, product.data(),
                       kSide, nullptr));
    CHILD_CHECK(product == std::vector<float>(kSide * kSide, kSide));
    std::vector<int32_t> keys(kN), sorted(kN);
    std::iota(sorted.begin(), sorted.end(), -7);
    std::reverse_copy(sorted.begin(), sorted.end(), keys.begin());
    CHILD_OK(gp_sort(context, GP_INT32, kN, keys.data(), nullptr));
    CHILD_CHECK(keys == sorted);
    return 0;
}

int opens_and_computes(const char *selector) {
    gp_context *context = nullptr;
    CHILD_OK(gp_open(selector, &context));
    CHILD_CHECK(computes(context) == 0);
    CHILD_OK(gp_close(context));
    return 0;
}

int finds_no_devices() {
    size_t count = 77;
    CHILD_CHECK(gp_devices(&count) == GP_ERROR_FORK);
    CHILD_CHECK(std::strstr(gp_error_message(), "forked") != nullptr);
    CHILD_CHECK(count == 77);
    gp_device_info info{};
    info.struct_size = sizeof info;
    CHILD_CHECK(gp_device_describe(0, &info) == GP_ERROR_FORK);
    gp_context *context = nullptr;
    CHILD_CHECK(gp_open(nullptr, &context) == GP_ERROR_FORK);
    CHILD_CHECK(context == nullptr);
    return opens_and_computes("host");
}

int after_the_devices() {
    size_t count = 0;
    CHILD_OK(gp_devices(&count));
    CHILD_CHECK(in_fork(finds_no_devices) == 0);
    CHILD_CHECK(in_fork([] { return in_fork(finds_no_devices); }) == 0);
    return opens_and_computes(nullptr);
}

gp_context *context = nullptr;
gp_buffer *buffer = nullptr;
gp_event *event = nullptr;
gp_kernel *kernel = nullptr;
constexpr const char *kSource = "kernel void f(global char *x) { x[get_global_id(0)] = 0; }";

int can_only_free() {
    const auto refused = [](gp_status status) { return status == GP_ERROR_FORK; };
    int32_t value = 0, done = 0;
    const size_t one = 1;
    const gp_argument argument = {buffer, nullptr, 0};
    gp_buffer *made = nullptr;
    gp_kernel *built = nullptr;
    gp_event *enqueued = nullptr;
    void *mapped = nullptr;
    CHILD_CHECK(refused(gp_scan(context, GP_INT32, 1, &value, &value, nullptr)));
    CHILD_CHECK(refused(gp_enqueue_scan(context, GP_INT32, 1, buffer, 0, buffer, 0, nullptr, 1, &event, &enqueued)));
    CHILD_CHECK(refused(gp_enqueue_kernel(kernel, 1, &one, nullptr, 1, &argument, 0, nullptr, nullptr)));
    CHILD_CHECK(refused(gp_buffer_read(buffer, 0, 4, &value)));
    CHILD_CHECK(refused(gp_buffer_map(buffer, GP_READ, 0, 4, &mapped)));
    CHILD_CHECK(refused(gp_buffer_create(context, 4, &made)));
    CHILD_CHECK(refused(gp_kernel_build(context, "kernel void g() {}", nullptr, "g", &built)));
    CHILD_CHECK(refused(gp_event_wait(event)) && refused(gp_event_done(event, &done)));
    CHILD_CHECK(refused(gp_finish(context)) && refused(gp_flush(context)) && refused(gp_profile(context, 1)));
    CHILD_CHECK(enqueued == nullptr && made == nullptr && built == nullptr && mapped == nullptr);
    CHILD_OK(gp_trim(context));
    CHILD_OK(gp_event_free(event));
    CHILD_OK(gp_kernel_free(kernel));
    CHILD_OK(gp_close(context));
    CHILD_OK(gp_buffer_free(buffer)); // the last of the context
    return opens_and_computes("host");
}

int with_a_context() {
    CHILD_OK(gp_open(nullptr, &context));
    CHILD_OK(gp_buffer_create(context, 4, &buffer));
    CHILD_OK(gp_kernel_build(context, kSource, nullptr, "f", &kernel));
    const int32_t five = 5;
    CHILD_OK(gp_enqueue_fill(buffer, 0, 4, &five, 4, 0, nullptr, &event));
    CHILD_CHECK(computes(context) == 0);
    CHILD_CHECK(in_fork(can_only_free) == 0);
    CHILD_OK(gp_event_wait(event)); // all is as before in the parent
    int32_t value = 0;
    CHILD_OK(gp_buffer_read(buffer, 0, 4, &value));
    CHILD_CHECK(value == five && computes(context) == 0);
    CHILD_OK(gp_event_free(event));
    CHILD_OK(gp_kernel_free(kernel));
    CHILD_OK(gp_buffer_free(buffer));
    CHILD_OK(gp_close(context));
    return 0;
}

// A process that forks first: OpenCL is the child's, and afterwards the parent's.
int before_opencl() {
    CHILD_CHECK(opens_and_computes("host") == 0);
    CHILD_CHECK(in_fork([] { return opens_and_computes(nullptr); }) == 0);
    return opens_and_computes(nullptr);
}

int with_a_host_context() {
    CHILD_OK(gp_open("host", &context));
    CHILD_CHECK(computes(context) == 0);
    CHILD_CHECK(in_fork([] {
                    CHILD_CHECK(computes(context) == 0);
                    CHILD_OK(gp_close(context));
                    return opens_and_computes("host");
                }) == 0);
    CHILD_CHECK(computes(context) == 0);
    CHILD_OK(gp_close(context));
    return 0;
}

TEST(Fork, AfterTheDevicesWereListed) {
    if (test::on_host()) GTEST_SKIP() << "host needs no OpenCL";
    test::expect_right("after_the_devices");
}

TEST(Fork, WithAnOpenContext) {
    if (test::on_host()) GTEST_SKIP() << "host needs no OpenCL";
    test::expect_right("with_a_context");
}

TEST(Fork, BeforeOpenClIsUsed) { test::expect_right("before_opencl"); }

TEST(Fork, HostServesOnBothSides) { test::expect_right("with_a_host_context"); }

const test::Children children({{"after_the_devices", after_the_devices},
                               {"with_a_context", with_a_context},
                               {"before_opencl", before_opencl},
                               {"with_a_host_context", with_a_host_context}});

} // namespace
