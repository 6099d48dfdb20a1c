// Radix sort that splits keys by their two leading digits and finishes each bin in local memory.
// Host side of kernels/sort/split_count.cl, split.cl, split_finish.cl, split_pieces.cl and
// split_curve.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/onesweep.h"

#include "ops/shape.h"

#include <bit>

namespace gpcl::sort {
namespace {

constexpr size_t kBins = kDigits * kDigits;
constexpr size_t kState = kBins + 3 * kDigits + 11; // uint32s: see kernels/sort/split_state.cl
constexpr size_t kCells = 2048;                     // of a curve
constexpr size_t kCurve = 3 + 3 * kCells;           // uint32s: see kernels/sort/curve.cl
constexpr size_t kCurveBytes = 8 * kCells + 64;     // of local memory
constexpr size_t kSamples = 8192;                   // that cut the key space
constexpr size_t kOnceSamples = 4096;
constexpr size_t kPieceBytes = 13 << 10; // of local memory
constexpr size_t kCounters = 1024;       // work-items of a work-group that counts

struct Shape {
    size_t group, keys, groups_per_unit;
    size_t most() const { return group * keys; }
};

// Measured on an H200, microseconds of the first split, uint32, n = 2^28: 512 x 24 x 2: 862; 1024 x
// 24 x 1: 926; 384 x 20 x 3: 1076; 512 x 16 x 3: 1138; 256 x 28 x 4: 1166. uint64, n = 2^27: 512 x
// 16 x 2: 766; 1024 x 16 x 1: 725 (the second one: 741, 768); 384 x 12 x 3: 908; 512 x 10 x 3: 942;
// 256 x 14 x 4: 1012.
constexpr std::array<Row<Shape>, 2> kShapes = {{{{.most_bytes = 4}, {512, 24, 2}}, {{}, {512, 16, 2}}}};

// Digits of numbers take long and are kept in registers. Measured on an H100, Gkey/s, n = 2^26:
// float64 512 x 16 28.5, 512 x 12 30.4; float32 512 x 24 42.9, 512 x 20 43.9, 512 x 16 44.2.
constexpr std::array<Row<Shape>, 2> kNumberShapes = {{{{.most_bytes = 4}, {512, 16, 2}}, {{}, {512, 12, 2}}}};

// Measured on an H200, Gkey/s, beside onesweep: uint32, n = 2^23: 31.8, 36.2; 2^24: 46.5, 40.6;
// with values of 4 bytes 23.5, 26.3; 31.9, 29.6. uint64, n = 2^21: 10.0, 9.9; 2^22: 16.9, 12.0.
// With values of 8 bytes uint32 is not measured.
struct Crossover {
    size_t from;
};
constexpr std::array<Row<Crossover>, 2> kCrossovers = {
    {{{.most_bytes = 4}, {size_t{1} << 24}}, {{}, {size_t{1} << 22}}}};

const Parameter kGroup = {GP_SORT,          "split",
                          "group",          "work-items of a work-group that splits keys",
                          {256, 512, 1024}, of_row<kShapes, &Shape::group>};
const Parameter kKeys = {GP_SORT,
                         "split",
                         "keys",
                         "keys of each of these work-items in a tile",
                         {4, 8, 10, 12, 16, 20, 24, 28, 32},
                         [](const cl::Context &context, gp_dtype type) {
                             return is_float(type) ? of_row<kNumberShapes, &Shape::keys>(context, type)
                                                   : of_row<kShapes, &Shape::keys>(context, type);
                         }};
const Parameter kGroupsPerUnit = {GP_SORT,      "split",
                                  "groups",     "of these work-groups that a compute unit holds",
                                  {1, 2, 3, 4}, of_row<kShapes, &Shape::groups_per_unit>};
const Parameter kFrom = {GP_SORT,
                         "split",
                         "from",
                         "keys from which on it is chosen",
                         {1 << 18, 1 << 20, 1 << 21, 1 << 22, 1 << 23, 1 << 24, 1 << 25, 1 << 26, 1 << 27},
                         of_row<kCrossovers, &Crossover::from>};
constexpr std::array kParameters = {&kGroup, &kKeys, &kGroupsPerUnit, &kFrom};

Shape split_shape(const cl::Context &context, const Request &r) {
    return {tuned(context, r.dtype, kGroup), tuned(context, r.dtype, kKeys), tuned(context, r.dtype, kGroupsPerUnit)};
}

// Half as many keys again as a bin has where all bins have the same. A few numbers of keys a
// work-item are enough, lest each n be another program. Measured as above, the same n: 512 x 12 x
// 2: 1618, 256 x 24 x 4: 1776; uint64: 256 x 12 x 4: 946, 128 x 24 x 8: 2268 (spills).
Shape finish_shape(const Request &r) {
    const size_t mean = ceil_div(r.n, kBins);
    const size_t group = std::clamp(std::bit_ceil(ceil_div(mean, size_t{8})), size_t{128}, size_t{1024});
    return {group, round_up(ceil_div(3 * mean, 2 * group), size_t{4}), 1024 / group};
}

// Twice as many keys as a bin has in the mean, since pieces come from samples.
Shape piece_shape(const Request &r) {
    const size_t mean = ceil_div(r.n, kBins);
    const size_t group = std::clamp(std::bit_ceil(ceil_div(mean, size_t{4})), size_t{128}, size_t{1024});
    const size_t most = dtype(r.dtype).size == 4 ? 24 : 12; // that registers hold
    return {group, std::min(round_up(ceil_div(2 * mean, group), size_t{4}), most), 1024 / group};
}

// Three times as many keys as a piece has in the mean, where that many fit; for pieces come from
// samples, and a key that is often there may be in one that has others.
Shape once_shape(const Request &r) {
    const size_t mean = ceil_div(r.n, kDigits);
    const size_t group = std::clamp(std::bit_ceil(ceil_div(mean, size_t{4})), size_t{256}, size_t{1024});
    const size_t most = dtype(r.dtype).size == 4 ? 28 : 16; // that registers hold
    return {group, std::min(round_up(ceil_div(3 * mean, group), size_t{4}), most), 1024 / group};
}

// uint32s of the state, or of both where there are pieces; and behind them those of the bins'
// edges.
size_t state_words(const Request &r, bool pieces) {
    const size_t state = kState + (is_float(r.dtype) ? kCurve : 0);
    return pieces || is_float(r.dtype) ? 2 * state + 2 * kSamples + kDigits + 1 : state;
}
size_t edge_words(const Request &r) { return is_float(r.dtype) ? (kBins + 1) * dtype(r.dtype).size / 4 : 0; }

// Equal keys can be told apart only by what comes with them.
bool stable(const Request &r) { return travelling_bytes(r) != 0; }

// Are keys split by pieces of the key space where leading digits do not suit? Those of 4 bytes are
// not: to onesweep they are four passes only. Measured on an H200, uint32, n = 2^26, microseconds
// by pieces and by onesweep: one of 32 keys 1634, 1240; zipf 1616, 1248; a narrow range 1340, 1276;
// float32 1971, 1585.
bool by_pieces(const Request &r) { return dtype(r.dtype).size == 8 && !stable(r); }

Refusal refuses_keys(const Request &r) {
    if (dtype(r.dtype).size < 4) return "it sorts keys of 4 and 8 bytes";
    if (!whole_keys(r)) return "it orders by whole keys, not by a range of their bits";
    return {};
}

Refusal refuses_device(const cl::Context &context, const Request &r, size_t local_bytes) {
    const size_t there = context.features().local_bytes;
    if (local_bytes > there) return {"it needs ", local_bytes, " bytes of local memory; the device has ", there};
    if (context.info().work_group_size < kCounters)
        return {"it needs work-groups of ", kCounters, "; the device has ", context.info().work_group_size};
    return refuses_onesweep(context, r);
}

Refusal refuses(const cl::Context &context, const Request &r) {
    if (Refusal refusal = refuses_keys(r)) return refusal;
    const size_t key_size = dtype(r.dtype).size;
    if (is_float(r.dtype) && stable(r)) return "with values, it sorts integers only";
    if (travelling_bytes(r) > 8) return "it takes values of up to 8 bytes";
    const Shape finish = finish_shape(r);
    const size_t most = key_size == 4 && !stable(r) ? 24 : 12; // that registers hold
    if (finish.keys > most) return {"bins would hold ", finish.most(), " keys"};
    const size_t key_bytes = key_size + (stable(r) ? travelling_bytes(r) + sizeof(uint16_t) : 0);
    const Shape piece = piece_shape(r);
    const size_t most_keys = by_pieces(r) ? std::max(finish.most(), piece.most()) : finish.most();
    const size_t most_group = by_pieces(r) ? std::max(finish.group, piece.group) : finish.group;
    const Shape split = split_shape(context, r); // with a few words for each digit, and digits of keys
    const bool keeps_digits = by_pieces(r) || is_float(r.dtype);
    const size_t curve_bytes = is_float(r.dtype) ? kCurveBytes : 0;
    const size_t split_bytes = stable(r) ? 0 : split.most() * (key_size + keeps_digits) + 24 * kDigits + curve_bytes;
    const size_t bytes = std::max({kBins * sizeof(uint16_t) + curve_bytes,
                                   most_keys * key_bytes + 17 * most_group * sizeof(uint32_t), split_bytes}) +
                         64 + (by_pieces(r) ? kPieceBytes : 0);
    return refuses_device(context, r, bytes);
}

bool fits(const cl::Context &context, const Request &r) {
    // Measured on an H100, Gkey/s, by places on a curve and by onesweep: float32, n = 2^25: 37.7,
    // 42.7; 2^24: 30.4, 38.0; float64, n = 2^25: 27.8, 14.3; 2^22: 11.0, and CUB 10.8.
    if (r.dtype == GP_FLOAT32) return false;
    if (r.dtype == GP_FLOAT64 && r.n < size_t{1} << 23) return false;
    return r.n >= tuned(context, r.dtype, kFrom) && (dtype(r.dtype).size == 8 || travelling_bytes(r) <= 4);
}

struct Plan {
    size_t state_words;
    cl::Operand state;
    OnesweepPlan onesweep;
    Arrays arrays;

