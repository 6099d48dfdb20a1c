// On a driver that gets one kernel wrong, default calls are right all the same: the algorithm that
// has the kernel is proved before it is chosen. PoCL stands in for a GPU here (lies.h), with the
// portable forms of what such devices run. Each case is a process, which remembers nothing but what
// is on disk.
// SPDX-License-Identifier: MIT
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "lies/lies.h"

#include "api/child.h"

#include <gpcl/gpcl.h>
#include <gpcl/opencl.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr size_t kN = 200; // a row that a warp takes

size_t index_of(gp_operation operation, const std::string &name) {
    size_t count = 0;
    gp_algorithms(operation, &count);
    for (size_t i = 0; i < count; ++i) {
        gp_algorithm_info info{};
        info.struct_size = sizeof info;
        gp_algorithm_describe(operation, i, &info);
        if (info.name == name) return i;
    }
    return SIZE_MAX;
}

// What gp_prove says of an algorithm that is spoiled; "" nothing.
std::string told(gp_context *context, int32_t now, gp_operation operation = GP_TOP_K, const char *name = "warps",
                 gp_dtype dtype = GP_INT32) {
    const gp_status status = gp_prove(context, operation, index_of(operation, name), dtype, now);
    return status == GP_SUCCESS ? "" : std::string(gp_status_name(status)) + ": " + gp_error_message();
}

std::vector<int32_t> input() {
    std::vector<int32_t> values(kN);
    for (size_t i = 0; i < kN; ++i) values[i] = static_cast<int32_t>((i * 7919) % 1009) - 500;
    return values;
}
int32_t least(const std::vector<int32_t> &values) { return *std::min_element(values.begin(), values.end()); }

gp_status top_1(gp_context *context, const std::vector<int32_t> &values, int32_t &result,
                const gp_top_k_options *options = nullptr) {
    return gp_top_k(context, GP_ASCENDING, GP_INT32, kN, values.data(), 1, GP_UINT32, nullptr, &result, options);
}
gp_status enqueue_top_1(gp_context *context, gp_buffer *in, gp_buffer *out, gp_event *const *before = nullptr,
                        gp_event **done = nullptr) {
    return gp_enqueue_top_k(context, GP_ASCENDING, GP_INT32, kN, in, 0, 1, GP_UINT32, nullptr, 0, out, 0, nullptr,
                            before != nullptr ? 1 : 0, before, done);
}

int finds_the_least(gp_context *context, bool right) {
    const std::vector<int32_t> values = input();
    int32_t result = 0;
    CHILD_OK(top_1(context, values, result));
    CHILD_CHECK((result == least(values)) == right);
    return 0;
}

#define CHILD_TRY(call)                                                                                                \
    do {                                                                                                               \
        if (const int line = (call)) return line;                                                                      \
    } while (false)

void spoil() { lies_spoil("top_k_warps", 8); }

// The default is the algorithm that the tests spoil.
int takes_it_where_it_is_right() {
    lies_spoil("top_k_warps", 99);
    gp_context *context = nullptr;
    CHILD_OK(gp_open(nullptr, &context));
    gp_device_info info{};
    info.struct_size = sizeof info;
    CHILD_OK(gp_describe(context, &info));
    CHILD_CHECK(info.kind == GP_DEVICE_GPU);
    CHILD_OK(gp_profile(context, 1));
    const std::vector<int32_t> values = input();
    int32_t result = 0;
    gp_event *event = nullptr;
    gp_top_k_options options = GP_TOP_K_OPTIONS_INIT;
    options.event = &event;
    CHILD_OK(top_1(context, values, result, &options));
    CHILD_CHECK(result == least(values));
    gp_timing timing = GP_TIMING_INIT;
    CHILD_OK(gp_event_timing(event, &timing));
    bool ran = false;
    for (size_t i = 0; i < timing.commands; ++i) {
        gp_command command = GP_COMMAND_INIT;
        CHILD_OK(gp_event_command(event, i, &command));
        ran = ran || std::string(command.name) == "top_k_warps";
    }
    CHILD_CHECK(ran);
    CHILD_CHECK(told(context, 0).empty());
    CHILD_OK(gp_event_free(event));
    CHILD_OK(gp_close(context));
    return 0;
}

