// What systems have under different names: memory, processors, dynamic libraries, processes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gpcl {

size_t page_bytes();
uint64_t memory_bytes(); // of the machine; 0 where the system does not tell

// NULL where there is no memory. free_pages gives it back.
void *allocate_pages(size_t bytes);
void free_pages(void *pointer);
// Asks for large pages where the system has them, for memory that nothing has touched yet. Touching
// it then takes fewer faults.
void prefer_large_pages(void *memory, size_t bytes);

// The CPUs that a thread may run on.
class Cpus {
  public:
    static Cpus of_this_thread();
    size_t count() const; // 0 where the system does not tell
    void bind() const;    // this thread to them, as far as the system does so

  private:
    std::vector<std::byte> mask_; // as the system has it
};

// An environment variable, NULL where the process has rights that its caller lacks.
const char *safe_variable(const char *name);

// Loads a dynamic library. NULL, and why, where that fails. It stays until the process ends: its
// threads may run, and what it handed out may be used.
void *open_library(const char *file, std::string &why);
// NULL where there is none. `library` NULL: the program and the libraries that it links.
void *find_symbol(void *library, const char *name);

int64_t process_id();
// Is this the thread that main() runs in? False where a system can't tell.
bool is_main_thread();
// Has `child` called in each child that the process forks from now on.
void at_fork(void (*child)());

// Starts a thread that takes no signals, which are for the program's own, but for those that faults
// of the thread itself raise. Returns whether it runs.
bool start_without_signals(const std::function<void()> &body) noexcept;

} // namespace gpcl
