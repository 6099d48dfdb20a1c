// Histograms of float32 beside CUB's, in even bins and between edges, of uniform and of skewed
// numbers; part of peers_cuda.cu. gpcl's counts are compared with a loop on the host: CUB rounds
// borders in a way of its own.
// SPDX-License-Identifier: MIT
#pragma once

// Edges, as NumPy computes even ones, and whether they are to be given as an array.
struct BinsCase {
    const char *name;
    std::vector<double> edges;
    bool given;
};

BinsCase even_case(const char *name, size_t bins) {
    BinsCase result{name, {}, false};
    const double lower = -1, upper = 1, step = (upper - lower) / static_cast<double>(bins);
    for (size_t b = 0; b <= bins; ++b) {
        volatile const double product = static_cast<double>(b) * step; // rounded before the sum is
        result.edges.push_back(static_cast<float>(product + lower));
    }
    return result;
}

// Edges that are random, between -1 and 1.
BinsCase random_case(const char *name, size_t bins) {
    BinsCase result{name, {-1, 1}, true};
    for (const float edge : random_reals<float>(bins - 1, 77)) result.edges.push_back(edge);
    std::sort(result.edges.begin(), result.edges.end());
    return result;
}

std::vector<uint64_t> count_on_host(const float *values, size_t n, const std::vector<double> &edges) {
    const std::vector<float> lows(edges.begin(), edges.end() - 1);
    const auto last = static_cast<float>(edges.back());
    const size_t threads = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::vector<uint64_t>> counts(threads, std::vector<uint64_t>(lows.size()));
    std::vector<std::thread> running;
    for (size_t t = 0; t < threads; ++t)
        running.emplace_back([&, t] {
            for (size_t i = n * t / threads; i < n * (t + 1) / threads; ++i) {
                if (!(values[i] >= lows.front() && values[i] <= last)) continue;
                ++counts[t][std::upper_bound(lows.begin(), lows.end(), values[i]) - lows.begin() - 1];
            }
        });
    for (auto &one : running) one.join();
    for (size_t t = 1; t < threads; ++t)
        for (size_t b = 0; b < lows.size(); ++b) counts[0][b] += counts[t][b];
    return counts[0];
}

struct BinsData {
    const char *name;
    const std::vector<float> values;
    const Buffer<float> ours;
    const Memory<float> theirs;
    BinsData(const Context &context, const char *called, std::vector<float> from)
        : name(called), values(std::move(from)), ours(context, values), theirs(values) {}
};

void bins_row(const Context &context, Table &table, const BinsData &data, size_t n, const BinsCase &bins, double copy) {
    const size_t count = bins.edges.size() - 1;
    Buffer<uint64_t> ours(context, count);
    const Memory<unsigned> theirs(count);
    const std::vector<float> levels(bins.edges.begin(), bins.edges.end());
    const Memory<float> their_levels(levels);
    gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
    options.lower = -1;
    options.upper = 1;
    if (bins.given) options.edges = bins.edges.data();
    const Side gpcl = {[&] {
                           peers::check(gp_enqueue_histogram(context, GP_FLOAT32, n, data.ours, 0, count, ours, 0,
                                                             &options, 0, nullptr, nullptr));
                       },
                       [&] { context.finish(); }};
    const auto times = alternately(
        gpcl, cub_side([&](void *space, size_t &bytes) {
            if (bins.given)
                return cub::DeviceHistogram::HistogramRange(space, bytes, data.theirs.get(), theirs.get(),
                                                            static_cast<int>(count + 1), their_levels.get(),
                                                            static_cast<int>(n));
            return cub::DeviceHistogram::HistogramEven(space, bytes, data.theirs.get(), theirs.get(),
                                                       static_cast<int>(count + 1), -1.0f, 1.0f, static_cast<int>(n));
        }));
    table.row("histogram-bins", data.name, std::string(bins.name) + ", " + size_text(n), times, "CUB",
              4.0 * static_cast<double>(n), "GB/s", copy,
              ours.values() == count_on_host(data.values.data(), n, bins.edges));
}

