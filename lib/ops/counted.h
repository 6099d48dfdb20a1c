// How many elements a call on buffers has, where a number in a buffer says so: options->n_buffer.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/task.h"
#include "core/error.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

namespace gpcl {

// Member `counted` of a request; its n is then the most there may be. Only algorithms that say so
// (algorithm.h) take such requests. Host side of kernels/common/counted.cl.
struct Counted {
    bool is_there = false;
    cl::Operand at; // a uint64

    const char *option() const { return is_there ? " -DGP_COUNTED" : ""; }
    // What kernels take behind their other arguments.
    cl::Arguments<cl::Operand> argument() const {
        return is_there ? cl::Arguments<cl::Operand>(std::tuple(at)) : std::nullopt;
    }
};

// A request once more, with its n in a buffer; of two arrays, that of either and of both. None
// where no number is taken.
template <class Request> std::vector<Request> counted_forms(const Request &request) {
    std::vector<Request> result;
    const Counted number = {true, cl::Operand::stand_in()};
    const auto add_second = [&](Counted Request::*second) {
        for (const bool both : {false, true}) {
            result.push_back(both ? result.front() : request);
            result.back().*second = number;
        }
    };
    if constexpr (requires { request.counted.argument(); }) {
        result.push_back(request);
        result.back().counted = number;
    }
    if constexpr (requires { request.counted_b; }) add_second(&Request::counted_b);
    if constexpr (requires { request.counted_m; }) add_second(&Request::counted_m);
    return result;
}

// The option of kernels that take such numbers of two arrays.
inline std::string two_counts_option(const Counted &first, const Counted &second) {
    const int which = (first.is_there ? 1 : 0) + (second.is_there ? 2 : 0);
    return which != 0 ? text(" -DGP_COUNTED_TWO=", which) : "";
}

// Such a number among the options, <name>_buffer and <name>_offset.
struct GivenNumber {
    const gp_buffer *buffer;
    size_t offset;
    const char *name;
};

inline Counted read_counted(const GivenNumber &given) {
    require(given.buffer != nullptr || given.offset == 0, GP_ERROR_OPTION, "options->", given.name, "_offset is ",
            Shown{given.offset}, "; expected 0 without ", given.name, "_buffer");
    return {given.buffer != nullptr, {}};
}

// `is_one_array`: the options say nothing of rows, steps or segments.
template <class Options> Counted read_counted(const Options &options, bool is_one_array) {
    require(options.n_buffer == nullptr || is_one_array, GP_ERROR_OPTION,
            "options->n_buffer is set; expected one array beside it, without a batch, steps or segments");
    return read_counted({options.n_buffer, options.n_offset, "n"});
}

// For the calls on host pointers.
inline void require_uncounted(const Counted &counted, const char *name = "n") {
    require(!counted.is_there, GP_ERROR_OPTION, "options->", name,
            "_buffer is for the calls on buffers; expected NULL");
}

struct Written {
    const cl::Operand &array;
    const char *name;
};

// Takes the number, which lies apart from all that is `written`. Returns the most elements that the
// call has. On "host" it has as many, and the number is taken.
inline size_t take_counted(cl::Task &task, const GivenNumber &given, size_t n, Counted &counted,
                           std::initializer_list<Written> written) {
    if (!counted.is_there) return n;
    const std::string name = text("options->", given.name, "_buffer");
    counted.at = task.operand(given.buffer, given.offset, 1, sizeof(uint64_t), name.c_str());
    for (const Written &one : written)
        require(!overlap(one.array, counted.at), GP_ERROR_OVERLAP, name, " and ", one.name,
                " overlap in the same memory; expected them apart");
    if (!task.context().is_host()) return n;
    counted.is_there = false;
    return std::min<uint64_t>(n, *static_cast<const uint64_t *>(counted.at.host));
}

template <class Options> size_t take_counted(cl::Task &task, const Options &options, size_t n, Counted &counted,
                                             std::initializer_list<Written> written) {
    return take_counted(task, {options.n_buffer, options.n_offset, "n"}, n, counted, written);
}

} // namespace gpcl
