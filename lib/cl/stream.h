// Arrays of the host's memory that pass through a device piece by piece: while one piece is at
// work, the next is on its way there and the one before on its way back.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/task.h"

#include <array>

namespace gpcl::cl {

// An array of a call on host pointers.
struct HostRange {
    const void *data;
    size_t bytes;
};

// Bytes that the largest array of a piece should have, for a call on arrays of the host. 0 where
// they go as a whole: small ones, and all on devices that share the host's memory.
size_t piece_bytes(Context &context, std::initializer_list<HostRange> arrays);

// The transfers of a task. Device memory that a piece uses belongs to its slot, piece % kSlots.
class Stream {
  public:
    static constexpr size_t kSlots = 3;

    explicit Stream(Task &task) : task_(task) {}
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;
    ~Stream();

    // For each piece k, in order: send(k) calls copy_in; work(k), which enqueues commands, when all
    // that was sent is there; fetch(k) calls copy_out when those are done; land(k), when all that
    // was fetched is here.
    template <class Send, class Work, class Fetch, class Land>
    void run(size_t pieces, const Send &send, const Work &work, const Fetch &fetch, const Land &land) {
        const auto begin = [&](size_t k) {
            if (k >= kSlots) {
                finish(down_[k % kSlots]);
                land(k - kSlots);
            }
            send(k);
            start(up_[k % kSlots]);
        };
        settle(); // work space may still be in use
        if (pieces > 0) begin(0);
        for (size_t k = 0; k < pieces; ++k) {
            if (k + 1 < pieces) begin(k + 1);
            finish(up_[k % kSlots]);
            const Marks before = marks();
            work(k);
            settle();
            give_back(before);
            fetch(k);
            start(down_[k % kSlots]);
        }
        for (size_t k = pieces > kSlots ? pieces - kSlots : 0; k < pieces; ++k) {
            finish(down_[k % kSlots]);
            land(k);
        }
    }

    // To the beginning of an operand's memory, and from there.
    void copy_in(size_t piece, const Operand &to, const void *from, size_t bytes);
    void copy_out(size_t piece, const Operand &from, void *to, size_t bytes);

  private:
    void add(std::shared_ptr<Transfer> &to, std::shared_ptr<Transfer> transfer, cl_mem memory, size_t bytes,
             void *host);
    static void start(const std::shared_ptr<Transfer> &transfer);
    void finish(std::shared_ptr<Transfer> &transfer);
    void settle();

    // How much the task had taken; what it took since goes back.
    struct Marks {
        size_t spaces, cleared_spaces, objects;
    };
    Marks marks() const;
    void give_back(const Marks &before);

    Task &task_;
    std::array<std::shared_ptr<Transfer>, kSlots> up_, down_;
};

} // namespace gpcl::cl
