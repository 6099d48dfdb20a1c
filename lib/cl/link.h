// Copies of large arrays between the host's memory and a device's, through pinned slots that
// several threads fill and empty. A driver's own copy of ordinary memory uses one thread and a
// fraction of the link.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/opencl.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
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

// The least array that pays off on a device of that kind; SIZE_MAX where none does.
size_t least_staged(const gp_device_info &device);

// A queue and pinned slots, for one thread at a time.
class Lane {
  public:
    static constexpr size_t kSlots = 3;

    Lane(cl_context context, cl_device_id device, bool profiled);
    Lane(const Lane &) = delete;
    Lane &operator=(const Lane &) = delete;
    ~Lane() { unpin(); }

    cl_command_queue queue() const { return queue_.get(); }
    // Slot number `index`, of at least so many bytes; NULL where no memory can be pinned, or may.
    std::byte *slot(size_t index, size_t bytes) noexcept;
    // Gives the slots back; returns whether there were any.
    bool unpin() noexcept;

  private:
    struct Slot {
        Ref<cl_mem> memory;
        std::byte *at = nullptr;
        size_t bytes = 0;
    };
    void unpin(Slot &slot) noexcept;

    cl_context context_;
    Ref<cl_command_queue> queue_;
    std::array<Slot, kSlots> slots_;
};

// The lanes of a context.
class Link {
  public:
    Link(cl_context context, cl_device_id device, std::string name);
    Link(const Link &) = delete;
    Link &operator=(const Link &) = delete;
    ~Link(); // waits for the transfers that hold it

    // How many lanes there may be for each direction.
    size_t lanes() const { return lanes_; }
    const std::string &name() const { return name_; }
    std::optional<size_t> forced() const { return forced_; } // forced_staging(), when the link was made

    // Is there a lane at all? Makes the first.
    bool ready(Direction direction, bool profiled) noexcept;
    // A lane that nobody else has; NULL where none is idle and no more can be made, unless
    // `patient`, which waits. Needs ready(). give() takes it back.
    Lane *take(Direction direction, bool profiled, bool patient) noexcept;
    void give(Direction direction, bool profiled, Lane *lane) noexcept;

    // Gives the slots of idle lanes back; returns whether there were any.
    bool trim() noexcept;

    // The link outlives a transfer between these calls.
    void hold();
    void release() noexcept;

    // Whether several lanes are faster than the driver's own copy, as far as that was measured.
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

    const cl_context context_;
    const cl_device_id device_;
    const std::string name_;
    const std::optional<size_t> forced_;
    const size_t lanes_;
    std::array<std::atomic<Pays>, 2> pays_{};

    std::mutex mutex_;
    std::condition_variable given_, released_;
    std::array<std::array<Stock, 2>, 2> stocks_;
    size_t held_ = 0;
    std::exception_ptr failure_;
};

// Arrays on their way in one direction. Threads of the pool, and those that wait, copy them chunk
// by chunk in the order in which they were added.
class Transfer : public std::enable_shared_from_this<Transfer> {
  public:
    // Needs link.ready(direction, profiled).
    Transfer(Link &link, Direction direction, bool profiled);
    Transfer(const Transfer &) = delete;
    Transfer &operator=(const Transfer &) = delete;

    Direction direction() const { return direction_; }
    size_t size() const { return pieces_.size(); } // arrays

    // One array more; returns its number. The device's memory must not be in use by other commands
    // from invite() on.
    size_t add(cl_mem memory, size_t offset, size_t bytes, void *host);

    // Lets threads of the pool take chunks. Finds out first whether that pays, where the array is
    // large and it is not known.
    void invite();

    // Takes chunks itself until the array is copied. Throws what went wrong.
    void wait(size_t piece);
    // The same of all arrays; nothing of the transfer is under way afterwards.
    void finish();
    // Ends the transfer where it stands, and waits for what is under way.
    void cancel() noexcept;

    // Starts the transfer when `before` is complete, and completes `user` when the transfer is
    // over, whether it failed or not. `told`: somebody will call check(). The link waits for it.
    void start_after(Ref<cl_event> before, Ref<cl_event> user, bool told);

    // Throws if the transfer failed.
    void check() const;
    // When the device copied an array's first chunk and its last, if `profiled`.
    Span span(size_t piece) const;

  private:
    struct Piece {
        Ref<cl_mem> memory;
        size_t offset;
        size_t bytes;
        std::byte *host;
        size_t chunk;
        size_t left; // bytes that are not copied yet
        Span span;
    };
    struct Chunk {
        size_t piece = 0;
        cl_mem memory = nullptr;
        size_t offset = 0;
        size_t bytes = 0; // 0: there is none
        size_t slot_bytes = 0;
        size_t ahead = 0; // how many a thread may take before others do, where there are few
        std::byte *host = nullptr;
    };
    struct Flight { // a chunk that the device is copying
        Chunk chunk;
        std::byte *slot = nullptr;
        Ref<cl_event> event;
    };

    bool enter();
    void leave() noexcept;
    bool exhausted() const { return failure_ != nullptr || next_ == pieces_.size(); }
    Chunk claim(size_t most_pieces);
    void work(bool patient, size_t most_pieces) noexcept;
    void carry(Lane &lane, size_t most_pieces);
    void launch(Lane &lane, Flight &flight);
    void land(Flight &flight);
    void probe();
    void begin() noexcept;
    void fail(std::exception_ptr failure) noexcept;
    void complete() noexcept;

    Link &link_;
    const Direction direction_;
    const bool profiled_;

    mutable std::mutex mutex_;
    std::condition_variable progress_;
    std::deque<Piece> pieces_;
    size_t next_ = 0;      // the piece that the next chunk is of
    size_t next_byte_ = 0; // where in it that begins
    size_t busy_ = 0;      // threads at work
    size_t invited_ = 0;   // threads of the pool
    bool direct_ = false;  // without slots and other threads
    std::exception_ptr failure_;

    Ref<cl_event> before_, user_; // of start_after()
    bool told_ = true;
};

} // namespace gpcl::cl
