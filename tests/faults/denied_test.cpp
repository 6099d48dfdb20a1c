// Each operation runs again and again, with its first, second, ... request for memory, for a
// thread, to a file denied, until none is any more. It must never crash, hang, call a wrong result
// a success, hold on to memory, or leave a part of a file; where it can do without, it must.
// SPDX-License-Identifier: MIT
#include "faults/cases.h"
#include "faults/denied.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace {

using denied::Kind;
namespace fs = std::filesystem;

bool on_host() {
    const char *device = std::getenv("GPCL_DEVICE");
    return device != nullptr && std::string(device) == "host";
}

constexpr long kFew = 60; // requests that are denied in a case, spread over all

// Large enough for threads of "host".
constexpr size_t kMany = 400'000;

gp_status sort_many(gp_context *context) {
    std::vector<int32_t> keys = input(kMany), expected = keys;
    TRY(gp_sort(context, GP_INT32, kMany, keys.data(), nullptr));
    std::sort(expected.begin(), expected.end());
    EXPECT_TRUE(expected == keys);
    return GP_SUCCESS;
}

gp_status argsort_many(gp_context *context) {
    const std::vector<int32_t> keys = input(kMany);
    std::vector<uint32_t> order(kMany);
    TRY(gp_argsort(context, GP_INT32, kMany, keys.data(), GP_UINT32, order.data(), nullptr));
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; }));
    return GP_SUCCESS;
}

gp_status scan_many(gp_context *context) {
    std::vector<int32_t> values = input(kMany);
    TRY(gp_scan(context, GP_INT32, kMany, values.data(), values.data(), nullptr));
    EXPECT_TRUE(summed(input(kMany)) == values);
    return GP_SUCCESS;
}

gp_status reduce_many(gp_context *context) {
    const std::vector<int32_t> values = input(kMany);
    int32_t sum = 0;
    TRY(gp_reduce(context, GP_INT32, kMany, values.data(), &sum, nullptr));
    EXPECT_EQ(summed(values).back(), sum);
    return GP_SUCCESS;
}

gp_status matmul_large(gp_context *context) {
    constexpr size_t kSide = 200;
    const std::vector<float> a(kSide * kSide, 2);
    std::vector<float> c(kSide * kSide);
    TRY(gp_matmul(context, GP_FLOAT32, kSide, kSide, kSide, a.data(), kSide, a.data(), kSide, c.data(), kSide,
                  nullptr));
    EXPECT_EQ(std::vector<float>(c.size(), 4 * kSide), c);
    return GP_SUCCESS;
}

gp_status histogram(gp_context *context) {
    const std::vector<int32_t> values = input(kMany);
    std::vector<uint64_t> counts(1009);
    gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
    options.lower = -500;
    options.upper = 509;
    TRY(gp_histogram(context, GP_INT32, kMany, values.data(), counts.size(), counts.data(), &options));
    uint64_t sum = 0;
    for (const uint64_t count : counts) sum += count;
    EXPECT_EQ(kMany, sum);
    return GP_SUCCESS;
}

gp_status recurrence(gp_context *context) {
    const float c[2] = {-1, -1};
    std::vector<float> y(kN, 1);
    TRY(gp_recurrence(context, GP_FLOAT32, kN, y.data(), y.data(), 2, c, nullptr));
    for (size_t t = 0; t < kN; ++t) EXPECT_EQ(t % 3 == 0 ? 1.0f : 0.0f, y[t]);
    return GP_SUCCESS;
}

gp_status partition(gp_context *context) {
    const std::vector<int32_t> values = input();
    const std::vector<uint8_t> flags(kN, 1);
    std::vector<int32_t> out(kN);
    uint64_t count = 0;
    TRY(gp_partition(context, sizeof(int32_t), kN, values.data(), flags.data(), out.data(), &count, nullptr));
    EXPECT_EQ(kN, count);
    EXPECT_EQ(values, out);
    return GP_SUCCESS;
}

