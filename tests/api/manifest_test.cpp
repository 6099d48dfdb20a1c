// The manifest of algorithms: what is read, and that a refusal fails the test where none is
// allowed.
// SPDX-License-Identifier: MIT
#include "support/support.h"

#include <gtest/gtest-spi.h>

#include <stdexcept>

namespace {

using test::Manifest;

constexpr const char *kText = "# a comment\n"
                              "both = here there  # a group\n"
                              "more = both beyond\n"
                              "every family | too small\n"
                              "\n"
                              "sort waves here family | keys alone | n is 0\n"
                              "sort onesweep  more not:old\n"
                              "scan waves nowhere\n";

TEST(Manifest, SaysWhatRunsWhere) {
    const Manifest manifest = Manifest::parse(kText);
    EXPECT_EQ(3u, manifest.rows().size());
    EXPECT_TRUE(manifest.runs(GP_SORT, "waves", "here"));
    EXPECT_FALSE(manifest.runs(GP_SORT, "waves", "there"));
    EXPECT_FALSE(manifest.runs(GP_SCAN, "waves", "here"));
    for (const char *implementation : {"here", "there", "beyond"})
        EXPECT_TRUE(manifest.runs(GP_SORT, "onesweep", implementation)) << implementation;
    EXPECT_FALSE(manifest.runs(GP_SORT, "onesweep", "old"));
    EXPECT_TRUE(manifest.is_broken(GP_SORT, "onesweep", "old"));
    EXPECT_FALSE(manifest.is_broken(GP_SORT, "onesweep", "here"));
    EXPECT_TRUE(manifest.lists(GP_SCAN, "waves"));
    EXPECT_FALSE(manifest.lists(GP_SCAN, "onesweep"));
    EXPECT_TRUE(manifest.is_family("family"));
    EXPECT_FALSE(manifest.is_family("here"));
}

TEST(Manifest, ObjectsToRefusals) {
    const Manifest manifest = Manifest::parse(kText);
    EXPECT_EQ("", manifest.objection(GP_SORT, "waves", "here", "it sorts keys alone, without values"));
    EXPECT_EQ("", manifest.objection(GP_SORT, "waves", "there", "whatever")) << "it need not run there";
    EXPECT_EQ("", manifest.objection(GP_SORT, "waves", "family", "the device is too small"));
    EXPECT_NE("", manifest.objection(GP_SORT, "waves", "family", "whatever"));
    EXPECT_NE("", manifest.objection(GP_SORT, "waves", "here", "whatever"));
    EXPECT_NE("", manifest.objection(GP_SORT, "waves", "here", "the device is too small"));
    EXPECT_NE("", manifest.objection(GP_SORT, "onesweep", "beyond", "keys alone"));
    EXPECT_NE("", manifest.objection(GP_SCAN, "onesweep", "here", "whatever")) << "it is not listed";
}

TEST(Manifest, BrokenLinesAreErrors) {
    for (const char *line : {"fold waves here", "sort", "sort waves", "sort waves here | a | | b", "all =", "| reason",
                             "every here", "sort waves here\nsort waves there"})
        EXPECT_THROW(Manifest::parse(line), std::runtime_error) << line;
}

// A refusal of the library's own: no device runs the algorithms of the other kind.
TEST(Manifest, ARefusalFailsTheTest) {
    static const char *const algorithm = test::on_host() ? "chunks" : "host-loop";
    gp_scan_options options = GP_SCAN_OPTIONS_INIT;
    options.algorithm = algorithm;
    int32_t values[4] = {1, 2, 3, 4};
    static gp_status status = GP_SUCCESS;
    status = gp_scan(test::context(), GP_INT32, 4, values, values, &options);
    ASSERT_EQ(GP_ERROR_ALGORITHM_REFUSED, status);
    static const Manifest must = Manifest::parse(std::string("scan ") + algorithm + " here | without steps");
    EXPECT_NONFATAL_FAILURE(test::refused(must, "here", GP_SCAN, algorithm, status), "must run on here");
    EXPECT_NONFATAL_FAILURE(test::refused(must, "here", GP_SORT, algorithm, status), "is missing in");
    EXPECT_TRUE(test::refused(must, "there", GP_SCAN, algorithm, status));
    EXPECT_TRUE(test::refused(GP_SCAN, algorithm, status)) << "by tests/ops/manifest";
    EXPECT_FALSE(test::refused(GP_SCAN, nullptr, status)) << "the default is never refused";
    EXPECT_FALSE(test::refused(GP_SCAN, algorithm, GP_SUCCESS));
}

} // namespace
