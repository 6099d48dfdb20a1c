// Arrays of the host's memory that pass through a device piece by piece: while one piece is at
// work, the next are on their way there and the ones before on their way back.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/task.h"

#include <array>
#include <functional>

namespace gpcl::cl {

// An array of a call on host pointers.
struct HostRange {
    const void *data;
    size_t bytes;
};

// Has the device room for a call's arrays, so many bytes with the largest of `largest`, and for
// work_bytes() beside them? That is asked only where the arrays are not small.
bool device_holds(const Context &context, size_t bytes, size_t largest, const std::function<size_t()> &work_bytes);

// Bytes that the largest array of a piece should have, for a call on arrays of the host. 0 where
// they go as a whole: those that there is room for, if they are small or the device shares the
// host's memory.
size_t piece_bytes(Context &context, std::initializer_list<HostRange> arrays);

// The transfers of a task. Device memory that a piece uses belongs to its slot, piece % kSlots.
class Stream {
  public:
    static constexpr size_t kAhead = 2;          // pieces on their way there while one is at work
    static constexpr size_t kSlots = kAhead + 2; // these, that one, and one on its way back

    // both_ways: arrays come back, too.
    Stream(Task &task, bool both_ways);
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;
    ~Stream();

    // For each piece k, in order: send(k) calls copy_in; work(k), which enqueues commands, when all
    // that was sent is there; fetch(k) calls copy_out when those are done; land(k), when all that
    // was fetched is here. Where piece k + 1 is there in time, its commands are enqueued before
    // those of piece k are done.
    template <class Send, class Work, class Fetch, class Land>
    void run(size_t pieces, const Send &send, const Work &work, const Fetch &fetch, const Land &land) {
        settle();                          // work space may still be in use
        is_running_ = true;                // until all has landed
        std::array<Ref<cl_event>, 2> done; // of piece k % 2
        const auto begin = [&](size_t k) {
            finish(up_, k);
            const Task::Marks before = task_.marks();
            work(k);
            done[k % 2] = task_.marker();
            task_.give_back_from(before);
        };
        for (size_t sent = 0, landed = 0, begun = 0, k = 0; k < pieces; ++k) {
            for (; sent < pieces && sent <= k + kAhead; ++sent) {
                if (sent >= kSlots) { // the slot's last piece
                    finish(down_, landed);
                    land(landed++);
                }
                send(sent);
                start(up_, sent);
            }
            if (begun == k) begin(begun++);
            if (begun < pieces && has_arrived(begun)) begin(begun++);
            wait(done[k % 2], begun == k + 1);
            fetch(k);
            start(down_, k);
        }
        for (size_t k = pieces > kSlots ? pieces - kSlots : 0; k < pieces; ++k) {
            finish(down_, k);
            land(k);
        }
        is_running_ = false;
    }

    // To an operand's memory, so many bytes from its beginning, and from there.
    void copy_in(const Operand &to, const void *from, size_t bytes, size_t at = 0);
    void copy_out(const Operand &from, void *to, size_t bytes, size_t at = 0);

  private:
    // All that goes in one direction.
    struct Flow {
        Direction direction;
        std::shared_ptr<Transfer> transfer{}; // made for the first array
        std::array<size_t, kSlots> arrays{};  // how many it has when a piece's are added
        size_t finished = 0;                  // of them
    };
    // Adds an array; false where the task's queue has to copy it.
    bool add(Flow &flow, cl_mem memory, size_t at, size_t bytes, void *host);
    static void start(Flow &flow, size_t piece);
    void finish(Flow &flow, size_t piece);
    bool has_arrived(size_t piece) const;
    void settle();
    void wait(const Ref<cl_event> &event, bool is_last); // is_last: nothing was enqueued since

    Task &task_;
    const bool both_ways_;
    bool is_running_ = false;
    Flow up_, down_;
};

} // namespace gpcl::cl
