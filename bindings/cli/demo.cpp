// gpcl demo: sorts and scans real flight delays, finds shortest trips by min-plus products, sorts
// random keys; checks every result by plain loops and prints the times.
// SPDX-License-Identifier: MIT
#include "commands.h"
#include "demo_table.h"
#include "npy.h"
#include "routes.h"
#include "system.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>

namespace command {

namespace {

std::string data_folder(const DemoOptions &options) {
    if (!options.data.empty()) return options.data;
    if (const char *named = std::getenv("GPCL_DATA"); named && *named) return named;
    const auto command = own_file();
    if (command.empty())
        throw Failure("can't tell where the command lies; --data or GPCL_DATA names the folder of the data");
    return (command.parent_path() / GPCL_TO_DATA).lexically_normal().string();
}

std::vector<int32_t> read_int32(const std::string &path) {
    const auto array = read_npy(path);
    if (array.dtype != GP_INT32 || array.shape.size() != 1)
        throw Failure(path + ": should be one-dimensional int32, is " + gp_dtype_name(array.dtype) + " of shape " +
                      array.shape_text());
    std::vector<int32_t> values(array.size());
    if (!values.empty()) std::memcpy(values.data(), array.data.data(), array.data.size());
    return values;
}

class Demo {
  public:
    explicit Demo(const DemoOptions &options)
        : options_(options), folder_(data_folder(options)), delays_(read_int32(folder_ + "/flight_delays_i32.npy")),
          miles_(read_int32(folder_ + "/flight_distances_i32.npy")), network_(read_network(folder_)),
          context_(options.device) {
        if (delays_.size() != miles_.size() || delays_.size() < 5)
            throw Failure(folder_ + ": delays and distances don't fit together");
        if (network_.size() < 2) throw Failure(folder_ + "/flights-airport.csv: holds no routes");
        context_.profile();
    }

    int run() {
        const auto info = context_.info();
        std::printf("gpcl %s on %s, %u compute units\n", gp_version(), device_name(info).c_str(), info.compute_units);
        std::printf("Data from %s\n\n", folder_.c_str());
        std::printf("1. Delays of %s U.S. flights\n\n", grouped(static_cast<int64_t>(delays_.size())).c_str());
        longest_delays();
        running_delay();
        trips();
        random_keys();
        table_.print();
        std::printf("\n%s\n", verdict_.all() ? "All results verified by plain loops on the host."
                                             : "Some results are WRONG; `gpcl selftest` tells more.");
        return verdict_.all() ? 0 : 1;
    }

  private:
    void longest_delays();
    void running_delay();
    void trips();
    void print_trip(const std::vector<float> &shortest, size_t from, size_t to) const;
    void random_keys();

