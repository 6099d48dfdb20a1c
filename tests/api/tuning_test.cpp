// Parameters of algorithms: their list, setting them, and the tuning file that keeps them.
// SPDX-License-Identifier: MIT
#include "support/support.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <sys/stat.h>

namespace fs = std::filesystem;

namespace {

std::vector<gp_parameter_info> parameters(gp_context *context, gp_operation operation = GP_MATMUL,
                                          gp_dtype dtype = GP_FLOAT32) {
    size_t count = 0;
    EXPECT_OK(gp_parameters(operation, &count));
    std::vector<gp_parameter_info> result(count);
    for (size_t i = 0; i < count; ++i) {
        result[i].struct_size = sizeof result[i];
        EXPECT_OK(gp_parameter_describe(context, operation, dtype, i, &result[i]));
    }
    return result;
}

size_t value_of(gp_context *context, const std::string &algorithm, const std::string &name,
                gp_dtype dtype = GP_FLOAT32) {
    for (const auto &each : parameters(context, GP_MATMUL, dtype))
        if (algorithm == each.algorithm && name == each.name) return each.value;
    ADD_FAILURE() << "no " << algorithm << " " << name;
    return 0;
}

// The values that `panels depth` can have and that it has not.
std::vector<size_t> other_depths() {
    std::vector<size_t> depths;
    for (const auto &each : parameters(test::context()))
        if (std::string("panels") == each.algorithm && std::string("depth") == each.name)
            for (size_t i = 0; i < each.value_count; ++i)
                if (each.values[i] != each.preset) depths.push_back(each.values[i]);
    return depths;
}

gp_status set_depth(gp_context *context, size_t value) {
    return gp_parameter_set(context, GP_MATMUL, GP_FLOAT32, "panels", "depth", value);
}

class Tuning : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("gpcl-tuning-" + std::to_string(getpid()));
        fs::create_directories(folder_);
        file_ = folder_ / "tuning";
        const char *old = std::getenv("GPCL_TUNING");
        if (old != nullptr) old_ = old;
        setenv("GPCL_TUNING", file_.c_str(), 1);
    }
    void TearDown() override {
        if (old_.empty())
            unsetenv("GPCL_TUNING");
        else
            setenv("GPCL_TUNING", old_.c_str(), 1);
        fs::remove_all(folder_);
    }
    void write(const std::string &text) const { std::ofstream(file_) << text; }
    std::string content() const {
        std::ostringstream text;
        text << std::ifstream(file_).rdbuf();
        return text.str();
    }
    // What a context that is opened now uses.
    size_t depth() const {
        gp_context *context = nullptr;
        EXPECT_OK(gp_open(test::device().selector, &context));
        const size_t value = value_of(context, "panels", "depth");
        EXPECT_OK(gp_close(context));
        return value;
    }
    static std::string heading() { return "[" + std::string(test::device().name) + "]\n"; }

    fs::path folder_, file_;
    std::string old_;
    const size_t preset_ = value_of(test::context(), "panels", "depth");
    const size_t other_ = other_depths().at(0);
};

TEST_F(Tuning, EveryParameterIsDescribed) {
    for (const gp_operation operation : test::operations()) {
        for (gp_dtype dtype = GP_INT8; dtype <= GP_BFLOAT16; ++dtype)
            EXPECT_FALSE(parameters(test::context(), operation, dtype).empty());
        size_t count = 0;
        ASSERT_OK(gp_algorithms(operation, &count));
        std::set<std::string> algorithms;
        for (size_t i = 0; i < count; ++i) {
            gp_algorithm_info info{};
            info.struct_size = sizeof info;
            ASSERT_OK(gp_algorithm_describe(operation, i, &info));
            algorithms.insert(info.name);
        }
        std::set<std::pair<std::string, std::string>> seen;
        for (gp_dtype dtype = GP_INT8; dtype <= GP_BFLOAT16; ++dtype)
            for (const auto &each : parameters(test::context(), operation, dtype)) {
                SCOPED_TRACE(std::string(gp_dtype_name(dtype)) + ", " + each.algorithm + " " + each.name);
                EXPECT_EQ(1U, algorithms.count(each.algorithm));
                EXPECT_EQ(dtype == GP_INT8, seen.emplace(each.algorithm, each.name).second);
                EXPECT_GT(std::strlen(each.summary), 0U);
                ASSERT_LE(each.value_count, std::size(each.values));
                EXPECT_EQ(each.preset, each.value);
                const auto *const end = each.values + each.value_count;
                EXPECT_TRUE(std::is_sorted(each.values, end));
                EXPECT_EQ(1, std::count(each.values, end, each.preset));
                EXPECT_EQ(0, std::count(each.values, end, 0U));
            }
    }
}

