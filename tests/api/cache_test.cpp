// The disk cache of built programs: it fills, it is used, and whatever happens to it results stay
// right.
// SPDX-License-Identifier: MIT
#include "child.h"
#include "support/support.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>

#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace fs = std::filesystem;

namespace {

using namespace std::string_literals;

// Children ----------------------------------------------------------------------------------------

int sort_and_scan() {
    gp_context *context = nullptr;
    CHILD_OK(gp_open(nullptr, &context));
    std::vector<float> keys(3000);
    for (size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<float>((i * 7919) % 3001);
    std::vector<float> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    CHILD_OK(gp_sort(context, GP_FLOAT32, keys.size(), keys.data(), nullptr));
    CHILD_CHECK(keys == sorted);
    std::vector<int32_t> counted(3000, 1);
    CHILD_OK(gp_scan(context, GP_INT32, counted.size(), counted.data(), counted.data(), nullptr));
    for (size_t i = 0; i < counted.size(); ++i) CHILD_CHECK(counted[i] == static_cast<int32_t>(i) + 1);
    CHILD_OK(gp_close(context));
    return 0;
}

int warm_up_and_sort() {
    const fs::path folder = gp_cache_folder();
    const auto stored = [&] { return std::distance(fs::directory_iterator(folder), fs::directory_iterator()); };
    gp_context *context = nullptr;
    CHILD_OK(gp_open(nullptr, &context));
    CHILD_OK(gp_warmup(context, GP_SORT, GP_UINT32));
    const auto before = stored();
    CHILD_CHECK(before > 0);
    for (const size_t n : {1, 1024, 1025, 4096, 65'535, 65'536, 300'000}) {
        std::vector<uint32_t> keys(n);
        for (size_t i = 0; i < n; ++i) keys[i] = static_cast<uint32_t>(i * 2654435761);
        CHILD_OK(gp_sort(context, GP_UINT32, n, keys.data(), nullptr));
        CHILD_CHECK(std::is_sorted(keys.begin(), keys.end()));
        CHILD_CHECK(stored() == before);
    }
    CHILD_OK(gp_close(context));
    return 0;
}

// How many kernels PoCL has compiled, each when it was first launched so; it keeps them in
// POCL_CACHE_DIR.
size_t compiled_by_pocl() {
    const char *folder = std::getenv("POCL_CACHE_DIR");
    if (folder == nullptr || !fs::exists(folder)) return 0;
    const fs::recursive_directory_iterator files(folder);
    return static_cast<size_t>(
        std::count_if(begin(files), end(files), [](const auto &one) { return one.path().extension() == ".so"; }));
}

// Calls on buffers of n elements whose n is a number in a buffer, on types that
// warm_up_and_call() warms up.
int call_counted(gp_context *context, size_t n) {
    gp_buffer *in = nullptr, *out = nullptr, *keys = nullptr, *places = nullptr, *number = nullptr;
    for (gp_buffer **buffer : {&in, &out, &keys, &places, &number}) CHILD_OK(gp_buffer_create(context, n * 8, buffer));
    for (gp_buffer *buffer : {in, keys}) {
        const std::vector<uint64_t> zeros(n);
        CHILD_OK(gp_buffer_write(buffer, 0, n * 8, zeros.data()));
    }
    const uint64_t count = n / 2;
    CHILD_OK(gp_buffer_write(number, 0, sizeof count, &count));
    const auto counted = [&](auto options) {
        options.n_buffer = number;
        return options;
    };
    const auto scan = counted(gp_scan_options GP_SCAN_OPTIONS_INIT);
    CHILD_OK(gp_enqueue_scan(context, GP_INT32, n, in, 0, out, 0, &scan, 0, nullptr, nullptr));
    const auto sort = counted(gp_sort_options GP_SORT_OPTIONS_INIT);
    CHILD_OK(gp_enqueue_sort(context, GP_UINT32, n, keys, 0, &sort, 0, nullptr, nullptr));
    const auto reduce = counted(gp_reduce_options GP_REDUCE_OPTIONS_INIT);
    CHILD_OK(gp_enqueue_reduce(context, GP_FLOAT32, n, in, 0, out, 0, &reduce, 0, nullptr, nullptr));
    const auto difference = counted(gp_difference_options GP_DIFFERENCE_OPTIONS_INIT);
    CHILD_OK(gp_enqueue_difference(context, GP_FLOAT32, n, in, 0, out, 0, &difference, 0, nullptr, nullptr));
    const auto is_sorted = counted(gp_is_sorted_options GP_IS_SORTED_OPTIONS_INIT);
    CHILD_OK(gp_enqueue_is_sorted(context, GP_FLOAT32, n, in, 0, places, 0, &is_sorted, 0, nullptr, nullptr));
    const auto best = counted(gp_arg_reduce_options GP_ARG_REDUCE_OPTIONS_INIT);
    CHILD_OK(gp_enqueue_arg_reduce(context, GP_MAXIMUM, GP_FLOAT32, n, in, 0, GP_UINT64, places, 0, out, 0, &best, 0,
                                   nullptr, nullptr));
    const auto histogram = counted(gp_histogram_options GP_HISTOGRAM_OPTIONS_INIT);
    if (n >= 256) {
        CHILD_OK(gp_enqueue_histogram(context, GP_UINT8, n, in, 0, 256, places, 0, &histogram, 0, nullptr, nullptr));
    }
    const auto top_k = counted(gp_top_k_options GP_TOP_K_OPTIONS_INIT);
    for (const size_t k : {size_t{1}, n / 3 + 1, n})
        CHILD_OK(gp_enqueue_top_k(context, GP_DESCENDING, GP_FLOAT32, n, in, 0, k, GP_UINT32, places, 0, nullptr, 0,
                                  &top_k, 0, nullptr, nullptr));
    auto search = counted(gp_search_options GP_SEARCH_OPTIONS_INIT);
    for (const bool both : {false, true}) {
        search.m_buffer = both ? number : nullptr;
        CHILD_OK(gp_enqueue_search(context, GP_FLOAT32, n, in, 0, n, in, 0, GP_UINT32, places, 0, &search, 0, nullptr,
                                   nullptr));
    }
    gp_merge_options merge = GP_MERGE_OPTIONS_INIT;
    merge.n_b_buffer = number;
    CHILD_OK(gp_enqueue_merge(context, GP_FLOAT32, n, in, 0, n, keys, 0, out, 0, &merge, 0, nullptr, nullptr));
    const auto unique = counted(gp_unique_options GP_UNIQUE_OPTIONS_INIT);
    CHILD_OK(gp_enqueue_unique(context, GP_FLOAT32, n, in, 0, out, 0, GP_UINT64, nullptr, 0, nullptr, 0, places, 0,
                               keys, 0, &unique, 0, nullptr, nullptr));
    CHILD_OK(gp_finish(context));
    for (gp_buffer *buffer : {in, out, keys, places, number}) CHILD_OK(gp_buffer_free(buffer));
    return 0;
}

// After gp_warmup a default call of any size finds its programs: what each of them stores in the
// folder tells. Nor does PoCL compile a kernel.
int warm_up_and_call() {
    const fs::path folder = gp_cache_folder();
    const auto stored = [&] { return std::distance(fs::directory_iterator(folder), fs::directory_iterator()); };
    gp_context *context = nullptr;
    CHILD_OK(gp_open(nullptr, &context));
    const std::pair<gp_operation, gp_dtype> warmed[] = {
        {GP_MATMUL, GP_FLOAT32},      {GP_SCAN, GP_INT32},
        {GP_SORT, GP_UINT32},         {GP_REDUCE, GP_FLOAT32},
        {GP_HISTOGRAM, GP_UINT8},     {GP_HISTOGRAM, GP_FLOAT32},
        {GP_RECURRENCE, GP_FLOAT32},  {GP_RECURRENCE_VARYING, GP_FLOAT32},
        {GP_ARG_REDUCE, GP_FLOAT32},  {GP_TOP_K, GP_FLOAT32},
        {GP_SEARCH, GP_FLOAT32},      {GP_IS_SORTED, GP_FLOAT32},
        {GP_MERGE, GP_FLOAT32},       {GP_HISTOGRAM_WEIGHTED, GP_FLOAT32},
        {GP_MERGE_RUNS, GP_FLOAT32},  {GP_PATHS, GP_FLOAT32},
        {GP_DIFFERENCE, GP_FLOAT32},  {GP_SELECT, GP_FLOAT32},
        {GP_GATHER, GP_FLOAT32},      {GP_TRANSPOSE_MATRIX, GP_FLOAT32},
        {GP_RUN_LENGTHS, GP_FLOAT32}, {GP_REDUCE_BY_KEY, GP_FLOAT32},
        {GP_UNIQUE, GP_FLOAT32},      {GP_SCAN_BY_KEY, GP_FLOAT32},
        {GP_REPEAT, GP_FLOAT32}};
    for (const auto &[operation, dtype] : warmed) CHILD_OK(gp_warmup(context, operation, dtype));
    const auto before = stored();
    const size_t compiled = compiled_by_pocl();
    CHILD_CHECK(before > 0);
    for (const size_t n : {1, 3, 100, 1025, 5000, 70'001, 300'000, 2'100'000}) {
        const std::vector<float> zeros(n);
        std::vector<float> out(n);
        std::vector<uint32_t> keys(n, 1);
        std::vector<uint64_t> counts(300);
        const float half = 0.5F;
        CHILD_OK(gp_scan(context, GP_INT32, n, zeros.data(), out.data(), nullptr));
        CHILD_OK(gp_sort(context, GP_UINT32, n, keys.data(), nullptr));
        CHILD_OK(gp_reduce(context, GP_FLOAT32, n, zeros.data(), out.data(), nullptr));
        for (const gp_dtype index : {GP_UINT32, GP_UINT64})
            CHILD_OK(gp_arg_reduce(context, GP_MAXIMUM, GP_FLOAT32, n, zeros.data(), index, counts.data(), out.data(),
                                   nullptr));
        CHILD_OK(gp_merge(context, GP_FLOAT32, n / 2, zeros.data(), n - n / 2, zeros.data(), out.data(), nullptr));
        for (const size_t runs : {size_t{2}, n}) {
            std::vector<uint64_t> offsets(runs + 1);
            for (size_t run = 0; run <= runs; ++run) offsets[run] = n * run / runs;
            CHILD_OK(gp_merge_runs(context, GP_FLOAT32, n, zeros.data(), runs, offsets.data(), out.data(), nullptr));
        }
        const std::vector<uint8_t> flags(n);
        uint64_t count = 0;
        CHILD_OK(gp_select(context, sizeof(float), n, zeros.data(), flags.data(), out.data(), &count, nullptr));
        CHILD_OK(gp_nonzero(context, GP_FLOAT32, n, zeros.data(), GP_UINT32, keys.data(), &count, nullptr));
        std::vector<uint64_t> of_each(n);
        CHILD_OK(gp_unique(context, GP_FLOAT32, n, zeros.data(), out.data(), GP_UINT64, nullptr, nullptr,
                           of_each.data(), &count, nullptr));
        CHILD_OK(gp_repeat(context, sizeof(float), n, zeros.data(), GP_UINT64, of_each.data(), n, out.data(), &count,
                           nullptr));
        CHILD_OK(gp_scan_by_key(context, GP_INT32, n, zeros.data(), GP_FLOAT32, zeros.data(), out.data(), nullptr));
        const std::vector<uint32_t> nothing(n);
        CHILD_OK(gp_gather(context, sizeof(float), n, zeros.data(), GP_INT32, n, nothing.data(), out.data(), nullptr));
        CHILD_OK(
            gp_scatter(context, sizeof(float), 1, zeros.data(), GP_UINT32, nothing.data(), n, out.data(), nullptr));
        for (const size_t m : {size_t{1}, n})
            CHILD_OK(gp_search(context, GP_FLOAT32, n, zeros.data(), m, zeros.data(), GP_UINT32, keys.data(), nullptr));
        for (const size_t k : {size_t{1}, std::min(n, size_t{10}), n / 3 + 1, n})
            CHILD_OK(gp_top_k(context, GP_DESCENDING, GP_FLOAT32, n, zeros.data(), k, GP_UINT32, keys.data(), nullptr,
                              nullptr));
        CHILD_OK(gp_is_sorted(context, GP_FLOAT32, n, zeros.data(), counts.data(), nullptr));
        CHILD_OK(gp_difference(context, GP_FLOAT32, n, zeros.data(), out.data(), nullptr));
        CHILD_OK(gp_recurrence(context, GP_FLOAT32, n, zeros.data(), out.data(), 1, &half, nullptr));
        CHILD_OK(gp_recurrence_varying(context, GP_FLOAT32, n, zeros.data(), zeros.data(), out.data(), nullptr));
        for (const size_t bins : {256, 7}) {
            gp_histogram_weighted_options weighted = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
            weighted.upper = 2;
            CHILD_OK(gp_histogram_weighted(context, GP_FLOAT32, n, zeros.data(), GP_FLOAT32, zeros.data(), bins,
                                           counts.data(), &weighted));
            gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
            CHILD_OK(gp_histogram(context, GP_UINT8, n, zeros.data(), bins, counts.data(), &options));
            options.upper = 2;
            CHILD_OK(gp_histogram(context, GP_FLOAT32, n, zeros.data(), bins, counts.data(), &options));
        }
        std::printf("n = %zu: %zu compiled\n", n, compiled_by_pocl() - compiled);
    }
    for (const size_t n : {1, 2, 7, 24, 25, 64, 131, 260}) {
        const std::vector<float> zeros(n * n);
        std::vector<float> c(n * n);
        for (const auto &[rows, columns] : {std::pair(n, n), std::pair(n, size_t{1}), std::pair(size_t{1}, n)})
            CHILD_OK(gp_matmul(context, GP_FLOAT32, rows, columns, n, zeros.data(), n, zeros.data(), columns, c.data(),
                               columns, nullptr));
        CHILD_OK(gp_transpose_matrix(context, sizeof(float), n, n, zeros.data(), n, c.data(), n, nullptr));
        std::vector<int32_t> nodes(n * n);
        for (int32_t *const predecessors : {static_cast<int32_t *>(nullptr), nodes.data()})
            CHILD_OK(gp_paths(context, GP_FLOAT32, n, zeros.data(), n, c.data(), n, predecessors, n, nullptr));
    }
    CHILD_CHECK(stored() == before);
    CHILD_CHECK(compiled_by_pocl() == compiled);
    for (const size_t n : {1, 100, 5000, 70'001, 300'000}) {
        if (const int code = call_counted(context, n); code != 0) return code;
        CHILD_CHECK(stored() == before);
    }
    CHILD_OK(gp_close(context));
    return 0;
}

int print_folder() {
    std::printf("[%s]", gp_cache_folder());
    return 0;
}

int print_problem() {
    std::printf("[%s]", gp_cache_problem());
    return 0;
}

// Prints what a kernel computes that was built from GPCL_TEST_NUMBER.
int print_number() {
    const std::string source = "kernel void k(global int *x) { x[0] = "s + std::getenv("GPCL_TEST_NUMBER") + "; }";
    gp_context *context = nullptr;
    gp_kernel *kernel = nullptr;
    gp_buffer *buffer = nullptr;
    CHILD_OK(gp_open(nullptr, &context));
    CHILD_OK(gp_kernel_build(context, source.c_str(), nullptr, "k", &kernel));
    CHILD_OK(gp_buffer_create(context, sizeof(int), &buffer));
    const gp_argument argument = {buffer, nullptr, 0};
    const size_t one = 1;
    CHILD_OK(gp_enqueue_kernel(kernel, 1, &one, nullptr, 1, &argument, 0, nullptr, nullptr));
    int number = 0;
    CHILD_OK(gp_buffer_read(buffer, 0, sizeof number, &number));
    std::printf("%d", number);
    CHILD_OK(gp_kernel_free(kernel));
    CHILD_OK(gp_buffer_free(buffer));
    CHILD_OK(gp_close(context));
    return 0;
}

constexpr uid_t kNobody = 65534;

int print_number_as_nobody() {
    CHILD_CHECK(setgid(kNobody) == 0 && setuid(kNobody) == 0);
    return print_number();
}

int print_problem_as_nobody() {
    CHILD_CHECK(setgid(kNobody) == 0 && setuid(kNobody) == 0);
    return print_problem();
}

// -------------------------------------------------------------------------------------------------

class Cache : public testing::Test {
  protected:
    void SetUp() override {
        const char *base = std::getenv("GPCL_CACHE_DIR");
        std::string name = fs::path(base != nullptr ? base : "/tmp") / "case.XXXXXX";
        fs::create_directories(fs::path(name).parent_path());
        ASSERT_NE(nullptr, mkdtemp(name.data()));
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }

    void run(const std::string &directory) const {
        const test::Ended ended = test::run_child("sort_and_scan", {{"GPCL_CACHE_DIR", directory}});
        EXPECT_EQ(0, ended.code) << ended.output;
        EXPECT_EQ("", ended.output) << "the library must not print";
    }
    std::vector<fs::path> entries() const {
        std::vector<fs::path> files;
        if (!fs::exists(folder_)) return files;
        for (const auto &entry : fs::recursive_directory_iterator(folder_)) {
            if (entry.is_regular_file()) files.push_back(entry.path());
        }
        std::sort(files.begin(), files.end());
        return files;
    }
    static std::string content(const fs::path &path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    fs::path folder_;
};

TEST_F(Cache, FillsOnceAndIsUsedAfterwards) {
    run(folder_);
    const auto first = entries();
    if (test::on_host()) {
        EXPECT_TRUE(first.empty()) << first[0];
        return;
    }
    ASSERT_FALSE(first.empty());
    std::vector<fs::file_time_type> times;
    for (const fs::path &path : first) times.push_back(fs::last_write_time(path));
    run(folder_);
    EXPECT_EQ(first, entries()) << "the second process should find what the first one stored";
    for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(times[i], fs::last_write_time(first[i])) << first[i];
}

TEST_F(Cache, DamagedFilesAreReplaced) {
    if (test::on_host()) GTEST_SKIP() << "host builds no programs";
    using Damage = std::function<std::string(const std::string &)>;
    const std::vector<std::pair<const char *, Damage>> damages = {
        {"garbage", [](const std::string &) { return std::string("this is no program"); }},
        {"truncated", [](const std::string &whole) { return whole.substr(0, whole.size() / 2); }},
        {"last byte missing", [](const std::string &whole) { return whole.substr(0, whole.size() - 1); }},
        {"empty", [](const std::string &) { return std::string(); }},
        {"zeroed", [](const std::string &whole) { return std::string(whole.size(), '\0'); }},
        {"tail zeroed",
         [](const std::string &whole) {
             return whole.substr(0, whole.size() / 2) + std::string(whole.size() - whole.size() / 2, '\0');
         }},
        {"one bit",
         [](std::string whole) {
             whole[whole.size() * 3 / 4] ^= 4;
             return whole;
         }},
        {"too long", [](const std::string &whole) { return whole + "more"; }},
    };
    run(folder_);
    const auto paths = entries();
    ASSERT_FALSE(paths.empty());
    for (const auto &[name, damage] : damages) {
        SCOPED_TRACE(name);
        std::vector<std::string> damaged;
        for (const fs::path &path : paths) {
            const std::string changed = damage(content(path));
            std::ofstream(path, std::ios::binary | std::ios::trunc) << changed;
            damaged.push_back(changed);
        }
        run(folder_);
        EXPECT_EQ(paths, entries());
        for (size_t i = 0; i < paths.size(); ++i) EXPECT_NE(damaged[i], content(paths[i])) << "not rebuilt";
    }
}

TEST_F(Cache, AnotherProgramsFileIsNotTaken) {
    if (test::on_host()) GTEST_SKIP() << "host builds no programs";
    run(folder_);
    const auto paths = entries();
    ASSERT_GE(paths.size(), 2u);
    const std::string first = content(paths[0]);
    for (size_t i = 0; i + 1 < paths.size(); ++i) {
        fs::copy_file(paths[i + 1], paths[i], fs::copy_options::overwrite_existing);
    }
    std::ofstream(paths.back(), std::ios::binary | std::ios::trunc) << first;
    run(folder_);
}

TEST_F(Cache, FoldersThatCannotBeWritten) {
    const fs::path file = folder_ / "a file";
    std::ofstream(file) << "not a folder";
    run(file);
    run(file / "below");
    run("/proc/gpcl");
    run("relative/folder/that/is/not/there");
    EXPECT_EQ("not a folder", content(file));
    fs::remove_all("relative");
}

TEST_F(Cache, FoldersInPlaceOfFiles) {
    if (test::on_host()) GTEST_SKIP() << "host builds no programs";
    run(folder_);
    for (const fs::path &path : entries()) {
        fs::remove(path);
        fs::create_directory(path);
    }
    run(folder_);
}

TEST_F(Cache, NothingIsBuiltAfterWarmUp) {
    if (test::on_host()) GTEST_SKIP() << "host builds no programs";
    // kernels/programs.cpp holds the same of described devices against the plans.
    if (test::spares_programs()) GTEST_SKIP() << "it builds for minutes on a CPU; GPCL_TEST_LONG=1 takes it";
    const std::string pocl = folder_.string() + ".pocl";
    fs::create_directory(pocl);
    const test::Ended ended =
        test::run_child("warm_up_and_call", {{"GPCL_CACHE_DIR", folder_}, {"POCL_CACHE_DIR", pocl}});
    fs::remove_all(pocl);
    EXPECT_EQ(0, ended.code) << ended.output;
}

// Nor where other values of parameters make other programs.
TEST_F(Cache, NothingIsBuiltAfterWarmUpOfTunedSorts) {
    if (test::on_host()) GTEST_SKIP() << "host builds no programs";
    const std::string file = folder_.string() + ".tuning";
    std::ofstream(file) << "gpcl tuning 1\n[" << test::device().name << "]\n"
                        << "sort uint32 single-tile most 1024\nsort uint32 radix-buckets buckets 256\n"
                        << "sort uint32 radix-buckets from 65536\nsort uint32 radix-tiles group 32\n";
    const test::Ended ended = test::run_child("warm_up_and_sort", {{"GPCL_CACHE_DIR", folder_}, {"GPCL_TUNING", file}});
    fs::remove(file);
    EXPECT_EQ(0, ended.code) << ended.output;
}

TEST_F(Cache, SwitchesOff) {
    const test::Environment off = {{"GPCL_CACHE_DIR", folder_}, {"GPCL_CACHE", "off"}};
    const test::Ended ended = test::run_child("sort_and_scan", off);
    EXPECT_EQ(0, ended.code) << ended.output;
    EXPECT_TRUE(entries().empty());
    EXPECT_EQ("[]", test::run_child("print_folder", off).output);
}

TEST_F(Cache, NamesItsFolder) {
    const std::string folder = folder_.string(); // which the child prints between brackets
    EXPECT_EQ(1u, test::run_child("print_folder", {{"GPCL_CACHE_DIR", folder_}}).output.find(folder));
    const std::string by_xdg =
        test::run_child("print_folder", {{"GPCL_CACHE_DIR", ""}, {"XDG_CACHE_HOME", folder_}}).output;
    EXPECT_EQ(1u, by_xdg.find(folder)) << by_xdg;
    EXPECT_NE(std::string::npos, by_xdg.find("gpcl")) << by_xdg;
    const std::string by_home =
        test::run_child("print_folder", {{"GPCL_CACHE_DIR", ""}, {"XDG_CACHE_HOME", ""}, {"HOME", folder_}}).output;
    EXPECT_EQ(1u, by_home.find(folder + "/.cache/")) << by_home;
    const test::Ended homeless =
        test::run_child("sort_and_scan", {{"GPCL_CACHE_DIR", ""}, {"XDG_CACHE_HOME", ""}, {"HOME", ""}});
    EXPECT_EQ(0, homeless.code) << homeless.output;
}

std::string problem(const test::Environment &changes, const char *child = "print_problem") {
    const test::Ended ended = test::run_child(child, changes);
    EXPECT_EQ(0, ended.code) << ended.output;
    return ended.output;
}

TEST_F(Cache, TellsWhyItIsNotUsed) {
    const auto of = [](const fs::path &folder) { return problem({{"GPCL_CACHE_DIR", folder}}); };
    const auto expect = [](const std::string &words, const std::string &told) {
        EXPECT_NE(std::string::npos, told.find(words)) << told;
    };
    EXPECT_EQ("[]", of(folder_));
    EXPECT_EQ("[]", of(folder_ / "missing" / "below"));
    EXPECT_TRUE(fs::is_directory(folder_ / "missing" / "below"));
    expect("GPCL_CACHE", problem({{"GPCL_CACHE_DIR", folder_}, {"GPCL_CACHE", "off"}}));
    expect("HOME", problem({{"GPCL_CACHE_DIR", ""}, {"XDG_CACHE_HOME", ""}, {"HOME", ""}}));
    std::ofstream(folder_ / "file") << "no folder";
    for (const fs::path &path : {folder_ / "file", folder_ / "file" / "below"}) expect("Not a directory", of(path));
    fs::create_directory_symlink(folder_, folder_ / "link");
    expect("is a link", of(folder_ / "link"));
    EXPECT_EQ("[]", of(folder_ / "link" / "below")) << "a link above the folder";
    for (const unsigned mode : {0720u, 0702u}) {
        fs::permissions(folder_ / "missing", fs::perms(mode));
        expect("can be written by other users", of(folder_ / "missing"));
    }
}

TEST_F(Cache, TellsThatItIsAnotherUsers) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
    ASSERT_EQ(0, chown(folder_.c_str(), kNobody, kNobody));
    const std::string told = problem({{"GPCL_CACHE_DIR", folder_}});
    EXPECT_NE(std::string::npos, told.find("belongs to user 65534; expected user 0")) << told;
}

TEST_F(Cache, TellsThatNothingCanBeAdded) {
    if (geteuid() != 0) GTEST_SKIP() << "root alone can become another user";
    std::string name = fs::temp_directory_path() / "gpcl-cache.XXXXXX"; // which other users can reach
    ASSERT_NE(nullptr, mkdtemp(name.data()));
    fs::permissions(name, fs::perms(0755));
    const std::string told = problem({{"GPCL_CACHE_DIR", name}}, "print_problem_as_nobody");
    EXPECT_NE(std::string::npos, told.find("no file can be added")) << told;
    fs::remove(name);
}

TEST_F(Cache, SixteenProcessesStartTogether) {
    std::vector<std::unique_ptr<test::Child>> children;
    for (int i = 0; i < 16; ++i) {
        children.push_back(
            std::make_unique<test::Child>("sort_and_scan", test::Environment{{"GPCL_CACHE_DIR", folder_}}));
    }
    for (auto &child : children) {
        const test::Ended ended = child->wait();
        EXPECT_EQ(0, ended.code) << ended.output;
        EXPECT_EQ("", ended.output);
    }
    if (test::on_host()) return;
    const auto left = entries();
    EXPECT_FALSE(left.empty());
    run(folder_);
    EXPECT_EQ(left, entries()) << "a whole set of entries and no temporary file";
}

TEST_F(Cache, IsThisUsersAlone) {
    if (test::on_host()) GTEST_SKIP() << "host builds no programs";
    const mode_t before = umask(0);
    run(folder_ / "a" / "b");
    umask(before);
    const auto mode_of = [](const fs::path &path) { return static_cast<unsigned>(fs::status(path).permissions()); };
    for (const fs::path &path : {folder_ / "a", folder_ / "a" / "b"}) EXPECT_EQ(0700u, mode_of(path)) << path;
    ASSERT_FALSE(entries().empty());
    for (const fs::path &path : entries()) EXPECT_EQ(0600u, mode_of(path)) << path;
}

// An entry under the name and key of the program that prints 1, whole in every respect, that holds
// the program that prints 2. Whoever puts it where it is taken runs code as this user.
class PlantedEntry : public testing::Test {
  protected:
    // The two entries, and what PoCL keeps of their programs, are the same in every test.
    static void SetUpTestSuite() {
        if (test::on_host()) return;
        std::string name = fs::temp_directory_path() / "gpcl-cache.XXXXXX";
        ASSERT_NE(nullptr, mkdtemp(name.data()));
        built_ = name;
        const std::string first = entry(built_ / "1", "1"), second = entry(built_ / "2", "2");
        ASSERT_FALSE(first.empty());
        planted_ = plant(first, binary(second));
    }
    static void TearDownTestSuite() {
        if (!built_.empty()) fs::remove_all(built_);
    }
    void SetUp() override {
        if (test::on_host()) GTEST_SKIP() << "host builds no programs";
        std::string name = fs::temp_directory_path() / "gpcl-cache.XXXXXX"; // which other users can reach
        ASSERT_NE(nullptr, mkdtemp(name.data()));
        base_ = name;
        fs::permissions(base_, fs::perms(0755));
        folder_ = base_ / "folder";
        ASSERT_FALSE(planted_.empty());
        fs::create_directory(folder_);
        fs::permissions(folder_, fs::perms(0700));
        put(path(), planted_);
    }
    void TearDown() override { fs::remove_all(base_); }

    fs::path path() const { return folder_ / name_; }
    // Of PoCL; another user needs one of its own.
    fs::path pocl_folder(const std::string &child) const {
        return child == "print_number" ? built_ / child : base_ / child;
    }
    static void put(const fs::path &path, const std::string &content) {
        std::ofstream(path, std::ios::binary) << content;
        fs::permissions(path, fs::perms(0600));
    }
    static std::string content(const fs::path &path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    // What the program prints that ought to print 1.
    std::string printed(const fs::path &directory, const char *child = "print_number") const {
        const std::string drivers = pocl_folder(child); // PoCL's and Mesa's, which that child may write
        const test::Ended ended = test::run_child(child, {{"GPCL_CACHE_DIR", directory},
                                                          {"GPCL_TEST_NUMBER", "1"},
                                                          {"POCL_CACHE_DIR", drivers},
                                                          {"XDG_CACHE_HOME", drivers}});
        EXPECT_EQ(0, ended.code) << ended.output;
        return ended.output;
    }
    // Not taken, and another one of this user's own in its place afterwards.
    void expect_replaced() const {
        EXPECT_EQ("1", printed(folder_));
        const fs::file_status now = fs::symlink_status(path());
        EXPECT_TRUE(fs::is_regular_file(now));
        EXPECT_EQ(fs::perms(0600), now.permissions());
        EXPECT_NE(planted_, content(path()));
        EXPECT_EQ("1", printed(folder_)) << "from the new entry";
    }
    // Nothing is taken from the folder, and nothing is put into it.
    void expect_untouched() const {
        EXPECT_EQ("1", printed(folder_));
        EXPECT_EQ(planted_, content(path()));
        fs::remove(path());
        EXPECT_EQ("1", printed(folder_));
        EXPECT_TRUE(fs::is_empty(folder_));
    }

    // Entries as lib/cl/cache.cpp lays them out: magic, bytes of the key and of the binary, check,
    // key, binary.
    static constexpr size_t kHeader = 32;
    static uint64_t number(const std::string &entry, size_t at) {
        uint64_t value = 0;
        std::memcpy(&value, entry.data() + at, sizeof value);
        return value;
    }
    static std::string binary(const std::string &entry) { return entry.substr(kHeader + number(entry, 8)); }
    static std::string plant(const std::string &entry, const std::string &binary) {
        const std::string key = entry.substr(kHeader, number(entry, 8));
        const uint64_t numbers[] = {
            key.size(), binary.size(),
            XXH3_64bits_withSeed(binary.data(), binary.size(), XXH3_64bits(key.data(), key.size()))};
        std::string result = entry.substr(0, 8);
        result.append(reinterpret_cast<const char *>(numbers), sizeof numbers);
        return result + key + binary;
    }

    static inline fs::path built_, name_;
    static inline std::string planted_;
    fs::path base_, folder_;

  private:
    static std::string entry(const fs::path &directory, const std::string &number) {
        EXPECT_EQ(number, test::run_child("print_number", {{"GPCL_CACHE_DIR", directory},
                                                           {"GPCL_TEST_NUMBER", number},
                                                           {"POCL_CACHE_DIR", built_ / "print_number"}})
                              .output);
        if (!fs::exists(directory)) return {};
        const fs::directory_iterator one(directory);
        if (number == "1") name_ = one->path().filename();
        return content(one->path());
    }
};

TEST_F(PlantedEntry, IsTakenWhereOnlyThisUserCouldPutIt) {
    EXPECT_EQ("2", printed(folder_)) << "else the other tests show nothing";
    fs::permissions(folder_, fs::perms(0755)); // to be read by others
    fs::permissions(path(), fs::perms(0644));
    EXPECT_EQ("2", printed(folder_));
    fs::create_directory_symlink(base_, base_ / "link");
    EXPECT_EQ("2", printed(base_ / "link" / "folder")) << "a link above the folder";
}

TEST_F(PlantedEntry, FoldersThatOthersCanWrite) {
    for (const unsigned mode : {0720u, 0702u, 01777u}) {
        SCOPED_TRACE(testing::Message() << std::oct << mode);
        fs::permissions(folder_, fs::perms(mode));
        put(path(), planted_);
        expect_untouched();
    }
}

TEST_F(PlantedEntry, EntriesThatOthersCanWrite) {
    for (const unsigned mode : {0620u, 0602u}) {
        SCOPED_TRACE(testing::Message() << std::oct << mode);
        put(path(), planted_);
        fs::permissions(path(), fs::perms(mode));
        expect_replaced();
    }
}

TEST_F(PlantedEntry, Links) {
    fs::rename(path(), base_ / "elsewhere");
    fs::create_symlink(base_ / "elsewhere", path());
    expect_replaced();
    EXPECT_EQ(planted_, content(base_ / "elsewhere"));
    put(path(), planted_);
    fs::create_directory_symlink(folder_, base_ / "link");
    EXPECT_EQ("1", printed(base_ / "link"));
    EXPECT_EQ(planted_, content(path()));
}

TEST_F(PlantedEntry, WhatIsNoFile) {
    fs::remove(path());
    ASSERT_EQ(0, mkfifo(path().c_str(), 0600));
    expect_replaced();
    fs::remove(path());
    fs::create_symlink("/dev/zero", path());
    expect_replaced();
    fs::remove(path());
    if (mknod(path().c_str(), S_IFCHR | 0600, makedev(1, 5)) == 0) expect_replaced(); // /dev/zero, for root
}

TEST_F(PlantedEntry, LargeOnes) {
    // The binary follows a list of lines.
    put(path(), plant(planted_, std::string(1 << 20, '\n') + binary(planted_)));
    EXPECT_EQ("2", printed(folder_)) << "else the size is not what keeps the next one out";
    put(path(), plant(planted_, std::string(64 << 20, '\n') + binary(planted_)));
    expect_replaced();
    fs::resize_file(path(), uintmax_t{1} << 40);
    expect_replaced();
}

// Each member of the header, and the key, decides whether an entry is taken.
TEST_F(PlantedEntry, AlteredHeaders) {
    const auto expect_refused = [&](const std::string &entry) {
        put(path(), entry);
        expect_replaced();
        EXPECT_NE(entry, content(path()));
    };
    for (const size_t at : {0, 7, 8, 15, 16, 23, 24, 31, 32}) { // the first and the last byte of each
        SCOPED_TRACE(at);
        std::string entry = planted_;
        entry[at] = static_cast<char>(entry[at] ^ 1);
        expect_refused(entry);
    }
    for (const uint64_t bytes : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, ~uint64_t{0} - kHeader + 1}) {
        for (const size_t at : {8, 16}) {
            SCOPED_TRACE(testing::Message() << bytes << " at " << at);
            std::string entry = planted_;
            std::memcpy(entry.data() + at, &bytes, sizeof bytes);
            expect_refused(entry);
        }
    }
    const size_t key = number(planted_, 8);
    for (const size_t length : {size_t{0}, size_t{7}, kHeader - 1, kHeader, kHeader + key - 1, kHeader + key}) {
        SCOPED_TRACE(length);
        expect_refused(planted_.substr(0, length));
    }
}

TEST_F(PlantedEntry, OfAnotherUser) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
    ASSERT_EQ(0, chown(path().c_str(), kNobody, kNobody));
    expect_replaced();
    put(path(), planted_);
    ASSERT_EQ(0, chown(folder_.c_str(), kNobody, kNobody));
    expect_untouched();
}

TEST_F(PlantedEntry, OfRoot) {
    if (geteuid() != 0) GTEST_SKIP() << "root alone can become another user";
    fs::permissions(folder_, fs::perms(0755));
    fs::permissions(path(), fs::perms(0644));
    const char *const as_nobody = "print_number_as_nobody";
    fs::create_directory(base_ / as_nobody);
    fs::permissions(base_ / as_nobody, fs::perms(0777));
    EXPECT_EQ("2", printed(folder_, as_nobody));
    ASSERT_EQ(0, chown(path().c_str(), 1, 1));
    EXPECT_EQ("1", printed(folder_, as_nobody));
}

const test::Children children({{"sort_and_scan", sort_and_scan},
                               {"warm_up_and_call", warm_up_and_call},
                               {"warm_up_and_sort", warm_up_and_sort},
                               {"print_folder", print_folder},
                               {"print_problem", print_problem},
                               {"print_problem_as_nobody", print_problem_as_nobody},
                               {"print_number", print_number},
                               {"print_number_as_nobody", print_number_as_nobody}});

} // namespace
