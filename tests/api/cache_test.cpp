// The disk cache of built programs: it fills, it is used, and whatever happens to it results stay right.
// SPDX-License-Identifier: MIT
#include "child.h"
#include "support/support.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>

namespace fs = std::filesystem;

namespace {

// Children -------------------------------------------------------------------------------------------------------

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

int print_folder() {
    std::printf("[%s]", gp_cache_folder());
    return 0;
}

// --------------------------------------------------------------------------------------------------------------------

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

const test::Children children({{"sort_and_scan", sort_and_scan}, {"print_folder", print_folder}});

} // namespace
