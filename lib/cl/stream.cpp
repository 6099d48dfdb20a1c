// Pieces on their way.
// SPDX-License-Identifier: MIT
#include "cl/stream.h"

#include "cl/link.h"
#include "core/size.h"

#include <algorithm>
#include <bit>

namespace gpcl::cl {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
// Pieces pay for a wait of the device each; the first way up and the last way down, which nothing
// overlaps, should be short.
constexpr size_t kLeastPiece = 8 * kMiB;
constexpr size_t kLargestPiece = 32 * kMiB;
constexpr size_t kPieces = 16; // wanted
constexpr size_t kLeastStreamed = 64 * kMiB;
// No host holds more, so such an n is a mistake.
constexpr size_t kMostStreamed = std::min<uint64_t>(uint64_t{1} << 45, PTRDIFF_MAX);

// Arrays that don't fit have half of the room; what works on those that fit takes no more than a
// fourth of them.
constexpr size_t kShares = 2, kShareOfWork = 4;

} // namespace

bool device_holds(const Context &context, size_t bytes, size_t largest, const std::function<size_t()> &work_bytes) {
    constexpr size_t kSmall = 32; // of the room, and nothing takes so many times its arrays
    if (context.is_host()) return true;
    require(largest <= kMostStreamed, GP_ERROR_TOO_LARGE, "n asks for arrays of ", Shown{largest},
            " bytes, which no host's memory holds");
    if (largest > context.info().allocation_bytes) return false;
    // Work space is a little more than is asked for, and small pieces of it are 4 KiB.
    constexpr size_t kSmallSpaces = 64 << 10;
    const size_t all = context.room();
    const size_t room = all - std::max(all / (Context::kBoundedSlack + 1), std::min(all / 4, kSmallSpaces));
    const size_t taken = context.works_in_place(largest) ? 0 : bytes;
    return bytes <= room / kSmall || (taken <= room && work_bytes() <= room - taken);
}

size_t piece_bytes(Context &context, std::initializer_list<HostRange> arrays) {
    if (context.is_host()) return 0;
    size_t largest = 0, sum = 0, count = 0;
    for (const HostRange &range : arrays) {
        largest = std::max(largest, range.bytes);
        sum += std::min(range.bytes, kMostStreamed);
        count += range.bytes > 0 ? 1 : 0;
    }
    if (largest > kMostStreamed) return 0;
    // A power of two: a few bytes more or less, as of tables that a context keeps, change nothing.
    const size_t room = context.room() / (Context::kBoundedSlack + 1) * Context::kBoundedSlack;
    const size_t most =
        std::bit_floor(std::max(room / (kShares * Stream::kSlots * std::max(count, size_t{1})), size_t{1}));
    if (const auto forced = forced_piece()) return largest > *forced ? std::min(*forced, most) : 0;
    if (!device_holds(context, sum, largest, [&] { return sum / kShareOfWork; })) return std::min(most, kLargestPiece);
    // What GPCL_STAGING forces is no measure for the sizes below.
    if (context.least_staged() == SIZE_MAX || forced_staging() || largest < kLeastStreamed) return 0;
    const HostRange &first = *arrays.begin();
    const bool fits = largest <= context.info().global_bytes / 4;
    // One command copies an array that the device reaches, and here nothing comes back meanwhile.
    if (fits && arrays.size() == 1 && context.pinned().contains(first.data, first.bytes)) return 0;
    return std::min(std::clamp(largest / kPieces, kLeastPiece, kLargestPiece), most);
}

Stream::Stream(Task &task, bool both_ways)
    : task_(task), both_ways_(both_ways), up_{.direction = Direction::kUp}, down_{.direction = Direction::kDown} {}

Stream::~Stream() {
    for (const Flow *flow : {&up_, &down_})
        if (flow->transfer) flow->transfer->cancel();
    if (!is_running_) return;
    try { // commands may still use memory of the caller of run(), which is freed after this
        settle_all(task_.context_->queue(), task_.context_->info().name);
    } catch (...) {
        // The call tells what went wrong first.
    }
}

void Stream::copy_in(const Operand &to, const void *from, size_t bytes, size_t at) {
    if (bytes == 0 || add(up_, to.memory, at, bytes, const_cast<void *>(from))) return;
    task_.enqueue_write(to.memory, at, bytes, from, false);
}

void Stream::copy_out(const Operand &from, void *to, size_t bytes, size_t at) {
    if (bytes == 0 || add(down_, from.memory, at, bytes, to)) return;
    task_.read(from.memory, at, bytes, to, true, Task::Of::kCaller);
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

} // namespace gpcl::cl
