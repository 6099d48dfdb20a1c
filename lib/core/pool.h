// The process' pool of threads, for work that outlives a call or is shared by several.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

namespace gpcl {

// Makes sure that the pool has a thread; false where none can be made, and in a child that was
// forked from a process whose pool has threads.
bool pool_ready() noexcept;

// Runs `job`, which must not throw, on so many threads of the pool, after those that were started
// before it. Needs pool_ready(), and then never fails for want of a thread; throws std::bad_alloc.
// Jobs may wait for one another's progress only in the order in which they were started.
void pool_start(const std::function<void()> &job, size_t times = 1);

// Calls `work`, which must not throw, on this thread and on up to so many others at a time. Those
// that have not begun when this thread's call has ended don't begin: nobody waits for a thread that
// sleeps. They work in this thread's floating-point environment. Where there is no pool, threads
// are made for this call.
void work_together(const std::function<void()> &work, size_t others) noexcept;

} // namespace gpcl
