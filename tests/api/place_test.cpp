// "auto": where a call on host pointers runs, the model that decides it, and its file.
// SPDX-License-Identifier: MIT
#include "child.h"
#include "support/support.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <sstream>
#include <thread>

#include <sys/mman.h>

namespace fs = std::filesystem;

namespace {

using Words = std::vector<uint64_t>;

gp_context *open(const char *device) {
    gp_context *context = nullptr;
    EXPECT_OK(gp_open(device, &context));
    return context;
}

std::string explained(gp_context *context) { return gp_explain(context); }
bool ran_on_host(gp_context *context) { return explained(context).find(": on host; ") != std::string::npos; }

std::string content(const fs::path &file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// A call on host pointers with so many elements, or a product with so many steps; its results.
struct Call {
    const char *kind; // as the file names it
    gp_dtype dtype;
    std::function<gp_status(gp_context *, size_t n, Words &results)> run;
    size_t root = 1; // work is n to this power
};

std::vector<uint32_t> numbers(size_t n) {
    std::vector<uint32_t> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = static_cast<uint32_t>(i * 2654435761U % 1000);
    return values;
}

std::vector<float> whole(size_t n) {
    const std::vector<uint32_t> values = numbers(n);
    return {values.begin(), values.end()};
}

std::vector<uint32_t> ascending(size_t n) {
    std::vector<uint32_t> values = numbers(n);
    std::sort(values.begin(), values.end());
    return values;
}

template <class T> uint32_t *words(T &results, size_t at = 0) {
    return reinterpret_cast<uint32_t *>(results.data() + at);
}

// Every operation that both sides have, on integers. Results have room for 2 n + 4096 words.
const std::vector<Call> kCalls = {
    {"sort", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         const auto keys = numbers(n);
         std::copy(keys.begin(), keys.end(), words(out));
         return gp_sort(c, GP_UINT32, n, out.data(), nullptr);
     }},
    {"sort-pairs", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         const auto keys = numbers(n), values = ascending(n);
         std::copy(keys.begin(), keys.end(), words(out));
         std::copy(values.begin(), values.end(), words(out, n));
         return gp_sort_pairs(c, GP_UINT32, n, out.data(), 4, words(out, n), nullptr);
     }},
    {"argsort", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         return gp_argsort(c, GP_UINT32, n, numbers(n).data(), GP_UINT32, out.data(), nullptr);
     }},
    {"sort-rows", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         const auto keys = numbers(n);
         std::copy(keys.begin(), keys.end(), words(out));
         const std::vector<uint64_t> offsets = {0, n / 3, n / 2, n};
         gp_sort_options options = GP_SORT_OPTIONS_INIT;
         options.segments = 3;
         options.offsets = offsets.data();
         return gp_sort(c, GP_UINT32, n, out.data(), &options);
     }},
    {"scan", GP_INT32,
     [](gp_context *c, size_t n, Words &out) {
         return gp_scan(c, GP_INT32, n, numbers(n).data(), out.data(), nullptr);
     }},
    {"reduce", GP_INT32,
     [](gp_context *c, size_t n, Words &out) {
         return gp_reduce(c, GP_INT32, n, numbers(n).data(), out.data(), nullptr);
     }},
    {"arg-reduce", GP_INT32,
     [](gp_context *c, size_t n, Words &out) {
         return gp_arg_reduce(c, GP_MAXIMUM, GP_INT32, n, numbers(n).data(), GP_UINT64, out.data(), nullptr, nullptr);
     }},
    {"top-k", GP_INT32,
     [](gp_context *c, size_t n, Words &out) {
         return gp_top_k(c, GP_DESCENDING, GP_INT32, n, numbers(n).data(), 7, GP_UINT64, out.data(), nullptr, nullptr);
     }},
    {"search", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         return gp_search(c, GP_UINT32, n, ascending(n).data(), n, numbers(n).data(), GP_UINT64, out.data(), nullptr);
     }},
    {"is-sorted", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         return gp_is_sorted(c, GP_UINT32, n, numbers(n).data(), out.data(), nullptr);
     }},
    {"merge", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         const size_t a = n / 3;
         return gp_merge(c, GP_UINT32, a, ascending(a).data(), n - a, ascending(n - a).data(), out.data(), nullptr);
     }},
    {"merge-pairs", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         const size_t a = n / 3;
         const auto values = numbers(n);
         return gp_merge_pairs(c, GP_UINT32, a, ascending(a).data(), n - a, ascending(n - a).data(), out.data(), 4,
                               values.data(), values.data(), words(out, n), nullptr);
     }},
    {"merge-runs", GP_UINT32, // two runs: one round
     [](gp_context *c, size_t n, Words &out) {
         auto keys = numbers(n);
         const std::vector<uint64_t> offsets = {0, n / 3, n};
         std::sort(keys.begin(), keys.begin() + static_cast<ptrdiff_t>(n / 3));
         std::sort(keys.begin() + static_cast<ptrdiff_t>(n / 3), keys.end());
         return gp_merge_runs(c, GP_UINT32, n, keys.data(), 2, offsets.data(), out.data(), nullptr);
     }},
    {"histogram", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
         options.upper = 1000;
         return gp_histogram(c, GP_UINT32, n, numbers(n).data(), 10, out.data(), &options);
     }},
    {"histogram-weighted", GP_UINT32, // sums of whole numbers are exact
     [](gp_context *c, size_t n, Words &out) {
         const std::vector<float> weights(n, 2);
         gp_histogram_weighted_options options = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
         options.upper = 1000;
         return gp_histogram_weighted(c, GP_UINT32, n, numbers(n).data(), GP_FLOAT32, weights.data(), 10, out.data(),
                                      &options);
     }},
    {"histogram-2d", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         gp_histogram_2d_options options = GP_HISTOGRAM_2D_OPTIONS_INIT;
         options.upper_x = options.upper_y = 1000;
         const auto x = numbers(n), y = ascending(n);
         return gp_histogram_2d(c, GP_UINT32, n, x.data(), y.data(), 0, nullptr, 4, 4, out.data(), &options);
     }},
    {"recurrence", GP_FLOAT32, // running sums of whole numbers, which are exact
     [](gp_context *c, size_t n, Words &out) {
         const auto in = whole(n);
         const float one = 1;
         return gp_recurrence(c, GP_FLOAT32, n, in.data(), out.data(), 1, &one, nullptr);
     }},
    {"recurrence-varying", GP_FLOAT32,
     [](gp_context *c, size_t n, Words &out) {
         const auto in = whole(n);
         const std::vector<float> ones(n, 1);
         return gp_recurrence_varying(c, GP_FLOAT32, n, ones.data(), in.data(), out.data(), nullptr);
     }},
    {"difference", GP_INT32,
     [](gp_context *c, size_t n, Words &out) {
         return gp_difference(c, GP_INT32, n, numbers(n).data(), out.data(), nullptr);
     }},
    {"select", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         const std::vector<uint8_t> flags(n, 1);
         return gp_select(c, 4, n, numbers(n).data(), flags.data(), words(out, 1), out.data(), nullptr);
     }},
    {"nonzero", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         return gp_nonzero(c, GP_UINT32, n, numbers(n).data(), GP_UINT64, out.data() + 1, out.data(), nullptr);
     }},
    {"gather", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         auto positions = numbers(n);
         for (auto &each : positions) each %= static_cast<uint32_t>(n);
         return gp_gather(c, 4, n, ascending(n).data(), GP_UINT32, n, positions.data(), out.data(), nullptr);
     }},
    {"scatter", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         std::vector<uint32_t> positions(n);
         for (size_t i = 0; i < n; ++i) positions[i] = static_cast<uint32_t>(n - 1 - i);
         return gp_scatter(c, 4, n, numbers(n).data(), GP_UINT32, positions.data(), n, out.data(), nullptr);
     }},
    {"transpose", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         return gp_transpose_matrix(c, 4, n, 1, numbers(n).data(), 1, out.data(), n, nullptr);
     }},
    {"run-lengths", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         return gp_run_lengths(c, GP_UINT32, n, ascending(n).data(), nullptr, GP_UINT64, out.data() + 1, out.data(),
                               nullptr);
     }},
    {"reduce-by-key", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         return gp_reduce_by_key(c, GP_UINT32, n, ascending(n).data(), GP_INT32, numbers(n).data(), words(out, 1),
                                 words(out, n + 1), out.data(), nullptr);
     }},
    {"scan-by-key", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         return gp_scan_by_key(c, GP_UINT32, n, ascending(n).data(), GP_INT32, numbers(n).data(), out.data(), nullptr);
     }},
    {"repeat", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         const std::vector<uint8_t> once(n, 1);
         uint64_t count = 0;
         return gp_repeat(c, 4, n, numbers(n).data(), GP_UINT8, once.data(), n, out.data(), &count, nullptr);
     }},
    {"unique", GP_UINT32,
     [](gp_context *c, size_t n, Words &out) {
         return gp_unique(c, GP_UINT32, n, numbers(n).data(), words(out, 1), GP_UINT64, nullptr, nullptr, nullptr,
                          out.data(), nullptr);
     }},
    {"matmul", GP_INT32,
     [](gp_context *c, size_t n, Words &out) {
         const auto a = numbers(n * n);
         return gp_matmul(c, GP_INT32, n, n, n, a.data(), n, a.data(), n, out.data(), n, nullptr);
     },
     3},
    {"matmul-semiring", GP_INT32,
     [](gp_context *c, size_t n, Words &out) {
         const auto a = numbers(n * n);
         gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
         options.semiring = GP_MIN_PLUS;
         return gp_matmul(c, GP_INT32, n, n, n, a.data(), n, a.data(), n, out.data(), n, &options);
     },
     3},
    {"paths", GP_INT32,
     [](gp_context *c, size_t n, Words &out) {
         return gp_paths(c, GP_INT32, n, numbers(n * n).data(), n, out.data(), n, nullptr, 0, nullptr);
     },
     3},
};