    Plan(cl::Task &task, const Request &r, bool pieces)
        : state_words(sort::state_words(r, pieces)),
          state(task.work_space(state_words + edge_words(r), sizeof(uint32_t))), onesweep(task, r), arrays(task, r) {}
};

// The launches. `form`: options of the kernels that tell leading digits from pieces.
class Split {
  public:
    Split(cl::Task &task, const Request &r, bool pieces)
        : task_(task), r_(r), units_(task.context().info().compute_units), split_shape_(split_shape(task.context(), r)),
          plan_(task, r, pieces) {}

    void run() {
        begin();
        by_leading_digits();
        if (by_pieces(r_))
            then_by_pieces();
        else
            end_onesweep(task_, r_, plan_.onesweep, plan_.arrays); // all, where a bin has too many keys
    }

    void run_once() {
        begin();
        const Shape shape = once_shape(r_);
        take_samples(kOnce, shape);
        count(kOnce, shape, std::min(units_, ceil_div(r_.n, size_t{8 * kCounters})), 1);
        split(kOnce, 1);
        const auto program = shaped("sort/split_finish.cl", shape, kOnce);
        const auto range = cl::Range::groups(std::min(units_ * shape.groups_per_unit, kDigits), shape.group);
        task_.launch(*program, "sort_split_finish", range, n(), flip(), plan_.state, plan_.onesweep.done,
                     plan_.arrays.keys_odd, sorted());
        end_onesweep(task_, r_, plan_.onesweep, plan_.arrays); // all, where a piece has too many keys
    }

