// The model: its estimates, its measurements.
// SPDX-License-Identifier: MIT
#include "place/model.h"

#include "core/threads.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace gpcl::place {
namespace {

constexpr double kMostNs = 2e7, kMostThoroughNs = 4e8; // a call that is timed may take so long
constexpr double kMostBytes = 1 << 28, kMostThoroughBytes = size_t{1} << 31;
constexpr size_t kFirstStep = 6; // of the way to large sizes

double work_of(size_t grid) { return static_cast<double>(uint64_t{1} << (2 * grid)); }

} // namespace

size_t grid_of(double work) {
    constexpr double kMost = uint64_t{1} << (2 * kLastGrid);
    if (!(work < kMost)) return kLastGrid;
    const auto whole = static_cast<uint64_t>(std::max(work, 1.0));
    return std::max(kFirstGrid, static_cast<size_t>(std::bit_width(whole) - 1) / 2);
}

// ---- Estimates ----------------------------------------------------------------------------------

bool Profile::covers(double work) const {
    if (points.empty()) return is_whole;
    const size_t grid = grid_of(work);
    if (grid >= points.rbegin()->first) return is_whole || (grid == points.rbegin()->first && grid == kLastGrid);
    return points.contains(grid) && points.contains(grid + 1);
}

Expected Profile::expect(const Cost &cost, const cl::PinnedRanges *pinned) const {
    // Between two points, or on from the last two: fixed costs and a rate.
    const auto next =
        std::find_if(points.begin(), points.end(), [&](const auto &each) { return each.second.work > cost.work; });
    const auto to = next == points.begin() || points.size() == 1 ? points.begin()
                    : next == points.end()                       ? std::prev(points.end())
                                                                 : next;
    const Point &high = to->second, &low = to == points.begin() ? high : std::prev(to)->second;
    const bool is_flat = high.work <= low.work; // before the first one
    const double share = is_flat ? 0 : (cost.work - low.work) / (high.work - low.work);
    const auto between = [&](double Point::*time) {
        const double a = low.*time, b = high.*time;
        return std::isinf(a) || std::isinf(b) ? std::max(a, b) : std::max(a + (b - a) * share, std::min(a, b));
    };
    Expected result{between(&Point::host), 0};
    if (low.device == 0 || high.device == 0) return result;
    result.device = between(&Point::device);
    if (!link.is_known() || std::isinf(result.device)) return result;
    // The call's arrays instead of the sample's.
    const auto travel = [&](const std::array<Array, 4> &arrays, Way ordinary, Way in_pinned) {
        double sum = 0;
        for (const Array &array : arrays) {
            if (array.bytes <= 0) continue;
            const bool is_pinned = pinned != nullptr && pinned->contains(array.at, static_cast<size_t>(array.bytes));
            sum += link.time(is_pinned ? in_pinned : ordinary, array.bytes);
        }
        return sum;
    };
    const double usual = link.time(Way::kUp, between(&Point::up)) + link.time(Way::kDown, between(&Point::down));
    const double now = travel(cost.up, Way::kUp, Way::kUpPinned) + travel(cost.down, Way::kDown, Way::kDownPinned);
    constexpr double kLeast = 0.2; // of what was measured: transfers and work go side by side
    result.device = std::max({result.device + now - usual, kLeast * result.device, link.command});
    return result;
}

// ---- Measurements -------------------------------------------------------------------------------

Model &Model::of(cl::Context &context) {
    if (Model *known = context.model().load(std::memory_order_acquire)) return *known;
    static auto *mutex = new std::mutex;
    static auto *models = new std::map<std::string, std::unique_ptr<Model>>; // never destroyed: calls may be under way
    const gp_device_info &info = context.info();
    const std::string heading =
        text("[", info.name, "; ", info.driver, "; gpcl ", GPCL_VERSION, "; ", workers(), " threads]");
    const std::lock_guard lock(*mutex);
    auto &model = (*models)[heading + places_file()];
    if (!model) model.reset(new Model(heading));
    context.model() = model.get();
    return *model;
}

Model::Model(std::string heading) : heading_(std::move(heading)), file_(places_file()) { read(); }