const char *type_name(gp_dtype dtype) { return gp_dtype_name(dtype); }

// The first line of a model and what it says of the link, as a process here writes them.
const std::string &beginning() {
    static const std::string text = [] {
        const fs::path file = fs::temp_directory_path() / ("gpcl-places-begin-" + std::to_string(getpid()));
        setenv("GPCL_PLACES", file.c_str(), 1);
        gp_context *context = open("auto");
        uint64_t position = 0;
        const uint64_t in = 0;
        EXPECT_OK(gp_is_sorted(context, GP_UINT8, 1, &in, &position, nullptr));
        EXPECT_OK(gp_close(context));
        std::istringstream lines(content(file));
        std::string begin;
        for (std::string line; std::getline(lines, line);)
            if (line.rfind("is-sorted ", 0) != 0) begin += line + "\n";
        fs::remove(file);
        return begin;
    }();
    return text;
}

// Host: 10 ns of work; device: `fixed` ns whatever the work.
std::string lines_of(const Call &call, uint64_t fixed) {
    std::string text;
    for (unsigned grid = 3; grid <= 24; ++grid) {
        const uint64_t work = uint64_t{1} << (2 * grid);
        text += std::string(call.kind) + " " + type_name(call.dtype) + " " + std::to_string(grid) + " " +
                std::to_string(work) + " " + std::to_string(10 * work) + " " + std::to_string(fixed) + " 0 0\n";
    }
    return text;
}