void histogram_bins(const Context &context, Table &table, const Settings &settings) {
    const size_t n = settings.quick ? 1 << 20 : 1 << 26;
    const BinsData uniform(context, "float32", random_reals<float>(n, 3));
    auto values = uniform.values;
    for (size_t i = 0; i < n; ++i)
        if (random_bits(5, i) % 16 != 0) values[i] = 0.3f; // 15 of 16 are equal
    const BinsData skewed(context, "f32 skewed", std::move(values));
    const BinsCase cases[] = {even_case("16", 16),
                              even_case("256", 256),
                              even_case("16384", 16384),
                              even_case("2^20", 1 << 20),
                              random_case("16 edges", 16),
                              random_case("256 edges", 256),
                              random_case("4096 edges", 4096)};
    for (const BinsData *data : {&uniform, &skewed})
        for (const BinsCase &bins : cases) bins_row(context, table, *data, n, bins, settings.copy);
    for (const BinsCase &bins : cases)
        for (const size_t few : {size_t{1} << 20, size_t{1} << 24})
            if (few < n) bins_row(context, table, uniform, few, bins, settings.copy);
}

// THROW-AWAY: parameters tried
double gbs(const Context &context, const std::function<void()> &start, double bytes) {
    start();
    context.finish();
    std::vector<double> all;
    for (int r = 0; r < 5; ++r) {
        const int batch = 10;
        all.push_back(milliseconds([&] {
                          for (int i = 0; i < batch; ++i) start();
                          context.finish();
                      }) /
                      batch);
    }
    std::sort(all.begin(), all.end());
    return bytes / all[2] * 1e-6;
}

void histogram_sweep(const Context &context) {
    const auto begin = std::chrono::steady_clock::now();
    const size_t n = 1 << 26;
    const auto values = random_reals<float>(n, 3);
    const Buffer<float> in(context, values);
    const Buffer<uint8_t> bytes(context, random_keys<uint8_t>(n));
    Buffer<uint64_t> counts(context, 1 << 20);
    const BinsCase cases[] = {even_case("16", 16),         even_case("256", 256),           even_case("16384", 16384),
                              even_case("2^20", 1 << 20), random_case("256 edges", 256), random_case("4096 edges", 4096)};
    const auto run = [&](const BinsCase &bins, size_t m) {
        gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
        options.lower = -1;
        options.upper = 1;
        if (bins.given) options.edges = bins.edges.data();
        return gbs(context, [&] {
            peers::check(gp_enqueue_histogram(context, GP_FLOAT32, m, in, 0, bins.edges.size() - 1, counts, 0, &options,
                                              0, nullptr, nullptr));
        }, 4.0 * m);
    };
    const auto run_bytes = [&](size_t m) {
        return gbs(context, [&] {
            peers::check(gp_enqueue_histogram(context, GP_UINT8, m, bytes, 0, 256, counts, 0, nullptr, 0, nullptr, nullptr));
        }, 1.0 * m);
    };
    const auto set = [&](gp_dtype type, const char *algorithm, const char *name, size_t value) {
        peers::check(gp_parameter_set(context, GP_HISTOGRAM, type, algorithm, name, value));
    };
    std::printf("%22s %6s %6s %6s %6s %6s %6s | f32 2^20: 256 256e | u8 2^20 2^24 2^26\n", "group at-once per-unit", "16",
                "256", "16384", "2^20", "256e", "4096e");
    const size_t combos[][4] = {{1024, 2, 2, 2}, {1024, 4, 2, 2}, {1024, 4, 2, 4}, {1024, 4, 1, 1}, {1024, 4, 2, 8},
                                {1024, 1, 2, 1}, {512, 4, 4, 4},  {512, 4, 3, 4},  {1024, 8, 1, 4}};
    for (const auto &c : combos) {
        if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > 11) break;
        for (const char *algorithm : {"local-even", "local-cells"}) {
            set(GP_FLOAT32, algorithm, "group", c[0]);
            set(GP_FLOAT32, algorithm, "at-once", c[1]);
            set(GP_FLOAT32, algorithm, "groups", c[2]);
            set(GP_FLOAT32, algorithm, "least", c[3]);
        }
        set(GP_UINT8, "lanes", "group", c[0]);
        set(GP_UINT8, "lanes", "at-once", c[1]);
        set(GP_UINT8, "lanes", "groups", c[2]);
        std::printf("%7zu %3zu %3zu %3zu ", c[0], c[1], c[2], c[3]);
        for (const auto &one : cases) std::printf(" %6.0f", run(one, n));
        std::printf(" | %5.0f %5.0f | %5.0f %5.0f %5.0f\n", run(cases[1], 1 << 20), run(cases[4], 1 << 20),
                    run_bytes(1 << 20), run_bytes(1 << 24), run_bytes(1 << 26));
        std::fflush(stdout);
    }
}
