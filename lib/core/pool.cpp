// Threads are made when none is idle for what there is to do, and stay. When the process exits,
// jobs that were started come to their end.
// SPDX-License-Identifier: MIT
#include "core/pool.h"

#include "core/spin.h"
#include "core/system.h"
#include "core/threads.h"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace gpcl {
namespace {

constexpr size_t kTransfers = 24;             // threads that large copies have use for
constexpr std::chrono::seconds kPatience(10); // at the process' exit
constexpr std::chrono::milliseconds kLook(1); // how often it is looked at then
// A call's next transfer, or loop, often follows so soon.
constexpr std::chrono::microseconds kSpin(200), kSpinOfLoops(50);

// Work of one thread in which others may join. All but `work` and `environment` is the pool's.
struct Together {
    explicit Together(const std::function<void()> &work) : work(work) { std::fegetenv(&environment); }

    const std::function<void()> &work;
    std::fenv_t environment; // of the thread whose work it is
    size_t wanted = 0;       // threads that may still join
    std::atomic<size_t> joined = 0;
    Together *next = nullptr;
};

// Threads take jobs before they join in work. As many as may work at once join at a time, and
// others stay for jobs.
class Pool {
  public:
    bool ready() noexcept {
        if (process_ != process_id()) return false;
        const std::lock_guard lock(mutex_);
        if (threads_ > 0) return true;
        if (!start_without_signals([this] { serve(); })) return false;
        ++threads_, ++idle_, ++looking_; // idle before it has begun
        return true;
    }

    void start(const std::function<void()> &job, size_t times) {
        std::unique_lock lock(mutex_);
        // Handlers run in reverse: the drivers', which were there first, run later.
        if (!std::exchange(is_registered_, true)) std::atexit([] { the().settle(); });
        const size_t before = jobs_.size();
        try {
            for (size_t i = 0; i < times; ++i) jobs_.push_back(job);
        } catch (...) {
            jobs_.resize(before);
            throw;
        }
        wake(lock, times);
    }

    // Lets up to so many others join, those too that are idle later.
    void open(Together &together, size_t others) {
        std::unique_lock lock(mutex_);
        together.wanted = others;
        wanted_ += others;
        Together **end = &open_;
        while (*end != nullptr) end = &(*end)->next;
        *end = &together;
        wake(lock, others);
    }

    // Lets nobody join any more, and waits for those that did.
    void close(Together &together) {
        std::unique_lock lock(mutex_);
        wanted_ -= together.wanted;
        Together **at = &open_;
        while (*at != &together) at = &(*at)->next;
        *at = together.next;
        waiting_ = tasks();
        while (together.joined > 0) {
            const uint32_t left = left_;
            lock.unlock();
            const auto all_left = [&] { return together.joined == 0; };
            if (!spin(kSpin, all_left)) left_.wait(left);
            lock.lock(); // whoever left is done with `together` then
        }
    }

  private:
    // What idle threads may do now; the lock is held.
    uint32_t tasks() const {
        const size_t may_join = joiners_ - std::min(joiners_, joining_);
        return static_cast<uint32_t>(jobs_.size() + std::min(wanted_, may_join));
    }

    // Wakes threads for at most `more` new tasks, and makes some where too few are idle. Unlocks.
    void wake(std::unique_lock<BriefMutex> &lock, size_t more) noexcept {
        const size_t tasks = this->tasks();
        waiting_ = static_cast<uint32_t>(tasks);
        const size_t missing = std::min(tasks - std::min(tasks, idle_), most_ - threads_);
        // Each thread that looks takes a task; the others sleep, or will see `waiting_`.
        const size_t sleep = idle_ - looking_, wanted = std::min(more, tasks - std::min(tasks, looking_));
        if (missing > 0) grow(lock, missing);
        lock.unlock(); // who wakes finds it free
        if (wanted >= sleep)
            waiting_.notify_all();
        else
            for (size_t i = 0; i < wanted; ++i) waiting_.notify_one();
    }

