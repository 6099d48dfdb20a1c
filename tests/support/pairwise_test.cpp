// The covering arrays that stand in for full products of options: every pair is in them, counted
// here by itself.
// SPDX-License-Identifier: MIT
#include "pairwise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace {

using test::pairwise;
using test::product;

// How many pairs of choices of two options no row has.
size_t missing(const std::vector<size_t> &counts, const std::vector<std::vector<size_t>> &rows) {
    size_t result = 0;
    for (size_t i = 0; i < counts.size(); ++i)
        for (size_t j = 0; j < i; ++j)
            for (size_t a = 0; a < counts[i]; ++a)
                for (size_t b = 0; b < counts[j]; ++b)
                    if (std::none_of(rows.begin(), rows.end(),
                                     [&](const auto &row) { return row[i] == a && row[j] == b; }))
                        ++result;
    return result;
}

TEST(Pairwise, HasEveryPair) {
    const std::vector<std::vector<size_t>> all = {
        {2, 2},          {1, 1, 1},   {5, 2, 2, 2, 5, 2}, {5, 4, 5, 2},
        {5, 2, 2, 2, 5}, {22, 10, 2}, {3, 7, 1, 4, 4, 9}, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2}};
    for (const auto &counts : all) {
        const auto rows = pairwise(counts);
        for (const auto &row : rows) {
            ASSERT_EQ(counts.size(), row.size());
            for (size_t i = 0; i < counts.size(); ++i) ASSERT_LT(row[i], counts[i]);
        }
        EXPECT_EQ(0u, missing(counts, rows)) << testing::PrintToString(counts);
        EXPECT_EQ(rows, pairwise(counts)) << "another answer the second time";
    }
}

// The two largest options alone take as many rows as their product; that is what there is to reach.
TEST(Pairwise, HasFewRows) {
    EXPECT_EQ(4u, pairwise({2, 2}).size());
    EXPECT_LE(pairwise({5, 2, 2, 2, 5, 2}).size(), 32u); // of 400
    EXPECT_LE(pairwise({22, 10, 2}).size(), 240u);       // of 440
    EXPECT_LE(pairwise({2, 2, 2, 2, 2, 2, 2, 2, 2, 2}).size(), 14u);
}

// The audit sees a row that is gone.
TEST(Pairwise, TheAuditCanFail) {
    const std::vector<size_t> counts = {5, 2, 5};
    auto rows = pairwise(counts);
    rows.pop_back();
    EXPECT_LT(0u, missing(counts, rows));
}

TEST(Pairwise, FewOptionsAndProducts) {
    EXPECT_EQ((std::vector<std::vector<size_t>>{{}}), pairwise({}));
    EXPECT_EQ((std::vector<std::vector<size_t>>{{0}, {1}, {2}}), pairwise({3}));
    const auto rows = product({3, 2, 4});
    EXPECT_EQ(24u, std::set<std::vector<size_t>>(rows.begin(), rows.end()).size());
    EXPECT_EQ((std::vector<size_t>{0, 0, 1}), rows[1]);
}

} // namespace
