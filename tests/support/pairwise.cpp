// A greedy covering array: each row begins with a pair that is missing, then takes the choice that
// adds most pairs.
// SPDX-License-Identifier: MIT
#include "pairwise.h"

#include <algorithm>

namespace test {

std::vector<std::vector<size_t>> product(const std::vector<size_t> &counts) {
    std::vector<std::vector<size_t>> rows = {{}};
    for (const size_t count : counts) {
        std::vector<std::vector<size_t>> longer;
        for (const auto &row : rows)
            for (size_t choice = 0; choice < count; ++choice) {
                longer.push_back(row);
                longer.back().push_back(choice);
            }
        rows = longer;
    }
    return rows;
}

std::vector<std::vector<size_t>> pairwise(const std::vector<size_t> &counts) {
    const size_t options = counts.size();
    if (options < 2) return product(counts);
    std::vector<size_t> first(options + 1); // the number of an option's first choice
    for (size_t i = 0; i < options; ++i) first[i + 1] = first[i] + counts[i];
    const size_t all = first[options];
    std::vector<bool> covered(all * all); // by the numbers of two choices
    const auto is_missing = [&](size_t i, size_t a, size_t j, size_t b) {
        return !covered[(first[i] + a) * all + first[j] + b];
    };
    std::vector<std::vector<size_t>> rows;
    for (size_t i = 0; i < options; ++i)
        for (size_t j = i + 1; j < options; ++j)
            for (size_t a = 0; a < counts[i]; ++a)
                for (size_t b = 0; b < counts[j]; ++b) {
                    if (!is_missing(i, a, j, b)) continue;
                    std::vector<size_t> row(options);
                    std::vector<size_t> chosen = {i, j};
                    row[i] = a, row[j] = b;
                    for (size_t option = 0; option < options; ++option) {
                        if (option == i || option == j) continue;
                        size_t most = 0;
                        for (size_t turn = 0; turn < counts[option]; ++turn) {
                            // Where nothing is missing, another choice for each row.
                            const size_t choice = (turn + rows.size()) % counts[option];
                            size_t added = 1;
                            for (const size_t other : chosen)
                                if (is_missing(option, choice, other, row[other])) ++added;
                            if (added > most) most = added, row[option] = choice;
                        }
                        chosen.push_back(option);
                    }
                    for (size_t x = 0; x < options; ++x)
                        for (size_t y = 0; y < options; ++y)
                            covered[(first[x] + row[x]) * all + first[y] + row[y]] = true;
                    rows.push_back(row);
                }
    return rows;
}

} // namespace test
