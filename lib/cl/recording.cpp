// Recordings and where they are kept.
// SPDX-License-Identifier: MIT
#include "cl/recording.h"

#include <algorithm>
#include <cstring>

namespace gpcl::cl {

void Recording::add(Memory memory) {
    if (memories.size() == kMostMemories) return spoil();
    memories.push_back(std::move(memory));
}

size_t Recording::find(cl_mem memory) {
    for (size_t i = memories.size(); i-- > 0;)
        if (memories[i].memory == memory) return i;
    spoil();
    return memories.size();
}

void Recording::launch(Program &program, Kernel kernel, const Range &range, std::vector<Argument> arguments) {
    commands.push_back({Command::Kind::kLaunch, launches.size()});
    launches.push_back({program.shared_from_this(), std::move(kernel), range, std::move(arguments)});
}

void Recording::copy(cl_mem from, size_t from_offset, cl_mem to, size_t to_offset, size_t bytes) {
    commands.push_back({Command::Kind::kCopy, copies.size()});
    copies.push_back({find(from), from_offset, find(to), to_offset, bytes});
}

void Recording::fill(cl_mem memory, size_t offset, size_t bytes, const void *pattern, size_t pattern_bytes) {
    Fill fill{find(memory), offset, bytes, pattern_bytes, {}};
    if (pattern_bytes > fill.pattern.size()) return spoil();
    std::memcpy(fill.pattern.data(), pattern, pattern_bytes);
    commands.push_back({Command::Kind::kFill, fills.size()});
    fills.push_back(fill);
}

std::unique_ptr<Recording> Recordings::take(std::span<const uint64_t> words, uint64_t hash) {
    const std::lock_guard lock(mutex_);
    for (auto &one : sets_[hash % kSets])
        if (one && one->hash() == hash && one->has(words)) return std::move(one);
    return nullptr;
}

std::unique_ptr<Recording> Recordings::begin(std::span<const uint64_t> words, uint64_t hash) {
    if (seen_[hash % seen_.size()].exchange(hash, std::memory_order_relaxed) != hash) return nullptr;
    return std::make_unique<Recording>(words, hash, epoch_.load());
}

void Recordings::put(std::unique_ptr<Recording> recording) {
    const std::lock_guard lock(mutex_);
    if (recording->epoch() != epoch_.load()) return;
    Set &set = sets_[recording->hash() % kSets];
    auto free = std::find(set.begin(), set.end(), nullptr);
    if (free == set.end()) --free; // the oldest
    std::move_backward(set.begin(), free, free + 1);
    set.front() = std::move(recording);
}

void Recordings::clear() {
    std::array<Set, kSets> all; // released after the lock
    const std::lock_guard lock(mutex_);
    ++epoch_;
    all.swap(sets_);
}

} // namespace gpcl::cl
