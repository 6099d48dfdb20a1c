// Child processes: a test program runs itself again, in an environment of its own; GPCL_TEST_CHILD
// names what it does instead of the tests.
// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace test {

using Environment = std::map<std::string, std::string>; // "" takes a variable away

inline std::vector<std::string> environment() {
    std::vector<std::string> variables;
    for (char **entry = environ; *entry != nullptr; ++entry) variables.push_back(*entry);
    return variables;
}

// What the program was started with. ocl-icd cuts the value of OCL_ICD_FILENAMES, in its place, at
// the first colon; a child that took it from there would miss a driver.
inline const std::vector<std::string> started_with = environment();

struct Ended {
    int code;           // exit code; minus the signal's number when one ended it
    std::string output; // what it wrote to stdout and stderr
};

class Child {
  public:
    explicit Child(const std::string &name, const Environment &changes = {})
        // Not the link itself: a process called "exe" does not find NVIDIA's platform.
        : Child(std::filesystem::read_symlink("/proc/self/exe"), name, changes) {}
    // Another program than this one.
    Child(std::string program, const std::string &name, const Environment &changes) {
        std::vector<std::string> variables;
        for (const std::string &text : started_with) {
            const std::string key = text.substr(0, text.find('='));
            if (changes.count(key) == 0 && key != "GTEST_OUTPUT") variables.push_back(text);
        }
        for (const auto &[key, value] : changes) {
            if (!value.empty()) variables.push_back(key + "=" + value);
        }
        variables.push_back("GPCL_TEST_CHILD=" + name);
        std::vector<char *> environment;
        for (std::string &one : variables) environment.push_back(one.data());
        environment.push_back(nullptr);
        char *const arguments[] = {program.data(), nullptr};

        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
        process_ = fork();
        if (process_ == 0) {
            dup2(ends[1], STDOUT_FILENO);
            dup2(ends[1], STDERR_FILENO);
            execve(program.c_str(), arguments, environment.data());
            _exit(126);
        }
        close(ends[1]);
        output_ = ends[0];
        if (process_ < 0) throw std::runtime_error("fork failed");
    }
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;
    ~Child() {
        if (process_ > 0) wait();
    }

    Ended wait() {
        Ended ended{};
        char block[4096];
        for (ssize_t got = 0; (got = read(output_, block, sizeof block)) > 0;) {
            ended.output.append(block, static_cast<size_t>(got));
        }
        close(output_);
        int status = 0;
        waitpid(process_, &status, 0);
        process_ = 0;
        ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        return ended;
    }

  private:
    pid_t process_ = 0;
    int output_ = -1;
};

inline Ended run_child(const std::string &name, const Environment &changes = {}) { return Child(name, changes).wait(); }

// A child that ends with code 0 and prints nothing, as the library never does.
inline void expect_right(const std::string &name, const Environment &changes = {}) {
    const Ended ended = run_child(name, changes);
    EXPECT_EQ(0, ended.code) << name << ": " << ended.output;
    EXPECT_EQ("", ended.output) << name;
}

// The children of a test program: each is a function whose result is the exit code. They run before
// main, which would open the device under test.
struct Children {
    Children(const std::map<std::string, std::function<int()>> &children) {
        const char *name = std::getenv("GPCL_TEST_CHILD");
        if (name != nullptr) std::exit(children.at(name)());
    }
};

} // namespace test

// In a child: leaves with the line's number and the library's words when a call does not succeed.
#define CHILD_OK(call)                                                                                                 \
    do {                                                                                                               \
        if ((call) != GP_SUCCESS) {                                                                                    \
            std::printf("line %d: %s: %s\n", __LINE__, #call, gp_error_message());                                     \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (false)

#define CHILD_CHECK(condition)                                                                                         \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::printf("line %d: not true: %s\n", __LINE__, #condition);                                              \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (false)
