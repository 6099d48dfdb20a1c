// Lanes, their pinned slots, and the threads that drive them.
// SPDX-License-Identifier: MIT
#include "cl/link.h"

#include "core/files.h"
#include "core/pool.h"
#include "core/size.h"
#include "core/threads.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <unordered_set>

#include <unistd.h>

namespace gpcl::cl {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kMostLanes = 12;          // for each direction; more gain nothing on a link of 55 GB/s
constexpr size_t kLeastLanes = 3;          // of a process that can use fewer threads the driver's copy is as fast
constexpr size_t kLeastStaged = 4 * kMiB;  // smaller arrays wait longer for threads than for the driver
constexpr size_t kLargestChunk = 4 * kMiB; // which also is the largest slot
constexpr size_t kChunkUnit = kMiB / 4;    // and the least chunk
constexpr size_t kProbed = 64 * kMiB;      // arrays from here on tell whether lanes pay
constexpr size_t kMostPinned = 256 * kMiB; // of all links
constexpr size_t kShareOfMemory = 16;      // the part of the machine's memory that they pin at most
constexpr size_t kLeastSlot = 4096;
constexpr int kTries = 8; // of a call without which others would wait for ever

// ---- Memory that all links may pin

std::atomic<size_t> pinned = 0;

size_t most_pinned() {
    static const size_t most = [] {
        const size_t memory = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
        return std::min(
            {kMostPinned, memory / kShareOfMemory, number_variable("GPCL_PINNED_BYTES").value_or(SIZE_MAX)});
    }();
    return most;
}

bool reserve(size_t bytes) {
    size_t before = pinned;
    do {
        if (before + bytes > most_pinned()) return false;
    } while (!pinned.compare_exchange_weak(before, before + bytes));
    return true;
}

// All links of the process, which give idle slots to one that has none.
struct Links {
    std::mutex mutex;
    std::unordered_set<Link *> all;

    static Links &the() {
        static auto *links = new Links; // never destroyed, as contexts need not be
        return *links;
    }
    bool trim_one() {
        const std::lock_guard lock(mutex);
        return std::any_of(all.begin(), all.end(), [](Link *link) { return link->trim(); });
    }
};

} // namespace

std::optional<size_t> forced_staging() {
    const auto bytes = number_variable("GPCL_STAGING");
    return bytes && *bytes == 0 ? SIZE_MAX : bytes;
}

std::optional<size_t> forced_piece() {
    const auto bytes = number_variable("GPCL_STREAM");
    return bytes && *bytes == 0 ? SIZE_MAX : bytes;
}

size_t least_staged(const gp_device_info &device) {
    if (device.kind == GP_DEVICE_HOST) return SIZE_MAX;
    if (const auto forced = forced_staging()) return *forced;
    const bool pays = device.kind == GP_DEVICE_GPU && device.has_unified_memory == 0 && workers() >= kLeastLanes;
    return pays ? kLeastStaged : SIZE_MAX;
}

// ---- Lane

Lane::Lane(cl_context context, cl_device_id device, bool profiled) : context_(context) {
    cl_int code = CL_SUCCESS;
    queue_ = Ref(api().CreateCommandQueue(context, device, profiled ? CL_QUEUE_PROFILING_ENABLE : 0, &code));
    check(code, "clCreateCommandQueue");
}

std::byte *Lane::slot(size_t index, size_t bytes) noexcept {
    Slot &slot = slots_[index];
    if (slot.bytes >= bytes) return slot.at;
    unpin(slot);
    const size_t size = std::bit_ceil(std::max(bytes, kLeastSlot));
    try {
        const auto reserved = [&] { return reserve(size); };
        // Without its first slot a lane is of no use, so another one gives way.
        if (!reserved() && !(index == 0 && Links::the().trim_one() && reserved())) return nullptr;
        cl_int code = CL_SUCCESS;
        Ref memory(api().CreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size, nullptr, &code));
        void *at = nullptr;
        if (code == CL_SUCCESS) {
            at = api().EnqueueMapBuffer(queue_.get(), memory.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0,
                                        nullptr, nullptr, &code);
        }
        if (code != CL_SUCCESS || at == nullptr) {
            pinned -= size;
            return nullptr;
        }
        slot.memory = std::move(memory);
        slot.at = static_cast<std::byte *>(at);
        slot.bytes = size;
        return slot.at;
    } catch (...) {
        return nullptr;
    }
}

