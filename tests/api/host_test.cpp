// What "host" takes of its process: as many threads as it has CPUs and GPCL_THREADS allows, memory
// that may not be there, and BLAS only where it is named.
// SPDX-License-Identifier: MIT
#include "child.h"
#include "support/process_memory.h"
#include "support/support.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cfenv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

std::atomic<int> started = 0;             // threads of this process
std::atomic<bool> none_to_be_had = false; // pthread_create fails
std::atomic<bool> no_libraries = false;   // dlopen finds none

} // namespace

// These stand before the system's own, for the libraries too.
extern "C" int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                              void *argument) noexcept {
    // clang's sanitizers have theirs in the program itself, where none is next.
    static void *const sanitized = dlsym(RTLD_DEFAULT, "__interceptor_pthread_create");
    static void *const next = sanitized != nullptr ? sanitized : dlsym(RTLD_NEXT, "pthread_create");
    static const auto create = reinterpret_cast<decltype(&pthread_create)>(next);
    if (none_to_be_had) return EAGAIN;
    ++started;
    return create(thread, attributes, body, argument);
}

extern "C" void *dlopen(const char *file, int mode) noexcept {
    static const auto open = reinterpret_cast<decltype(&dlopen)>(dlsym(RTLD_NEXT, "dlopen"));
    return open(no_libraries ? "/nonexistent/libnone.so" : file, mode);
}

