// How rows are cut into parts that pass through a device one after the other.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/rows.h"
#include "ops/algorithm.h"

#include <algorithm>
#include <vector>

namespace gpcl {

// Elements begin .. begin + n - 1 of some rows that follow each other.
struct Part {
    size_t row, rows;
    size_t begin, n;
    bool first, last; // of these rows' parts, in the order in which they are taken

    bool is_cut() const { return !first || !last; }
    Rows of(const Rows &all) const { return {n, rows, all.stride, all.step}; }
    // Where it begins in memory.
    size_t at(const Rows &all) const { return row * all.stride + begin * all.step; }
};

// Parts that span about `most` elements each, at least one of each row: several whole rows, or a
// piece of one; of columns a piece of all. `backwards`: the parts of a row come from its end on.
inline std::vector<Part> cut(const Rows &rows, size_t most, bool backwards) {
    const bool columns = rows.are_columns();
    const size_t row_span = rows.n == 0 ? 0 : (rows.n - 1) * rows.step + 1;
    size_t together = 1; // rows of a part
    if (columns)
        together = rows.batch;
    else if (row_span <= most)
        together = std::clamp(most / std::max(rows.stride, size_t{1}), size_t{1}, rows.batch);
    const bool whole = !columns && row_span <= most;
    const size_t n = whole ? rows.n : std::clamp(most / rows.step, size_t{1}, rows.n);
    std::vector<Part> parts;
    for (size_t row = 0; row < rows.batch; row += together) {
        const size_t count = std::min(together, rows.batch - row);
        for (size_t done = 0; done < rows.n; done += n) {
            const size_t some = std::min(n, rows.n - done);
            parts.push_back(
                {row, count, backwards ? rows.n - done - some : done, some, done == 0, done + some == rows.n});
        }
    }
    return parts;
}

// Whether the algorithm that is named takes all parts of a call; without a name, each part finds
// its own. Throws where no algorithm takes the call as a whole. request_of(part): the part's
// request.
template <class Request, class F> bool takes_parts(std::span<const Algorithm<Request>> algorithms, const char *name,
                                                   const cl::Context &context, const Request &whole,
                                                   const std::vector<Part> &parts, const F &request_of) {
    const Algorithm<Request> &chosen = choose(algorithms, name, context, whole);
    return name == nullptr || std::none_of(parts.begin(), parts.end(), [&](const Part &part) {
               return static_cast<bool>(refusal_of(chosen, context, request_of(part)));
           });
}

// The largest of what f(part) gives.
template <class F> size_t largest(const std::vector<Part> &parts, const F &f) {
    size_t most = 0;
    for (const Part &part : parts) most = std::max<size_t>(most, f(part));
    return most;
}

} // namespace gpcl