std::optional<Expected> Model::expect(gp_context *handle, const std::shared_ptr<cl::Context> &device, const Kind &kind,
                                      gp_dtype dtype, const Cost &cost) {
    const Profile *profile = published(kind, dtype).load(std::memory_order_acquire);
    if (profile == nullptr || !profile->covers(cost.work)) {
        const std::lock_guard lock(mutex_);
        profile = published(kind, dtype).load();
        if (profile == nullptr) profile = publish(kind, dtype, false); // what the file says
        if (!profile->covers(cost.work)) {
            read(); // another process may have been here
            try {
                know_link(handle, device);
                extend(handle, kind, dtype, grid_of(cost.work) + 1, false);
                write_places(file_, heading_, known_);
            } catch (const std::exception &) {
                publish(kind, dtype, true); // no memory, or a device that fails: the call itself may run nevertheless
            }
            profile = published(kind, dtype).load();
        }
    }
    if (profile->points.empty()) return std::nullopt;
    return profile->expect(cost, device->pinned().empty() ? nullptr : &device->pinned());
}

void Model::measure(gp_context *handle, const std::shared_ptr<cl::Context> &device, const Kind &kind, gp_dtype dtype) {
    const std::lock_guard lock(mutex_);
    read();
    known_.link = LinkTimes{};
    know_link(handle, device);
    known_.points.erase({kind.name, dtype});
    extend(handle, kind, dtype, kLastGrid, true);
    write_places(file_, heading_, known_);
}

void Model::know_link(gp_context *handle, const std::shared_ptr<cl::Context> &device) {
    if (!known_.link.is_known()) known_.link = measure_link(handle, device);
}

// Goes up in steps, each of which tells how long the next one would take.
void Model::extend(gp_context *handle, const Kind &kind, gp_dtype dtype, size_t last, bool thorough) {
    Points &points = known_.points[{kind.name, dtype}];
    const double most_ns = thorough ? kMostThoroughNs : kMostNs;
    const double most_bytes = thorough ? kMostThoroughBytes : kMostBytes;
    const auto least = [&](const Cost &cost) {
        const double up = bytes_of(cost.up), down = bytes_of(cost.down);
        return std::max(known_.link.command,
                        std::min(known_.link.time(Way::kUp, up), known_.link.time(Way::kUpPinned, up)) +
                            std::min(known_.link.time(Way::kDown, down), known_.link.time(Way::kDownPinned, down)));
    };
    const auto measure = [&](size_t grid, bool both) {
        Sample sample(handle, dtype, static_cast<size_t>(work_of(grid)), thorough,
                      [&](const Cost &cost) { return both ? 0 : least(cost); });
        kind.sample(sample);
        if (sample.is_sound()) points[grid] = sample.point();
        return sample.is_sound();
    };
    const auto is_too_long = [&](const Point &point) { // the next one
        const double host = std::isinf(point.host) ? 0 : point.host,
                     on_device = std::isinf(point.device) ? 0 : point.device;
        return 4 * std::max(host, on_device) > most_ns || 4 * (point.up + point.down) > most_bytes;
    };
    bool is_whole = false;
    last = std::min(last, kLastGrid);
    for (size_t grid = thorough ? kFirstGrid : std::min(last - 1, kFirstStep); grid <= last && !is_whole; ++grid) {
        if (!points.contains(grid)) is_whole = !measure(grid, false);
        const auto here = points.find(grid);
        if (here == points.end()) break;
        // Both ends of a step are timed on the device, or none.
        const auto before = points.find(grid - 1);
        if (before != points.end() && (before->second.device == 0) != (here->second.device == 0))
            measure(before->second.device == 0 ? grid - 1 : grid, true);
        if (grid == last) break;
        is_whole = !points.contains(grid + 1) && is_too_long(here->second);
    }
    publish(kind, dtype, is_whole || last == kLastGrid);
}

const Profile *Model::publish(const Kind &kind, gp_dtype dtype, bool is_whole) {
    profiles_.push_back({known_.points[{kind.name, dtype}], known_.link, is_whole});
    // Calls with less work take no longer: where they seem to, the machine had other work.
    Points &points = profiles_.back().points;
    const Point *larger = nullptr;
    for (auto each = points.rbegin(); each != points.rend(); larger = &(each++)->second) {
        if (larger == nullptr) continue;
        each->second.host = std::min(each->second.host, larger->host);
        if (larger->device > 0) each->second.device = std::min(each->second.device, larger->device);
    }
    published(kind, dtype).store(&profiles_.back(), std::memory_order_release);
    return &profiles_.back();
}

// Takes what is not known yet from the file.
void Model::read() {
    Measured kept = read_places(file_, heading_);
    if (!known_.link.is_known()) known_.link = kept.link;
    for (auto &[key, points] : kept.points) known_.points[key].merge(points);
}

} // namespace gpcl::place