class Place : public testing::Test {
  protected:
    void SetUp() override {
        if (test::on_host()) GTEST_SKIP() << "there is one place on a machine without devices";
        folder_ = fs::temp_directory_path() / ("gpcl-places-" + std::to_string(getpid()));
        fs::create_directories(folder_);
        begin_ = beginning();
    }
    void TearDown() override {
        setenv("GPCL_PLACES", "off", 1);
        if (!folder_.empty()) fs::remove_all(folder_);
    }
    // A file that nothing was read from yet, with this content.
    fs::path file(const std::string &text) {
        static int number = 0;
        fs::path name = folder_ / ("places" + std::to_string(++number));
        std::ofstream(name) << text;
        setenv("GPCL_PLACES", name.c_str(), 1);
        return name;
    }
    // The link costs nothing in it, so that a device's times are those of the lines.
    std::string model(uint64_t fixed) const {
        std::istringstream lines(begin_);
        std::string text;
        for (std::string line; std::getline(lines, line);) {
            if (line.rfind("link command", 0) == 0)
                text += "link command 1\n";
            else if (line.rfind("link ", 0) == 0)
                text += line.substr(0, line.find(' ', 5)) + " 0 0 0 0 0\n";
            else
                text += line + "\n";
        }
        for (const Call &call : kCalls) text += lines_of(call, fixed);
        return text;
    }

    fs::path folder_;
    std::string begin_;
};

TEST_F(Place, OpensTheBestDeviceAndSaysSo) {
    gp_context *context = open("AUTO");
    gp_device_info info{};
    info.struct_size = sizeof info;
    ASSERT_OK(gp_describe(context, &info));
    EXPECT_STREQ("auto", info.selector);
    EXPECT_STREQ(test::device().name, info.name); // what GPCL_DEVICE names
    EXPECT_EQ("", explained(context));
    EXPECT_OK(gp_close(context));
    EXPECT_NE(std::string::npos, explained(test::context()).find("was not opened by \"auto\""));
    EXPECT_EQ("", explained(nullptr));
    EXPECT_EQ("", explained(context));
}

TEST(PlaceOnHost, IsHostWhereThatIsTheBestDevice) {
    if (!test::on_host()) GTEST_SKIP() << "there is a device";
    gp_context *context = open("auto");
    gp_device_info info{};
    info.struct_size = sizeof info;
    ASSERT_OK(gp_describe(context, &info));
    EXPECT_STREQ("host", info.selector);
    EXPECT_EQ(GP_ERROR_UNSUPPORTED_DEVICE, gp_places_measure(context, GP_SORT, GP_INT32));
    EXPECT_OK(gp_close(context));
}

// Below, at and above the size where a model that is made up has the device win.
TEST_F(Place, FollowsTheModelWithTheSameResults) {
    const size_t crossover = std::clamp<size_t>(test::max_n(), 100, 1000); // of work
    file(model(10 * crossover));
    gp_context *chosen = open("auto"), *host = open("host");
    for (const Call &call : kCalls) {
        const size_t middle = call.root == 3 ? static_cast<size_t>(std::cbrt(crossover) + 1e-9) : crossover;
        for (const size_t n : {middle - 1, middle, middle + 1}) {
            SCOPED_TRACE(std::string(call.kind) + ", n = " + std::to_string(n));
            Words expected(2 * n + 4096), results(2 * n + 4096);
            ASSERT_OK(call.run(host, n, expected));
            ASSERT_OK(call.run(chosen, n, results));
            EXPECT_EQ(n <= middle, ran_on_host(chosen)) << explained(chosen);
            EXPECT_EQ(expected, results);
            EXPECT_EQ(0U, explained(chosen).find(std::string(call.kind) + " of ")) << explained(chosen);
        }
    }
    EXPECT_OK(gp_close(host));
    EXPECT_OK(gp_close(chosen));
}

TEST_F(Place, EitherSideMayWinEverywhere) {
    for (const bool host_wins : {true, false}) {
        file(model(host_wins ? uint64_t{1} << 60 : 1));
        gp_context *context = open("auto");
        for (const Call &call : kCalls) {
            Words results(2 * 100 + 4096);
            ASSERT_OK(call.run(context, call.root == 3 ? 5 : 100, results)) << call.kind;
            EXPECT_EQ(host_wins, ran_on_host(context)) << explained(context);
        }
        EXPECT_OK(gp_close(context));
    }
}