// A value that was asked for before is not remembered past the next one.
TEST_F(Tuning, EachContextHasItsOwn) {
    gp_context *other = nullptr;
    ASSERT_OK(gp_open(test::device().selector, &other));
    EXPECT_EQ(preset_, value_of(other, "panels", "depth"));
    for (const size_t value : other_depths()) {
        ASSERT_OK(set_depth(other, value));
        EXPECT_EQ(value, value_of(other, "panels", "depth"));
        EXPECT_EQ(preset_, value_of(test::context(), "panels", "depth"));
    }
    EXPECT_OK(gp_close(other));
}

// Every operation's are set, saved, and read again.
TEST_F(Tuning, OfEveryOperation) {
    std::map<gp_operation, size_t> chosen; // of the first parameter
    gp_context *writer = nullptr, *reader = nullptr;
    ASSERT_OK(gp_open(test::device().selector, &writer));
    for (const gp_operation operation : test::operations()) {
        const auto first = parameters(writer, operation).at(0);
        chosen[operation] = first.values[first.values[0] == first.preset ? 1 : 0];
        ASSERT_OK(gp_parameter_set(writer, operation, GP_FLOAT32, first.algorithm, first.name, chosen[operation]));
    }
    ASSERT_OK(gp_tuning_save(writer, nullptr));
    ASSERT_OK(gp_open(test::device().selector, &reader));
    for (const auto &[operation, value] : chosen) {
        EXPECT_EQ(value, parameters(writer, operation).at(0).value);
        EXPECT_EQ(value, parameters(reader, operation).at(0).value);
    }
    EXPECT_OK(gp_close(writer));
    EXPECT_OK(gp_close(reader));
}

TEST_F(Tuning, SetsAndGoesBack) {
    ASSERT_OK(set_depth(test::context(), other_));
    EXPECT_EQ(other_, value_of(test::context(), "panels", "depth"));
    EXPECT_EQ(preset_, value_of(test::context(), "panels", "depth", GP_FLOAT64)) << "another type";
    ASSERT_OK(set_depth(test::context(), 0));
    EXPECT_EQ(preset_, value_of(test::context(), "panels", "depth"));
}

TEST_F(Tuning, RefusesWhatIsNone) {
    gp_context *const context = test::context();
    EXPECT_EQ(GP_ERROR_OPTION, set_depth(context, 7));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "expected one of")) << gp_error_message();
    EXPECT_EQ(GP_ERROR_OPTION, gp_parameter_set(context, GP_MATMUL, GP_FLOAT32, "panels", "colour", 1));
    EXPECT_EQ(GP_ERROR_OPTION, gp_parameter_set(context, GP_MATMUL, GP_FLOAT32, "naive", "depth", 64));
    EXPECT_EQ(GP_ERROR_OPTION, gp_parameter_set(context, GP_SCAN, GP_FLOAT32, "panels", "depth", 64));
    EXPECT_EQ(GP_ERROR_OPERATION, gp_parameter_set(context, 77, GP_FLOAT32, "panels", "depth", 64));
    EXPECT_EQ(GP_ERROR_DTYPE, gp_parameter_set(context, GP_MATMUL, 77, "panels", "depth", 64));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_parameter_set(context, GP_MATMUL, GP_FLOAT32, nullptr, "depth", 64));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_parameter_set(context, GP_MATMUL, GP_FLOAT32, "panels", nullptr, 64));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, set_depth(nullptr, 64));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_parameters(GP_MATMUL, nullptr));
    size_t count = 0;
    EXPECT_EQ(GP_ERROR_OPERATION, gp_parameters(0, &count));
    gp_parameter_info info{};
    EXPECT_EQ(GP_ERROR_STRUCT_SIZE, gp_parameter_describe(context, GP_MATMUL, GP_FLOAT32, 0, &info));
    info.struct_size = sizeof info;
    EXPECT_EQ(GP_ERROR_INDEX, gp_parameter_describe(context, GP_MATMUL, GP_FLOAT32, 1000, &info));
    EXPECT_EQ(GP_ERROR_DTYPE, gp_parameter_describe(context, GP_MATMUL, 0, 0, &info));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_parameter_describe(context, GP_MATMUL, GP_FLOAT32, 0, nullptr));
}

