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
constexpr size_t kMostStreamed = size_t{1} << 45; // no host holds more, so such an n is a mistake

} // namespace

size_t piece_bytes(Context &context, std::initializer_list<HostRange> arrays) {
    if (context.is_host()) return 0;
    size_t largest = 0;
    for (const HostRange &range : arrays) largest = std::max(largest, range.bytes);
    if (largest > kMostStreamed) return 0;
    if (const auto forced = forced_piece()) return largest > *forced ? *forced : 0;
    // What GPCL_STAGING forces is no measure for the sizes below.
    if (context.least_staged() == SIZE_MAX || forced_staging() || largest < kLeastStreamed) return 0;
    const HostRange &first = *arrays.begin();
    const bool fits = largest <= context.info().allocation_bytes && largest <= context.info().global_bytes / 4;
    // One command copies an array that the device reaches, and here nothing comes back meanwhile.
    if (fits && arrays.size() == 1 && context.pinned().contains(first.data, first.bytes)) return 0;
    return std::clamp(largest / kPieces, kLeastPiece, kLargestPiece);
}

Stream::Stream(Task &task, bool both_ways)
    : task_(task), both_ways_(both_ways), up_{.direction = Direction::kUp}, down_{.direction = Direction::kDown} {}

Stream::~Stream() {
    for (const Flow *flow : {&up_, &down_})
        if (flow->transfer) flow->transfer->cancel();
}

void Stream::copy_in(const Operand &to, const void *from, size_t bytes, size_t at) {
    if (bytes == 0 || add(up_, to.memory, at, bytes, const_cast<void *>(from))) return;
    task_.enqueue_write(to.memory, at, bytes, from, false);
}

void Stream::copy_out(const Operand &from, void *to, size_t bytes) {
    if (bytes == 0 || add(down_, from.memory, 0, bytes, to)) return;
    task_.read(from.memory, 0, bytes, to, true, Task::Of::kCaller);
}

bool Stream::add(Flow &flow, cl_mem memory, size_t at, size_t bytes, void *host) {
    const bool direct = task_.context_->pinned().contains(host, bytes);
    if (!flow.transfer) {
        if (!task_.has_lane(flow.direction, bytes)) return false;
        flow.transfer = std::make_shared<Transfer>(task_.context_->link(), flow.direction, task_.profiled_,
                                                   both_ways_ ? Transfer::Kind::kBothWays : Transfer::Kind::kOneWay);
    }
    flow.transfer->add(memory, at, bytes, host, direct);
    return true;
}

void Stream::start(Flow &flow, size_t piece) {
    if (!flow.transfer) return;
    flow.arrays[piece % kSlots] = flow.transfer->size();
    flow.transfer->invite();
}

void Stream::finish(Flow &flow, size_t piece) {
    if (!flow.transfer) return;
    for (; flow.finished < flow.arrays[piece % kSlots]; ++flow.finished) {
        flow.transfer->wait(flow.finished);
        task_.note(flow.direction == Direction::kUp ? GP_UPLOAD : GP_DOWNLOAD, flow.transfer, flow.finished);
    }
}

bool Stream::has_arrived(size_t piece) const {
    return !up_.transfer || up_.transfer->has_copied(up_.arrays[piece % kSlots]);
}

void Stream::settle() { task_.settle(); }

void Stream::wait(const Ref<cl_event> &event, bool is_last) {
    await(event.get(), task_.context_->info().name);
    task_.settled_ = is_last;
}

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
        space.settled = false;
        context.give_back(std::move(space));
    }
    while (task_.cleared_spaces_.size() > before.cleared_spaces)
        context.give_back_cleared(last_of(task_.cleared_spaces_));
    task_.objects_.resize(before.objects);
}

} // namespace gpcl::cl