gp_status nonzero(gp_context *context) {
    std::vector<int32_t> values(kN);
    values[3] = values[kN - 1] = 1;
    std::vector<uint32_t> positions(kN);
    uint64_t count = 0;
    TRY(gp_nonzero(context, GP_INT32, kN, values.data(), GP_UINT32, positions.data(), &count, nullptr));
    EXPECT_EQ(2u, count);
    EXPECT_EQ(3u, positions[0]);
    return GP_SUCCESS;
}

gp_status run_lengths(gp_context *context) {
    const std::vector<int32_t> values(kN, 7);
    std::vector<int32_t> out(kN);
    std::vector<uint64_t> lengths(kN);
    uint64_t count = 0;
    TRY(gp_run_lengths(context, GP_INT32, kN, values.data(), out.data(), GP_UINT64, lengths.data(), &count, nullptr));
    EXPECT_EQ(1u, count);
    EXPECT_EQ(kN, lengths[0]);
    return GP_SUCCESS;
}

gp_status reduce_by_key(gp_context *context) {
    const std::vector<int32_t> keys(kN, 7), values = input();
    std::vector<int32_t> out_keys(kN), sums(kN);
    uint64_t count = 0;
    TRY(gp_reduce_by_key(context, GP_INT32, kN, keys.data(), GP_INT32, values.data(), out_keys.data(), sums.data(),
                         &count, nullptr));
    EXPECT_EQ(1u, count);
    EXPECT_EQ(summed(values).back(), sums[0]);
    return GP_SUCCESS;
}

gp_status unique(gp_context *context) {
    const std::vector<int32_t> values = input(kMany);
    std::vector<int32_t> out(kMany);
    std::vector<uint32_t> inverse(kMany);
    uint64_t count = 0;
    TRY(gp_unique(context, GP_INT32, kMany, values.data(), out.data(), GP_UINT32, nullptr, inverse.data(), nullptr,
                  &count, nullptr));
    EXPECT_EQ(1009u, count);
    EXPECT_EQ(values[5], out[inverse[5]]);
    return GP_SUCCESS;
}

gp_status opened(gp_context *) {
    Context context;
    TRY(gp_open(nullptr, &context.handle));
    gp_device_info info{};
    info.struct_size = sizeof info;
    TRY(gp_describe(context.handle, &info));
    EXPECT_EQ(on_host(), info.kind == GP_DEVICE_HOST);
    return GP_SUCCESS;
}

gp_status set_parameter(gp_context *context) {
    gp_parameter_info info{};
    info.struct_size = sizeof info;
    TRY(gp_parameter_describe(context, GP_SORT, GP_INT32, 0, &info));
    TRY(gp_parameter_set(context, GP_SORT, GP_INT32, info.algorithm, info.name, info.values[0]));
    TRY(gp_parameter_describe(context, GP_SORT, GP_INT32, 0, &info));
    EXPECT_EQ(info.values[0], info.value);
    return NOTED(gp_parameter_set(context, GP_SORT, GP_INT32, info.algorithm, info.name, 0));
}

// A call that fails leaves no command behind that uses the caller's memory.
gp_status enqueued_read(gp_context *context) {
    static std::vector<int32_t> back(kN);
    Buffer buffer;
    Event read;
    const std::vector<int32_t> values = input();
    TRY(gp_buffer_create(context, kBytes, &buffer.handle));
    TRY(gp_buffer_write(buffer.handle, 0, kBytes, values.data()));
    std::fill(back.begin(), back.end(), 7);
    const gp_status status = NOTED(gp_enqueue_read(buffer.handle, 0, kBytes, back.data(), 0, nullptr, &read.handle));
    TRY(gp_finish(context));
    EXPECT_EQ(status == GP_SUCCESS ? values : std::vector<int32_t>(kN, 7), back);
    return status;
}