void Lane::unpin(Slot &slot) noexcept {
    if (slot.bytes == 0 || forked()) return;
    api().EnqueueUnmapMemObject(queue_.get(), slot.memory.get(), slot.at, 0, nullptr, nullptr);
    api().Finish(queue_.get());
    pinned -= slot.bytes;
    slot = {};
}

bool Lane::unpin() noexcept {
    bool any = false;
    for (Slot &slot : slots_) {
        any = any || slot.bytes > 0;
        unpin(slot);
    }
    return any;
}

// ---- Link

Link::Link(cl_context context, cl_device_id device, std::string name)
    : context_(context), device_(device), name_(std::move(name)), forced_(forced_staging()),
      lanes_(std::clamp(workers(), forced_ ? kLeastLanes + 1 : 1, kMostLanes)) {
    Links &links = Links::the();
    const std::lock_guard lock(links.mutex);
    links.all.insert(this);
}

Link::~Link() {
    if (forked()) { // the threads are not here, and locks may be held for ever
        for (auto &each : stocks_) {
            for (Stock &stock : each) {
                for (auto &lane : stock.lanes) static_cast<void>(lane.release());
            }
        }
        return;
    }
    {
        Links &links = Links::the();
        const std::lock_guard lock(links.mutex);
        links.all.erase(this);
    }
    std::unique_lock lock(mutex_);
    released_.wait(lock, [&] { return held_ == 0; });
}

bool Link::ready(Direction direction, bool profiled) noexcept {
    {
        const std::lock_guard lock(mutex_);
        if (stock(direction, profiled).count > 0) return true;
    }
    Lane *lane = take(direction, profiled, false);
    if (lane != nullptr) give(direction, profiled, lane);
    return lane != nullptr;
}

Lane *Link::take(Direction direction, bool profiled, bool patient) noexcept {
    Stock &stock = this->stock(direction, profiled);
    std::unique_lock lock(mutex_);
    for (bool may_make = true;;) {
        if (!stock.idle.empty()) {
            Lane *lane = stock.idle.back();
            stock.idle.pop_back();
            return lane;
        }
        if (may_make && stock.count < lanes_) {
            ++stock.count;
            lock.unlock();
            std::unique_ptr<Lane> made;
            try {
                made = std::make_unique<Lane>(context_, device_, profiled);
            } catch (...) { // those there are must do
            }
            lock.lock();
            try {
                if (made) {
                    stock.idle.reserve(lanes_); // so that give() needs no memory
                    stock.lanes.push_back(std::move(made));
                    return stock.lanes.back().get();
                }
            } catch (...) {
            }
            --stock.count;
            given_.notify_all();
            may_make = false;
            continue;
        }
        if (!patient || stock.count == 0) return nullptr;
        given_.wait(lock);
    }
}

void Link::give(Direction direction, bool profiled, Lane *lane) noexcept {
    const std::lock_guard lock(mutex_);
    stock(direction, profiled).idle.push_back(lane);
    given_.notify_all();
}

bool Link::trim() noexcept {
    const std::lock_guard lock(mutex_);
    bool any = false;
    for (auto &each : stocks_) {
        for (Stock &stock : each) {
            for (Lane *lane : stock.idle) any = lane->unpin() || any;
        }
    }
    return any;
}

void Link::hold() {
    const std::lock_guard lock(mutex_);
    ++held_;
}

void Link::release() noexcept {
    const std::lock_guard lock(mutex_);
    --held_;
    released_.notify_all();
}

void Link::note_failure(std::exception_ptr failure) noexcept {
    const std::lock_guard lock(mutex_);
    if (failure != nullptr) failure_ = std::move(failure);
}

void Link::tell_failure() {
    std::unique_lock lock(mutex_);
    if (failure_ == nullptr) return;
    const std::exception_ptr failure = std::exchange(failure_, nullptr);
    lock.unlock();
    std::rethrow_exception(failure);
}

