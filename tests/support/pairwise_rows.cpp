// pairwise_rows COUNT...: prints the rows of pairwise.h, one a line; each option has COUNT choices.
// SPDX-License-Identifier: MIT
#include "support/pairwise.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
    std::vector<size_t> counts;
    for (int i = 1; i < argc; ++i) counts.push_back(std::strtoul(argv[i], nullptr, 10));
    for (const auto &row : test::pairwise(counts)) {
        for (const size_t choice : row) std::printf("%zu ", choice);
        std::printf("\n");
    }
}