constexpr Case kMore[] = {
    {"sort_many", sort_many},     {"argsort_many", argsort_many},   {"scan_many", scan_many},
    {"reduce_many", reduce_many}, {"matmul_large", matmul_large},   {"histogram", histogram},
    {"recurrence", recurrence},   {"partition", partition},         {"nonzero", nonzero},
    {"run_lengths", run_lengths}, {"reduce_by_key", reduce_by_key}, {"unique", unique},
    {"opened", opened},           {"enqueued_read", enqueued_read}, {"set_parameter", set_parameter}};

std::vector<Case> all_cases() {
    std::vector<Case> all(std::begin(kCases), std::end(kCases));
    all.insert(all.end(), std::begin(kMore), std::end(kMore));
    return all;
}

class Denied : public testing::TestWithParam<Case> {
  protected:
    void SetUp() override {
        if (GetParam().staged) setenv("GPCL_STAGING", kStaging, 1);
        ASSERT_EQ(GP_SUCCESS, gp_open(nullptr, &context_.handle)) << gp_error_message();
        const gp_status first = GetParam().run(context_.handle);
        if (on_host() && (first == GP_ERROR_UNSUPPORTED_DEVICE || first == GP_ERROR_ALGORITHM_REFUSED))
            GTEST_SKIP() << said;
        ASSERT_EQ(GP_SUCCESS, first) << said;
        ASSERT_EQ(GP_SUCCESS, GetParam().run(context_.handle)) << said;
    }
    void TearDown() override {
        denied::disarm();
        unsetenv("GPCL_STAGING");
    }

    gp_status run(Kind kind, long number, bool all = false) {
        said.clear();
        denied::where = std::string(GetParam().name) + ", request " + std::to_string(number);
        denied::arm(kind, number, all);
        const gp_status status = GetParam().run(context_.handle);
        denied::disarm();
        return status;
    }

    // Denies one request after the other, on OpenCL some of them unless GPCL_TEST_LONG=1, or with
    // `all` those that follow, too.
    template <class Is> void sweep(Kind kind, bool all, const Is &is_right) {
        const char *all_on_opencl = std::getenv("GPCL_TEST_LONG");
        constexpr long kNever = 1'000'000'000;
        ASSERT_EQ(GP_SUCCESS, run(kind, kNever)) << said;
        const bool each = on_host() || (all_on_opencl != nullptr && std::string(all_on_opencl) == "1");
        const long step = each ? 1 : denied::asked() / kFew + 1;
        for (long number = 1; !HasFailure(); number += step) {
            const gp_status status = run(kind, number, all);
            const char *hit = denied::hit();
            SCOPED_TRACE(testing::Message() << "request " << number << ", " << (hit != nullptr ? hit : "none"));
            if (hit == nullptr) {
                EXPECT_EQ(GP_SUCCESS, status) << said;
                break;
            }
            EXPECT_TRUE(is_right(status)) << gp_status_name(status) << ": " << said;
            EXPECT_EQ(status == GP_SUCCESS, said.empty());
            ASSERT_EQ(GP_SUCCESS, GetParam().run(context_.handle)) << "afterwards: " << said;
        }
    }

    Context context_;
};

bool has_native_kernels() {
    const char *const implementation = std::getenv("GPCL_TEST_IMPLEMENTATION");
    return implementation != nullptr && std::string(implementation) == "pocl-host";
}

// Where native kernels run, the memory of buffers is this process' own.
bool is_memory(gp_status status) {
    return status == GP_SUCCESS || status == GP_ERROR_HOST_MEMORY ||
           (has_native_kernels() && status == GP_ERROR_DEVICE_MEMORY);
}

TEST_P(Denied, Memory) { sweep(Kind::kMemory, false, is_memory); }

TEST_P(Denied, AllMemoryFromThenOn) { sweep(Kind::kMemory, true, is_memory); }