// Else nothing here shows anything.
int is_wrong_without_proof() {
    spoil();
    gp_context *context = nullptr;
    CHILD_OK(gp_open(nullptr, &context));
    CHILD_TRY(finds_the_least(context, false));
    CHILD_CHECK(told(context, 0).empty());
    CHILD_CHECK(!told(context, 1).empty());
    CHILD_OK(gp_close(context));
    return 0;
}

int is_right_all_the_same() {
    spoil();
    gp_context *context = nullptr;
    CHILD_OK(gp_open(nullptr, &context));
    CHILD_CHECK(told(context, 0).empty());
    CHILD_TRY(finds_the_least(context, true));
    const long launches = lies_launches();
    CHILD_CHECK(launches > 0);
    CHILD_CHECK(std::string(gp_error_message()).empty());
    const std::string why = told(context, 0);
    for (const char *part : {"GP_ERROR_ALGORITHM_REFUSED", "\"warps\" of top-k is not chosen for int32", "; expected "})
        CHILD_CHECK(why.find(part) != std::string::npos);
    CHILD_CHECK(why == told(context, 1));
    // Nor by another context, and by name it still runs.
    gp_context *other = nullptr;
    CHILD_OK(gp_open(nullptr, &other));
    CHILD_TRY(finds_the_least(other, true));
    CHILD_CHECK(lies_launches() == launches);
    gp_top_k_options options = GP_TOP_K_OPTIONS_INIT;
    options.algorithm = "warps";
    const std::vector<int32_t> values = input();
    int32_t result = 0;
    CHILD_OK(top_1(other, values, result, &options));
    CHILD_CHECK(result != least(values));
    CHILD_OK(gp_close(other));
    CHILD_OK(gp_close(context));
    return 0;
}

// From disk, without a launch.
int is_known_afterwards() {
    spoil();
    gp_context *context = nullptr;
    CHILD_OK(gp_open(nullptr, &context));
    CHILD_CHECK(!told(context, 0).empty());
    CHILD_TRY(finds_the_least(context, true));
    CHILD_CHECK(lies_launches() == 0);
    CHILD_OK(gp_close(context));
    return 0;
}

// One proves, the others wait for it.
int is_proved_by_one_of_many_threads() {
    spoil();
    gp_context *contexts[2] = {};
    for (gp_context *&one : contexts) CHILD_OK(gp_open(nullptr, &one));
    std::vector<int> results(4, -1);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < results.size(); ++i)
        threads.emplace_back([&, i] { results[i] = finds_the_least(contexts[i % 2], true); });
    for (std::thread &one : threads) one.join();
    for (const int result : results) CHILD_CHECK(result == 0);
    const long launches = lies_launches();
    std::printf("%ld", launches);
    for (gp_context *one : contexts) CHILD_OK(gp_close(one));
    return 0;
}

int counts_launches() {
    spoil();
    gp_context *context = nullptr;
    CHILD_OK(gp_open(nullptr, &context));
    CHILD_TRY(finds_the_least(context, true));
    std::printf("%ld", lies_launches());
    CHILD_OK(gp_close(context));
    return 0;
}