TEST_F(Tuning, IsSavedAndRead) {
    EXPECT_EQ(file_, gp_tuning_file());
    EXPECT_EQ(preset_, depth()) << "without a file";
    ASSERT_OK(set_depth(test::context(), other_));
    ASSERT_OK(gp_tuning_save(test::context(), nullptr));
    ASSERT_OK(set_depth(test::context(), 0));
    EXPECT_EQ(other_, depth());
    EXPECT_EQ("gpcl tuning 1\n" + heading() + "matmul float32 panels depth " + std::to_string(other_) + "\n",
              content());
    EXPECT_EQ(1, std::distance(fs::directory_iterator(folder_), {})) << "nothing is left beside the file";
    setenv("GPCL_TUNING", "off", 1);
    EXPECT_STREQ("", gp_tuning_file());
    EXPECT_EQ(preset_, depth());
    EXPECT_EQ(GP_ERROR_FILE, gp_tuning_save(test::context(), nullptr));
}

TEST_F(Tuning, KeepsWhatItSaysOfOtherDevices) {
    const std::string others = "[Another [device]]\nmatmul float32 panels depth 64\n";
    write("gpcl tuning 1\n" + others + heading() + "matmul float32 panels rows 2\n");
    ASSERT_OK(set_depth(test::context(), other_));
    ASSERT_OK(gp_tuning_save(test::context(), file_.c_str()));
    ASSERT_OK(set_depth(test::context(), 0));
    EXPECT_EQ("gpcl tuning 1\n" + others + heading() + "matmul float32 panels depth " + std::to_string(other_) + "\n",
              content());
}

TEST_F(Tuning, EveryOperationHasItsName) {
    std::string text = "gpcl tuning 1\n" + heading(); // by the operations' names, as it is written
    for (const char *operation : {"histogram", "matmul", "recurrence", "recurrence-varying", "reduce", "scan", "sort"})
        text += std::string(operation) + " float32 panels depth 64\n";
    write(text);
    gp_context *context = nullptr;
    ASSERT_OK(gp_open(test::device().selector, &context));
    fs::remove(file_);
    ASSERT_OK(gp_tuning_save(context, nullptr));
    EXPECT_OK(gp_close(context));
    EXPECT_EQ(text, content());
    size_t count = 0;
    EXPECT_EQ(GP_ERROR_OPERATION, gp_algorithms(77, &count));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "histogram, recurrence, recurrence-varying"))
        << gp_error_message();
}

TEST_F(Tuning, PassesOverWhatMakesNoSense) {
    const std::string line = "matmul float32 panels depth " + std::to_string(other_) + "\n";
    write("gpcl tuning 1\n" + heading() + line);
    ASSERT_EQ(other_, depth());
    write("gpcl tuning 1\n" + heading() + "noise\nmatmul float32 panels depth\nmatmul float32 panels depth 3 4\n" +
          "fly float32 panels depth 64\nmatmul float31 panels depth 64\n\n# remark\nmatmul float32 panels depth -1\n" +
          line + "matmul float32 panels depth many\n");
    EXPECT_EQ(other_, depth());
    std::string separated = std::to_string(other_); // 6.4, as a locale may write it
    separated.insert(1, 1, '.');
    for (const std::string &text :
         {"gpcl tuning 1\n" + heading() + "matmul float32 panels depth 7\n", // a value that it can't have
          "gpcl tuning 1\n" + heading() + "matmul float32 panels depth " + separated + "\n",
          "gpcl tuning 1\n" + heading() + "matmul float64 panels depth 64\n",                  // another type
          "gpcl tuning 1\n[another device]\n" + line, "gpcl tuning 1\n" + line,                // another device, none
          "gpcl tuning 2\n" + heading() + line, std::string("{\"depth\": 64}"), std::string(), // another format
          std::string(100000, '\0'), std::string("\xff\xfe\x00[", 4)}) {
        write(text);
        EXPECT_EQ(preset_, depth()) << text.substr(0, 100);
    }
    fs::remove(file_);
    fs::create_directory(file_);
    EXPECT_EQ(preset_, depth()) << "a folder";
}

