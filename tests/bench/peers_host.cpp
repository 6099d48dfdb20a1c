// gpcl with host pointers beside CPU libraries: OpenBLAS, Highway's vqsort, the standard library,
// TBB; and beside plain loops. usage: peers_host DEVICE [--quick]; compiled with HAVE_CBLAS,
// HAVE_HIGHWAY, HAVE_TBB for those that are there
// SPDX-License-Identifier: MIT
#include "peers.h"

#include <array>
#include <numeric>
#include <thread>

#if HAVE_CBLAS
#include <cblas.h>
#endif
#if HAVE_HIGHWAY
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>
#endif
#if HAVE_TBB
#include <execution>
#include <tbb/parallel_sort.h>
#endif

namespace {

using namespace peers;

#if HAVE_CBLAS
void gemm(int n, const float *a, const float *b, float *c) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}
void gemm(int n, const double *a, const double *b, double *c) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}

template <typename T>
void products(const Context &context, Table &table, size_t n, const char *type, double limit, double epsilon) {
    const auto a = random_reals<T>(n * n, 1), b = random_reals<T>(n * n, 2);
    std::vector<T> ours(n * n), theirs(n * n);
    const auto times = alternately(
        {[&] { check(gp_matmul(context, dtype<T>(), n, n, n, a.data(), n, b.data(), n, ours.data(), n, nullptr)); }},
        {[&] { gemm(static_cast<int>(n), a.data(), b.data(), theirs.data()); }});
    const auto side = static_cast<double>(n);
    table.row("matmul", type, size_text(n), times, "OpenBLAS", 2 * side * side * side, "Gop/s", limit,
              agree(ours, theirs, 4 * std::sqrt(side) * epsilon));
}
#endif

template <typename Sort> void sorts(const Context &context, Table &table, const std::vector<uint32_t> &keys,
                                    double copy, const char *peer, Sort &&sort) {
    std::vector<uint32_t> ours, theirs;
    const auto n = keys.size();
    const auto times =
        alternately({[&] { check(gp_sort(context, GP_UINT32, n, ours.data(), nullptr)); }, [] {}, [&] { ours = keys; }},
                    {[&] { sort(theirs); }, [] {}, [&] { theirs = keys; }}, true);
    table.row("sort", "uint32", size_text(n), times, peer, static_cast<double>(n), "Gkey/s", sort_limit(copy, 4, 0),
              ours == theirs);
}

template <typename Scan> void scans(const Context &context, Table &table, const std::vector<int32_t> &in, double copy,
                                    const char *peer, Scan &&scan) {
    std::vector<int32_t> ours(in.size()), theirs(in.size());
    gp_scan_options options = GP_SCAN_OPTIONS_INIT;
    options.kind = GP_EXCLUSIVE;
    const auto times =
        alternately({[&] { check(gp_scan(context, GP_INT32, in.size(), in.data(), ours.data(), &options)); }},
                    {[&] { scan(theirs); }});
    std::exclusive_scan(in.begin(), in.end(), theirs.begin(), 0); // the peer may be a copy
    table.row("scan", "int32", size_text(in.size()), times, peer, 8 * static_cast<double>(in.size()), "GB/s", copy,
              ours == theirs);
}

// What no scan can beat: a copy of the same bytes, on every core.
void copy_in_parallel(const std::vector<int32_t> &in, std::vector<int32_t> &out) {
    const size_t threads = std::max(std::thread::hardware_concurrency(), 1u),
                 part = (in.size() + threads - 1) / threads;
    std::vector<std::thread> all;
    for (size_t first = 0; first < in.size(); first += part)
        all.emplace_back(
            [&, first] { std::memcpy(&out[first], &in[first], std::min(part, in.size() - first) * sizeof(int32_t)); });
    for (auto &each : all) each.join();
}

// One thread's loop; in four sub-histograms equal neighbours do not wait for each other's counter.
void count_bytes(const std::vector<uint8_t> &in, std::vector<uint64_t> &counts) {
    std::array<std::array<uint32_t, 256>, 4> sub{};
    size_t i = 0;
    for (; i + 4 <= in.size(); i += 4)
        for (size_t s = 0; s < 4; ++s) ++sub[s][in[i + s]];
    for (; i < in.size(); ++i) ++sub[0][in[i]];
    for (size_t bin = 0; bin < 256; ++bin)
        counts[bin] = uint64_t{sub[0][bin]} + sub[1][bin] + sub[2][bin] + sub[3][bin];
}

