// Why an algorithm can't run a request.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/error.h"

#include <array>
#include <concepts>

namespace gpcl {

// Nothing, where an algorithm can run a request; else the parts of a sentence, which becomes a text
// when one is asked for. Parts are numbers and texts that live as long as the library: a choice
// that succeeds makes no text and takes no memory.
class Refusal {
    template <class Part> static constexpr bool kIsPart =
        std::is_convertible_v<const Part &, const char *> || std::unsigned_integral<Part> || std::signed_integral<Part>;

  public:
    Refusal() = default;

    template <class... Parts>
    requires(sizeof...(Parts) > 0 && (kIsPart<Parts> && ...))
        Refusal(const Parts &...parts) { // NOLINT(google-explicit-constructor): `return "why";`
        static_assert(sizeof...(Parts) <= kMost);
        (add(parts), ...);
    }

    explicit operator bool() const { return count_ > 0; }

    std::string text() const {
        std::string result;
        for (size_t i = 0; i < count_; ++i)
            parts_[i].words != nullptr ? append(result, parts_[i].words) : append(result, parts_[i].number);
        return result;
    }

  private:
    static constexpr size_t kMost = 8;

    struct Part {
        const char *words = nullptr; // NULL: the number
        uint64_t number = 0;
    };

    void add(const char *words) { parts_[count_++].words = words; }
    void add(std::integral auto number) { parts_[count_++].number = static_cast<uint64_t>(number); }

    std::array<Part, kMost> parts_{};
    size_t count_ = 0;
};

} // namespace gpcl