    const DemoOptions options_;
    const std::string folder_;
    const std::vector<int32_t> delays_, miles_;
    const Network network_;
    Context context_;
    TimeTable table_;
    Verdict verdict_;
};

void Demo::longest_delays() {
    const auto n = delays_.size();
    std::vector<int32_t> keys, values;
    table_.step("sort " + grouped(static_cast<int64_t>(n)) + " delays and distances", [&] {
        keys = delays_;
        values = miles_;
        Event event;
        gp_sort_options o = GP_SORT_OPTIONS_INIT;
        o.order = GP_DESCENDING;
        o.event = event.out();
        check(gp_sort_pairs(context_, GP_INT32, n, keys.data(), sizeof(int32_t), values.data(), &o));
        return event.times();
    });

    std::vector<std::pair<int32_t, int32_t>> expected(n);
    for (size_t i = 0; i < n; ++i) expected[i] = {delays_[i], miles_[i]};
    std::stable_sort(expected.begin(), expected.end(), [](auto &a, auto &b) { return a.first > b.first; });
    bool right = true;
    for (size_t i = 0; i < n; ++i) right = right && expected[i] == std::pair(keys[i], values[i]);

    std::printf("   The ten longest delays: %s\n\n      minutes   hours   miles flown\n", verdict_(right));
    for (size_t i = 0; i < std::min<size_t>(n, 10); ++i)
        std::printf("      %7d   %2d:%02d   %11s\n", keys[i], keys[i] / 60, std::abs(keys[i] % 60),
                    grouped(values[i]).c_str());
}

void Demo::running_delay() {
    const auto n = delays_.size();
    int32_t total = 0;
    table_.step("total delay (reduce)", [&] {
        Event event;
        gp_reduce_options o = GP_REDUCE_OPTIONS_INIT;
        o.event = event.out();
        check(gp_reduce(context_, GP_INT32, n, delays_.data(), &total, &o));
        return event.times();
    });
    std::vector<int32_t> running(n);
    table_.step("running delay (scan)", [&] {
        Event event;
        gp_scan_options o = GP_SCAN_OPTIONS_INIT;
        o.event = event.out();
        check(gp_scan(context_, GP_INT32, n, delays_.data(), running.data(), &o));
        return event.times();
    });

    std::vector<int32_t> expected(n);
    std::partial_sum(delays_.begin(), delays_.end(), expected.begin());
    const bool right = running == expected && total == expected.back() && total == running.back();
    std::printf("\n   Running minutes of delay: %s\n\n      after flights         minutes\n", verdict_(right));
    for (size_t part = 1; part <= 5; ++part)
        std::printf("      %13s   %13s\n", grouped(static_cast<int64_t>(n * part / 5)).c_str(),
                    grouped(running[n * part / 5 - 1]).c_str());
    std::printf("      %13s   %13s   = %.1f days, %.2f minutes a flight\n\n", "total", grouped(total).c_str(),
                total / 1440.0, total / static_cast<double>(n));
}

void Demo::print_trip(const std::vector<float> &shortest, size_t from, size_t to) const {
    const auto n = network_.size();
    const auto &airports = network_.airports;
    double flown = 0;
    auto previous = from;
    for (const auto stop : trip(network_, shortest, from, to)) {
        flown += network_.distances[previous * n + stop];
        previous = stop;
        const auto &airport = airports[stop];
        std::printf("      %9.1f km   %s   %s, %s\n", flown, airport.code.c_str(), airport.city.c_str(),
                    airport.state.c_str());
    }
    std::printf("      %9.1f km   would be the great circle from %s to %s\n",
                great_circle(airports[from], airports[to]), airports[from].code.c_str(), airports[to].code.c_str());
}

void Demo::trips() {
    const auto n = network_.size();
    const std::vector<float> routes(network_.distances.begin(), network_.distances.end());
    // After p squarings the distances are the shortest over up to 2^p routes; n - 1 are always
    // enough.
    const auto products = std::bit_width(n - 2);
    auto shortest = routes;
    const auto bytes = n * n * sizeof(float);

    table_.step(std::to_string(products) + " min-plus products of " + std::to_string(n) + " x " + std::to_string(n),
                [&] {
                    Buffer from(context_, bytes), to(context_, bytes);
                    std::vector<Event> events(products + 2);
                    check(gp_enqueue_write(from, 0, bytes, routes.data(), 0, nullptr, events.front().out()));
                    for (size_t p = 1; p <= products; ++p) {
                        gp_matmul_options o = GP_MATMUL_OPTIONS_INIT;
                        o.semiring = GP_MIN_PLUS;
                        check(gp_enqueue_matmul(context_, GP_FLOAT32, n, n, n, from, 0, n, from, 0, n, to, 0, n, &o, 0,
                                                nullptr, events[p].out()));
                        std::swap(from, to);
                    }
                    check(gp_enqueue_read(from, 0, bytes, shortest.data(), 0, nullptr, events.back().out()));
                    check(gp_finish(context_));
                    Times sum;
                    for (const auto &event : events) sum += event.times();
                    return sum;
                });

    const auto expected = shortest_by_loops(network_);
    bool right = true;
    size_t connected = 0, longest = 0;
    for (size_t i = 0; i < n * n; ++i) {
        if (std::isinf(expected[i]) || std::isinf(shortest[i])) {
            right = right && std::isinf(expected[i]) && std::isinf(shortest[i]);
            continue;
        }
        const auto length = static_cast<double>(shortest[i]);
        right = right && std::abs(length - expected[i]) <= 2e-6 * expected[i]; // float32 sums of some ten routes
        if (i / n != i % n) ++connected;
        if (length > static_cast<double>(shortest[longest])) longest = i;
    }
    std::printf("2. Shortest trips between %zu airports over %s routes: %s\n\n", n,
                grouped(static_cast<int64_t>(network_.routes)).c_str(), verdict_(right));
    constexpr std::pair<const char *, const char *> kExamples[] = {{"BGR", "HNL"}, {"EYW", "BRW"}};
    for (const auto &[origin, destination] : kExamples) {
        if (!network_.has(origin) || !network_.has(destination)) continue; // other data
        const auto from = network_.find(origin), to = network_.find(destination);
        std::printf("   %s to %s\n\n", network_.airports[from].city.c_str(), network_.airports[to].city.c_str());
        print_trip(shortest, from, to);
        std::printf("\n");
    }
    std::printf("   The longest of all shortest trips\n\n");
    print_trip(shortest, longest / n, longest % n);
    std::printf("\n   %s of %s pairs of airports are connected.\n\n", grouped(static_cast<int64_t>(connected)).c_str(),
                grouped(static_cast<int64_t>(n * (n - 1))).c_str());
}

void Demo::random_keys() {
    const auto n = options_.keys;
    std::mt19937 random(42);
    std::vector<uint32_t> keys(n), sorted, expected;
    for (auto &key : keys) key = static_cast<uint32_t>(random());
    const auto count = grouped(static_cast<int64_t>(n));
    table_.step("sort " + count + " random uint32", [&] {
        sorted = keys;
        Event event;
        gp_sort_options o = GP_SORT_OPTIONS_INIT;
        o.event = event.out();
        check(gp_sort(context_, GP_UINT32, n, sorted.data(), &o));
        return event.times();
    });
    const auto mine = table_.last();
    table_.step("the same by std::sort, one thread", [&] {
        expected = keys;
        const Stopwatch watch;
        std::sort(expected.begin(), expected.end());
        return Times{0, watch.milliseconds(), 0, 0, 0};
    });
    const auto std_sort = table_.last();
    const auto rate = [&](double milliseconds) { return static_cast<double>(n) / milliseconds / 1e3; };
    std::printf("3. %s random uint32 keys: %s\n\n", count.c_str(), verdict_(sorted == expected));
    std::printf("      gpcl       %9.1f million keys a second, %.1f with up and down\n", rate(mine.run),
                rate(mine.wall));
    std::printf("      std::sort  %9.1f million keys a second\n\n", rate(std_sort.run));
}

} // namespace

int demo(const DemoOptions &options) { return Demo(options).run(); }

} // namespace command