// ---- Transfer

namespace {

// Two chunks for each lane, within bounds that are found by measuring: smaller chunks lose to
// latency, larger ones to the first and the last, which nothing overlaps.
size_t chunk_of(size_t bytes, size_t lanes, std::optional<size_t> forced) {
    size_t unit = kChunkUnit, largest = kLargestChunk;
    if (forced) { // the same proportions
        largest = std::clamp(*forced, size_t{64}, kLargestChunk);
        unit = std::clamp(*forced / (kLeastStaged / kChunkUnit), size_t{64}, kChunkUnit);
    }
    return std::clamp(round_up(bytes / (2 * lanes), unit), unit, largest);
}

} // namespace

Transfer::Transfer(Link &link, Direction direction, bool profiled)
    : link_(link), direction_(direction), profiled_(profiled) {}

size_t Transfer::add(cl_mem memory, size_t offset, size_t bytes, void *host) {
    Piece piece{Ref<cl_mem>::retained(memory), offset, bytes, static_cast<std::byte *>(host), 0, bytes, {}};
    piece.chunk = chunk_of(bytes, link_.lanes(), link_.forced());
    const std::lock_guard lock(mutex_);
    pieces_.push_back(std::move(piece));
    return pieces_.size() - 1;
}

void Transfer::invite() {
    const bool known = link_.forced() || link_.pays(direction_) != Link::Pays::kUnknown;
    if (!known && pieces_.back().bytes >= kProbed) probe();
    begin();
}

// Starts as many threads as there is work for, but for one: the caller's own, or that of the first.
void Transfer::begin() noexcept {
    size_t count = 0;
    {
        const std::lock_guard lock(mutex_);
        if (direct_ || exhausted()) return;
        size_t chunks = 0;
        for (size_t i = next_; i < pieces_.size(); ++i) chunks += ceil_div(pieces_[i].bytes, pieces_[i].chunk);
        const size_t wanted = std::min(link_.lanes(), chunks) - 1;
        count = wanted > invited_ ? wanted - invited_ : 0;
        invited_ += count;
    }
    try {
        for (size_t i = 0; i < count && pool_ready(); ++i) {
            pool_start([transfer = shared_from_this()] { transfer->work(false, SIZE_MAX); });
        }
    } catch (...) { // those that have been started do the work
    }
}

bool Transfer::enter() {
    const std::lock_guard lock(mutex_);
    if (exhausted()) return false;
    ++busy_;
    return true;
}

void Transfer::leave() noexcept {
    bool over = false;
    {
        const std::lock_guard lock(mutex_);
        over = --busy_ == 0 && exhausted() && user_;
        progress_.notify_all();
    }
    if (over) complete();
}

void Transfer::fail(std::exception_ptr failure) noexcept {
    const std::lock_guard lock(mutex_);
    if (failure_ == nullptr) failure_ = std::move(failure);
}

Transfer::Chunk Transfer::claim(size_t most_pieces) {
    const std::lock_guard lock(mutex_);
    if (exhausted() || next_ >= most_pieces) return {};
    const Piece &piece = pieces_[next_];
    const size_t rest = piece.bytes - next_byte_;
    const Chunk chunk{.piece = next_,
                      .memory = piece.memory.get(),
                      .offset = piece.offset + next_byte_,
                      .bytes = direct_ ? rest : std::min(piece.chunk, rest),
                      .slot_bytes = direct_ ? 0 : piece.chunk,
                      .ahead = piece.bytes / piece.chunk < 4 * link_.lanes() ? Lane::kSlots - 1 : Lane::kSlots,
                      .host = piece.host + next_byte_};
    next_byte_ += chunk.bytes;
    if (next_byte_ == piece.bytes) {
        ++next_;
        next_byte_ = 0;
    }
    return chunk;
}

