// What the command asks of the system and systems have under different names.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace command {

std::filesystem::path own_file(); // the command's; empty where the system does not tell

// The columns of the terminal behind a descriptor; `otherwise` where there is none.
size_t terminal_columns(int descriptor, size_t otherwise);

// From now on Ctrl-C calls `end`, on a thread of its own, and then ends the process. A second one
// ends it at once. Nothing changes where Ctrl-C is ignored, as under nohup.
void on_interrupt(const std::function<void()> &end);

// Bytes go through as they are.
void make_binary(std::FILE *file);

// Whether files can be made in the folder; if not, why.
bool can_write_in(const std::filesystem::path &folder, std::string &why);

// The file of the OpenCL loader that the library uses, found as the library finds it: `named`, if
// that is not NULL. Empty, and why, where there is none.
std::string find_loader(const char *named, std::string &why);

// Runs a program on a text as its standard input. Returns 0, or else what it said last, in
// `problem`.
int run_program(std::vector<std::string> words, const std::string &input, std::string &problem);

} // namespace command
