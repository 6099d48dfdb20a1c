// The threads of "host": as many as the process has CPUs and GPCL_THREADS allows; and work that is
// done where none can be started.
// SPDX-License-Identifier: MIT
#include "child.h"
#include "support/support.h"

#include <atomic>
#include <cerrno>
#include <numeric>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

namespace {

std::atomic<int> started = 0;             // threads of this process
std::atomic<bool> none_to_be_had = false; // pthread_create fails

} // namespace

// Stands before the system's own, for the libraries too.
extern "C" int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                              void *argument) noexcept {
    static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
    if (none_to_be_had) return EAGAIN;
    ++started;
    return create(thread, attributes, body, argument);
}

namespace {

// Sorts and multiplies what is worth several threads.
int computes() {
    constexpr size_t kSide = 300, kN = 300000;
    gp_context *context = nullptr;
    started = 0;
    CHILD_OK(gp_open("host", &context));
    std::vector<int32_t> ones(kSide * kSide, 1), product(kSide * kSide);
    CHILD_OK(gp_matmul(context, GP_INT32, kSide, kSide, kSide, ones.data(), kSide, ones.data(), kSide, product.data(),
                       kSide, nullptr));
    CHILD_CHECK(product == std::vector<int32_t>(kSide * kSide, kSide));
    std::vector<int32_t> keys(kN), sorted(kN);
    std::iota(sorted.begin(), sorted.end(), -7);
    std::reverse_copy(sorted.begin(), sorted.end(), keys.begin());
    CHILD_OK(gp_sort(context, GP_INT32, kN, keys.data(), nullptr));
    CHILD_CHECK(keys == sorted);
    CHILD_OK(gp_close(context));
    return 0;
}

int starts_none() {
    CHILD_CHECK(computes() == 0);
    CHILD_CHECK(started == 0);
    return 0;
}

int starts_some() {
    CHILD_CHECK(computes() == 0);
    CHILD_CHECK(started > 0);
    return 0;
}

cpu_set_t affinity() {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    sched_getaffinity(0, sizeof mask, &mask);
    return mask;
}

int starts_none_on_one_cpu() {
    const cpu_set_t mask = affinity();
    int first = 0;
    while (!CPU_ISSET(first, &mask)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    CHILD_CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    return starts_none();
}

int can_start_none() {
    none_to_be_had = true;
    return starts_none();
}

class Workers : public testing::Test {
  protected:
    void SetUp() override {
        if (!test::on_host()) GTEST_SKIP() << "OpenCL has threads of its own";
    }
    static void expect_right(const char *child, const char *threads = "") {
        const test::Ended ended = test::run_child(child, {{"GPCL_THREADS", threads}});
        EXPECT_EQ(0, ended.code) << "GPCL_THREADS " << threads << ": " << ended.output;
        EXPECT_EQ("", ended.output) << "the library must not print";
    }
};

TEST_F(Workers, HaveACpuEach) { expect_right("starts_none_on_one_cpu"); }

TEST_F(Workers, AreSeveralOnSeveralCpus) {
    const cpu_set_t mask = affinity();
    if (CPU_COUNT(&mask) < 2) GTEST_SKIP() << "there is one CPU";
    expect_right("starts_some");
}

TEST_F(Workers, AreNoMoreThanAsked) { expect_right("starts_none", "1"); }

TEST_F(Workers, IgnoreWhatIsNoNumberFromOne) {
    const cpu_set_t mask = affinity();
    if (CPU_COUNT(&mask) < 2) GTEST_SKIP() << "there is one CPU";
    for (const char *threads : {"0", "-1", "1x", "one", " 1", "99999999999999999999"})
        expect_right("starts_some", threads);
}

TEST_F(Workers, AreDoneWithoutWhereNoneCanBeStarted) { expect_right("can_start_none"); }

const test::Children children({{"starts_none", starts_none},
                               {"starts_some", starts_some},
                               {"starts_none_on_one_cpu", starts_none_on_one_cpu},
                               {"can_start_none", can_start_none}});

} // namespace