TEST_F(Place, ExplainsItsChoice) {
    file(model(3000));
    gp_context *context = open("auto");
    Words out(5000);
    ASSERT_OK(kCalls[0].run(context, 200, out));
    EXPECT_EQ("sort of 200 keys, uint32: on host; expected 2 us on host and 3 us on " +
                  std::string(test::device().name),
              explained(context));
    ASSERT_OK(kCalls[0].run(context, 2000, out));
    EXPECT_EQ("sort of 2000 keys, uint32: on " + std::string(test::device().name) +
                  "; expected 20 us on host and 3 us on " + test::device().name,
              explained(context));
    ASSERT_OK(gp_sort(context, GP_UINT32, 0, nullptr, nullptr));
    EXPECT_TRUE(ran_on_host(context)) << explained(context);
    EXPECT_OK(gp_close(context));
}

// In a context whose other calls run on the host.
void expect_that_texts_and_names_pin(gp_context *context) {
    const auto name = std::string(": on ") + test::device().name + "; ";
    const auto on_device = [&](gp_context *one) { return explained(one).find(name) != std::string::npos; };
    const int32_t in[3] = {1, 2, 3};
    int32_t out[3] = {};
    gp_scan_options options = GP_SCAN_OPTIONS_INIT;
    options.operator_source = "a + b";
    options.operator_identity = "0";
    ASSERT_OK(gp_scan(context, GP_INT32, 3, in, out, &options));
    EXPECT_EQ(6, out[2]);
    EXPECT_TRUE(on_device(context)) << explained(context);

    const void *const arrays[1] = {in};
    const gp_dtype types[1] = {GP_INT32};
    ASSERT_OK(gp_transform(context, 3, 1, types, arrays, GP_INT32, out, "2 * x0", nullptr));
    EXPECT_EQ(4, out[1]);
    EXPECT_TRUE(on_device(context)) << explained(context);

    int32_t elements[3] = {3, 1, 2};
    ASSERT_OK(gp_sort_by(context, 4, 3, elements, "int", "a < b", nullptr));
    EXPECT_EQ(1, elements[0]);
    EXPECT_TRUE(on_device(context)) << explained(context);

    // Names of algorithms, of either side.
    size_t count = 0;
    ASSERT_OK(gp_algorithms(GP_REDUCE, &count));
    for (size_t i = 0; i < count; ++i) {
        gp_algorithm_info info{};
        info.struct_size = sizeof info;
        ASSERT_OK(gp_algorithm_describe(GP_REDUCE, i, &info));
        gp_reduce_options reduce = GP_REDUCE_OPTIONS_INIT;
        reduce.algorithm = info.name;
        int32_t sum = 0;
        const gp_status status = gp_reduce(context, GP_INT32, 3, in, &sum, &reduce);
        if (status == GP_ERROR_ALGORITHM_REFUSED) continue; // by the side that has it
        ASSERT_OK(status);
        EXPECT_EQ(6, sum);
        EXPECT_EQ(info.on_host != 0, ran_on_host(context)) << info.name;
        EXPECT_EQ(info.on_host == 0, on_device(context)) << info.name;
    }
}

TEST_F(Place, OpenClCAndNamesPinIt) {
    file(model(uint64_t{1} << 60)); // the host would be better everywhere
    gp_context *context = open("auto");
    expect_that_texts_and_names_pin(context);
    EXPECT_OK(gp_close(context));
}

TEST_F(Place, ArraysThatNoBufferHoldsStayOnTheHost) {
    file(model(1)); // the device would be better everywhere
    gp_context *context = open("auto");
    const size_t stride = test::device().allocation_bytes / sizeof(int32_t) + 1, bytes = (stride + 1) * sizeof(int32_t);
    void *const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) GTEST_SKIP() << "no " << bytes << " addresses";
    auto *const in = static_cast<int32_t *>(memory);
    in[0] = 5;
    in[stride] = 7;
    gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
    options.batch = 2;
    options.stride_in = stride;
    int32_t out[2] = {};
    EXPECT_OK(gp_reduce(context, GP_INT32, 1, in, out, &options));
    EXPECT_EQ(5, out[0]);
    EXPECT_EQ(7, out[1]);
    EXPECT_NE(std::string::npos, explained(context).find("on host; an array is larger")) << explained(context);
    munmap(memory, bytes);
    EXPECT_OK(gp_close(context));
}

// The same.
void expect_that_buffers_are_the_devices(gp_context *context) {
    ASSERT_OK(gp_profile(context, 1));
    std::vector<int32_t> values = {3, 1, 2};
    gp_event *sorted = nullptr;
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.event = &sorted;
    ASSERT_OK(gp_sort(context, GP_INT32, 3, values.data(), &options));
    EXPECT_TRUE(ran_on_host(context));
    gp_timing timing{};
    timing.struct_size = sizeof timing;
    EXPECT_OK(gp_event_timing(sorted, &timing));
    EXPECT_LT(0U, timing.run_ns);

    gp_buffer *buffer = nullptr;
    ASSERT_OK(gp_buffer_create(context, 12, &buffer));
    gp_event *written = nullptr;
    ASSERT_OK(gp_enqueue_write(buffer, 0, 12, values.data(), 1, &sorted, &written));
    EXPECT_OK(gp_event_wait(written));
    ASSERT_OK(gp_enqueue_scan(context, GP_INT32, 3, buffer, 0, buffer, 0, nullptr, 0, nullptr, nullptr));
    std::vector<int32_t> sums(3);
    ASSERT_OK(gp_buffer_read(buffer, 0, 12, sums.data()));
    EXPECT_EQ((std::vector<int32_t>{1, 3, 6}), sums);
    for (gp_event *event : {sorted, written}) EXPECT_OK(gp_event_free(event));
    EXPECT_OK(gp_buffer_free(buffer));
}

