// Algorithms that need what not every device has: they run where the manifest says so, as in every
// form of kernels/device/ that GPCL_FEATURES forces, and elsewhere name what is missing. n takes
// several tiles; each result is compared with that of the default.
// SPDX-License-Identifier: MIT
#include "support/support.h"

#include <functional>

using namespace test;

namespace {

// More than two tiles of the largest shape, or of the small ones that simulators take.
size_t several_tiles() { return std::min(max_n(), size_t{40009}); }

// `call` gets an algorithm and where to put the result.
template <class T> using Call = std::function<gp_status(const char *algorithm, std::vector<T> &out)>;

template <class T> void runs_or_refuses(gp_operation operation, const char *algorithm, const Call<T> &call) {
    SCOPED_TRACE(algorithm);
    std::vector<T> expected, out;
    ASSERT_OK(call(nullptr, expected));
    const gp_status status = call(algorithm, out);
    const std::string message = gp_error_message();
    if (refused(operation, algorithm, status)) {
        EXPECT_NE(std::string::npos, message.find("it needs ")) << message;
        return;
    }
    ASSERT_OK(status);
    EXPECT_EQ(expected, out);
}

std::vector<int32_t> numbers(size_t n) {
    std::mt19937 random(7);
    std::vector<int32_t> values(n);
    for (int32_t &value : values) value = static_cast<int32_t>(random());
    return values;
}

void scans(std::initializer_list<const char *> algorithms) {
    const auto in = numbers(several_tiles());
    for (const char *algorithm : algorithms)
        for (const gp_direction direction : {GP_FORWARD, GP_REVERSE})
            runs_or_refuses<int32_t>(GP_SCAN, algorithm, [&](const char *name, auto &out) {
                out.resize(in.size());
                gp_scan_options options = GP_SCAN_OPTIONS_INIT;
                options.algorithm = name;
                options.direction = direction;
                return gp_scan(context(), GP_INT32, in.size(), in.data(), out.data(), &options);
            });
}

TEST(Forms, Scan) { scans({"look-back", "look-back-fallback"}); }
TEST(Forms, StagedScan) { scans({"staged-look-back", "staged-look-back-fallback"}); }

// Runs of one key to some hundreds.
TEST(Forms, ScanByKey) {
    const size_t n = several_tiles();
    const auto in = numbers(n);
    std::vector<uint32_t> keys(n);
    for (size_t i = 1; i < n; ++i) keys[i] = keys[i - 1] + (in[i] % 60 == 0 ? 1 : 0);
    for (const char *algorithm : {"look-back", "staged-look-back", "staged-look-back-fallback"})
        runs_or_refuses<int32_t>(GP_SCAN_BY_KEY, algorithm, [&](const char *name, auto &out) {
            out.resize(n);
            gp_scan_by_key_options options = GP_SCAN_BY_KEY_OPTIONS_INIT;
            options.algorithm = name;
            return gp_scan_by_key(context(), GP_UINT32, n, keys.data(), GP_INT32, in.data(), out.data(), &options);
        });
}

// Rows and segments, of which some are longer than a tile.
TEST(Forms, ScanOfSegments) {
    const size_t n = several_tiles();
    const auto in = numbers(n);
    std::vector<uint8_t> heads(n);
    for (size_t i = 0; i < n; ++i) heads[i] = i % 9001 == 5 || i % 100 == 99;
    for (const char *algorithm : {"staged-rows", "staged-segments", "staged-segments-fallback", "look-back-segments",
                                  "look-back-segments-fallback"})
        for (const size_t batch : {size_t{1}, size_t{2}, n / 10})
            for (const bool segmented : {false, true}) {
                const bool takes_flags = std::string_view(algorithm).find("segments") != std::string_view::npos;
                if (segmented && !takes_flags) continue;
                runs_or_refuses<int32_t>(GP_SCAN, algorithm, [&](const char *name, auto &out) {
                    out.resize(in.size());
                    gp_scan_options options = GP_SCAN_OPTIONS_INIT;
                    options.algorithm = name;
                    options.direction = batch == 2 ? GP_REVERSE : GP_FORWARD;
                    options.batch = batch;
                    options.heads = segmented ? heads.data() : nullptr;
                    return gp_scan(context(), GP_INT32, n / batch, in.data(), out.data(), &options);
                });
            }
}

TEST(Forms, ScanOfWideElements) {
    const auto words = numbers(several_tiles());
    const std::vector<int64_t> in(words.begin(), words.end());
    for (const char *algorithm : {"look-back", "staged-look-back"})
        runs_or_refuses<int64_t>(GP_SCAN, algorithm, [&](const char *name, auto &out) {
            out.resize(in.size());
            gp_scan_options options = GP_SCAN_OPTIONS_INIT;
            options.algorithm = name;
            return gp_scan(context(), GP_INT64, in.size(), in.data(), out.data(), &options);
        });
}

TEST(Forms, Reduce) {
    const auto in = numbers(several_tiles());
    for (const gp_operator op : {GP_ADD, GP_MAXIMUM})
        runs_or_refuses<int32_t>(GP_REDUCE, "staged", [&](const char *name, auto &out) {
            out.resize(1);
            gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
            options.algorithm = name;
            options.op = op;
            return gp_reduce(context(), GP_INT32, in.size(), in.data(), out.data(), &options);
        });
}

TEST(Forms, Sort) {
    const auto keys = numbers(several_tiles());
    for (const size_t value_size : {0, 4})
        runs_or_refuses<int32_t>(GP_SORT, "onesweep", [&](const char *name, auto &out) {
            out = keys;
            std::vector<int32_t> values = keys;
            gp_sort_options options = GP_SORT_OPTIONS_INIT;
            options.algorithm = name;
            if (value_size == 0) return gp_sort(context(), GP_INT32, out.size(), out.data(), &options);
            const gp_status status =
                gp_sort_pairs(context(), GP_INT32, out.size(), out.data(), value_size, values.data(), &options);
            out.insert(out.end(), values.begin(), values.end());
            return status;
        });
}

// Small whole numbers, of which every device's sums are the same.
TEST(Forms, Recurrence) {
    const size_t n = several_tiles();
    std::vector<float> in(n);
    for (size_t i = 0; i < n; ++i) in[i] = static_cast<float>(i % 7) - 3;
    for (const char *algorithm : {"look-back", "staged-look-back", "staged-look-back-fallback"})
        for (const size_t order : {1, 2, 3})
            runs_or_refuses<float>(GP_RECURRENCE, algorithm, [&](const char *name, auto &out) {
                // The answer to a 1 repeats after 2, 6 and 4 elements.
                const float coefficients[3][3] = {{-1}, {1, -1}, {-1, -1, -1}};
                out.resize(n);
                gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
                options.algorithm = name;
                return gp_recurrence(context(), GP_FLOAT32, n, in.data(), out.data(), order, coefficients[order - 1],
                                     &options);
            });
}

TEST(Forms, VaryingRecurrence) {
    const size_t n = several_tiles();
    std::vector<float> in(n), coefficients(n);
    for (size_t i = 0; i < n; ++i) {
        in[i] = static_cast<float>(i % 5) - 2;
        coefficients[i] = i % 97 == 0 ? 0.0F : i % 2 == 0 ? 1.0F : -1.0F;
    }
    for (const char *algorithm : {"look-back", "look-back-fallback"})
        runs_or_refuses<float>(GP_RECURRENCE_VARYING, algorithm, [&](const char *name, auto &out) {
            out.resize(n);
            gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
            options.algorithm = name;
            return gp_recurrence_varying(context(), GP_FLOAT32, n, coefficients.data(), in.data(), out.data(),
                                         &options);
        });
}

TEST(Forms, MatrixProduct) {
    const size_t n = max_n() < 100000 ? 96 : 300;
    const auto a = numbers(n * n);
    for (const char *algorithm : {"direct-tiles", "bulk-tiles"}) {
        runs_or_refuses<int32_t>(GP_MATMUL, algorithm, [&](const char *name, auto &out) {
            out.resize(n * n);
            gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
            options.algorithm = name;
            return gp_matmul(context(), GP_INT32, n, n, n, a.data(), n, a.data(), n, out.data(), n, &options);
        });
    }
}

} // namespace
