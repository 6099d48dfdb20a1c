// Which algorithms were proved to be right on a context's device, for a look that costs a word of
// memory.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gpcl::cl {

class Proofs {
  public:
    // A context asks for proofs from now on, unless GPCL_PROVE is "off" or "0".
    void begin();
    bool are_wanted() const { return are_wanted_; }

    // Was that noted of an algorithm, which is told by its address, and a type? One that was proved
    // may be forgotten: others take its place.
    bool has(const void *algorithm, gp_dtype dtype) const {
        const uintptr_t word = word_of(algorithm, dtype);
        return place(word).load(std::memory_order_relaxed) == word;
    }
    void note(const void *algorithm, gp_dtype dtype) const {
        const uintptr_t word = word_of(algorithm, dtype);
        place(word).store(word, std::memory_order_relaxed);
    }

  private:
    static constexpr size_t kPlaces = 512;
    // Objects at such addresses are larger than there are types.
    static uintptr_t word_of(const void *algorithm, gp_dtype dtype) {
        return reinterpret_cast<uintptr_t>(algorithm) + static_cast<uintptr_t>(dtype);
    }
    std::atomic<uintptr_t> &place(uintptr_t word) const { return words_[(word ^ word >> 9) % kPlaces]; }

    bool are_wanted_ = false;
    mutable std::array<std::atomic<uintptr_t>, kPlaces> words_{};
};

} // namespace gpcl::cl
