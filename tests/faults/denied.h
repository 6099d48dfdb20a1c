// What the system denies: memory, threads and files. This program's own malloc, pthread_create,
// open and so on stand before the C library's, and the one that they are told to fail fails. What
// OpenCL's drivers and their threads ask for is left alone, unless arm_large says otherwise.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

namespace denied {

// Of the thread that arms only what it asks for while one of these lives is denied: a call of
// gpcl's.
inline thread_local int calls = 0;
struct InCall {
    InCall() { ++calls; }
    InCall(const InCall &) = delete;
    InCall &operator=(const InCall &) = delete;
    ~InCall() { --calls; }
};

enum class Kind { kMemory, kThreads, kFiles };

// The request of that number from now on is denied, the first being 1; of a request to write a file
// a part is done. `all`: and every one after it, as on a full disk.
void arm(Kind kind, long number, bool all = false);
// Every request for at least so many bytes is denied, whoever asks: a driver's thread too, on which
// native kernels run.
void arm_large(size_t bytes);
void disarm();

// The function that was denied since arm(); NULL for none.
const char *hit();

// How many requests there were since arm().
long asked();

// Blocks of memory that are held.
long blocks();

// Said on the standard error where the process is about to die.
extern std::string where;

} // namespace denied
