// What a call on buffers did, for calls of the same signature: they launch its kernels, whose
// arguments are set already, but for memory that has changed. They check no more than what buffers
// hold.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/memory.h"
#include "cl/program.h"
#include "cl/range.h"

#include <array>
#include <atomic>
#include <memory>
#include <span>

namespace gpcl::cl {

class Recording {
  public:
    explicit Recording(std::span<const uint64_t> words, uint64_t hash, uint64_t epoch)
        : words_(words.begin(), words.end()), hash_(hash), epoch_(epoch) {}

    // Where an argument's memory comes from.
    enum class From { kPlace, kSpace, kClearedSpace, kKept };
    struct Memory {
        From from;
        size_t place = 0;             // of the signature
        size_t offset = 0, bytes = 0; // what is used of a place; how much space
        cl_mem memory = nullptr;      // of the call that was recorded
        uint64_t serial = 0;
        cl::Memory kept = {};
    };
    struct Argument { // one that is memory
        cl_uint index;
        size_t memory;
        uint64_t serial; // of what is set
    };
    struct Launch {
        std::shared_ptr<Program> program;
        Kernel kernel; // in nobody else's hands
        Range range;
        std::vector<Argument> arguments;
    };
    struct Copy {
        size_t from, from_offset, to, to_offset, bytes;
    };
    struct Fill {
        size_t memory, offset, bytes, pattern_bytes;
        std::array<std::byte, 16> pattern;
    };
    struct Command {
        enum class Kind { kLaunch, kCopy, kFill } kind;
        size_t index; // among its kind
    };
    static constexpr size_t kMostMemories = 24;

    // What a call does. Nothing that isn't here can be repeated.
    void add(Memory memory);
    void launch(Program &program, Kernel kernel, const Range &range, std::vector<Argument> arguments);
    void copy(cl_mem from, size_t from_offset, cl_mem to, size_t to_offset, size_t bytes);
    void fill(cl_mem memory, size_t offset, size_t bytes, const void *pattern, size_t pattern_bytes);
    void spoil() { is_whole_ = false; }

    // Which of the memories that is; the latest, since a step of a task may have had the same
    // before. None: spoils it.
    size_t find(cl_mem memory);

    bool is_whole() const { return is_whole_; }
    uint64_t hash() const { return hash_; }
    uint64_t epoch() const { return epoch_; }
    bool has(std::span<const uint64_t> words) const {
        return std::equal(words.begin(), words.end(), words_.begin(), words_.end());
    }

    std::vector<Memory> memories;
    std::vector<Launch> launches;
    std::vector<Copy> copies;
    std::vector<Fill> fills;
    std::vector<Command> commands; // in order

  private:
    std::vector<uint64_t> words_;
    uint64_t hash_, epoch_;
    bool is_whole_ = true;
};

// A context's recordings: the latest, up to kSets * kWays. A call takes one out and puts it back,
// so that no two use its kernels at once.
class Recordings {
  public:
    // One of this signature that nobody uses.
    std::unique_ptr<Recording> take(std::span<const uint64_t> words, uint64_t hash);
    // A new one, if a call of this signature was made lately: what is called once is not worth it.
    std::unique_ptr<Recording> begin(std::span<const uint64_t> words, uint64_t hash);
    void put(std::unique_ptr<Recording> recording);
    // Forgets all, those in use and those that have begun too.
    void clear();

  private:
    static constexpr size_t kSets = 64, kWays = 4;
    using Set = std::array<std::unique_ptr<Recording>, kWays>; // the latest first
    std::mutex mutex_;
    std::array<Set, kSets> sets_;
    std::array<std::atomic<uint64_t>, kSets * kWays> seen_{}; // hashes
    std::atomic<uint64_t> epoch_{0};
};

} // namespace gpcl::cl
