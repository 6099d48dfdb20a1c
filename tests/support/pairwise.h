// Options tried in pairs instead of in a full product: a mistake that takes one option, or two
// together, still shows.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace test {

// Rows with a choice for each option, 0 to counts[i] - 1: a covering array of strength 2. Every two
// choices of every two options stand together in some row. The rows are the same for the same
// counts. No option has 0 choices.
std::vector<std::vector<size_t>> pairwise(const std::vector<size_t> &counts);

// The full product, the last option varying fastest.
std::vector<std::vector<size_t>> product(const std::vector<size_t> &counts);

} // namespace test