// Hands a chunk to the device; straight from or to the caller's memory where there is no slot.
void Transfer::launch(Lane &lane, Flight &flight) {
    const Chunk &chunk = flight.chunk;
    std::byte *host = flight.slot != nullptr ? flight.slot : chunk.host;
    cl_event event = nullptr;
    if (direction_ == Direction::kUp) {
        if (flight.slot != nullptr) std::memcpy(flight.slot, chunk.host, chunk.bytes);
        cl::check(api().EnqueueWriteBuffer(lane.queue(), chunk.memory, CL_FALSE, chunk.offset, chunk.bytes, host, 0,
                                           nullptr, &event),
                  "clEnqueueWriteBuffer", link_.name());
    } else {
        cl::check(api().EnqueueReadBuffer(lane.queue(), chunk.memory, CL_FALSE, chunk.offset, chunk.bytes, host, 0,
                                          nullptr, &event),
                  "clEnqueueReadBuffer", link_.name());
    }
    flight.event = Ref(event);
    cl::check(api().Flush(lane.queue()), "clFlush", link_.name());
}

// Waits for the device, and brings what came down where it belongs.
void Transfer::land(Flight &flight) {
    cl_event event = flight.event.get();
    cl::check(api().WaitForEvents(1, &event), "clWaitForEvents", link_.name());
    Span span;
    if (profiled_) {
        const auto query = [&](cl_profiling_info what, uint64_t &time) {
            cl_ulong value = 0;
            cl::check(api().GetEventProfilingInfo(event, what, sizeof value, &value, nullptr),
                      "clGetEventProfilingInfo", link_.name());
            time = value;
        };
        query(CL_PROFILING_COMMAND_START, span.start);
        query(CL_PROFILING_COMMAND_END, span.end);
    }
    const Chunk &chunk = flight.chunk;
    if (direction_ == Direction::kDown && flight.slot != nullptr) std::memcpy(chunk.host, flight.slot, chunk.bytes);
    flight.event = {};
    const std::lock_guard lock(mutex_);
    Piece &piece = pieces_[chunk.piece];
    piece.span.start = std::min(piece.span.start, span.start);
    piece.span.end = std::max(piece.span.end, span.end);
    piece.left -= chunk.bytes;
    if (piece.left == 0) progress_.notify_all();
}

// Keeps a lane's slots in use until no chunk is left.
void Transfer::carry(Lane &lane, size_t most_pieces) {
    std::array<Flight, Lane::kSlots> ring;
    size_t at = 0, depth = ring.size(); // the ring goes round after so many slots
    try {
        for (;;) {
            if (ring[at].event) land(ring[at]);
            const Chunk chunk = claim(most_pieces);
            if (chunk.bytes == 0) break;
            depth = std::min(depth, chunk.ahead);
            const bool staged = chunk.slot_bytes > 0;
            std::byte *slot = staged ? lane.slot(at, chunk.slot_bytes) : nullptr;
            if (staged && slot == nullptr && at > 0) { // the slots there are must do
                depth = std::exchange(at, 0);
                if (ring[at].event) land(ring[at]);
                slot = lane.slot(at, chunk.slot_bytes);
            }
            ring[at].chunk = chunk;
            ring[at].slot = slot;
            launch(lane, ring[at]);
            if (slot == nullptr) land(ring[at]);
            at = at + 1 < depth ? at + 1 : 0;
        }
        for (size_t i = 0; i < ring.size(); ++i) {
            Flight &flight = ring[(at + i) % ring.size()];
            if (flight.event) land(flight);
        }
    } catch (...) {
        fail(std::current_exception());
        for (Flight &flight : ring) {
            if (!flight.event) continue;
            cl_event event = flight.event.get();
            if (api().WaitForEvents(1, &event) != CL_SUCCESS) api().Finish(lane.queue());
            flight.event = {};
        }
    }
}

// `patient`: waits for a lane where all are in use.
void Transfer::work(bool patient, size_t most_pieces) noexcept {
    if (!enter()) return;
    Lane *lane = link_.take(direction_, profiled_, patient);
    if (lane != nullptr) {
        carry(*lane, most_pieces);
        link_.give(direction_, profiled_, lane);
    } else if (patient) {
        fail(std::make_exception_ptr(Error(GP_ERROR_HOST_MEMORY, "no memory for a transfer")));
    }
    leave();
}