TEST_F(Place, BuffersAreTheDevicesAndEventsMeet) {
    file(model(uint64_t{1} << 60));
    gp_context *context = open("auto");
    expect_that_buffers_are_the_devices(context);
    EXPECT_OK(gp_close(context));
}

TEST_F(Place, PinnedMemoryCounts) {
    // The device has 1 us of work for what the host has 10 for; ordinary memory takes 100 us to get
    // there.
    Call only = kCalls[0];
    std::string text;
    std::istringstream lines(begin_);
    for (std::string line; std::getline(lines, line);) {
        const bool is_pinned = line.find("-pinned") != std::string::npos;
        if (line.rfind("link command", 0) == 0)
            text += "link command 1\n";
        else if (line.rfind("link ", 0) == 0)
            text += line.substr(0, line.find(' ', 5)) +
                    (is_pinned ? " 1 1 1 1 1\n" : " 100000 100000 100000 100000 100000\n");
        else
            text += line + "\n";
    }
    for (unsigned grid = 3; grid <= 24; ++grid) { // of a sample with transfers both ways
        const uint64_t work = uint64_t{1} << (2 * grid);
        text += "sort uint32 " + std::to_string(grid) + " " + std::to_string(work) + " 50000 201000 4096 4096\n";
    }
    file(text);
    gp_context *context = open("auto");
    std::vector<uint32_t> ordinary = numbers(1000);
    ASSERT_OK(gp_sort(context, GP_UINT32, 1000, ordinary.data(), nullptr));
    EXPECT_TRUE(ran_on_host(context)) << explained(context);
    void *pinned = nullptr;
    ASSERT_OK(gp_host_alloc(context, 4000, &pinned));
    std::vector<uint32_t> values = numbers(1000);
    std::memcpy(pinned, values.data(), 4000);
    ASSERT_OK(gp_sort(context, GP_UINT32, 1000, pinned, nullptr));
    EXPECT_FALSE(ran_on_host(context)) << explained(context);
    EXPECT_EQ(0, std::memcmp(pinned, ordinary.data(), 4000));
    EXPECT_OK(gp_host_free(pinned));
    EXPECT_OK(gp_close(context));
}

// What it measured: the file is whole, nothing lies beside it, and a later context reads it.
TEST_F(Place, MeasuresOnceAndKeepsIt) {
    const fs::path name = file("");
    gp_context *context = open("auto");
    Words out(5000);
    ASSERT_OK(kCalls[5].run(context, 70, out));
    EXPECT_NE(std::string::npos, explained(context).find("expected ")) << explained(context);
    const std::string text = content(name);
    EXPECT_EQ(0U, text.rfind("gpcl places 1\n", 0)) << text;
    EXPECT_NE(std::string::npos, text.find("\nreduce int32 3 64 ")) << text;
    EXPECT_NE(std::string::npos, text.find("\nreduce int32 4 256 ")) << text;
    EXPECT_EQ(1, std::distance(fs::directory_iterator(folder_), {}));
    ASSERT_OK(kCalls[5].run(context, 71, out));
    EXPECT_EQ(text, content(name));
    EXPECT_OK(gp_close(context));
}

// Each kind's own sample runs, and tells its cost.
TEST_F(Place, MeasuresEveryKind) {
    if (test::max_n() <= 100) GTEST_SKIP() << "many programs";
    const fs::path name = file("");
    gp_context *context = open("auto");
    for (const Call &call : kCalls) {
        Words out(5000);
        ASSERT_OK(call.run(context, call.root == 3 ? 5 : 100, out)) << call.kind;
        EXPECT_NE(std::string::npos, explained(context).find("expected ")) << explained(context);
        const std::string line = std::string("\n") + call.kind + " " + type_name(call.dtype) + " 4 ";
        EXPECT_NE(std::string::npos, content(name).find(line)) << line;
    }
    EXPECT_OK(gp_close(context));
}

TEST_F(Place, PassesOverWhatMakesNoSense) {
    const std::vector<std::string> broken = {
        "gpcl places 1\n[",
        "gpcl places 1\n" + begin_ +
            "reduce int32 3 64 x 1 1 1\nreduce int32 3\nreduce nothing 3 64 1 1 1 1\n"
            "reduce int32 99999999999999999999 64 1 1 1 1\nreduce int32 3 0 0 0 0 0\nreduce int32 3 none none none "
            "none none\n",
        begin_.substr(0, begin_.size() / 2),
        begin_ + std::string("\0\xff\n", 3),
    };
    for (const std::string &text : broken) {
        if (test::max_n() <= 100 && &text != &broken[1]) continue; // simulators measure for long
        const fs::path name = file(text);
        gp_context *context = open("auto");
        Words out(5000);
        ASSERT_OK(kCalls[5].run(context, 70, out)) << text;
        EXPECT_NE(std::string::npos, explained(context).find("expected ")) << explained(context);
        EXPECT_NE(std::string::npos, content(name).find("\nreduce int32 3 64 ")) << content(name);
        EXPECT_OK(gp_close(context));
    }
    // Somebody else's file stays.
    const fs::path name = file("my diary\n");
    gp_context *context = open("auto");
    Words out(5000);
    ASSERT_OK(kCalls[5].run(context, 70, out));
    EXPECT_EQ("my diary\n", content(name));
    EXPECT_OK(gp_close(context));
}

