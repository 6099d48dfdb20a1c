// Every proof makes calls for every type of its operation, and finds nothing wrong where both
// sides are "host".
// SPDX-License-Identifier: MIT
#include "ops/operation.h"
#include "ops/proof.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace gpcl;

namespace {

TEST(Proofs, TakeEveryTypeOfTheirOperation) {
    gp_context *host = nullptr, *other = nullptr;
    ASSERT_EQ(GP_SUCCESS, gp_open("host", &host));
    ASSERT_EQ(GP_SUCCESS, gp_open("host", &other));
    size_t proofs = 0;
    for (const Operation *operation : operations()) {
        if (operation->prove == nullptr) continue;
        const auto algorithms = operation->algorithms();
        const auto on_host = std::find_if(algorithms.begin(), algorithms.end(), [](auto &one) { return one.on_host; });
        ASSERT_NE(algorithms.end(), on_host);
        for (const gp_dtype type : operation->types) {
            SCOPED_TRACE(std::string(operation->name) + ", " + dtype(type).name);
            Proof proof(host, other, on_host->name, type);
            EXPECT_NO_THROW(operation->prove(proof));
            EXPECT_EQ("", proof.wrong());
            EXPECT_GT(proof.calls(), 0U);
            ++proofs;
        }
    }
    EXPECT_GT(proofs, 50U);
    EXPECT_EQ(GP_SUCCESS, gp_close(other));
    EXPECT_EQ(GP_SUCCESS, gp_close(host));
}

} // namespace