    // So many threads more, which are idle before they have begun. The lock is free meanwhile.
    void grow(std::unique_lock<BriefMutex> &lock, size_t more) noexcept {
        threads_ += more;
        idle_ += more;
        looking_ += more;
        lock.unlock();
        size_t made = 0;
        while (made < more && start_without_signals([this] { serve(); })) ++made;
        lock.lock();
        threads_ -= more - made;
        idle_ -= more - made;
        looking_ -= more - made;
        if (made < more) waiting_.notify_all(); // those who sleep, as these don't look
    }

    void serve() {
        run_where_workers_may();
        std::fesetenv(FE_DFL_ENV);
        std::unique_lock lock(mutex_, std::defer_lock);
        for (auto most = kSpin;;) {
            spin(most, [&] { return waiting_.load(std::memory_order_relaxed) > 0; });
            lock.lock();
            --looking_;
            while (tasks() == 0) {
                lock.unlock();
                waiting_.wait(0);
                lock.lock();
            }
            --idle_;
            most = jobs_.empty() ? kSpinOfLoops : kSpin;
            jobs_.empty() ? join(lock) : do_job(lock);
            ++idle_;
            ++looking_;
            waiting_ = tasks(); // one joins less
            lock.unlock();
        }
    }

    void do_job(std::unique_lock<BriefMutex> &lock) {
        std::function<void()> job = std::move(jobs_.front());
        jobs_.pop_front();
        waiting_ = tasks();
        lock.unlock();
        job();
        job = nullptr; // what it holds is let go outside the lock
        lock.lock();
    }

    void join(std::unique_lock<BriefMutex> &lock) {
        Together *together = open_;
        while (together->wanted == 0) together = together->next;
        --together->wanted;
        --wanted_;
        ++together->joined;
        ++joining_;
        waiting_ = tasks();
        lock.unlock();
        std::fesetenv(&together->environment);
        together->work();
        std::fesetenv(FE_DFL_ENV);
        lock.lock();
        --joining_;
        if (--together->joined == 0) {
            ++left_;
            left_.notify_all();
        }
    }

    // Waits until no job is left, so that no thread calls a driver that is being taken down.
    void settle() {
        if (process_ != process_id()) return;
        const auto until = std::chrono::steady_clock::now() + kPatience;
        const auto settled = [&] {
            const std::lock_guard lock(mutex_);
            return jobs_.empty() && idle_ + joining_ == threads_;
        };
        while (!settled() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(kLook);
    }

  public:
    static Pool &the() {
        static auto *pool = new Pool; // never destroyed: its threads run until the process ends
        return *pool;
    }

  private:
    const int64_t process_ = process_id();
    const size_t joiners_ = workers(), most_ = joiners_ + kTransfers; // threads
    BriefMutex mutex_;
    std::deque<std::function<void()>> jobs_;
    Together *open_ = nullptr;          // the oldest first
    size_t wanted_ = 0;                 // threads, of all that are open
    std::atomic<uint32_t> waiting_ = 0; // tasks(); idle threads sleep while it is 0
    std::atomic<uint32_t> left_ = 0;    // how often the last of those who joined left
    size_t threads_ = 0, idle_ = 0, joining_ = 0;
    size_t looking_ = 0; // idle threads that don't sleep yet
    bool is_registered_ = false;
};

// Where a process was forked from one whose pool has threads, or no thread is to be had.
void work_on_new_threads(const std::function<void()> &work, size_t others) {
    std::vector<std::thread> threads;
    try {
        while (threads.size() < others) threads.emplace_back(work);
    } catch (const std::exception &) { // no more to be had: those there are do the work
    }
    work();
    for (auto &thread : threads) thread.join();
}

} // namespace

bool pool_ready() noexcept {
    try {
        return Pool::the().ready();
    } catch (...) {
        return false;
    }
}

void pool_start(const std::function<void()> &job, size_t times) { Pool::the().start(job, times); }

void work_together(const std::function<void()> &work, size_t others) noexcept {
    if (!pool_ready()) return work_on_new_threads(work, others);
    Together together(work);
    Pool::the().open(together, others);
    work();
    Pool::the().close(together);
}

} // namespace gpcl
