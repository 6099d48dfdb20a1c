// Windows.
// SPDX-License-Identifier: MIT
#include "system.h"

#if defined(_WIN32)

#include <array>
#include <fcntl.h>
#include <io.h>
#include <system_error>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

namespace command {

namespace {

std::function<void()> end_of_process;

std::string last_error() { return std::system_category().message(static_cast<int>(GetLastError())); }

std::filesystem::path file_of(HMODULE module) {
    std::array<wchar_t, 32768> name{};
    return {name.data(), name.data() + GetModuleFileNameW(module, name.data(), static_cast<DWORD>(name.size()))};
}

} // namespace

std::filesystem::path own_file() { return file_of(nullptr); }

size_t terminal_columns(int descriptor, size_t otherwise) {
    CONSOLE_SCREEN_BUFFER_INFO info{};
    if (!GetConsoleScreenBufferInfo(reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)), &info)) return otherwise;
    return static_cast<size_t>(info.srWindow.Right - info.srWindow.Left + 1);
}

void on_interrupt(const std::function<void()> &end) {
    end_of_process = end;
    SetConsoleCtrlHandler(
        [](DWORD) -> BOOL {
            end_of_process();
            ExitProcess(130);
        },
        TRUE);
}

void make_binary(std::FILE *file) { _setmode(_fileno(file), _O_BINARY); }

bool can_write_in(const std::filesystem::path &folder, std::string &why) {
    std::error_code error;
    if (std::filesystem::is_directory(folder, error)) return true;
    why = error ? error.message() : "no such folder";
    return false;
}

std::string find_loader(const char *named, std::string &why) {
    const HMODULE library = LoadLibraryA(named ? named : "OpenCL.dll"); // never closed, as the library does
    if (library) return file_of(library).string();
    why = last_error();
    return {};
}

int run_program(std::vector<std::string>, const std::string &, std::string &problem) {
    problem = "not done on Windows yet";
    return 1;
}

} // namespace command
#endif