TEST_F(Place, WorksWithoutAFile) {
    for (const char *nowhere : {"off", "/proc/self/no-such-folder/places"}) {
        setenv("GPCL_PLACES", nowhere, 1);
        EXPECT_STREQ(std::string("off") == nowhere ? "" : nowhere, gp_places_file());
        gp_context *context = open("auto");
        Words out(5000);
        ASSERT_OK(kCalls[5].run(context, 70, out));
        EXPECT_NE(std::string::npos, explained(context).find("expected ")) << explained(context);
        EXPECT_OK(gp_close(context));
    }
}

int reduce_few() {
    gp_context *context = nullptr;
    CHILD_OK(gp_open("auto", &context));
    Words out(5000);
    for (const size_t call : {5, 4, 9}) CHILD_OK(kCalls[call].run(context, 70, out));
    CHILD_OK(gp_close(context));
    return 0;
}

// A forked child has no OpenCL, and the host.
int fork_and_reduce() {
    gp_context *context = nullptr;
    CHILD_OK(gp_open("auto", &context));
    Words out(5000);
    CHILD_OK(kCalls[5].run(context, 70, out));
    const pid_t child = fork();
    if (child == 0) {
        const bool right = kCalls[5].run(context, 100000, out) == GP_SUCCESS &&
                           std::string(gp_explain(context)).find("on host; OpenCL does not work") != std::string::npos;
        _exit(right ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHILD_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHILD_OK(gp_close(context));
    return 0;
}

const test::Children children({{"reduce_few", reduce_few}, {"fork_and_reduce", fork_and_reduce}});

TEST_F(Place, SeveralProcessesMayMeasureAtOnce) {
    const fs::path name = file("");
    std::vector<std::unique_ptr<test::Child>> processes;
    for (int i = 0; i < 3; ++i)
        processes.push_back(
            std::make_unique<test::Child>("reduce_few", test::Environment{{"GPCL_PLACES", name.string()}}));
    for (const auto &process : processes) {
        const test::Ended ended = process->wait();
        EXPECT_EQ(0, ended.code) << ended.output;
    }
    const std::string text = content(name);
    EXPECT_EQ(0U, text.rfind(begin_.substr(0, begin_.find("link")), 0)) << text;
    EXPECT_NE(std::string::npos, text.find("\nis-sorted uint32 3 64 ")) << text; // what each does last
    EXPECT_EQ(1, std::distance(fs::directory_iterator(folder_), {}));
}

// A device with memory of its own, or one that is used as if it had.
TEST_F(Place, MeasuresTheWayToTheDevice) {
    if (test::max_n() <= 100) GTEST_SKIP() << "64 MiB take too long";
    const fs::path name = file("");
    const test::Ended ended =
        test::run_child("reduce_few", {{"GPCL_PLACES", name.string()}, {"GPCL_STAGING", "65536"}});
    EXPECT_EQ(0, ended.code) << ended.output;
    const std::string text = content(name);
    for (const char *way : {"up", "up-pinned", "down", "down-pinned"}) {
        const size_t at = text.find("\nlink " + std::string(way) + " ");
        ASSERT_NE(std::string::npos, at) << text;
        std::istringstream words(text.substr(at + 1, text.find('\n', at + 1) - at));
        std::string link, name_of_way;
        double first = 0, second = 0;
        words >> link >> name_of_way >> first >> second;
        EXPECT_LT(0, first) << text;
        EXPECT_LT(0, second) << text;
    }
}

TEST_F(Place, SeveralThreadsMayCallFirst) {
    const fs::path name = file("");
    gp_context *context = open("auto");
    std::vector<std::thread> threads;
    for (size_t thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
            Words out(5000);
            for (const size_t call : {5, 4, 9, 6}) {
                EXPECT_OK(kCalls[call].run(context, 70 + thread, out));
                EXPECT_EQ(0U, explained(context).find(std::string(kCalls[call].kind) + " of ")) << explained(context);
            }
        });
    }
    for (auto &thread : threads) thread.join();
    EXPECT_NE(std::string::npos, content(name).find("\narg-reduce int32 3 64 "));
    EXPECT_OK(gp_warmup(context, GP_REDUCE, GP_INT32));
    EXPECT_OK(gp_close(context));
}

TEST_F(Place, AForkedChildHasTheHost) {
    if (test::max_n() <= 100) GTEST_SKIP() << "Oclgrind ends the process";
    const test::Ended ended = test::run_child("fork_and_reduce", {{"GPCL_PLACES", (folder_ / "forked").string()}});
    EXPECT_EQ(0, ended.code) << ended.output;
}

TEST_F(Place, MeasuresWhatItIsTold) {
    EXPECT_EQ(GP_ERROR_UNSUPPORTED_DEVICE, gp_places_measure(test::context(), GP_SORT, GP_INT32));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_places_measure(nullptr, GP_SORT, GP_INT32));
    file("");
    gp_context *context = open("auto");
    EXPECT_EQ(GP_ERROR_OPERATION, gp_places_measure(context, 0, GP_INT32));
    EXPECT_EQ(GP_ERROR_DTYPE, gp_places_measure(context, GP_SORT, 0));
    EXPECT_OK(gp_places_measure(context, GP_TRANSFORM, GP_INT32)); // which has one place
    EXPECT_OK(gp_close(context));
}

