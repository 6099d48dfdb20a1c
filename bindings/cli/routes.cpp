// Airports and routes; see routes.h.
// SPDX-License-Identifier: MIT
#include "routes.h"

#include "support.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <numbers>

namespace command {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The fields of one line; a field in double quotes may hold commas.
std::vector<std::string> fields_of(const std::string &line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            fields.emplace_back();
        else if (c != '\r')
            fields.back() += c;
    }
    return fields;
}

// Calls use(fields) for each line after the first, which names the columns.
template <typename Use> void read_csv(const std::string &path, const std::string &columns, Use &&use) {
    std::ifstream file(path);
    if (!file) throw Failure(path + ": can't be opened; --data or GPCL_DATA names the folder of the demo's data");
    std::string line;
    std::getline(file, line);
    const auto names = fields_of(columns);
    if (fields_of(line) != names) throw Failure(path + ": line 1 should be \"" + columns + "\"");
    for (size_t number = 2; std::getline(file, line); ++number) {
        const auto fields = fields_of(line);
        try {
            if (fields.size() != names.size()) throw Failure("has " + std::to_string(fields.size()) + " fields");
            use(fields);
        } catch (const Failure &failure) {
            throw Failure(path + ": line " + std::to_string(number) + " " + failure.what());
        }
    }
}

double number(const std::string &text) {
    double value = 0;
    const auto end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) throw Failure("has '" + text + "' where a number should be");
    return value;
}

} // namespace

double great_circle(const Airport &from, const Airport &to) {
    constexpr double kRadius = 6371.0088, kDegree = std::numbers::pi / 180;
    const auto half_sine = [](double degrees) { return std::sin(degrees * kDegree / 2); };
    const auto x = half_sine(to.latitude - from.latitude), y = half_sine(to.longitude - from.longitude);
    const auto haversine = x * x + std::cos(from.latitude * kDegree) * std::cos(to.latitude * kDegree) * y * y;
    return 2 * kRadius * std::asin(std::min(1.0, std::sqrt(haversine)));
}

bool Network::has(const std::string &code) const {
    return std::any_of(airports.begin(), airports.end(), [&](const Airport &a) { return a.code == code; });
}

size_t Network::find(const std::string &code) const {
    const auto at = std::find_if(airports.begin(), airports.end(), [&](const Airport &a) { return a.code == code; });
    if (at == airports.end()) throw Failure("the routes touch no airport " + code);
    return static_cast<size_t>(at - airports.begin());
}

Network read_network(const std::string &folder) {
    std::map<std::string, Airport> known;
    read_csv(folder + "/airports.csv", "iata,name,city,state,country,latitude,longitude",
             [&](const auto &f) { known[f[0]] = {f[0], f[1], f[2], f[3], number(f[5]), number(f[6])}; });

    Network network;
    std::map<std::string, size_t> index;
    std::vector<std::pair<size_t, size_t>> routes;
    const auto index_of = [&](const std::string &code) {
        const auto airport = known.find(code);
        if (airport == known.end()) throw Failure("has an airport '" + code + "' that airports.csv lacks");
        const auto [at, fresh] = index.try_emplace(code, network.airports.size());
        if (fresh) network.airports.push_back(airport->second);
        return at->second;
    };
    read_csv(folder + "/flights-airport.csv", "origin,destination,count", [&](const auto &f) {
        const auto origin = index_of(f[0]);
        routes.emplace_back(origin, index_of(f[1]));
    });

    const auto n = network.size();
    network.routes = routes.size();
    network.distances.assign(n * n, kInfinity);
    for (size_t i = 0; i < n; ++i) network.distances[i * n + i] = 0;
    for (const auto &[from, to] : routes)
        if (from != to) network.distances[from * n + to] = great_circle(network.airports[from], network.airports[to]);
    return network;
}

std::vector<double> shortest_by_loops(const Network &network) {
    const auto n = network.size();
    auto d = network.distances;
    for (size_t k = 0; k < n; ++k)
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n; ++j) d[i * n + j] = std::min(d[i * n + j], d[i * n + k] + d[k * n + j]);
    return d;
}

std::vector<size_t> trip(const Network &network, const std::vector<float> &shortest, size_t from, size_t to) {
    const auto n = network.size();
    std::vector<size_t> stops{from};
    if (std::isinf(shortest[from * n + to])) return {};
    for (auto at = from; at != to; at = stops.back()) {
        // The next stop is the one over which the whole way is shortest.
        size_t next = at;
        double best = kInfinity;
        for (size_t v = 0; v < n; ++v) {
            const auto length = network.distances[at * n + v] + static_cast<double>(shortest[v * n + to]);
            if (v != at && length < best) {
                best = length;
                next = v;
            }
        }
        if (next == at || stops.size() > n) return {}; // only if the distances are wrong
        stops.push_back(next);
    }
    return stops;
}

} // namespace command