  private:
    static constexpr const char *kOnce = " -DGP_PIECES -DGP_ONCE";
    static constexpr const char *kBeforePieces = " -DGP_BEFORE_PIECES";
    static constexpr const char *kByPieces = " -DGP_PIECES";

    // Where the keys are once they are split.
    const cl::Operand &sorted() const { return r_.is_apart() ? r_.sorted : r_.keys; }

    void begin() {
        begin_onesweep(task_, plan_.onesweep);
        task_.clear(plan_.state, plan_.state_words);
    }

    void by_leading_digits() {
        const Shape shape = finish_shape(r_);
        if (is_float(r_.dtype)) find_curve();
        count(by_pieces(r_) ? kBeforePieces : "", shape);
        if (stable(r_))
            split_onesweep(task_, r_, plan_.onesweep, plan_.arrays, plan_.state);
        else
            split("");
        finish("", shape);
    }

    void find_curve() {
        const auto program = task_.program({"sort/split_curve.cl", text(key_options(r_), " -DGP_GROUP=", kCounters)});
        const size_t samples = std::max(std::bit_floor(r_.n / 32), size_t{1} << 16);
        const auto range = cl::Range::groups(std::min(units_ / 2 + 1, samples / (8 * kCounters)), kCounters);
        task_.launch(*program, "sort_split_range", range, n(), r_.keys, plan_.state);
        task_.launch(*program, "sort_split_cells", range, n(), r_.keys, plan_.state);
        task_.launch(*program, "sort_split_curve", cl::Range::groups(1, kCounters), plan_.state);
    }