TEST_P(Denied, Threads) {
    sweep(Kind::kThreads, false, [](gp_status status) { return status == GP_SUCCESS; });
    sweep(Kind::kThreads, true, [](gp_status status) { return status == GP_SUCCESS; });
}

// What failed calls keep for later ones they keep once.
TEST_P(Denied, NoMemoryIsHeld) {
    if (!on_host()) GTEST_SKIP() << "drivers hold memory";
    for (long number = 1; number < kMost && !HasFailure(); ++number) {
        run(Kind::kMemory, number);
        if (denied::hit() == nullptr) break;
        run(Kind::kMemory, number);
        const long before = denied::blocks();
        run(Kind::kMemory, number);
        EXPECT_EQ(before, denied::blocks()) << "request " << number;
    }
}

INSTANTIATE_TEST_SUITE_P(Every, Denied, testing::ValuesIn(all_cases()),
                         [](const testing::TestParamInfo<Case> &info) { return std::string(info.param.name); });

// The host's algorithms, which fail when they run: on an OpenCL device that is the host's own CPU
// after the call that enqueued them has returned.
class WorkSpaceInMemory : public testing::Test {
  protected:
    static constexpr size_t kKeyBytes = kMany * sizeof(int32_t);
    static constexpr size_t kDenied = size_t{1} << 20; // less than what the sort asks for

    void SetUp() override {
        if (!on_host() && !has_native_kernels()) GTEST_SKIP() << "kernels do the calls";
        ASSERT_EQ(GP_SUCCESS, gp_open(nullptr, &context_.handle)) << gp_error_message();
        for (Buffer *buffer : {&keys_, &values_})
            ASSERT_EQ(GP_SUCCESS, gp_buffer_create(context_.handle, kKeyBytes, &buffer->handle)) << gp_error_message();
        ASSERT_EQ(GP_SUCCESS, gp_buffer_create(context_.handle, kBytes, &other_.handle)) << gp_error_message();
        ASSERT_EQ(GP_SUCCESS, gp_buffer_write(other_.handle, 0, kBytes, in_.data()));
        fill();
    }
    void TearDown() override { denied::disarm(); }

    void fill() {
        const std::vector<int32_t> keys = input(kMany);
        for (const Buffer *buffer : {&keys_, &values_})
            ASSERT_EQ(GP_SUCCESS, gp_buffer_write(buffer->handle, 0, kKeyBytes, keys.data())) << gp_error_message();
    }
    gp_status sort(gp_event **event) {
        return gp_enqueue_sort_pairs(context_.handle, GP_INT32, kMany, keys_.handle, 0, sizeof(int32_t), values_.handle,
                                     0, nullptr, 0, nullptr, event);
    }
    // Work space that an earlier sort had is not to be had either.
    void deny() {
        ASSERT_EQ(GP_SUCCESS, gp_trim(context_.handle)) << gp_error_message();
        denied::arm_large(kDenied);
    }
    // The context and its buffers are as good as before.
    void expect_usable() {
        fill();
        ASSERT_EQ(GP_SUCCESS, sort(nullptr)) << gp_error_message();
        EXPECT_EQ(GP_SUCCESS, gp_finish(context_.handle)) << gp_error_message();
        std::vector<int32_t> expected = input(kMany), keys(kMany), values(kMany);
        std::sort(expected.begin(), expected.end());
        EXPECT_EQ(GP_SUCCESS, gp_buffer_read(keys_.handle, 0, kKeyBytes, keys.data()));
        EXPECT_EQ(GP_SUCCESS, gp_buffer_read(values_.handle, 0, kKeyBytes, values.data()));
        EXPECT_TRUE(expected == keys);
        EXPECT_TRUE(expected == values);
    }

    const std::vector<int32_t> in_ = input();
    Context context_;
    Buffer keys_, values_, other_;
};