namespace {

// Sorts and multiplies what is worth several threads.
int computes() {
    constexpr size_t kSide = 300, kN = 300000;
    gp_context *context = nullptr;
    CHILD_OK(gp_open("host", &context));
    std::vector<float> ones(kSide * kSide, 1), product(kSide * kSide);
    CHILD_OK(gp_matmul(context, GP_FLOAT32, kSide, kSide, kSide, ones.data(), kSide, ones.data(), kSide, product.data(),
                       kSide, nullptr));
    CHILD_CHECK(product == std::vector<float>(kSide * kSide, kSide));
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

// Each takes one core some 50 microseconds or less.
int starts_none_for_little() {
    constexpr size_t kSorted = 4096, kSummed = 65536, kSide = 32;
    gp_context *context = nullptr;
    CHILD_OK(gp_open("host", &context));
    std::vector<float> keys(kSorted);
    for (size_t i = 0; i < kSorted; ++i) keys[i] = static_cast<float>(i * 7919 % kSorted);
    std::vector<uint32_t> indices(kSorted);
    CHILD_OK(gp_argsort(context, GP_FLOAT32, kSorted, keys.data(), GP_UINT32, indices.data(), nullptr));
    CHILD_OK(gp_sort(context, GP_FLOAT32, kSorted, keys.data(), nullptr));
    CHILD_CHECK(std::is_sorted(keys.begin(), keys.end()));
    const std::vector<int32_t> ones(kSummed, 1);
    std::vector<int32_t> sums(kSummed);
    int32_t sum = 0;
    CHILD_OK(gp_scan(context, GP_INT32, kSummed, ones.data(), sums.data(), nullptr));
    CHILD_OK(gp_reduce(context, GP_INT32, kSummed, ones.data(), &sum, nullptr));
    CHILD_CHECK(sum == int32_t{kSummed} && sums.back() == sum);
    std::vector<uint64_t> counts(100);
    gp_histogram_options bins = GP_HISTOGRAM_OPTIONS_INIT;
    bins.upper = kSorted;
    CHILD_OK(gp_histogram(context, GP_FLOAT32, kSorted, keys.data(), counts.size(), counts.data(), &bins));
    std::vector<float> a(kSide * kSide, 1), c(kSide * kSide);
    CHILD_OK(gp_matmul(context, GP_FLOAT32, kSide, kSide, kSide, a.data(), kSide, a.data(), kSide, c.data(), kSide,
                       nullptr));
    CHILD_CHECK(c == std::vector<float>(kSide * kSide, kSide));
    CHILD_OK(gp_close(context));
    CHILD_CHECK(started == 0);
    return 0;
}

int can_start_none() {
    none_to_be_had = true;
    return starts_none();
}

// Each element of C is 1 + 2^-30, which only who rounds upward makes more than 1. The threads were
// there before, and made by a thread that rounds to nearest.
int rounds_as_its_caller() {
    constexpr size_t kSide = 2000, kDeep = 2;
    CHILD_CHECK(computes() == 0);
    const int before = started;
    CHILD_CHECK(before > 0);
    gp_context *context = nullptr;
    CHILD_OK(gp_open("host", &context));
    std::vector<float> a(kSide * kDeep), b(kSide * kDeep, 1), c(kSide * kSide);
    for (size_t i = 0; i < a.size(); ++i) a[i] = i % kDeep == 0 ? 1 : 0x1p-30F;
    for (const int rounding : {FE_UPWARD, FE_TONEAREST, FE_UPWARD}) {
        CHILD_CHECK(std::fesetround(rounding) == 0);
        CHILD_OK(gp_matmul(context, GP_FLOAT32, kSide, kSide, kDeep, a.data(), kDeep, b.data(), kSide, c.data(), kSide,
                           nullptr));
        CHILD_CHECK(std::fegetround() == rounding);
        const float expected = rounding == FE_UPWARD ? 1 + 0x1p-23F : 1;
        CHILD_CHECK(std::count(c.begin(), c.end(), expected) == static_cast<ptrdiff_t>(c.size()));
    }
    CHILD_CHECK(started == before); // no other threads than those
    CHILD_OK(gp_close(context));
    return 0;
}

// What the system says of a thread of this process.
std::string status_of(const std::string &thread, const std::string &name) {
    std::ifstream file("/proc/self/task/" + thread + "/status");
    for (std::string line; std::getline(file, line);)
        if (line.rfind(name + ":", 0) == 0) return line.substr(line.find_last_of(" \t") + 1);
    return "";
}

// The CPUs are counted as a context is opened. Then the thread binds itself to one, and the
// environment allows one thread. The threads that it makes all the same may run on all CPUs, and
// block signals but those that their own faults raise.
int binds_no_thread() {
    constexpr size_t kSide = 64;
    gp_context *context = nullptr;
    CHILD_OK(gp_open("host", &context));
    std::vector<float> a(kSide * kSide, 1), c(kSide * kSide);
    CHILD_OK(gp_matmul(context, GP_FLOAT32, kSide, kSide, kSide, a.data(), kSide, a.data(), kSide, c.data(), kSide,
                       nullptr));
    CHILD_CHECK(started == 0);
    const std::string own = std::to_string(getpid()), all = status_of(own, "Cpus_allowed");
    const cpu_set_t mask = affinity();
    int first = 0;
    while (!CPU_ISSET(first, &mask)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    CHILD_CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    CHILD_CHECK(setenv("GPCL_THREADS", "1", 1) == 0);
    CHILD_CHECK(computes() == 0);
    CHILD_CHECK(started > 0);
    CHILD_CHECK(status_of(own, "Cpus_allowed") != all);
    int others = 0;
    for (const auto &entry : std::filesystem::directory_iterator("/proc/self/task")) {
        const std::string thread = entry.path().filename();
        if (thread == own) continue;
        ++others;
        // A thread that no work waited for may not have begun.
        for (int i = 0; i < 1000 && status_of(thread, "Cpus_allowed") != all; ++i) usleep(1000);
        CHILD_CHECK(status_of(thread, "Cpus_allowed") == all);
        const uint64_t blocked = std::stoull(status_of(thread, "SigBlk"), nullptr, 16);
        const auto is_blocked = [=](int signal) { return (blocked >> (signal - 1) & 1) != 0; };
        CHILD_CHECK(is_blocked(SIGINT) && is_blocked(SIGUSR1));
        CHILD_CHECK(!is_blocked(SIGSEGV) && !is_blocked(SIGBUS) && !is_blocked(SIGFPE));
    }
    CHILD_CHECK(others > 0);
    CHILD_OK(gp_close(context));
    return 0;
}

// An operation fails with a status, or is right, however much memory there is.
int runs_out_of_memory() {
    constexpr size_t kSide = 1500, kN = 1 << 20, kStep = 1 << 20;
    gp_context *context = nullptr;
    CHILD_OK(gp_open("host", &context));
    const std::vector<double> ones(kSide * kSide, 1);
    std::vector<double> product(kSide * kSide);
    std::vector<uint64_t> keys(kN), values(kN);
    int failed = 0, succeeded = 0;
    for (size_t more = 0; more < 120 * kStep; more += more < 8 * kStep ? kStep : 10 * kStep) {
        size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const rlim_t limit = pages * static_cast<size_t>(getpagesize()) + more;
        rlimit limits = {limit, RLIM_INFINITY};
        CHILD_CHECK(setrlimit(RLIMIT_AS, &limits) == 0);
        for (size_t i = 0; i < kN; ++i) keys[i] = (i * 7919) % kN, values[i] = i;
        const gp_status multiplied = gp_matmul(context, GP_FLOAT64, kSide, kSide, kSide, ones.data(), kSide,
                                               ones.data(), kSide, product.data(), kSide, nullptr);
        const gp_status sorted = gp_sort_pairs(context, GP_UINT64, kN, keys.data(), 8, values.data(), nullptr);
        limits.rlim_cur = RLIM_INFINITY;
        CHILD_CHECK(setrlimit(RLIMIT_AS, &limits) == 0);
        CHILD_CHECK(multiplied == GP_SUCCESS || multiplied == GP_ERROR_HOST_MEMORY);
        CHILD_CHECK(sorted == GP_SUCCESS || sorted == GP_ERROR_HOST_MEMORY);
        CHILD_CHECK(multiplied != GP_SUCCESS || std::count(product.begin(), product.end(), kSide) == kSide * kSide);
        CHILD_CHECK(sorted != GP_SUCCESS || std::is_sorted(keys.begin(), keys.end()));
        (multiplied == GP_SUCCESS ? succeeded : failed) += 1;
        CHILD_OK(gp_trim(context));
    }
    CHILD_CHECK(failed > 0 && succeeded > 0);
    CHILD_OK(gp_close(context));
    return 0;
}

bool has_blas() {
    std::ostringstream maps;
    maps << std::ifstream("/proc/self/maps").rdbuf();
    return maps.str().find("blas") != std::string::npos;
}

gp_status multiply_by_blas(gp_context *context) {
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
    options.algorithm = "host-blas";
    const double three = 3, five = 5;
    double product = 0;
    const gp_status status = gp_matmul(context, GP_FLOAT64, 1, 1, 1, &three, 1, &five, 1, &product, 1, &options);
    return status != GP_SUCCESS || product == three * five ? status : GP_ERROR_INTERNAL;
}

int loads_blas_when_named() {
    CHILD_CHECK(computes() == 0);
    CHILD_CHECK(!has_blas());
    gp_context *context = nullptr;
    CHILD_OK(gp_open("host", &context));
    const gp_status status = multiply_by_blas(context);
    CHILD_CHECK(status == GP_SUCCESS || status == GP_ERROR_ALGORITHM_REFUSED); // where there is none
    CHILD_CHECK(has_blas() == (status == GP_SUCCESS));
    CHILD_OK(gp_close(context));
    return 0;
}

int finds_no_blas() {
    no_libraries = true;
    gp_context *context = nullptr;
    CHILD_OK(gp_open("host", &context));
    CHILD_CHECK(multiply_by_blas(context) == GP_ERROR_ALGORITHM_REFUSED);
    CHILD_CHECK(std::strstr(gp_error_message(), "no BLAS: ") != nullptr);
    CHILD_CHECK(std::strstr(gp_error_message(), "libnone.so") != nullptr); // the loader's words
    CHILD_OK(gp_close(context));
    return computes();
}

class Host : public testing::Test {
  protected:
    void SetUp() override {
        if (!test::on_host()) GTEST_SKIP() << "OpenCL has threads of its own";
    }
};

TEST_F(Host, StartsNoThreadOnOneCpu) { test::expect_right("starts_none_on_one_cpu"); }

TEST_F(Host, StartsThreadsOnSeveralCpus) {
    const cpu_set_t mask = affinity();
    if (CPU_COUNT(&mask) < 2) GTEST_SKIP() << "there is one CPU";
    test::expect_right("starts_some");
}

TEST_F(Host, StartsNoThreadForLittleWork) { test::expect_right("starts_none_for_little"); }

TEST_F(Host, StartsNoMoreThreadsThanAsked) { test::expect_right("starts_none", {{"GPCL_THREADS", "1"}}); }

TEST_F(Host, IgnoresWhatIsNoNumberOfThreads) {
    const cpu_set_t mask = affinity();
    if (CPU_COUNT(&mask) < 2) GTEST_SKIP() << "there is one CPU";
    for (const char *threads : {"0", "-1", "1x", "one", " 1", "99999999999999999999"})
        test::expect_right("starts_some", {{"GPCL_THREADS", threads}});
}

TEST_F(Host, DoesWithoutThreadsThatCannotBeStarted) { test::expect_right("can_start_none"); }

TEST_F(Host, RoundsAsItsCaller) {
    const cpu_set_t mask = affinity();
    if (CPU_COUNT(&mask) < 2) GTEST_SKIP() << "there is one CPU";
    test::expect_right("rounds_as_its_caller");
}

TEST_F(Host, BindsNoThread) {
    if (test::is_sanitized()) GTEST_SKIP() << "sanitizers have threads of their own";
    const cpu_set_t mask = affinity();
    if (CPU_COUNT(&mask) < 2) GTEST_SKIP() << "there is one CPU";
    test::expect_right("binds_no_thread");
}

TEST_F(Host, ReportsThatMemoryIsOut) {
    if (test::is_sanitized()) GTEST_SKIP() << "sanitizers need address space without end";
    test::expect_right("runs_out_of_memory");
}

TEST_F(Host, LoadsBlasWhereItIsNamed) { test::expect_right("loads_blas_when_named"); }

TEST_F(Host, SaysWhyThereIsNoBlas) { test::expect_right("finds_no_blas"); }

const test::Children children({{"starts_none", starts_none},
                               {"starts_some", starts_some},
                               {"starts_none_on_one_cpu", starts_none_on_one_cpu},
                               {"starts_none_for_little", starts_none_for_little},
                               {"can_start_none", can_start_none},
                               {"rounds_as_its_caller", rounds_as_its_caller},
                               {"binds_no_thread", binds_no_thread},
                               {"runs_out_of_memory", runs_out_of_memory},
                               {"loads_blas_when_named", loads_blas_when_named},
                               {"finds_no_blas", finds_no_blas}});

} // namespace