// Copies some chunks by a slot and one by the driver alone, and compares.
void Transfer::probe() {
    if (!enter()) return;
    Lane *lane = link_.take(direction_, profiled_, true);
    if (lane != nullptr) {
        Flight flight;
        const auto seconds = [&](bool staged) {
            flight.chunk = claim(SIZE_MAX);
            if (flight.chunk.bytes == 0) return 0.0;
            flight.slot = staged ? lane->slot(0, flight.chunk.slot_bytes) : nullptr;
            const auto start = std::chrono::steady_clock::now();
            launch(*lane, flight);
            land(flight);
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        };
        try {
            seconds(true); // the first pins the slot
            const double staged = seconds(true);
            const bool has_slot = flight.slot != nullptr;
            const double drivers = seconds(false);
            const bool pays = has_slot && staged < drivers * static_cast<double>(link_.lanes()) / 2;
            link_.measured(direction_, pays);
            const std::lock_guard lock(mutex_);
            direct_ = !pays;
        } catch (...) {
            fail(std::current_exception());
            if (flight.event) api().Finish(lane->queue());
        }
        link_.give(direction_, profiled_, lane);
    }
    leave();
}

void Transfer::wait(size_t piece) {
    work(true, piece + 1);
    {
        std::unique_lock lock(mutex_);
        progress_.wait(lock, [&] { return pieces_[piece].left == 0 || failure_ != nullptr; });
    }
    check();
}

void Transfer::finish() {
    work(true, SIZE_MAX);
    cancel();
    check();
}

void Transfer::cancel() noexcept {
    std::unique_lock lock(mutex_);
    next_ = pieces_.size();
    progress_.wait(lock, [&] { return busy_ == 0; });
    for (Piece &piece : pieces_) piece.memory = {};
}

void Transfer::start_after(Ref<cl_event> before, Ref<cl_event> user, bool told) {
    {
        const std::lock_guard lock(mutex_);
        before_ = std::move(before);
        user_ = std::move(user);
        told_ = told;
    }
    auto *self = new std::shared_ptr<Transfer>(shared_from_this());
    const auto start = [](cl_event, cl_int status, void *data) {
        const std::unique_ptr<std::shared_ptr<Transfer>> owned(static_cast<std::shared_ptr<Transfer> *>(data));
        const std::shared_ptr<Transfer> &transfer = *owned;
        try {
            require(status == CL_COMPLETE, GP_ERROR_LAUNCH, "what a transfer on ", transfer->link_.name(),
                    " had to wait for failed: ", error_name(status));
            pool_start([transfer] { transfer->work(true, SIZE_MAX); });
        } catch (...) {
            transfer->fail(std::current_exception());
            transfer->complete();
            return;
        }
        transfer->begin();
    };
    link_.hold();
    const cl_int code = api().SetEventCallback(before_.get(), CL_COMPLETE, start, self);
    if (code == CL_SUCCESS) return;
    delete self;
    try {
        cl::check(code, "clSetEventCallback", link_.name());
    } catch (...) {
        fail(std::current_exception());
        told_ = true; // by the exception
        complete();
        throw;
    }
}

// Nothing of the link is used after this.
void Transfer::complete() noexcept {
    Ref<cl_event> user, before;
    std::exception_ptr failure;
    {
        const std::lock_guard lock(mutex_);
        user = std::move(user_);
        before = std::move(before_);
        for (Piece &piece : pieces_) piece.memory = {};
        failure = failure_;
    }
    link_.note_failure(told_ ? nullptr : failure);
    // A status that tells of the failure would keep what waits for the event from ever ending on
    // PoCL.
    for (int i = 0; i < kTries && api().SetUserEventStatus(user.get(), CL_COMPLETE) != CL_SUCCESS; ++i) {
    }
    user = {};
    before = {};
    link_.release();
}

void Transfer::check() const {
    const std::lock_guard lock(mutex_);
    if (failure_ != nullptr) std::rethrow_exception(failure_);
}

Span Transfer::span(size_t piece) const {
    const std::lock_guard lock(mutex_);
    return pieces_[piece].span;
}

} // namespace gpcl::cl