// A context on a device that is this process' own CPU, as users open it; GPCL_LIMITS=no-host is for
// the other tests.
class OwnCpu : public testing::Test {
  protected:
    void SetUp() override {
        const gp_device_info &info = test::device();
        const std::string platform = info.platform;
        if (info.kind != GP_DEVICE_CPU || info.has_unified_memory == 0 || platform == "rusticl")
            GTEST_SKIP() << "the device is none";
        const char *const given = std::getenv("GPCL_LIMITS");
        limits_ = given != nullptr ? given : "";
        unsetenv("GPCL_LIMITS");
        context_ = open(nullptr);
    }
    void TearDown() override {
        if (context_ == nullptr) return;
        EXPECT_OK(gp_close(context_));
        setenv("GPCL_LIMITS", limits_.c_str(), 1);
    }
    // Where calls of a context run that is opened now.
    static std::string place_of_a_sort(const gp_open_options &options) {
        gp_context *context = nullptr;
        EXPECT_OK(gp_open_with(nullptr, &options, &context));
        std::vector<uint32_t> keys = numbers(1000), sorted = ascending(1000);
        EXPECT_OK(gp_sort(context, GP_UINT32, keys.size(), keys.data(), nullptr));
        EXPECT_EQ(sorted, keys);
        const std::string place = explained(context);
        EXPECT_OK(gp_close(context));
        return place;
    }

    std::string limits_;
    gp_context *context_ = nullptr;
};

TEST_F(OwnCpu, LeavesCallsOnHostPointersToTheHost) {
    gp_context *host = open("host");
    for (const Call &call : kCalls) {
        const size_t most = call.root == 3 ? 33 : 1000;
        for (const size_t n : {size_t{7}, size_t{33}, std::min(most, test::max_n())}) {
            SCOPED_TRACE(std::string(call.kind) + ", n = " + std::to_string(n));
            Words expected(2 * n * n + 4096), results(2 * n * n + 4096);
            ASSERT_OK(call.run(host, n, expected));
            ASSERT_OK(call.run(context_, n, results));
            EXPECT_EQ(expected, results);
            EXPECT_EQ(0U, explained(context_).find(std::string(call.kind) + " of ")) << explained(context_);
            EXPECT_NE(std::string::npos, explained(context_).find(": on host; the device is the host's own CPU"))
                << explained(context_);
        }
    }
    EXPECT_OK(gp_close(host));
}

// The commands of a call on buffers, which wait for an event.
TEST_F(OwnCpu, RunsTheHostsAlgorithmsInItsQueue) {
    ASSERT_OK(gp_profile(context_, 1));
    const size_t n = std::min<size_t>(test::max_n(), 1000);
    const std::vector<uint32_t> keys = numbers(n), sorted = ascending(n);
    gp_buffer *buffer = nullptr;
    ASSERT_OK(gp_buffer_create(context_, (n + 2) * 4, &buffer));
    const std::vector<uint32_t> canaries(n + 2, 0xcafe);
    ASSERT_OK(gp_buffer_write(buffer, 0, (n + 2) * 4, canaries.data()));
    gp_event *written = nullptr, *done = nullptr;
    ASSERT_OK(gp_enqueue_write(buffer, 4, 4 * n, keys.data(), 0, nullptr, &written));
    ASSERT_OK(gp_enqueue_sort(context_, GP_UINT32, n, buffer, 1, nullptr, 1, &written, &done));
    EXPECT_OK(gp_event_wait(done));
    std::vector<uint32_t> results(n + 2);
    ASSERT_OK(gp_buffer_read(buffer, 0, (n + 2) * 4, results.data()));
    EXPECT_EQ(0xcafeU, results.front());
    EXPECT_EQ(0xcafeU, results.back());
    EXPECT_TRUE(std::equal(sorted.begin(), sorted.end(), results.begin() + 1));
    gp_timing timing{};
    timing.struct_size = sizeof timing;
    ASSERT_OK(gp_event_timing(done, &timing));
    EXPECT_EQ(1U, timing.kernels);
    ASSERT_EQ(1U, timing.commands);
    gp_command command{};
    command.struct_size = sizeof command;
    ASSERT_OK(gp_event_command(done, 0, &command));
    EXPECT_STREQ("host sort", command.name);
    EXPECT_LT(0U, command.run_ns);
    for (gp_event *event : {written, done}) EXPECT_OK(gp_event_free(event));
    EXPECT_OK(gp_buffer_free(buffer));
}

// The host would read past the end of an array that can't be.
TEST_F(OwnCpu, RefusesArraysThatNoMemoryHolds) {
    int32_t value = 5;
    constexpr size_t kMany = SIZE_MAX / 8 - 1024; // its bytes fit size_t
    EXPECT_EQ(GP_ERROR_TOO_LARGE, gp_scan(context_, GP_INT32, kMany, &value, &value, nullptr));
    EXPECT_EQ(GP_ERROR_TOO_LARGE, gp_sort(context_, GP_INT32, kMany, &value, nullptr));
    EXPECT_EQ(5, value);
}

