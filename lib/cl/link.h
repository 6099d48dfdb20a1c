// Copies of large arrays between the host's memory and a device's, through pinned slots that
// several threads fill and empty. A driver's own copy of ordinary memory uses one thread and a
// fraction of the link.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/opencl.h"
#include "core/spin.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace gpcl::cl {

enum class Direction { kUp, kDown };

// Times of a device's clock, in nanoseconds.
struct Span {
    uint64_t start = UINT64_MAX;
    uint64_t end = 0;
};

// What GPCL_STAGING says, a number of bytes: arrays from this size on are staged on any device; 0:
// none is. Nothing where it is not set.
std::optional<size_t> forced_staging();

// What GPCL_STREAM says, a number of bytes: pieces of so many make the streams on any device; 0:
// none. Nothing where it is not set.
std::optional<size_t> forced_piece();

// What the name of a device ends in that is another host's, through PoCL's remote driver.
inline constexpr std::string_view kRemote = " (remote)";

// The least array that pays off on a device of that kind; SIZE_MAX where none does.
size_t least_staged(const gp_device_info &device);

// A queue and pinned slots, for one transfer at a time.
class Lane {
  public:
    static constexpr size_t kSlots = 8;

    // Memory of the host's that the device copies from and to by itself.
    struct Slot {
        Ref<cl_mem> memory;
        std::byte *at = nullptr;
        size_t bytes = 0;
    };

    Lane(cl_context context, cl_device_id device, bool profiled);
    Lane(const Lane &) = delete;
    Lane &operator=(const Lane &) = delete;
    ~Lane() { unpin(); }

    cl_command_queue queue() const { return queue_.get(); }
    std::array<Slot, kSlots> &slots() { return slots_; }
    // A slot of at least so many bytes; none where no memory can be pinned, or may. `urgent`: idle
    // lanes give theirs up for it. Threads may call it at once.
    Slot pin(size_t bytes, bool urgent) noexcept;
    bool unpin(Slot &slot) noexcept; // returns whether it was one
    // Gives all slots back; returns whether there were any.
    bool unpin() noexcept;

  private:
    cl_context context_;
    Ref<cl_command_queue> queue_;
    std::array<Slot, kSlots> slots_;
};

// The lanes of a context.
class Link {
  public:
    Link(cl_context context, cl_device_id device, std::string name, std::shared_ptr<DeviceState> state);
    Link(const Link &) = delete;
    Link &operator=(const Link &) = delete;
    ~Link(); // waits for the transfers that hold it

    // How many threads may copy for a transfer.
    size_t threads() const { return threads_; }
    const std::string &name() const { return name_; }
    const std::shared_ptr<DeviceState> &state() const { return state_; }
    std::optional<size_t> forced() const { return forced_; } // forced_staging(), when the link was made

    // Is there a lane at all? Makes the first.
    bool ready(Direction direction, bool profiled) noexcept;
    // A lane that nobody else has; NULL where none is idle and no more can be made, unless
    // `patient`, which waits as long as the call may. Needs ready(). give() takes it back.
    Lane *take(Direction direction, bool profiled, bool patient) noexcept;
    void give(Direction direction, bool profiled, Lane *lane) noexcept;

    // Gives the slots of idle lanes back; returns whether there were any.
    bool trim() noexcept;

    // The link outlives a transfer between these calls.
    void hold();
    void release() noexcept;

    // Whether slots and threads are faster than the driver's own copy, as far as that was measured.
    enum class Pays { kUnknown, kYes, kNo };
    Pays pays(Direction direction) const { return pays_[static_cast<size_t>(direction)]; }
    void measured(Direction direction, bool pays) {
        pays_[static_cast<size_t>(direction)] = pays ? Pays::kYes : Pays::kNo;
    }

    // The failure of a transfer that has no event to tell it; told once.
    void note_failure(std::exception_ptr failure) noexcept;
    void tell_failure();

  private:
    struct Stock {
        std::vector<std::unique_ptr<Lane>> lanes;
        std::vector<Lane *> idle;
        size_t count = 0; // of lanes, and of those that are being made
    };
    Stock &stock(Direction direction, bool profiled) {
        return stocks_[static_cast<size_t>(direction)][profiled ? 1 : 0];
    }

    const std::shared_ptr<DeviceState> state_;
    const cl_context context_;
    const cl_device_id device_;
    const std::string name_;
    const std::optional<size_t> forced_;
    const size_t threads_;
    std::array<std::atomic<Pays>, 2> pays_{};

    std::mutex mutex_;
    std::condition_variable given_, released_;
    std::array<std::array<Stock, 2>, 2> stocks_;
    size_t held_ = 0;
    std::exception_ptr failure_;
};

// Arrays on their way in one direction, load by load, in the order in which they were added. A load
// is what a slot holds. Threads of the pool, and those that wait, copy its parts between the
// caller's memory and the slot side by side; one command copies it between the slot and the device.
// Commands are few because a driver takes them one at a time. Those that wait call OpenCL; of
// pieces that come one after the other, all threads do.
class Transfer : public std::enable_shared_from_this<Transfer> {
  public:
    enum class Kind {
        kOnce,     // who adds the arrays has nothing else to do than to wait
        kOneWay,   // large arrays come piece by piece, while who adds them does other work
        kBothWays, // and others go the other way
    };

    // Needs link.ready(direction, profiled).
    Transfer(Link &link, Direction direction, bool profiled, Kind kind = Kind::kOnce);
    Transfer(const Transfer &) = delete;
    Transfer &operator=(const Transfer &) = delete;

