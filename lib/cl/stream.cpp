// Pieces on their way.
// SPDX-License-Identifier: MIT
#include "cl/stream.h"

#include "cl/link.h"

#include <algorithm>

namespace gpcl::cl {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
// Pieces pay for a wait of the device each; the first way up and the last way down, which nothing
// overlaps, should be short.
constexpr size_t kLeastPiece = 8 * kMiB;
constexpr size_t kLargestPiece = 32 * kMiB;
constexpr size_t kPieces = 16; // wanted
constexpr size_t kLeastStreamed = 64 * kMiB;

} // namespace

size_t piece_bytes(Context &context, std::initializer_list<HostRange> arrays) {
    if (context.is_host()) return 0;
    size_t largest = 0;
    for (const HostRange &range : arrays) largest = std::max(largest, range.bytes);
    if (const auto forced = forced_piece()) return largest > *forced ? *forced : 0;
    // What GPCL_STAGING forces is no measure for the sizes below.
    if (context.least_staged() == SIZE_MAX || forced_staging() || largest < kLeastStreamed) return 0;
    const auto pinned = [&](const HostRange &range) { return context.pinned().contains(range.data, range.bytes); };
    const bool fits = largest <= context.info().allocation_bytes && largest <= context.info().global_bytes / 4;
    if (fits && std::any_of(arrays.begin(), arrays.end(), pinned)) return 0; // which the device reads by itself
    return std::clamp(largest / kPieces, kLeastPiece, kLargestPiece);
}

Stream::~Stream() {
    for (const auto *transfers : {&up_, &down_})
        for (const auto &transfer : *transfers)
            if (transfer) transfer->cancel();
}

void Stream::copy_in(size_t piece, const Operand &to, const void *from, size_t bytes) {
    if (bytes == 0) return;
    if (auto transfer = task_.stage(Direction::kUp, from, bytes))
        return add(up_[piece % kSlots], std::move(transfer), to.memory, bytes, const_cast<void *>(from));
    task_.enqueue_write(to.memory, 0, bytes, from, false);
}

void Stream::copy_out(size_t piece, const Operand &from, void *to, size_t bytes) {
    if (bytes == 0) return;
    if (auto transfer = task_.stage(Direction::kDown, to, bytes))
        return add(down_[piece % kSlots], std::move(transfer), from.memory, bytes, to);
    task_.read(from.memory, 0, bytes, to, true);
}

void Stream::add(std::shared_ptr<Transfer> &to, std::shared_ptr<Transfer> transfer, cl_mem memory, size_t bytes,
                 void *host) {
    if (!to) to = std::move(transfer);
    to->add(memory, 0, bytes, host);
}

void Stream::start(const std::shared_ptr<Transfer> &transfer) {
    if (transfer) transfer->invite();
}

void Stream::finish(std::shared_ptr<Transfer> &transfer) { task_.finish(transfer); }

void Stream::settle() { task_.settle(); }

Stream::Marks Stream::marks() const {
    return {task_.spaces_.size(), task_.cleared_spaces_.size(), task_.objects_.size()};
}

void Stream::give_back(const Marks &before) {
    Context &context = *task_.context_;
    const auto last_of = [](std::vector<WorkSpace> &spaces) {
        WorkSpace space = std::move(spaces.back());
        spaces.pop_back();
        return space;
    };
    while (task_.spaces_.size() > before.spaces) {
        WorkSpace space = last_of(task_.spaces_);
        space.settled = true;
        context.give_back(std::move(space));
    }
    while (task_.cleared_spaces_.size() > before.cleared_spaces)
        context.give_back_cleared(last_of(task_.cleared_spaces_));
    task_.objects_.resize(before.objects);
}

} // namespace gpcl::cl