void histograms(const Context &context, Table &table, size_t n, double copy) {
    const auto in = random_keys<uint8_t>(n);
    std::vector<uint64_t> ours(256), theirs(256);
    const auto times =
        alternately({[&] { check(gp_histogram(context, GP_UINT8, n, in.data(), ours.size(), ours.data(), nullptr)); }},
                    {[&] { count_bytes(in, theirs); }});
    table.row("histogram", "uint8", size_text(n), times, "loop, 1 thread", static_cast<double>(n), "GB/s", copy,
              ours == theirs);
}

// Beside the kernel that this library began with.
void min_plus(const Context &context, Table &table, size_t n, double limit) {
    const auto a = random_reals<float>(n * n, 1), b = random_reals<float>(n * n, 2);
    std::vector<float> ours(n * n), theirs(n * n);
    const auto product = [&](const char *algorithm, std::vector<float> &c) {
        gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
        options.semiring = GP_MIN_PLUS;
        options.algorithm = algorithm;
        check(gp_matmul(context, GP_FLOAT32, n, n, n, a.data(), n, b.data(), n, c.data(), n, &options));
    };
    const auto times = alternately({[&] { product(nullptr, ours); }}, {[&] { product("min-plus", theirs); }});
    const auto side = static_cast<double>(n);
    table.row("min-plus", "float32", size_text(n), times, "gpcl, min-plus", 2 * side * side * side, "Gop/s", limit,
              ours == theirs);
}

} // namespace

int main(int argc, char **argv) {
    const Settings settings(argc, argv);
    const Context context(settings.device);
    Table table;
#if HAVE_CBLAS
    for (const auto n : settings.sizes<size_t>({256, 512}, {512, 1024, 2048})) {
        if (!settings.wants("matmul")) break;
        products<float>(context, table, n, "float32", settings.fma32, 0x1p-23);
        products<double>(context, table, n, "float64", settings.fma64, 0x1p-52);
    }
#endif
    if (settings.wants("min-plus") && settings.device != "host") min_plus(context, table, 1000, settings.fma32);
    for (const auto n : settings.sizes<size_t>({1 << 16, 1 << 20}, {1 << 20, 1 << 24, 1 << 28})) {
        if (settings.wants("histogram")) histograms(context, table, n, settings.copy);
    }
    for (const auto n : settings.sizes<size_t>({1 << 16, 1 << 20}, {1 << 20, 1 << 24, 1 << 26})) {
        if (settings.wants("scan")) {
            // Numbers so small that no sum overflows, which the standard library's would not be
            // allowed to.
            auto in = random_keys<int32_t>(n);
            for (auto &each : in) each %= 16;
            scans(context, table, in, settings.copy, "memcpy, all cores",
                  [&](auto &out) { copy_in_parallel(in, out); });
            scans(context, table, in, settings.copy, "std::exclusive_scan",
                  [&](auto &out) { std::exclusive_scan(in.begin(), in.end(), out.begin(), 0); });
#if HAVE_TBB
            scans(context, table, in, settings.copy, "the same, par (TBB)", [&](auto &out) {
                std::exclusive_scan(std::execution::par_unseq, in.begin(), in.end(), out.begin(), 0);
            });
#endif
        }
        if (!settings.wants("sort")) continue;
        const auto keys = random_keys<uint32_t>(n);
#if HAVE_HIGHWAY
        // It takes the widest vectors that this CPU has, whatever this program is compiled for.
        const auto widest = hwy::SupportedTargets() & -hwy::SupportedTargets();
        const auto name = std::string("vqsort, ") + hwy::TargetName(widest);
        sorts(context, table, keys, settings.copy, name.c_str(),
              [](auto &to_sort) { hwy::Sorter()(to_sort.data(), to_sort.size(), hwy::SortAscending()); });
#endif
#if HAVE_TBB
        sorts(context, table, keys, settings.copy, "tbb::parallel_sort",
              [](auto &to_sort) { tbb::parallel_sort(to_sort.begin(), to_sort.end()); });
#endif
        sorts(context, table, keys, settings.copy, "std::sort",
              [](auto &to_sort) { std::sort(to_sort.begin(), to_sort.end()); });
    }
    return table.status();
}