    Direction direction() const { return direction_; }
    size_t size() const { return arrays_.size(); }

    // One array more; returns its number. That part of the device's memory must not be in use by
    // other commands from invite() on. `direct`: the device reaches the host's memory, so no slot
    // is between.
    size_t add(cl_mem memory, size_t offset, size_t bytes, void *host, bool direct = false);

    // Lets threads of the pool work. Finds out first whether that pays, where the array is large
    // and it is not known.
    void invite();

    // Works until the array is copied. Throws what went wrong.
    void wait(size_t array);
    // The same of all arrays; nothing of the transfer is under way afterwards.
    void finish();
    // Ends the transfer where it stands, and waits for what is under way.
    void cancel() noexcept;

    // Starts the transfer when `before` is complete, and completes `user` when the transfer is
    // over, whether it failed or not. `told`: somebody will call check(). The link waits for it.
    void start_after(Ref<cl_event> before, Ref<cl_event> user, bool told);

    // Are the first `count` arrays copied?
    bool has_copied(size_t count) const;
    // Throws if the transfer failed.
    void check() const;
    // When the device copied an array's first load and its last, if `profiled`.
    Span span(size_t array) const;

  private:
    // Holds mutex_, and wakes those whom wake() named when it lets go.
    class Lock {
      public:
        explicit Lock(Transfer &transfer) : transfer_(transfer) { lock(); }
        Lock(const Lock &) = delete;
        Lock &operator=(const Lock &) = delete;
        ~Lock() {
            if (held_) unlock();
        }
        void lock() {
            transfer_.mutex_.lock();
            held_ = true;
        }
        void unlock();

      private:
        Transfer &transfer_;
        bool held_ = false;
    };

    struct Array {
        Ref<cl_mem> memory;
        size_t offset;
        size_t bytes;
        std::byte *host;
        bool direct;
        size_t load; // bytes of one, at most
        size_t left; // bytes that are not copied yet
        Span span;
    };
    struct Load {
        enum class State {
            kIdle,
            kHeld,    // by one thread
            kCopying, // its parts, between the caller's memory and the slot
            kReady,   // for the device
            kFlying,  // between the host and the device
        };
        State state = State::kIdle;
        bool fixed = false; // no larger slot can be pinned
        size_t array = 0;
        size_t offset = 0; // in the device's memory
        size_t bytes = 0, part = 0;
        size_t claimed = 0, copied = 0; // bytes
        size_t order = 0;
        std::byte *host = nullptr, *slot = nullptr; // slot NULL: direct
        cl_mem memory = nullptr;
        Ref<cl_event> event;
    };
    // What a thread does for a transfer.
    struct Role {
        size_t array = SIZE_MAX; // it leaves when that is copied
        bool patient = false;    // waits for a lane where all are in use
        bool invited = false;    // of the pool
    };

    // All of these hold the lock when they are called and when they return.
    bool exhausted() const { return halted() || next_ == arrays_.size(); }
    bool halted() const { return failure_ != nullptr || cancelled_; }
    bool over() const { return exhausted() && in_use_ == 0; }
    bool take_lane(bool patient, Lock &lock);
    Lane::Slot &slot_of(const Load &load) { return lane_->slots()[static_cast<size_t>(&load - loads_.data())]; }
    void step(Lock &lock, bool patient);
    void drive(Lock &lock);
    bool has_landed(const Load &load) const;
    void pause(Lock &lock);
    template <class Is> Load *oldest(const Is &is);
    Load *to_launch();
    Load *to_copy();
    Load *to_open();
    Load *to_land();
    void open(Load &load, Lock &lock, size_t most = SIZE_MAX);
    void pin(Load &load, size_t bytes, Lock &lock);
    void copy(Load &load, Lock &lock);
    void launch(Load &load, Lock &lock);
    void land(Load &load, Lock &lock);
    void share(Load &load);
    void finish(Load &load);
    void release(Load &load);
    void wake_next();
    void wake(size_t threads);
    void halt();
    void fail(std::exception_ptr failure);

    // And these don't.
    void work(const Role &role) noexcept;
    void probe();
    void begin() noexcept;
    void complete() noexcept;

    Link &link_;
    const Direction direction_;
    const bool profiled_;
    const Kind kind_;
    const std::shared_ptr<DeviceState> state_ = link_.state(); // threads may come when all is over and the link gone
    Time end_ = CallScope::end_of(CallScope::current());       // of the call that waits for it

    mutable BriefMutex mutex_;
    std::deque<Array> arrays_;
    size_t next_ = 0;      // the array that the next load is of
    size_t next_byte_ = 0; // where in it that begins
    Lane *lane_ = nullptr; // from the first load until nothing is left to do
    std::array<Load, Lane::kSlots> loads_;
    size_t in_use_ = 0;                 // loads that are not idle
    size_t orders_ = 0;                 // loads that were begun
    size_t sleeping_ = 0;               // threads
    size_t wanted_ = 0;                 // of them, when the lock is let go
    std::atomic<uint32_t> changes_ = 0; // of what there is to do
    size_t invited_ = 0;                // threads of the pool, at work or about to be
    bool taking_ = false;               // a thread waits for a lane
    bool landing_ = false;              // a thread waits for the device
    bool launching_ = false;            // a thread enqueues a command: drivers take one at a time
    bool direct_ = false;               // without slots
    bool cancelled_ = false;
    std::exception_ptr failure_;

    Ref<cl_event> before_, user_; // of start_after()
    bool told_ = true;
    bool completed_ = false;
};

} // namespace gpcl::cl