    // Where the leading digits did not suit: does nothing where they did.
    void then_by_pieces() {
        const Shape shape = piece_shape(r_);
        const auto program = take_samples(kByPieces, shape);
        const auto move_leftovers = [&](uint32_t back) {
            task_.launch(*program, "sort_split_leftovers", cl::Range::groups(units_, kCounters), n(), back, plan_.state,
                         sorted(), plan_.arrays.keys_odd);
        };
        count(kByPieces, shape);
        split(kByPieces);
        finish(kByPieces, shape);
        move_leftovers(0);
        end_onesweep(task_, r_, plan_.onesweep, plan_.arrays, true); // what is left: leftovers, or all
        move_leftovers(1);
    }

    std::shared_ptr<cl::Program> take_samples(const char *form, const Shape &finish) {
        auto program =
            task_.program({"sort/split_pieces.cl", text(key_options(r_), form, device_form(), " -DGP_GROUP=", kCounters,
                                                        " -DGP_MOST=", finish.most())});
        const size_t samples = std::string_view(form) == kOnce ? kOnceSamples : kSamples;
        task_.launch(*program, "sort_split_samples", cl::Range::groups(samples / 64, kCounters), n(), flip(), r_.keys,
                     plan_.state);
        return program;
    }

    void count(const char *form, const Shape &finish) { count(form, finish, units_, kDigits); }
    void count(const char *form, const Shape &finish, size_t groups, size_t planners) {
        const size_t tile = stable(r_) ? plan_.onesweep.group * plan_.onesweep.keys : split_shape_of(form).most();
        const auto program =
            task_.program({"sort/split_count.cl", text(key_options(r_), form, " -DGP_GROUP=", kCounters,
                                                       " -DGP_KEYS=", 64 / dtype(r_.dtype).size, " -DGP_TILE=", tile,
                                                       " -DGP_MOST=", finish.most())});
        task_.launch(*program, "sort_split_count", cl::Range::groups(groups, kCounters), uint64_t{r_.n}, flip(),
                     r_.keys, plan_.state);
        task_.launch(*program, "sort_split_plan", cl::Range::groups(planners, kDigits), n(), flip(), plan_.state);
    }

    Shape split_shape_of(const char *form) const {
        if (*form == 0 || std::string_view(form) == kBeforePieces) return split_shape_;
        return {512, 16, 2};
    }

    void split(const char *form, uint32_t times = 2) {
        const Shape shape = split_shape_of(form);
        const auto program = shaped("sort/split.cl", shape, form);
        const size_t groups = std::min(ceil_div(r_.n, shape.most()), units_ * shape.groups_per_unit);
        const auto range = cl::Range::groups(groups, shape.group);
        const cl::Operand &odd = plan_.arrays.keys_odd;
        task_.launch(*program, "sort_split", range, n(), uint32_t{0}, flip(), r_.keys, odd, plan_.state);
        if (times == 2)
            task_.launch(*program, "sort_split", range, n(), uint32_t{1}, flip(), odd, sorted(), plan_.state);
    }