// Whoever asks for the event hears of it, and so does each later call that waits for it; none of
// those runs, and none tells times.
TEST_F(WorkSpaceInMemory, ItsLackIsToldByTheEventAndByWhatWaitsForIt) {
    if (on_host()) GTEST_SKIP() << "the call itself fails";
    gp_context *const context = context_.handle;
    gp_buffer *const other = other_.handle;
    std::vector<int32_t> back(kN, 7);
    for (const int32_t profiled : {0, 1}) {
        SCOPED_TRACE(profiled);
        ASSERT_EQ(GP_SUCCESS, gp_profile(context, profiled)) << gp_error_message();
        Event failed;
        deny();
        ASSERT_EQ(GP_SUCCESS, sort(&failed.handle)) << gp_error_message();
        EXPECT_EQ(GP_ERROR_HOST_MEMORY, gp_event_wait(failed.handle));
        EXPECT_NE(nullptr, denied::hit());
        denied::disarm();

        gp_event *const unrelated = failed.handle, *event = unrelated;
        int32_t done = 77;
        gp_timing timing = GP_TIMING_INIT;
        gp_command command = GP_COMMAND_INIT;
        const size_t n = kN;
        const std::vector<std::pair<const char *, std::function<gp_status()>>> calls = {
            {"gp_event_wait", [&] { return gp_event_wait(failed.handle); }},
            {"gp_event_wait_for", [&] { return gp_event_wait_for(failed.handle, 1000); }},
            {"gp_event_done", [&] { return gp_event_done(failed.handle, &done); }},
            {"gp_event_timing", [&] { return gp_event_timing(failed.handle, &timing); }},
            {"gp_event_command", [&] { return gp_event_command(failed.handle, 0, &command); }},
            {"gp_enqueue_write",
             [&] { return gp_enqueue_write(other, 0, kBytes, back.data(), 1, &failed.handle, &event); }},
            {"gp_enqueue_read",
             [&] { return gp_enqueue_read(other, 0, kBytes, back.data(), 1, &failed.handle, &event); }},
            {"gp_enqueue_copy",
             [&] { return gp_enqueue_copy(keys_.handle, 0, other, 0, kBytes, 1, &failed.handle, &event); }},
            {"gp_enqueue_fill", [&] { return gp_enqueue_fill(other, 0, kBytes, "x", 1, 1, &failed.handle, &event); }},
            {"gp_enqueue_sort",
             [&] { return gp_enqueue_sort(context, GP_INT32, n, other, 0, nullptr, 1, &failed.handle, &event); }},
            {"gp_enqueue_scan",
             [&] {
                 return gp_enqueue_scan(context, GP_INT32, n, other, 0, other, 0, nullptr, 1, &failed.handle, &event);
             }},
            {"gp_enqueue_recurrence_varying", // by kernels
             [&] {
                 return gp_enqueue_recurrence_varying(context, GP_FLOAT32, n, keys_.handle, 0, nullptr, 0, other, 0,
                                                      nullptr, 1, &failed.handle, &event);
             }},
        };
        for (const auto &[name, call] : calls) {
            EXPECT_EQ(GP_ERROR_HOST_MEMORY, call()) << name << ": " << gp_error_message();
            EXPECT_NE(std::string::npos, std::string(gp_error_message()).find("out of host memory"))
                << gp_error_message();
            EXPECT_EQ(0, gp_error_opencl()) << name;
            EXPECT_EQ(unrelated, event) << name;
        }
        EXPECT_EQ(77, done);
        EXPECT_EQ(0u, timing.commands + timing.kernels + timing.run_ns + timing.span_ns);
        EXPECT_EQ(0, command.kind);
        EXPECT_STREQ("", command.name);
        EXPECT_EQ(GP_SUCCESS, gp_finish(context)) << "the event has told: " << gp_error_message();
        EXPECT_EQ(std::vector<int32_t>(kN, 7), back);
        EXPECT_EQ(GP_SUCCESS, gp_buffer_read(other, 0, kBytes, back.data()));
        EXPECT_EQ(in_, back) << "a call that was refused wrote";
        std::fill(back.begin(), back.end(), 7);
        expect_usable();
    }
}

