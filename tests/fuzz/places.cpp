// Files of the model of "auto": any bytes are read, what is written comes back, and lines of other
// devices stay.
// SPDX-License-Identifier: MIT
#include "fuzz.h"

#include "place/file.h"

namespace {

using gpcl::place::Measured;

bool are_same(const Measured &a, const Measured &b) {
    const auto is_same = [](const auto &x, const auto &y) {
        const auto &[key, one] = x;
        const auto &[other_key, other] = y;
        return key == other_key && one.work == other.work && one.up == other.up && one.down == other.down &&
               one.host == other.host && one.device == other.device;
    };
    return a.link.command == b.link.command && a.link.ns == b.link.ns &&
           std::equal(a.points.begin(), a.points.end(), b.points.begin(), b.points.end(),
                      [&](const auto &x, const auto &y) {
                          return x.first == y.first && std::equal(x.second.begin(), x.second.end(), y.second.begin(),
                                                                  y.second.end(), is_same);
                      });
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const fuzz::Folder folder;
    static const std::string file = folder / "places", ours = "[ours]", others = "[others]";
    const std::string content(reinterpret_cast<const char *>(bytes), size);
    fuzz::write_file(file, content);
    const Measured of_others = gpcl::place::read_places(file, others);
    const gpcl::place::LinkTimes &link = of_others.link;
    for (const char *way : gpcl::place::kWayNames)
        fuzz::require(!link.is_known() || content.find(way) != std::string::npos,
                      "a link is taken whole or not at all");
    gpcl::place::write_places(file, ours, of_others);
    if (!content.empty() && !content.starts_with("gpcl places")) {
        fuzz::require(fuzz::read_file(file) == content, "a file of another kind is left alone");
        fuzz::require(are_same(of_others, {}), "a file of another kind has no values");
        return 0;
    }
    fuzz::require(are_same(gpcl::place::read_places(file, ours), of_others), "what is written comes back");
    fuzz::require(are_same(gpcl::place::read_places(file, others), of_others), "other devices keep their values");
    return 0;
}
