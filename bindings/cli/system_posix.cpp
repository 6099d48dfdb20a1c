// Linux and other systems of POSIX.
// SPDX-License-Identifier: MIT
#include "system.h"

#if !defined(_WIN32)

#include "support.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <semaphore.h>
#include <thread>
#include <utility>

#include <dlfcn.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace command {

namespace {

sem_t interrupted;

} // namespace

std::filesystem::path own_file() {
    std::error_code error;
    auto file = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::filesystem::path() : file;
}

size_t terminal_columns(int descriptor, size_t otherwise) {
    winsize size{};
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

void on_interrupt(const std::function<void()> &end) {
    struct sigaction action {};
    if (sigaction(SIGINT, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
    sem_init(&interrupted, 0, 0);
    std::thread([end] {
        while (sem_wait(&interrupted) != 0) {
        }
        end();
        _exit(130); // 128 + SIGINT, as shells count
    }).detach();
    action.sa_handler = [](int) { sem_post(&interrupted); };
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
}

void make_binary(std::FILE *) {}

bool can_write_in(const std::filesystem::path &folder, std::string &why) {
    const bool can = access(folder.c_str(), W_OK | X_OK) == 0;
    if (!can) why = std::strerror(errno);
    return can;
}

std::string find_loader(const char *named, std::string &why) {
    const char *file = named ? named : "libOpenCL.so.1";
    void *symbol = named ? nullptr : dlsym(RTLD_DEFAULT, "clGetPlatformIDs");
    void *library = symbol ? nullptr : dlopen(file, RTLD_NOW | RTLD_LOCAL); // never closed, as the library does
    const char *problem = symbol || library ? nullptr : dlerror();
    if (library) symbol = dlsym(library, "clGetPlatformIDs");
    Dl_info found{};
    if (symbol && dladdr(symbol, &found)) return found.dli_fname;
    why = problem ? std::string(problem) : std::string(file) + " has no OpenCL functions";
    return {};
}

int run_program(std::vector<std::string> words, const std::string &input, std::string &problem) {
    const std::unique_ptr<FILE, int (*)(FILE *)> in(std::tmpfile(), std::fclose), out(std::tmpfile(), std::fclose);
    if (!in || !out) throw Failure(std::string("no temporary file can be made: ") + std::strerror(errno));
    if (std::fwrite(input.data(), 1, input.size(), in.get()) != input.size() || std::fflush(in.get()) != 0)
        throw Failure(std::string("a temporary file can't be written: ") + std::strerror(errno));
    std::rewind(in.get());
    std::vector<char *> arguments;
    arguments.reserve(words.size() + 1);
    for (auto &word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDERR_FILENO);
    pid_t child = 0;
    const auto error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    if (error != 0) {
        problem = std::strerror(error);
        return error;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    std::rewind(out.get());
    char line[500];
    while (std::fgets(line, sizeof line, out.get())) {
        std::string text(line);
        while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
        if (!text.empty()) problem = text;
    }
    return status;
}

} // namespace command
#endif