// Without an event, whoever waits for everything hears of it, once.
TEST_F(WorkSpaceInMemory, ItsLackIsToldOnceWhereNobodyHasAnEvent) {
    if (on_host()) GTEST_SKIP() << "the call itself fails";
    deny();
    ASSERT_EQ(GP_SUCCESS, sort(nullptr)) << gp_error_message();
    EXPECT_EQ(GP_ERROR_HOST_MEMORY, gp_finish(context_.handle));
    EXPECT_EQ(GP_SUCCESS, gp_finish(context_.handle)) << "it was told: " << gp_error_message();
    ASSERT_EQ(GP_SUCCESS, sort(nullptr)) << gp_error_message();
    EXPECT_EQ(GP_ERROR_HOST_MEMORY, gp_finish(context_.handle));
    denied::disarm();
    expect_usable();
    deny();
    ASSERT_EQ(GP_SUCCESS, sort(nullptr)) << gp_error_message();
    EXPECT_EQ(GP_ERROR_HOST_MEMORY, gp_close(std::exchange(context_.handle, nullptr)));
}

// A call on host pointers that fails hands out no event, and so no times.
TEST_F(WorkSpaceInMemory, ItsLackLeavesACallOnHostPointersNoTimes) {
    ASSERT_EQ(GP_SUCCESS, gp_profile(context_.handle, 1)) << gp_error_message();
    auto *const unrelated = reinterpret_cast<gp_event *>(this);
    gp_event *event = unrelated;
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.event = &event;
    std::vector<int32_t> keys = input(kMany), values = keys;
    const auto sort_pairs = [&] {
        return gp_sort_pairs(context_.handle, GP_INT32, kMany, keys.data(), sizeof(int32_t), values.data(), &options);
    };
    deny();
    EXPECT_EQ(GP_ERROR_HOST_MEMORY, sort_pairs()) << gp_error_message();
    denied::disarm();
    EXPECT_EQ(unrelated, event);
    EXPECT_TRUE(keys == input(kMany) && values == keys) << "work space is taken before anything is written";
    ASSERT_EQ(GP_SUCCESS, sort_pairs()) << gp_error_message();
    gp_timing timing = GP_TIMING_INIT;
    EXPECT_EQ(GP_SUCCESS, gp_event_timing(event, &timing)) << gp_error_message();
    EXPECT_GT(timing.span_ns, 0u);
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()) && values == keys);
    EXPECT_EQ(GP_SUCCESS, gp_event_free(event));
    expect_usable();
}

