// A program that runs with rights that its caller lacks (set-user-ID) does not let the caller's
// environment choose what runs with them.
// SPDX-License-Identifier: MIT
#include "child.h"
#include "support/support.h"

#include <filesystem>

#include <sys/stat.h>

namespace fs = std::filesystem;

namespace {

class Secure : public testing::Test {
  protected:
    void SetUp() override {
        if (geteuid() != 0) GTEST_SKIP() << "only root can make a program another user's";
        std::string name = fs::temp_directory_path() / "gpcl-secure.XXXXXX"; // which the other user can reach
        ASSERT_NE(nullptr, mkdtemp(name.data()));
        folder_ = name;
        fs::permissions(folder_, fs::perms(0755));
        ordinary_ = folder_ / "ordinary";
        secure_ = folder_ / "secure";
        for (const fs::path &program : {ordinary_, secure_}) fs::copy_file(SECURE_PROGRAM, program);
        constexpr uid_t kNobody = 65534;
        ASSERT_EQ(0, chown(secure_.c_str(), kNobody, kNobody));
        ASSERT_EQ(0, chmod(secure_.c_str(), 04755));
        if (output(secure_, {}).find("secure 1") == std::string::npos)
            GTEST_SKIP() << folder_ << " is mounted without set-user-ID, or this process can't gain rights";
    }
    void TearDown() override {
        if (!folder_.empty()) fs::remove_all(folder_);
    }

    static std::string output(const fs::path &program, test::Environment changes) {
        const fs::path pocl = program.string() + "-pocl"; // PoCL is not there for who has no folder for its cache
        fs::create_directory(pocl);
        fs::permissions(pocl, fs::perms(0777));
        changes["POCL_CACHE_DIR"] = pocl;
        for (const char *name : {"GPCL_CACHE", "GPCL_CACHE_DIR", "GPCL_TUNING", "GPCL_OPENCL_LIBRARY", "GPCL_LIMITS",
                                 "GPCL_DEVICE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"})
            changes.emplace(name, "");
        const test::Ended ended = test::Child(program, "", changes).wait();
        EXPECT_EQ(0, ended.code) << ended.output;
        return ended.output;
    }
    // The line that a program prints of one thing.
    static std::string line(const fs::path &program, const std::string &what, const test::Environment &changes) {
        std::string all = output(program, changes);
        const size_t begin = all.find(what + " ");
        if (begin == std::string::npos) return all;
        return all.substr(begin, all.find('\n', begin) - begin);
    }

    fs::path folder_, ordinary_, secure_;
};

TEST_F(Secure, FoldersAndFilesAreNotTheCallersToName) {
    const std::string home = folder_;
    for (const char *const name : {"GPCL_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) {
        EXPECT_EQ(0u, line(ordinary_, "cache", {{name, home}}).find("cache [" + home)) << name;
        EXPECT_EQ("cache []", line(secure_, "cache", {{name, home}})) << name;
    }
    for (const char *const name : {"GPCL_TUNING", "XDG_CONFIG_HOME", "HOME"}) {
        EXPECT_EQ(0u, line(ordinary_, "tuning", {{name, home}}).find("tuning [" + home)) << name;
        EXPECT_EQ("tuning []", line(secure_, "tuning", {{name, home}})) << name;
    }
}

TEST_F(Secure, NeitherAreDevicesAndTheirLibrary) {
    EXPECT_EQ("opens GP_ERROR_NO_DEVICE", line(ordinary_, "opens", {{"GPCL_DEVICE", "none such"}}));
    EXPECT_EQ("opens GP_SUCCESS", line(secure_, "opens", {{"GPCL_DEVICE", "none such"}}));
    if (line(ordinary_, "devices", {}) != "devices several") GTEST_SKIP() << "no OpenCL here";
    const test::Environment library = {{"GPCL_OPENCL_LIBRARY", folder_ / "none"}},
                            group = {{"GPCL_LIMITS", "work-group=1"}};
    EXPECT_EQ("devices host", line(ordinary_, "devices", library));
    EXPECT_EQ("devices several", line(secure_, "devices", library));
    EXPECT_EQ("groups 1", line(ordinary_, "groups", group));
    EXPECT_EQ("groups large", line(secure_, "groups", group));
}

} // namespace
