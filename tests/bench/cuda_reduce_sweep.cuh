// A sweep of reduce's parameters.
// SPDX-License-Identifier: MIT
#pragma once

namespace {

inline double median_ms(const Side &side) {
    once(side, false, 1);
    const int batch = static_cast<int>(std::min(50.0, std::max(1.0, 1 / once(side, false, 1))));
    std::vector<double> times;
    for (int i = 0; i < 5; ++i) times.push_back(once(side, false, batch));
    std::sort(times.begin(), times.end());
    return times[2];
}

inline void set(const Context &context, const char *algorithm, const char *name, size_t value) {
    peers::check(gp_parameter_set(context, GP_REDUCE, GP_FLOAT32, algorithm, name, value));
    peers::check(gp_parameter_set(context, GP_REDUCE, GP_UINT32, algorithm, name, value));
}

struct Setting {
    std::vector<std::pair<const char *, size_t>> values;
};

inline void sweep(const Context &context, const char *algorithm, const std::vector<Setting> &settings,
                  const std::vector<Batch> &batches, const Buffer<float> &in) {
    std::printf("%-34s", algorithm);
    for (const Batch &b : batches) std::printf(" %13s", b.text().c_str());
    std::printf("\n");
    for (const Setting &one : settings) {
        std::string text;
        for (const auto &[name, value] : one.values) {
            set(context, algorithm, name, value);
            text += std::string(name) + " " + std::to_string(value) + " ";
        }
        std::printf("%-34s", text.c_str());
        for (const Batch &b : batches) {
            Buffer<float> out(context, b.batch);
            const double ms = median_ms(row_sums(context, b, in, out));
            std::printf(" %13.0f", 4e-6 * static_cast<double>(b.elements()) / ms);
            std::fflush(stdout);
        }
        std::printf("\n");
        for (const auto &[name, value] : one.values) set(context, algorithm, name, 0);
    }
}

inline void small_sweep(const Context &context) {
    const std::vector<size_t> sizes = {1, 1000, 1 << 12, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24};
    const auto values = random_keys<uint32_t>(sizes.back());
    const Buffer<uint32_t> in(context, values);
    Buffer<uint32_t> out(context, 1);
    std::printf("us a call, chain (enqueue alone)  ");
    for (const size_t n : sizes) std::printf(" %12s", size_text(n).c_str());
    std::printf("\n");
    const auto line = [&](const char *algorithm, const std::vector<std::pair<const char *, size_t>> &setting) {
        std::string text = algorithm;
        for (const auto &[name, value] : setting) {
            set(context, algorithm, name, value);
            text += std::string(" ") + name + " " + std::to_string(value);
        }
        std::printf("%-33s", text.c_str());
        for (const size_t n : sizes) {
            const Side side = {[&] {
                                   gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
                                   options.algorithm = algorithm;
                                   peers::check(gp_enqueue_reduce(context, GP_UINT32, n, in, 0, out, 0, &options, 0,
                                                                  nullptr, nullptr));
                               },
                               [&] { context.finish(); }};
            side.start();
            side.finish();
            std::vector<double> all, enqueue;
            for (int r = 0; r < 7; ++r) {
                side.start();
                side.finish();
                double alone = 0;
                all.push_back(milliseconds([&] {
                    alone = milliseconds([&] {
                        for (int i = 0; i < 100; ++i) side.start();
                    });
                    side.finish();
                }));
                enqueue.push_back(alone);
            }
            std::sort(all.begin(), all.end());
            std::sort(enqueue.begin(), enqueue.end());
            std::printf(" %5.2f (%4.2f)", all[3] * 10, enqueue[3] * 10);
            std::fflush(stdout);
        }
        std::printf("\n");
        for (const auto &[name, value] : setting) set(context, algorithm, name, 0);
    };
    line("staged", {});
    line("rows", {});
    line("rows", {{"group", 512}});
    line("rows", {{"group", 1024}});
    line("rows", {{"groups", 8}});
    line("rows", {{"groups", 2}});
    line("rows", {{"groups", 2}, {"loads", 8}});
}

inline void reduce_sweep(const Context &context) {
    small_sweep(context);
    const Buffer<float> in(context, random_reals<float>(size_t{100003} * 1000, 5));
    sweep(context, "rows",
          {{{{"loads", 4}}},
           {{{"loads", 2}}},
           {{{"loads", 8}}},
           {{{"group", 128}}},
           {{{"groups", 2}}},
           {{{"groups", 8}}},
           {{{"groups", 16}}}},
          {{1 << 20, 64, false},
           {1 << 22, 16, false},
           {8192, 8192, false},
           {64, 1 << 20, false},
           {100003, 1000, false},
           {1 << 21, 33, false},
           {1 << 17, 501, false},
           {300, 1 << 18, false}},
          in);
    sweep(context, "column-tiles",
          {{{{"loads", 4}}},
           {{{"loads", 8}}},
           {{{"loads", 2}}},
           {{{"group", 512}}},
           {{{"group", 512}, {"groups", 2}}},
           {{{"groups", 2}}},
           {{{"groups", 3}}},
           {{{"groups", 8}}},
           {{{"loads", 8}, {"groups", 3}}},
           {{{"loads", 8}, {"groups", 2}}},
           {{{"across", 16}}},
           {{{"across", 64}}}},
          {{64, 1 << 20, true},
           {8192, 8192, true},
           {1000, 100003, true},
           {33, 1 << 21, true},
           {1 << 20, 64, true},
           {1 << 22, 16, true}},
          in);
}

} // namespace