std::string content_of(const fs::path &file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

class Files : public testing::Test {
  protected:
    void SetUp() override {
        std::string folder = fs::temp_directory_path() / "gpcl-denied.XXXXXX";
        ASSERT_NE(nullptr, mkdtemp(folder.data()));
        folder_ = folder;
    }
    void TearDown() override {
        denied::disarm();
        fs::remove_all(folder_);
    }
    std::vector<std::string> names(const fs::path &folder) const {
        std::vector<std::string> result;
        if (fs::exists(folder))
            for (const auto &entry : fs::directory_iterator(folder)) result.push_back(entry.path().filename());
        return result;
    }

    fs::path folder_;
};

// A cache that can't be written or read is no cache, and nobody hears of it.
TEST_F(Files, OfTheCacheAreDoneWithout) {
    if (on_host()) GTEST_SKIP() << "it builds no programs";
    const Variable on("GPCL_CACHE", "on"), name("GPCL_CACHE_DIR", folder_ / "cache");
    const auto run = [&]() -> gp_status {
        Context context;
        TRY(gp_open(nullptr, &context.handle));
        return reduce(context.handle);
    };
    ASSERT_EQ(GP_SUCCESS, run()) << said;
    const std::vector<std::string> whole = names(folder_ / "cache");
    ASSERT_FALSE(whole.empty());
    for (const bool all : {false, true}) {
        for (const bool filled : {false, true}) {
            for (long number = 1; number < kMost && !HasFailure(); ++number) {
                if (!filled) fs::remove_all(folder_ / "cache");
                denied::where = "cache, request " + std::to_string(number);
                denied::arm(Kind::kFiles, number, all);
                const gp_status status = run();
                denied::disarm();
                const char *hit = denied::hit();
                SCOPED_TRACE(testing::Message() << "request " << number << ", " << (hit != nullptr ? hit : "none"));
                EXPECT_EQ(GP_SUCCESS, status) << said;
                for (const std::string &file : names(folder_ / "cache"))
                    EXPECT_TRUE(file.ends_with(".bin") && file.find('.') == file.size() - 4) << file << " was left";
                ASSERT_EQ(GP_SUCCESS, run()) << "afterwards: " << said;
                EXPECT_EQ(whole.size(), names(folder_ / "cache").size());
                if (hit == nullptr) break;
            }
        }
    }
}

// The old file stays as it is where a new one can't be written.
TEST_F(Files, OfTuningAreWholeOrAsTheyWere) {
    const fs::path file = folder_ / "new" / "tuning";
    const Variable name("GPCL_TUNING", file);
    Context context;
    ASSERT_EQ(GP_SUCCESS, gp_open("host", &context.handle)) << gp_error_message();
    gp_parameter_info info{};
    info.struct_size = sizeof info;
    gp_operation operation = GP_MATMUL;
    for (; gp_parameter_describe(context.handle, operation, GP_FLOAT32, 0, &info) != GP_SUCCESS; ++operation) {
        ASSERT_LE(operation, GP_UNIQUE);
    }
    ASSERT_EQ(GP_SUCCESS,
              gp_parameter_set(context.handle, operation, GP_FLOAT32, info.algorithm, info.name, info.values[0]));
    ASSERT_EQ(GP_SUCCESS, gp_tuning_save(context.handle, nullptr)) << gp_error_message();
    const std::string whole = content_of(file), old = "gpcl tuning 1\n[another device]\nsort int32 a b 7\n";
    for (const bool all : {false, true}) {
        for (const bool replaces : {false, true}) {
            for (long number = 1; number < kMost && !HasFailure(); ++number) {
                fs::remove_all(folder_ / "new");
                if (replaces) {
                    fs::create_directory(folder_ / "new");
                    std::ofstream(file) << old;
                }
                denied::where = "tuning, request " + std::to_string(number);
                denied::arm(Kind::kFiles, number, all);
                const gp_status status = NOTED(gp_tuning_save(context.handle, nullptr));
                denied::disarm();
                const char *hit = denied::hit();
                SCOPED_TRACE(testing::Message() << "request " << number << ", " << (hit != nullptr ? hit : "none"));
                EXPECT_TRUE(status == GP_ERROR_FILE || status == GP_SUCCESS) << gp_status_name(status) << ": " << said;
                if (status == GP_SUCCESS) {
                    EXPECT_NE(std::string::npos, content_of(file).find(whole.substr(whole.find('['))));
                    EXPECT_EQ(replaces, content_of(file).find("another device") != std::string::npos);
                } else {
                    EXPECT_EQ(replaces ? old : "", content_of(file));
                }
                for (const std::string &left : names(folder_ / "new")) EXPECT_EQ("tuning", left);
                if (hit == nullptr) {
                    EXPECT_EQ(GP_SUCCESS, status);
                    break;
                }
                // A file that can't be read when a context is opened is passed over.
                denied::arm(Kind::kFiles, 1, true);
                Context another;
                EXPECT_EQ(GP_SUCCESS, NOTED(gp_open("host", &another.handle))) << said;
                denied::disarm();
            }
        }
    }
}

} // namespace

// The layer tells what a driver asks for; "host" asks for nothing.
int main(int argc, char **argv) { return run_with_layer(argc, argv, !on_host()); }
