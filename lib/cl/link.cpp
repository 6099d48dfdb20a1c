// Lanes, their pinned slots, and the threads that drive them.
// SPDX-License-Identifier: MIT
#include "cl/link.h"

#include "core/copy.h"
#include "core/files.h"
#include "core/pool.h"
#include "core/size.h"
#include "core/spin.h"
#include "core/system.h"
#include "core/threads.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <unordered_set>

namespace gpcl::cl {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kMostLanes = 4;    // of each direction, for transfers at once
constexpr size_t kMostThreads = 12; // for each transfer; more gain nothing on a link of 55 GB/s
constexpr size_t kMostAtOnce = 8;   // for one that is waited for: more stand in each other's way
constexpr size_t kLeastThreads = 3; // with fewer the driver's copy is as fast
// Whole calls on an H200 with 16 cores, driver's copies and staged, us: reduce of 64, 128, 256 KiB
// 39, 44; 56, 49; 50, 60; sort of 64, 128, 256 KiB and 1, 4, 16 MiB 66, 59; 115, 67; 145, 94; 426,
// 313; 1176, 605; 3932, 1244.
constexpr size_t kLeastStaged = kMiB / 8;
constexpr size_t kLargestLoad = 4 * kMiB; // which also is the largest slot
constexpr size_t kLeastLoad = kMiB / 8;
constexpr size_t kPart = kMiB / 4; // what a thread copies at once
constexpr size_t kLeastPart = kMiB / 16;
constexpr size_t kParts = 8;                    // of a load, between these bounds
constexpr size_t kThreadsBytes = kMiB / 4;      // an array of so many for each thread is worth waking it
constexpr std::chrono::microseconds kSpin(100); // a thread that sleeps is back some 100 us late
constexpr std::chrono::microseconds kAsk(2);    // between two questions whether a load is there
// Arrays of so many bytes go to the device past the CPU's caches. Writes on an H100 with 16 cores,
// by ordinary stores and by these, us: 256 KiB 46, 50; 1 MiB 92, 67; 4 MiB 247, 154; 16 MiB 548,
// 465; 64 MiB 1500, 1530. Arrays in pieces lose a fifth, and so do reads, which the program uses
// next.
constexpr size_t kLeastPastCaches = kMiB, kMostPastCaches = 32 * kMiB;
constexpr size_t kProbed = 64 * kMiB;      // arrays from here on tell whether slots pay
constexpr size_t kMostPinned = 256 * kMiB; // of all links
constexpr size_t kShareOfMemory = 16;      // the part of the machine's memory that they pin at most
constexpr size_t kLeastSlot = 4096;
constexpr int kTries = 8;                           // of a call without which others would wait for ever
constexpr std::chrono::milliseconds kLookAround(1); // where a call must end: whether it has to, or the device is lost

// ---- Memory that all links may pin

std::atomic<size_t> pinned = 0;

size_t most_pinned() {
    static const size_t most = [] {
        const size_t memory = static_cast<size_t>(memory_bytes());
        return std::min({kMostPinned, memory / kShareOfMemory, bytes_variable("GPCL_PINNED_BYTES").value_or(SIZE_MAX)});
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
    const auto bytes = bytes_variable("GPCL_STAGING");
    return bytes && *bytes == 0 ? SIZE_MAX : bytes;
}

std::optional<size_t> forced_piece() {
    const auto bytes = bytes_variable("GPCL_STREAM");
    return bytes && *bytes == 0 ? SIZE_MAX : bytes;
}

size_t least_staged(const gp_device_info &device) {
    if (device.kind == GP_DEVICE_HOST) return SIZE_MAX;
    if (const auto forced = forced_staging()) return *forced;
    const bool pays = device.kind == GP_DEVICE_GPU && device.has_unified_memory == 0 &&
                      !std::string_view(device.name).ends_with(kRemote) && workers() >= kLeastThreads;
    return pays ? kLeastStaged : SIZE_MAX;
}

// ---- Lane

Lane::Lane(cl_context context, cl_device_id device, bool profiled) : context_(context) {
    cl_int code = CL_SUCCESS;
    queue_ = Ref(api().CreateCommandQueue(context, device, profiled ? CL_QUEUE_PROFILING_ENABLE : 0, &code));
    check(code, "clCreateCommandQueue");
}

Lane::Slot Lane::pin(size_t bytes, bool urgent) noexcept {
    const size_t size = std::bit_ceil(std::max(bytes, kLeastSlot));
    bool is_reserved = false;
    try {
        is_reserved = reserve(size) || (urgent && Links::the().trim_one() && reserve(size));
        if (!is_reserved) return {};
        cl_int code = CL_SUCCESS;
        Slot slot;
        slot.memory =
            Ref(api().CreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size, nullptr, &code));
        check(code, "clCreateBuffer");
        slot.at = static_cast<std::byte *>(
            map_memory(queue_.get(), slot.memory.get(), CL_MAP_READ | CL_MAP_WRITE, 0, size, {}, "pinned memory"));
        if (slot.at != nullptr) {
            slot.bytes = size;
            return slot;
        }
    } catch (...) {
        // Whoever asked does without.
    }
    if (is_reserved) pinned -= size;
    return {};
}

bool Lane::unpin(Slot &slot) noexcept {
    const Api *api = usable_api();
    if (slot.bytes == 0 || api == nullptr) return false;
    api->EnqueueUnmapMemObject(queue_.get(), slot.memory.get(), slot.at, 0, nullptr, nullptr);
    try {
        await_all(queue_.get(), "pinned memory");
    } catch (...) {
        // The driver lets the memory go later.
    }
    pinned -= slot.bytes;
    slot = {};
    return true;
}

bool Lane::unpin() noexcept {
    bool any = false;
    for (Slot &slot : slots_) any = unpin(slot) || any;
    return any;
}

// ---- Link

Link::Link(cl_context context, cl_device_id device, std::string name, std::shared_ptr<DeviceState> state)
    : state_(std::move(state)), context_(context), device_(device), name_(std::move(name)), forced_(forced_staging()),
      threads_(std::clamp(workers(), forced_ ? kLeastThreads + 1 : 1, kMostThreads)) {
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
        if (may_make && stock.count < kMostLanes) {
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
                    stock.idle.reserve(kMostLanes); // so that give() needs no memory
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
        const CallScope &call = *CallScope::current();
        if (!call.is_bounded())
            given_.wait(lock);
        else if (state_->is_lost() || std::chrono::steady_clock::now() >= call.end())
            return nullptr;
        else
            given_.wait_for(lock, kLookAround);
    }
}

void Link::give(Direction direction, bool profiled, Lane *lane) noexcept {
    const std::lock_guard lock(mutex_);
    stock(direction, profiled).idle.push_back(lane);
    given_.notify_all();
}

bool Link::trim() noexcept {
    const CallScope call(state_); // it may be another context's that wants the memory
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

// Three loads of a small array: smaller ones lose to the time of a command, larger ones to the
// first and the last, which nothing overlaps.
size_t load_of(size_t bytes, std::optional<size_t> forced) {
    constexpr size_t kLoads = 3;
    size_t least = kLeastLoad, largest = kLargestLoad;
    if (forced) { // the same proportions
        largest = std::clamp(*forced, size_t{64}, kLargestLoad);
        least = std::max(largest / (kLargestLoad / kLeastLoad), size_t{64});
    }
    return std::clamp(round_up(bytes / kLoads, least), least, largest);
}

// What f throws.
template <class F> std::exception_ptr thrown(const F &f) noexcept {
    try {
        f();
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

// The same, without the lock.
template <class Lock, class F> std::exception_ptr unlocked(Lock &lock, const F &f) {
    lock.unlock();
    std::exception_ptr failure = thrown(f);
    lock.lock();
    return failure;
}

} // namespace

Transfer::Transfer(Link &link, Direction direction, bool profiled, Kind kind)
    : link_(link), direction_(direction), profiled_(profiled), kind_(kind) {}

void Transfer::Lock::unlock() {
    const size_t wanted = std::exchange(transfer_.wanted_, 0);
    const bool all = wanted >= transfer_.sleeping_;
    held_ = false;
    transfer_.mutex_.unlock();
    if (wanted == 0) return;
    if (all)
        transfer_.changes_.notify_all();
    else
        for (size_t i = 0; i < wanted; ++i) transfer_.changes_.notify_one();
}

size_t Transfer::add(cl_mem memory, size_t offset, size_t bytes, void *host, bool direct) {
    Array array{Ref<cl_mem>::retained(memory), offset, bytes, static_cast<std::byte *>(host), direct, 0, bytes, {}};
    array.load = load_of(bytes, link_.forced());
    const std::lock_guard lock(mutex_);
    arrays_.push_back(std::move(array));
    return arrays_.size() - 1;
}

void Transfer::invite() {
    { // before those of the pool would have to wait for it
        Lock lock(*this);
        if (lane_ == nullptr && !taking_ && !exhausted()) take_lane(false, lock);
    }
    if (!link_.forced() && link_.pays(direction_) == Link::Pays::kUnknown) probe();
    begin();
}

// Starts as many threads as there is work for. The caller, or the thread that starts the transfer
// after an event, is one of them, but for a stream's.
void Transfer::begin() noexcept {
    size_t count = 0;
    {
        const Lock lock(*this);
        const bool streams = kind_ != Kind::kOnce;
        if ((direct_ && !streams) || exhausted()) return;
        size_t worth = 0;
        const size_t bytes_each = link_.forced() ? arrays_.back().load / 2 : kThreadsBytes;
        for (size_t i = next_; i < arrays_.size(); ++i)
            worth += direct_ || arrays_[i].direct ? 1 : ceil_div(arrays_[i].bytes, bytes_each);
        size_t most = link_.threads();
        if (!streams) most = std::min(most, kMostAtOnce);
        // Both ways share the process' CPUs with each other, and with who waits.
        if (kind_ == Kind::kBothWays) most = std::clamp((workers() - 1) / 2, size_t{1}, most);
        const size_t wanted = std::min(most, worth) - (streams ? 0 : 1);
        count = wanted > invited_ ? wanted - invited_ : 0;
        invited_ += count;
        wake(wanted);
    }
    if (count == 0) return;
    try {
        if (pool_ready()) {
            pool_start([transfer = shared_from_this()] { transfer->work({.invited = true}); }, count);
            return;
        }
    } catch (...) { // those that wait do the work
    }
    const Lock lock(*this);
    invited_ -= count;
}

void Transfer::work(const Role &role) noexcept {
    const CallScope call(state_, end_);
    bool last = false;
    {
        Lock lock(*this);
        const auto done = [&] { return over() || (role.array < arrays_.size() && arrays_[role.array].left == 0); };
        while (!done()) {
            if (lane_ != nullptr) {
                step(lock, role.patient);
                continue;
            }
            if (!take_lane(role.patient, lock)) break;
            if (!role.patient || lane_ == nullptr) continue;
            lock.unlock();
            begin(); // those of the pool that came before there was a lane have left
            lock.lock();
        }
        if (over() && lane_ != nullptr) link_.give(direction_, profiled_, std::exchange(lane_, nullptr));
        invited_ -= role.invited ? 1 : 0;
        last = over() && user_ && !std::exchange(completed_, true);
        wake_next(); // what was meant to wake this thread may be another's to do
    }
    if (last) complete();
}

// False where none is to be had.
bool Transfer::take_lane(bool patient, Lock &lock) {
    if (taking_) {
        pause(lock);
        return true;
    }
    taking_ = true;
    lock.unlock();
    Lane *lane = link_.take(direction_, profiled_, patient);
    lock.lock();
    taking_ = false;
    lane_ = lane;
    for (Load &load : loads_) load.fixed = false;
    if (lane == nullptr && patient) {
        fail(thrown([&] { // or the want of memory for these texts
            require(std::chrono::steady_clock::now() < end_, GP_ERROR_TIMEOUT, "other transfers did not end in time");
            state_->require_present();
            gpcl::fail(GP_ERROR_HOST_MEMORY, "no memory for a transfer");
        }));
    }
    wake(sleeping_);
    return lane != nullptr;
}

// Does one thing that is to be done, or waits until there is one.
void Transfer::step(Lock &lock, bool patient) {
    if (kind_ == Kind::kOnce) {
        if (patient) return drive(lock);
        Load *load = to_copy();
        return load != nullptr ? copy(*load, lock) : pause(lock);
    }
    if (Load *load = to_launch()) return launch(*load, lock);
    if (Load *load = to_copy()) return copy(*load, lock);
    if (Load *load = to_open()) return open(*load, lock);
    if (Load *load = to_land()) return land(*load, lock);
    pause(lock);
}

// A step of the thread that waits. It alone calls OpenCL: after such calls of several threads a
// thread of NVIDIA's driver polls for 100 ms and more, which takes a CPU and makes launches slower
// by a quarter. It waits for the device only where no load can become ready meanwhile.
void Transfer::drive(Lock &lock) {
    if (Load *load = to_launch()) return launch(*load, lock);
    if (Load *load = to_open()) return open(*load, lock);
    Load *flying = to_land();
    if (flying != nullptr && has_landed(*flying)) return land(*flying, lock);
    if (Load *load = to_copy()) return copy(*load, lock);
    if (flying == nullptr) return pause(lock);
    const auto copying = [](const Load &load) { return load.state == Load::State::kCopying; };
    if (std::none_of(loads_.begin(), loads_.end(), copying)) return land(*flying, lock);
    const uint32_t before = changes_;
    lock.unlock();
    spin(kAsk, [&] { return changes_.load(std::memory_order_relaxed) != before; });
    lock.lock();
}

// Whether the device has copied it; also true where that can't be told, which land() reports.
bool Transfer::has_landed(const Load &load) const {
    const Api *api = usable_api();
    if (api == nullptr) return true;
    cl_int status = CL_COMPLETE;
    const cl_int code =
        api->GetEventInfo(load.event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    return code != CL_SUCCESS || status <= CL_COMPLETE;
}

// Until something changes.
void Transfer::pause(Lock &lock) {
    const uint32_t before = changes_;
    lock.unlock();
    const bool changed = spin(kSpin, [&] { return changes_.load(std::memory_order_relaxed) != before; });
    lock.lock();
    if (changed || changes_ != before) return;
    ++sleeping_;
    lock.unlock();
    changes_.wait(before);
    lock.lock();
    --sleeping_;
}

// The oldest load that is such; NULL where none is.
template <class Is> Transfer::Load *Transfer::oldest(const Is &is) {
    Load *result = nullptr;
    for (Load &load : loads_) {
        if (is(load) && (result == nullptr || load.order < result->order)) result = &load;
    }
    return result;
}

// The oldest load that the device may have, where no other thread hands it one.
Transfer::Load *Transfer::to_launch() {
    return launching_ ? nullptr : oldest([](const Load &load) { return load.state == Load::State::kReady; });
}

// The oldest load that has a part to copy.
Transfer::Load *Transfer::to_copy() {
    if (halted()) return nullptr;
    return oldest([](const Load &load) { return load.state == Load::State::kCopying && load.claimed < load.bytes; });
}

// An idle load, where there is more to carry; one with a slot, if there is one.
Transfer::Load *Transfer::to_open() {
    Load *other = nullptr;
    if (exhausted()) return other;
    const bool direct = direct_ || arrays_[next_].direct;
    for (size_t i = 0; i < loads_.size(); ++i) {
        Load &load = loads_[i];
        const size_t has = lane_->slots()[i].bytes;
        if (load.state != Load::State::kIdle || (load.fixed && has == 0 && !direct)) continue;
        if (direct || load.fixed || has >= arrays_[next_].load) return &load;
        if (other == nullptr) other = &load;
    }
    return other;
}

// The oldest that the device copies, where no other thread waits for it.
Transfer::Load *Transfer::to_land() {
    return landing_ ? nullptr : oldest([](const Load &load) { return load.state == Load::State::kFlying; });
}

// Begins the next load, of at most so many bytes.
void Transfer::open(Load &load, Lock &lock, size_t most) {
    const Lane::Slot &slot = slot_of(load);
    const Array &array = arrays_[next_];
    const bool direct = direct_ || array.direct;
    if (!direct && slot.bytes < array.load && !load.fixed) return pin(load, array.load, lock);
    load.state = Load::State::kHeld;
    ++in_use_;
    load.order = orders_++;
    load.array = next_;
    load.memory = array.memory.get();
    load.offset = array.offset + next_byte_;
    load.host = array.host + next_byte_;
    load.slot = direct ? nullptr : slot.at;
    load.bytes = std::min({array.bytes - next_byte_, most, direct ? SIZE_MAX : std::min(array.load, slot.bytes)});
    load.part =
        link_.forced() ? std::max(array.load / 4, size_t{16}) : std::clamp(array.load / kParts, kLeastPart, kPart);
    next_byte_ += load.bytes;
    if (next_byte_ == array.bytes) {
        ++next_;
        next_byte_ = 0;
    }
    if (direct || direction_ == Direction::kDown)
        load.state = Load::State::kReady;
    else
        share(load);
}

// Gives an idle load a larger slot, if one is to be had.
void Transfer::pin(Load &load, size_t bytes, Lock &lock) {
    Lane &lane = *lane_;
    auto &slots = lane.slots();
    Lane::Slot &slot = slot_of(load);
    const auto any = [&] {
        return std::any_of(slots.begin(), slots.end(), [](const Lane::Slot &each) { return each.bytes > 0; });
    };
    const bool urgent = !any();
    Lane::Slot before = std::exchange(slot, {});
    load.state = Load::State::kHeld;
    ++in_use_;
    lock.unlock();
    lane.unpin(before);
    Lane::Slot after = lane.pin(bytes, urgent);
    lock.lock();
    slot = std::move(after);
    load.fixed = slot.bytes == 0;
    const bool all_tried = std::all_of(loads_.begin(), loads_.end(), [](const Load &each) { return each.fixed; });
    if (!any() && all_tried) direct_ = true;
    release(load);
}

// Lets threads copy a load's parts.
void Transfer::share(Load &load) {
    load.state = Load::State::kCopying;
    load.claimed = load.copied = 0;
    wake(ceil_div(load.bytes, load.part) - 1);
}

// Copies a part, and does what follows the last.
void Transfer::copy(Load &load, Lock &lock) {
    const size_t begin = load.claimed, bytes = std::min(load.part, load.bytes - begin);
    const bool up = direction_ == Direction::kUp;
    const size_t whole = arrays_[load.array].bytes;
    const bool past_caches =
        up && kind_ == Kind::kOnce && whole <= kMostPastCaches && (link_.forced() || whole >= kLeastPastCaches);
    load.claimed += bytes;
    lock.unlock();
    if (past_caches)
        copy_past_caches(load.slot + begin, load.host + begin, bytes);
    else if (up)
        std::memcpy(load.slot + begin, load.host + begin, bytes);
    else
        std::memcpy(load.host + begin, load.slot + begin, bytes);
    lock.lock();
    load.copied += bytes;
    if (halted()) {
        if (load.copied == load.claimed) release(load);
    } else if (load.copied == load.bytes) {
        if (!up) return finish(load);
        load.state = Load::State::kReady; // for this thread, or the one that launches
        if (kind_ == Kind::kOnce) wake(sleeping_);
    }
}

// Hands a load to the device.
void Transfer::launch(Load &load, Lock &lock) {
    load.state = Load::State::kHeld;
    launching_ = true;
    const cl_command_queue queue = lane_->queue();
    std::byte *host = load.slot != nullptr ? load.slot : load.host;
    cl_event event = nullptr;
    const std::exception_ptr failure = unlocked(lock, [&] {
        if (direction_ == Direction::kUp)
            cl::check(api().EnqueueWriteBuffer(queue, load.memory, CL_FALSE, load.offset, load.bytes, host, 0, nullptr,
                                               &event),
                      "clEnqueueWriteBuffer", link_.name());
        else
            cl::check(api().EnqueueReadBuffer(queue, load.memory, CL_FALSE, load.offset, load.bytes, host, 0, nullptr,
                                              &event),
                      "clEnqueueReadBuffer", link_.name());
        cl::check(api().Flush(queue), "clFlush", link_.name());
    });
    launching_ = false;
    load.event = Ref(event);
    if (failure != nullptr) fail(failure);
    if (event == nullptr) return release(load);
    load.state = Load::State::kFlying;
    wake(exhausted() ? sleeping_ : 1);
}

// Waits until the device has copied a load.
void Transfer::land(Load &load, Lock &lock) {
    landing_ = true;
    const cl_command_queue queue = lane_->queue();
    Ref<cl_event> landed = std::move(load.event);
    Span span;
    const std::exception_ptr failure = unlocked(lock, [&] {
        const cl_event event = landed.get();
        try {
            settle(event, link_.name());
        } catch (...) {
            try {
                settle_all(queue, link_.name());
            } catch (...) {
                // The first failure is told.
            }
            throw;
        }
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
        landed = {};
    });
    landing_ = false;
    if (failure != nullptr) fail(failure);
    if (halted()) return release(load);
    Span &whole = arrays_[load.array].span;
    whole.start = std::min(whole.start, span.start);
    whole.end = std::max(whole.end, span.end);
    if (direction_ == Direction::kUp || load.slot == nullptr)
        finish(load);
    else
        share(load);
}

void Transfer::finish(Load &load) {
    Array &array = arrays_[load.array];
    array.left -= load.bytes;
    if (array.left == 0) wake(sleeping_);
    release(load);
}

void Transfer::release(Load &load) {
    load.state = Load::State::kIdle;
    --in_use_;
    wake_next();
}

// Wakes a thread that can do what comes next. Where only those that wait call OpenCL, that is one
// of all.
void Transfer::wake_next() { wake(over() || kind_ == Kind::kOnce ? sleeping_ : 1); }

void Transfer::wake(size_t threads) {
    ++changes_;
    wanted_ = std::min(wanted_ + threads, sleeping_);
}

// Nothing more is begun; loads that nobody is at are given up.
void Transfer::halt() {
    for (Load &load : loads_) {
        const bool between = load.state == Load::State::kCopying && load.copied == load.claimed;
        if (between || load.state == Load::State::kReady) release(load);
    }
    wake(sleeping_);
}

void Transfer::fail(std::exception_ptr failure) {
    if (failure_ == nullptr) failure_ = std::move(failure);
    halt();
}

// Carries a load through a slot and one by the driver alone, and compares; where nobody else is at
// work, and the next array is large.
void Transfer::probe() {
    Lock lock(*this);
    const bool alone = invited_ == 0 && in_use_ == 0;
    if (!alone || exhausted() || arrays_[next_].direct) return;
    if (kind_ == Kind::kOnce && arrays_[next_].bytes < kProbed) return;
    while (lane_ == nullptr && !halted()) take_lane(true, lock);
    if (halted()) return;
    Load &load = loads_[0];
    const auto seconds = [&] {
        const auto start = std::chrono::steady_clock::now();
        open(load, lock, kLargestLoad);
        while (load.state == Load::State::kCopying) copy(load, lock);
        if (load.state == Load::State::kReady) launch(load, lock);
        if (load.state == Load::State::kFlying) land(load, lock);
        while (load.state == Load::State::kCopying) copy(load, lock);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    const auto has_slot = [&] { return lane_->slots()[0].bytes > 0; };
    if (!has_slot()) pin(load, arrays_[next_].load, lock);
    if (has_slot()) seconds(); // the slot's memory is new
    if (exhausted()) return;
    const double staged = has_slot() ? seconds() : 0;
    if (exhausted()) return;
    direct_ = true;
    const double drivers = seconds();
    if (halted()) return;
    const bool pays = has_slot() && staged < drivers * static_cast<double>(link_.threads()) / 2;
    link_.measured(direction_, pays);
    direct_ = !pays;
}

void Transfer::wait(size_t array) {
    work({.array = array, .patient = true});
    check();
}

void Transfer::finish() {
    work({.patient = true});
    cancel();
    check();
}

void Transfer::cancel() noexcept {
    {
        const Lock lock(*this);
        cancelled_ = true;
        halt();
    }
    work({.patient = true}); // what the device is at
    const std::lock_guard lock(mutex_);
    for (Array &array : arrays_) array.memory = {};
}

void Transfer::start_after(Ref<cl_event> before, Ref<cl_event> user, bool told) {
    {
        const std::lock_guard lock(mutex_);
        before_ = std::move(before);
        user_ = std::move(user);
        told_ = told;
        end_ = Time::max(); // no call waits
    }
    auto *self = new std::shared_ptr<Transfer>(shared_from_this());
    const auto start = [](cl_event, cl_int status, void *data) {
        auto *self = static_cast<std::shared_ptr<Transfer> *>(data);
        const CallScope call((*self)->state_, Time::max());
        const std::unique_ptr<std::shared_ptr<Transfer>> owned(self);
        const std::shared_ptr<Transfer> &transfer = *owned;
        try {
            require(status == CL_COMPLETE, GP_ERROR_LAUNCH, "what a transfer on ", transfer->link_.name(),
                    " had to wait for failed: ", error_name(status));
            pool_start([transfer] { transfer->work({.patient = true}); });
        } catch (...) {
            {
                const Lock lock(*transfer);
                transfer->fail(std::current_exception());
            }
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
        {
            const Lock lock(*this);
            fail(std::current_exception());
            told_ = true; // by the exception
        }
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
        for (Array &array : arrays_) array.memory = {};
        failure = failure_;
    }
    link_.note_failure(told_ ? nullptr : failure);
    // A status that tells of the failure would keep what waits for the event from ever ending on
    // PoCL.
    if (const Api *api = usable_api()) {
        for (int i = 0; i < kTries && api->SetUserEventStatus(user.get(), CL_COMPLETE) != CL_SUCCESS; ++i) {
        }
    }
    user = {};
    before = {};
    link_.release();
}

void Transfer::check() const {
    const std::lock_guard lock(mutex_);
    if (failure_ != nullptr) std::rethrow_exception(failure_);
}

bool Transfer::has_copied(size_t count) const {
    const std::lock_guard lock(mutex_);
    return std::all_of(arrays_.begin(), arrays_.begin() + static_cast<std::ptrdiff_t>(count),
                       [](const Array &array) { return array.left == 0; });
}

Span Transfer::span(size_t array) const {
    const std::lock_guard lock(mutex_);
    return arrays_[array].span;
}

} // namespace gpcl::cl
