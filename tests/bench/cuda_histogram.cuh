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
    const size_t n = settings.count(1 << 20, 1 << 26);
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
            if (few < n && settings.n == 0) bins_row(context, table, uniform, few, bins, settings.copy);
}