// A call on host pointers sees what was enqueued before.
TEST_F(OwnCpu, CallsOnHostPointersKeepTheOrder) {
    const size_t n = test::max_n();
    const std::vector<uint32_t> keys = numbers(n);
    std::vector<uint32_t> results(n);
    gp_buffer *buffer = nullptr;
    ASSERT_OK(gp_buffer_create(context_, 4 * n, &buffer));
    for (int turn = 0; turn < 10; ++turn) {
        std::fill(results.begin(), results.end(), 0);
        uint32_t sum = 0;
        ASSERT_OK(gp_enqueue_write(buffer, 0, 4 * n, keys.data(), 0, nullptr, nullptr));
        ASSERT_OK(gp_enqueue_sort(context_, GP_UINT32, n, buffer, 0, nullptr, 0, nullptr, nullptr));
        ASSERT_OK(gp_enqueue_read(buffer, 0, 4 * n, results.data(), 0, nullptr, nullptr));
        ASSERT_OK(gp_reduce(context_, GP_UINT32, n, results.data(), &sum, nullptr));
        EXPECT_EQ(std::accumulate(keys.begin(), keys.end(), uint32_t{0}), sum);
    }
    EXPECT_OK(gp_buffer_free(buffer));
}

// PoCL's threads keep taking denormal numbers for 0 after a kernel built with -cl-denorms-are-zero.
TEST_F(OwnCpu, DenormalNumbersCountAfterKernelsThatDropThem) {
    constexpr size_t kMany = 1000, kItems = 4096, kGroup = 16;
    const std::vector<float> small(kMany, 1e-40F), zeros(kItems);
    gp_buffer *in = nullptr, *sum = nullptr, *x = nullptr;
    ASSERT_OK(gp_buffer_create(context_, 4 * kMany, &in));
    ASSERT_OK(gp_buffer_create(context_, 4, &sum));
    ASSERT_OK(gp_buffer_create(context_, 4 * kItems, &x));
    ASSERT_OK(gp_buffer_write(in, 0, 4 * kMany, small.data()));
    ASSERT_OK(gp_buffer_write(x, 0, 4 * kItems, zeros.data()));
    gp_kernel *kernel = nullptr;
    ASSERT_OK(gp_kernel_build(context_, "kernel void halve(global float *x) { x[get_global_id(0)] *= 0.5f; }",
                              "-cl-denorms-are-zero", "halve", &kernel));
    float before = 0, after = 0;
    for (float *result : {&before, &after}) {
        ASSERT_OK(gp_enqueue_reduce(context_, GP_FLOAT32, kMany, in, 0, sum, 0, nullptr, 0, nullptr, nullptr));
        ASSERT_OK(gp_buffer_read(sum, 0, 4, result));
        const gp_argument argument = {x, nullptr, 0};
        ASSERT_OK(gp_enqueue_kernel(kernel, 1, &kItems, &kGroup, 1, &argument, 0, nullptr, nullptr));
        ASSERT_OK(gp_finish(context_));
    }
    EXPECT_LT(0.9e-37F, before);
    EXPECT_EQ(before, after);
    EXPECT_OK(gp_kernel_free(kernel));
    for (gp_buffer *buffer : {in, sum, x}) EXPECT_OK(gp_buffer_free(buffer));
}

// Enqueued calls do not wait for the device where a value comes from the host.
TEST_F(OwnCpu, EnqueuedCallsDoNotWait) {
    const size_t one = 1;
    const int32_t initial = 5;
    gp_kernel *kernel = nullptr;
    gp_buffer *x = nullptr;
    ASSERT_OK(gp_buffer_create(context_, 64, &x));
    ASSERT_OK(gp_kernel_build(
        context_, "kernel void slow(global volatile int *x) { for (int i = 0; i < 300000000; ++i) x[0] = i; }", nullptr,
        "slow", &kernel));
    const gp_argument argument = {x, nullptr, 0};
    ASSERT_OK(gp_enqueue_kernel(kernel, 1, &one, &one, 1, &argument, 0, nullptr, nullptr));
    ASSERT_OK(gp_flush(context_));
    ASSERT_OK(gp_deadline(context_, 1)); // ms, of which the kernel takes many
    gp_scan_options options = GP_SCAN_OPTIONS_INIT;
    options.initial = &initial;
    EXPECT_OK(gp_enqueue_scan(context_, GP_INT32, 4, x, 4, x, 8, &options, 0, nullptr, nullptr));
    EXPECT_EQ(GP_ERROR_TIMEOUT, gp_finish(context_)) << "the kernel was too quick to tell";
    ASSERT_OK(gp_deadline(context_, 0));
    EXPECT_OK(gp_finish(context_));
    EXPECT_OK(gp_kernel_free(kernel));
    EXPECT_OK(gp_buffer_free(x));
}

TEST_F(OwnCpu, TextsAndNamesPinThem) { expect_that_texts_and_names_pin(context_); }

TEST_F(OwnCpu, BuffersAreTheDevicesAndEventsMeet) { expect_that_buffers_are_the_devices(context_); }

TEST_F(OwnCpu, ABoundOnMemoryLeavesThemToTheDevice) {
    gp_open_options options = GP_OPEN_OPTIONS_INIT;
    EXPECT_NE(std::string::npos, place_of_a_sort(options).find("on host; "));
    options.memory_bytes = size_t{64} << 20;
    EXPECT_EQ(std::string::npos, place_of_a_sort(options).find("on host; "));
    options.memory_bytes = 0;
    setenv("GPCL_LIMITS", "no-host", 1);
    EXPECT_EQ(std::string::npos, place_of_a_sort(options).find("on host; "));
}

} // namespace