// On buffers, while the queue waits for an event of the caller's: the call returns, and its
// commands keep their order. The caller's queue runs out of order.
int does_not_wait_for_the_queue() {
    spoil();
    gp_context *own = nullptr, *context = nullptr;
    CHILD_OK(gp_open(nullptr, &own));
    cl_context opencl = nullptr;
    cl_device_id device = nullptr;
    CHILD_OK(gp_opencl_context(own, &opencl));
    CHILD_OK(gp_opencl_device(own, &device));
    cl_int code = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueue(opencl, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    CHILD_CHECK(code == CL_SUCCESS);
    CHILD_OK(gp_open_opencl(opencl, device, queue, &context));
    const std::vector<int32_t> values = input();
    gp_buffer *in = nullptr, *out = nullptr;
    CHILD_OK(gp_buffer_create(context, kN * sizeof(int32_t), &in));
    CHILD_OK(gp_buffer_create(context, sizeof(int32_t), &out));
    const std::vector<int32_t> zeros(kN);
    CHILD_OK(gp_buffer_write(in, 0, kN * sizeof(int32_t), zeros.data()));
    cl_event gate = clCreateUserEvent(opencl, &code);
    CHILD_CHECK(code == CL_SUCCESS);
    cl_mem memory = nullptr;
    CHILD_OK(gp_opencl_mem(in, &memory));
    cl_event written = nullptr;
    CHILD_CHECK(clEnqueueWriteBuffer(queue, memory, CL_FALSE, 0, kN * sizeof(int32_t), values.data(), 1, &gate,
                                     &written) == CL_SUCCESS);
    gp_event *before = nullptr, *done = nullptr;
    CHILD_OK(gp_event_wrap(context, written, &before));
    CHILD_OK(enqueue_top_1(context, in, out, &before, &done));
    CHILD_CHECK(!told(context, 0).empty());
    CHILD_CHECK(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
    CHILD_OK(gp_event_wait(done));
    int32_t result = 0;
    CHILD_OK(gp_buffer_read(out, 0, sizeof result, &result));
    CHILD_CHECK(result == least(values));
    for (gp_event *one : {before, done}) CHILD_OK(gp_event_free(one));
    for (gp_buffer *one : {in, out}) CHILD_OK(gp_buffer_free(one));
    CHILD_OK(gp_close(context));
    clReleaseEvent(written);
    clReleaseEvent(gate);
    clReleaseCommandQueue(queue);
    CHILD_OK(gp_close(own));
    return 0;
}

// Calls that are made again: the recorded one has nothing of the proof in it.
int repeats() {
    spoil();
    gp_context *context = nullptr;
    CHILD_OK(gp_open(nullptr, &context));
    const std::vector<int32_t> values = input();
    gp_buffer *in = nullptr, *out = nullptr;
    CHILD_OK(gp_buffer_create(context, kN * sizeof(int32_t), &in));
    CHILD_OK(gp_buffer_create(context, sizeof(int32_t), &out));
    CHILD_OK(gp_buffer_write(in, 0, kN * sizeof(int32_t), values.data()));
    long launches = 0;
    for (int i = 0; i < 5; ++i) {
        CHILD_OK(enqueue_top_1(context, in, out));
        int32_t result = 0;
        CHILD_OK(gp_buffer_read(out, 0, sizeof result, &result));
        CHILD_CHECK(result == least(values));
        if (i == 0) launches = lies_launches();
    }
    CHILD_CHECK(launches > 0 && lies_launches() == launches);
    for (gp_buffer *one : {in, out}) CHILD_OK(gp_buffer_free(one));
    CHILD_OK(gp_close(context));
    return 0;
}

// It says that it shares the host's memory, as it does: its own host's.
int is_remote() {
    lies_remote();
    gp_context *context = nullptr;
    CHILD_OK(gp_open("(remote)", &context));
    gp_device_info info{};
    info.struct_size = sizeof info;
    CHILD_OK(gp_describe(context, &info));
    CHILD_CHECK(std::string_view(info.name).ends_with(" (remote)"));
    CHILD_CHECK(info.has_unified_memory == 0);
    CHILD_TRY(finds_the_least(context, true));
    CHILD_OK(gp_close(context));
    return 0;
}

// ---- Other operations ---------------------------------------------------------------------------

// Is a default call's result right? `status` is that of the call.
using Check = bool (*)(gp_context *, gp_status &status);

constexpr size_t kCount = 150'001;

bool selects(gp_context *context, gp_status &status) {
    std::vector<uint32_t> in(kCount), out(kCount), expected;
    std::vector<uint8_t> flags(kCount);
    for (size_t i = 0; i < kCount; ++i) {
        in[i] = static_cast<uint32_t>(i);
        flags[i] = i % 3 == 0;
        if (flags[i] != 0) expected.push_back(in[i]);
    }
    uint64_t count = 0;
    status = gp_select(context, sizeof in[0], kCount, in.data(), flags.data(), out.data(), &count, nullptr);
    out.resize(std::min<size_t>(count, kCount));
    return out == expected;
}

bool finds_run_lengths(gp_context *context, gp_status &status) {
    std::vector<int32_t> in(kCount), values(kCount);
    std::vector<uint32_t> lengths(kCount);
    for (size_t i = 0; i < kCount; ++i) in[i] = static_cast<int32_t>(i / 5);
    uint64_t count = 0;
    status =
        gp_run_lengths(context, GP_INT32, kCount, in.data(), values.data(), GP_UINT32, lengths.data(), &count, nullptr);
    lengths.resize(std::min<size_t>(count, kCount));
    std::vector<uint32_t> expected(kCount / 5 + 1, 5);
    expected.back() = kCount % 5;
    return lengths == expected;
}

bool reduces_by_key(gp_context *context, gp_status &status) {
    std::vector<int32_t> keys(kCount), values(kCount, 1), sums(kCount);
    for (size_t i = 0; i < kCount; ++i) keys[i] = static_cast<int32_t>(i / 5);
    uint64_t count = 0;
    status = gp_reduce_by_key(context, GP_INT32, kCount, keys.data(), GP_INT32, values.data(), nullptr, sums.data(),
                              &count, nullptr);
    sums.resize(std::min<size_t>(count, kCount));
    std::vector<int32_t> expected(kCount / 5 + 1, 5);
    expected.back() = kCount % 5;
    return sums == expected;
}

bool scans(gp_context *context, gp_status &status) {
    std::vector<int32_t> in(kCount, 1), out(kCount), expected(kCount);
    std::iota(expected.begin(), expected.end(), 1);
    status = gp_scan(context, GP_INT32, kCount, in.data(), out.data(), nullptr);
    return out == expected;
}

bool scans_by_key(gp_context *context, gp_status &status) {
    std::vector<int32_t> keys(kCount), values(kCount, 1), out(kCount), expected(kCount);
    for (size_t i = 0; i < kCount; ++i) {
        keys[i] = static_cast<int32_t>(i / 5);
        expected[i] = static_cast<int32_t>(i % 5 + 1);
    }
    status = gp_scan_by_key(context, GP_INT32, kCount, keys.data(), GP_INT32, values.data(), out.data(), nullptr);
    return out == expected;
}

bool takes_the_first(gp_context *context, gp_status &status) {
    constexpr size_t kRow = 200; // a row that a warp takes
    std::vector<int32_t> in(kRow);
    for (size_t i = 0; i < kRow; ++i) in[i] = static_cast<int32_t>(i * 7919 % 150'011);
    std::vector<int32_t> expected = in, values(7);
    std::sort(expected.begin(), expected.end());
    expected.resize(values.size());
    std::vector<uint32_t> positions(values.size());
    status = gp_top_k(context, GP_ASCENDING, GP_INT32, kRow, in.data(), values.size(), GP_UINT32, positions.data(),
                      values.data(), nullptr);
    return values == expected && std::all_of(positions.begin(), positions.end(), [&](uint32_t position) {
               return position < kRow && in[position] <= expected.back();
           });
}

struct Spoiled {
    const char *name, *kernel;
    unsigned argument; // an output
    gp_operation operation;
    const char *algorithm;
    gp_dtype dtype;
    Check is_right;
};
constexpr Spoiled kScan = {"scan", "scan_look_back", 2, GP_SCAN, "look-back", GP_INT32, scans};
constexpr Spoiled kSpoiled[] = {
    kScan,
    {"select", "select_look_back", 10, GP_SELECT, "look-back", GP_UINT32, selects},
    {"run_lengths", "runs_lengths", 10, GP_RUN_LENGTHS, "look-back", GP_INT32, finds_run_lengths},
    {"reduce_by_key", "runs_look_back", 10, GP_REDUCE_BY_KEY, "look-back", GP_INT32, reduces_by_key},
    {"scan_by_key", "scan_by_key_look_back", 4, GP_SCAN_BY_KEY, "look-back", GP_INT32, scans_by_key},
    {"top_k", "top_k_warps", 8, GP_TOP_K, "warps", GP_INT32, takes_the_first}};

// PoCL compiles all kernels of a scan in seconds, those of top-k in minutes.
int is_proved_by_warm_up() {
    lies_spoil(kScan.kernel, kScan.argument);
    gp_context *context = nullptr;
    CHILD_OK(gp_open(nullptr, &context));
    CHILD_OK(gp_warmup(context, kScan.operation, kScan.dtype));
    CHILD_CHECK(!told(context, 0, kScan.operation, kScan.algorithm, kScan.dtype).empty());
    const long launches = lies_launches();
    CHILD_CHECK(launches > 0);
    gp_status status = GP_SUCCESS;
    CHILD_CHECK(scans(context, status));
    CHILD_OK(status);
    CHILD_CHECK(lies_launches() == launches);
    CHILD_OK(gp_close(context));
    return 0;
}

// A default call, with proofs or without; the algorithm is proved to be wrong before or after.
int runs_spoiled(const Spoiled &one, bool with_proofs) {
    lies_spoil(one.kernel, one.argument);
    gp_context *context = nullptr;
    CHILD_OK(gp_open(nullptr, &context));
    gp_status status = GP_SUCCESS;
    const bool is_right = one.is_right(context, status);
    CHILD_OK(status);
    CHILD_CHECK(lies_launches() > 0);
    CHILD_CHECK(is_right == with_proofs);
    CHILD_CHECK(told(context, 0, one.operation, one.algorithm, one.dtype).empty() != with_proofs);
    CHILD_CHECK(!told(context, 1, one.operation, one.algorithm, one.dtype).empty());
    CHILD_OK(gp_close(context));
    return 0;
}

// -------------------------------------------------------------------------------------------------

class Lies : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = fs::temp_directory_path() / "gpcl-lies.XXXXXX";
        ASSERT_NE(nullptr, mkdtemp(name.data()));
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }

    // PoCL's optimiser takes minutes, and makes a wrong kernel of scan/look_back.cl.
    std::string output(const std::string &child, const std::string &prove = "", const std::string &cache = "on",
                       const std::string &limits = "work-group=256,no-optimiser") const {
        const test::Ended ended = test::run_child(child, {{"GPCL_CACHE_DIR", folder_},
                                                          {"GPCL_CACHE", cache},
                                                          {"GPCL_PROVE", prove},
                                                          {"GPCL_FEATURES", "portable"},
                                                          {"GPCL_LIMITS", limits},
                                                          {"OPENCL_LAYERS", LIES_LAYER}});
        EXPECT_EQ(0, ended.code) << child << ": " << ended.output;
        return ended.output;
    }
    void run(const std::string &child, const std::string &prove = "") const { EXPECT_EQ("", output(child, prove)); }

    fs::path folder_;
};

TEST_F(Lies, ARemoteDeviceSharesNoMemory) { run("is_remote"); }

TEST_F(Lies, TheDefaultIsWhatTheTestsSpoil) {
    run("takes_it_where_it_is_right");
    fs::remove_all(folder_);
    run("is_wrong_without_proof", "off");
}

TEST_F(Lies, AnotherAlgorithmIsChosen) {
    run("is_right_all_the_same");
    run("is_known_afterwards");
}

TEST_F(Lies, NothingIsKeptWithoutAFolder) {
    EXPECT_EQ(output("counts_launches", "", "off"), output("counts_launches", "", "off"));
    EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Lies, WarmUpProves) { run("is_proved_by_warm_up"); }

TEST_F(Lies, OneOfManyThreadsProves) {
    const std::string one = output("counts_launches", "", "off");
    EXPECT_NE("0", one);
    EXPECT_EQ(one, output("is_proved_by_one_of_many_threads"));
}

TEST_F(Lies, TheCallersQueueIsNotWaitedFor) { run("does_not_wait_for_the_queue"); }

TEST_F(Lies, RepeatedCalls) { run("repeats"); }

// All of them take half a minute, most of which PoCL compiles. Without GPCL_TEST_LONG=1 the last
// one stands for them.
TEST_F(Lies, OtherOperations) {
    const char *const all = std::getenv("GPCL_TEST_LONG");
    const bool is_long = all != nullptr && std::string(all) == "1";
    for (const Spoiled &one : std::span(kSpoiled).last(is_long ? std::size(kSpoiled) : 1))
        for (const char *prove : {"off", ""}) {
            fs::remove_all(folder_); // what was proved
            EXPECT_EQ("", output(one.name, prove));
        }
}

std::map<std::string, std::function<int()>> with_spoiled(std::map<std::string, std::function<int()>> functions) {
    for (const Spoiled &one : kSpoiled)
        functions[one.name] = [&one] { return runs_spoiled(one, std::getenv("GPCL_PROVE") == nullptr); };
    return functions;
}

const test::Children children(with_spoiled({{"takes_it_where_it_is_right", takes_it_where_it_is_right},
                                            {"is_wrong_without_proof", is_wrong_without_proof},
                                            {"is_right_all_the_same", is_right_all_the_same},
                                            {"is_remote", is_remote},
                                            {"is_known_afterwards", is_known_afterwards},
                                            {"is_proved_by_warm_up", is_proved_by_warm_up},
                                            {"is_proved_by_one_of_many_threads", is_proved_by_one_of_many_threads},
                                            {"counts_launches", counts_launches},
                                            {"does_not_wait_for_the_queue", does_not_wait_for_the_queue},
                                            {"repeats", repeats}}));

} // namespace

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
