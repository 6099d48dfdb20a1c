// Airports and the routes between them, from the demo's two .csv files.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace command {

struct Airport {
    std::string code, name, city, state;
    double latitude, longitude; // degrees
};

// Along the great circle, by the haversine formula, on a sphere of radius 6371.0088 km.
double great_circle(const Airport &from, const Airport &to);

struct Network {
    std::vector<Airport> airports; // those that a route touches
    size_t routes = 0;
    std::vector<double> distances; // row-major: kilometres of the route from row to column; infinity: none; 0: itself

    size_t size() const { return airports.size(); }
    size_t find(const std::string &code) const; // throws Failure
    bool has(const std::string &code) const;
};

// Reads airports.csv and flights-airport.csv; throws Failure with file and line.
Network read_network(const std::string &folder);

// Shortest distances between all pairs by plain loops (Floyd and Warshall, 1962).
std::vector<double> shortest_by_loops(const Network &network);

// The stops of a shortest trip, both ends included, found from the distances alone; empty where
// there is none.
std::vector<size_t> trip(const Network &network, const std::vector<float> &shortest, size_t from, size_t to);

} // namespace command