    void finish(const char *form, const Shape &shape) {
        const std::string option = text(form, r_.is_apart() ? " -DGP_OTHER_MEMORY" : "");
        const auto program = shaped("sort/split_finish.cl", shape, option.c_str());
        const auto range = cl::Range::groups(units_ * shape.groups_per_unit, shape.group);
        const cl::Operand &done = plan_.onesweep.done;
        if (stable(r_))
            task_.launch(*program, "sort_split_finish", range, n(), flip(), plan_.state, done, plan_.arrays.keys_even,
                         plan_.arrays.values_even);
        else
            task_.launch(*program, "sort_split_finish", range, n(), flip(), plan_.state, done, sorted());
    }

    std::shared_ptr<cl::Program> shaped(const char *file, const Shape &shape, const char *form) {
        return task_.program(
            {file,
             text(key_options(r_), form, device_form(), " -DGP_GROUP=", shape.group, " -DGP_KEYS=", shape.keys),
             {},
             shape.groups_per_unit});
    }

    std::string device_form() const { return task_.context().features().options(); }
    uint32_t n() const { return static_cast<uint32_t>(r_.n); }
    uint64_t flip() const { return flipped_bits(r_); }

    cl::Task &task_;
    const Request &r_;
    const size_t units_;
    const Shape split_shape_;
    const Plan plan_;
};

void run(cl::Task &task, const Request &r) { Split(task, r, by_pieces(r)).run(); }
void run_once(cl::Task &task, const Request &r) { Split(task, r, true).run_once(); }

// ---- Fewer keys, split once

const Parameter kOnceFrom = {GP_SORT,
                             "split-once",
                             "from",
                             "keys from which on it is chosen",
                             {1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 21},
                             always<1 << 20>};
const Parameter kOnceMost = {GP_SORT,
                             "split-once",
                             "most",
                             "keys up to which it is chosen",
                             {1 << 18, 1 << 19, 1 << 20, 1 << 21, 3 << 20, 1 << 22, 6 << 20},
                             always<1 << 21>};
constexpr std::array kOnceParameters = {&kOnceFrom, &kOnceMost};

Refusal refuses_once(const cl::Context &context, const Request &r) {
    if (Refusal refusal = refuses_keys(r)) return refusal;
    if (stable(r)) return "it sorts keys alone";
    const size_t key_size = dtype(r.dtype).size;
    const Shape shape = once_shape(r);
    if (7 * r.n > 4 * kDigits * shape.most()) return {"pieces would hold ", shape.most(), " keys"};
    const size_t split_bytes = split_shape(context, r).most() * (key_size + 1) + 24 * kDigits;
    const size_t bytes = std::max({kSamples * key_size + 256,
                                   shape.most() * key_size + 17 * shape.group * sizeof(uint32_t), split_bytes}) +
                         64 + kPieceBytes;
    return refuses_device(context, r, bytes);
}

// Measured on an H200, microseconds by it, and by onesweep: uint32, n = 2^20: 90, 75; 2^22: 184,
// 141. Integers of 8 bytes take eight passes there; float64's pieces about zero are uneven: Gkey/s
// of 2^20 keys beside CUB's 7.0: uint64 9.6, float64 6.1.
bool fits_once(const cl::Context &context, const Request &r) {
    if (dtype(r.dtype).size != 8 || is_float(r.dtype)) return false;
    return r.n >= tuned(context, r.dtype, kOnceFrom) && r.n <= tuned(context, r.dtype, kOnceMost);
}

} // namespace

const Algorithm kSplit = {{"split",
                           "radix sort, keys are split by two digits into bins that are finished in local memory",
                           "Stehle and Jacobsen, \"A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs\", 2017",
                           false, Suits::kGpu, 0, kLookBackFeatures},
                          refuses,
                          run,
                          fits,
                          kParameters};

const Algorithm kSplitOnce = {
    {"split-once", "sample sort, keys are split once into pieces that are finished in local memory",
     "Leischner, Osipov and Sanders, \"GPU Sample Sort\", 2010", false, Suits::kGpu, 0, kLookBackFeatures},
    refuses_once,
    run_once,
    fits_once,
    kOnceParameters};

} // namespace gpcl::sort
