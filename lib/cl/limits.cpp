// Reads GPCL_LIMITS.
// SPDX-License-Identifier: MIT
#include "cl/limits.h"

#include "core/error.h"

#include <algorithm>
#include <charconv>

namespace gpcl::cl {
namespace {

size_t number_of(std::string_view word, std::string_view digits) {
    size_t value = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
    require(error == std::errc{} && end == digits.end() && value > 0, GP_ERROR_OPTION, "GPCL_LIMITS has \"", word,
            "\"; expected a whole number from 1 behind =");
    return value;
}

// Where a character is; the size where there is none.
size_t place_of(char wanted, std::string_view text) {
    return static_cast<size_t>(std::find(text.begin(), text.end(), wanted) - text.begin());
}

void read(Limits &limits, std::string_view word) {
    const size_t equals = place_of('=', word);
    const std::string_view name = word.substr(0, equals);
    const auto number = [&] { return number_of(word, word.substr(equals + 1)); };
    if (equals < word.size()) {
        if (name == "work-group") return void(limits.work_group = number());
        if (name == "local") return void(limits.local = number());
        if (name == "buffer") return void(limits.buffer = number());
        if (name == "sub-group") return void(limits.sub_group = number());
    } else {
        if (name == "no-float64") return void(limits.no_float64 = true);
        if (name == "no-int64-atomics") return void(limits.no_int64_atomics = true);
        if (name == "no-images") return void(limits.no_images = true);
        if (name == "no-forward-progress") return void(limits.no_forward_progress = true);
        if (name == "out-of-order") return void(limits.out_of_order = true);
        if (name == "no-optimiser") return void(limits.no_optimiser = true);
        if (name == "gpu") return void(limits.gpu = true);
        if (name == "no-host") return void(limits.no_host = true);
    }
    fail(GP_ERROR_OPTION, "GPCL_LIMITS has \"", word,
         "\"; expected, with commas between, work-group=N, local=BYTES, buffer=BYTES, sub-group=N, no-float64, "
         "no-int64-atomics, no-images, no-forward-progress, out-of-order, no-optimiser, gpu, no-host");
}

} // namespace

Limits read_limits(std::string_view list) {
    Limits limits;
    while (!list.empty()) {
        const size_t comma = place_of(',', list);
        read(limits, list.substr(0, comma));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return limits;
}

} // namespace gpcl::cl