TEST_F(Tuning, IsWrittenThroughLinks) {
    fs::create_directory(folder_ / "kept");
    fs::create_symlink("kept/first", file_);
    fs::create_symlink("second", folder_ / "kept" / "first");
    for (const char *const state : {"the last link leads nowhere", "it leads to a file"}) {
        SCOPED_TRACE(state);
        ASSERT_OK(set_depth(test::context(), other_));
        ASSERT_OK(gp_tuning_save(test::context(), nullptr));
        ASSERT_OK(set_depth(test::context(), 0));
        EXPECT_EQ("kept/first", fs::read_symlink(file_));
        EXPECT_EQ("second", fs::read_symlink(folder_ / "kept" / "first"));
        EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder_ / "kept" / "second")));
        EXPECT_EQ(other_, depth());
        write("gpcl tuning 1\n"); // through the links, too
        EXPECT_EQ(preset_, depth());
    }
    fs::remove(file_);
    fs::create_symlink("tuning", file_); // to itself
    EXPECT_EQ(GP_ERROR_FILE, gp_tuning_save(test::context(), nullptr));
}

TEST_F(Tuning, PermissionsStay) {
    const auto mode = [&] { return static_cast<unsigned>(fs::status(file_).permissions()); };
    const mode_t before = umask(027);
    EXPECT_OK(gp_tuning_save(test::context(), nullptr));
    EXPECT_EQ(0640u, mode()) << "of a new file";
    for (const unsigned kept : {0600u, 0644u, 0664u, 0440u}) {
        fs::permissions(file_, fs::perms(kept));
        EXPECT_OK(gp_tuning_save(test::context(), nullptr));
        EXPECT_EQ(kept, mode());
    }
    umask(before);
    if (geteuid() != 0) return;
    ASSERT_EQ(0, chown(file_.c_str(), 1, 2));
    EXPECT_OK(gp_tuning_save(test::context(), nullptr));
    struct stat about {};
    ASSERT_EQ(0, stat(file_.c_str(), &about));
    EXPECT_EQ(1u, about.st_uid) << "root leaves a user's file to the user";
    EXPECT_EQ(2u, about.st_gid);
    EXPECT_EQ(0440u, mode());
}

TEST_F(Tuning, WhatIsNoFileIsPassedOver) {
    ASSERT_EQ(0, mkfifo(file_.c_str(), 0600));
    EXPECT_EQ(preset_, depth()) << "a FIFO";
    EXPECT_EQ(GP_ERROR_FILE, gp_tuning_save(test::context(), nullptr));
    EXPECT_TRUE(fs::is_fifo(file_));
    fs::remove(file_);
    fs::create_symlink("/dev/zero", file_);
    EXPECT_EQ(preset_, depth());
    EXPECT_EQ(GP_ERROR_FILE, gp_tuning_save(test::context(), nullptr));
    fs::remove(file_);
    write("gpcl tuning 1\n" + heading() + "matmul float32 panels depth " + std::to_string(other_) + "\n");
    ASSERT_EQ(other_, depth());
    fs::resize_file(file_, uintmax_t{1} << 40);
    EXPECT_EQ(preset_, depth()) << "a large file";
}

TEST_F(Tuning, NeverReplacesForeignFiles) {
    write("precious");
    EXPECT_EQ(GP_ERROR_FILE, gp_tuning_save(test::context(), nullptr));
    EXPECT_EQ("precious", content());
    EXPECT_EQ(GP_ERROR_FILE, gp_tuning_save(test::context(), (file_ / "no" / "folder").c_str()));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_tuning_save(nullptr, nullptr));
}

} // namespace
