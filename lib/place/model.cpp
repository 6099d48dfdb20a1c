// The model: its estimates, its measurements, its file.
// SPDX-License-Identifier: MIT
#include "place/model.h"

#include "core/files.h"
#include "core/threads.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>

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

Model::Model(std::string heading) : heading_(std::move(heading)), file_(places_file()) { read(false); }

std::optional<Expected> Model::expect(gp_context *handle, const std::shared_ptr<cl::Context> &device, const Kind &kind,
                                      gp_dtype dtype, const Cost &cost) {
    const Profile *profile = published(kind, dtype).load(std::memory_order_acquire);
    if (profile == nullptr || !profile->covers(cost.work)) {
        const std::lock_guard lock(mutex_);
        profile = published(kind, dtype).load();
        if (profile == nullptr) profile = publish(kind, dtype, false); // what the file says
        if (!profile->covers(cost.work)) {
            read(true); // another process may have been here
            try {
                know_link(handle, device);
                extend(handle, kind, dtype, grid_of(cost.work) + 1, false);
                write();
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
    read(true);
    link_ = LinkTimes{};
    know_link(handle, device);
    points_.erase({kind.name, dtype});
    extend(handle, kind, dtype, kLastGrid, true);
    write();
}

void Model::know_link(gp_context *handle, const std::shared_ptr<cl::Context> &device) {
    if (!link_.is_known()) link_ = measure_link(handle, device);
}

// Goes up in steps, each of which tells how long the next one would take.
void Model::extend(gp_context *handle, const Kind &kind, gp_dtype dtype, size_t last, bool thorough) {
    Points &points = points_[{kind.name, dtype}];
    const double most_ns = thorough ? kMostThoroughNs : kMostNs;
    const double most_bytes = thorough ? kMostThoroughBytes : kMostBytes;
    const auto least = [&](const Cost &cost) {
        const double up = bytes_of(cost.up), down = bytes_of(cost.down);
        return std::max(link_.command, std::min(link_.time(Way::kUp, up), link_.time(Way::kUpPinned, up)) +
                                           std::min(link_.time(Way::kDown, down), link_.time(Way::kDownPinned, down)));
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
    profiles_.push_back({points_[{kind.name, dtype}], link_, is_whole});
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

// ---- The file -----------------------------------------------------------------------------------

namespace {

constexpr std::string_view kOurs = "gpcl places", kFirstLine = "gpcl places 1";
constexpr size_t kLargestFile = 1 << 22; // bytes; no file of ours comes near

// The lines of a file without the first one: of ours, one of another version, and one that is
// empty or not there has none. Nothing of a file that is none of ours.
std::optional<std::vector<std::string>> lines_of(const std::string &file) {
    std::vector<std::string> lines;
    const auto content = read_whole(file, kLargestFile);
    if (!content || content->empty()) return lines;
    std::istringstream stream(*content);
    std::string line;
    std::getline(stream, line);
    if (!line.starts_with(kOurs)) return std::nullopt;
    if (line != kFirstLine) return lines;
    while (std::getline(stream, line)) lines.push_back(line);
    return lines;
}

bool is_heading(const std::string &line) { return line.starts_with('[') && line.ends_with(']'); }

// Whole nanoseconds; "none" for infinity.
std::string time_text(double ns) { return std::isinf(ns) ? "none" : text(static_cast<uint64_t>(ns)); }

std::optional<double> number_of(const std::string &word) {
    if (word == "none") return std::numeric_limits<double>::infinity();
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return static_cast<double>(value);
}

struct Line {
    std::vector<std::string> words;
    std::vector<double> numbers; // of the words from the third on
};

std::optional<Line> line_of(const std::string &text) {
    Line line;
    std::istringstream stream(text);
    for (std::string word; stream >> word;) {
        line.words.push_back(word);
        if (line.words.size() <= 2) continue;
        const auto number = number_of(word);
        if (!number) return std::nullopt;
        line.numbers.push_back(*number);
    }
    return line.numbers.empty() ? std::nullopt : std::optional(line);
}

} // namespace

std::string places_file() {
    if (const char *file = variable("GPCL_PLACES")) return std::string_view(file) == "off" ? "" : file;
    return user_path("XDG_CONFIG_HOME", ".config", "gpcl/places");
}

// Lines that make no sense are passed over. A link is taken whole or not at all.
void Model::read(bool keep_ours) {
    if (file_.empty()) return;
    LinkTimes link;
    size_t ways = 0;
    bool ours = false;
    for (const std::string &one : lines_of(file_).value_or(std::vector<std::string>{})) {
        if (is_heading(one)) ours = one == heading_;
        const auto line = ours ? line_of(one) : std::nullopt;
        if (!line) continue;
        const auto &words = line->words;
        const auto &numbers = line->numbers;
        if (words[0] == "link") {
            const auto *const way = std::find(kWayNames.begin(), kWayNames.end(), words[1]);
            if (words[1] == "command") link.command = numbers[0];
            if (way == kWayNames.end() || numbers.size() != LinkTimes::kBytes.size()) continue;
            std::copy(numbers.begin(), numbers.end(), link.ns.at(static_cast<size_t>(way - kWayNames.begin())).begin());
            ++ways;
            continue;
        }
        const auto *const type =
            std::find_if(kDtypes.begin(), kDtypes.end(), [&](const Dtype &each) { return words[1] == each.name; });
        constexpr size_t kNumbers = 6;
        if (type == kDtypes.end() || numbers.size() != kNumbers || std::isinf(numbers[0] + numbers[1]) ||
            numbers[0] < kFirstGrid || numbers[0] > kLastGrid || numbers[1] < 1 ||
            std::isinf(numbers[4] + numbers[5]) || numbers[2] < 1)
            continue;
        Points &points = points_[{words[0], type->code}];
        const auto grid = static_cast<size_t>(numbers[0]);
        if (keep_ours && points.contains(grid)) continue;
        points[grid] = {numbers[1], numbers[4], numbers[5], numbers[2], numbers[3]};
    }
    const bool is_finite =
        std::isfinite(link.command) && std::all_of(link.ns.begin(), link.ns.end(), [](const auto &row) {
            return std::all_of(row.begin(), row.end(), [](double ns) { return std::isfinite(ns); });
        });
    if (!link_.is_known() && ways == kWays.size() && is_finite) link_ = link;
}

void Model::write() const {
    if (file_.empty()) return;
    const auto old = lines_of(file_);
    if (!old) return;
    write_whole(file_, [&](std::ostream &stream) { // without a file, each process measures for itself
        stream << kFirstLine << '\n';
        bool keep = true;
        for (const std::string &line : *old) {
            if (is_heading(line)) keep = line != heading_;
            if (keep) stream << line << '\n';
        }
        stream << heading_ << '\n' << "link command " << time_text(link_.command) << '\n';
        for (size_t way = 0; way < kWays.size(); ++way) {
            stream << "link " << kWayNames.at(way);
            for (const double ns : link_.ns.at(way)) stream << ' ' << time_text(ns);
            stream << '\n';
        }
        for (const auto &[key, points] : points_)
            for (const auto &[grid, point] : points)
                stream << text(key.kind, ' ', gpcl::dtype(key.dtype).name, ' ', grid, ' ', time_text(point.work), ' ',
                               time_text(point.host), ' ', time_text(point.device), ' ', time_text(point.up), ' ',
                               time_text(point.down), '\n');
    });
}

} // namespace gpcl::place
