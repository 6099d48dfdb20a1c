// Scan of rows and segments in a single pass with tiles copied ahead. Host side of
// kernels/scan/staged_segments.cl.
// SPDX-License-Identifier: MIT
#include "ops/scan/scan.h"

#include "core/size.h"
#include "ops/shape.h"

namespace gpcl::scan {
namespace {

constexpr size_t kVectorBytes = 16;
constexpr FeatureSet kNeeds = kForwardProgress | kShuffle | kBulkCopy;

struct Shape {
    size_t group, vectors, stages;
};

// A tile has most flags where its elements are the smallest.
template <bool flags> struct ShapeWith : Shape {
    size_t local_bytes(const cl::Context &context) const {
        const size_t vector_bytes = kVectorBytes + (flags ? kVectorBytes / 4 : 0);
        return group * vectors * vector_bytes * stages + 2 * part_warps_bytes(context, group) + 1536;
    }
};

// Measured on an H200 in GB/s, int32, 2^26 elements, group x vectors x stages: rows of 64 and of
// 2^20: 512 x 7 x 4: 3778, 3667; 384 x 7 x 5: 3787, 3380; 512 x 5 x 5: 3801, 3275. Flags, of any
// density: 384 x 7 x 4: 3313; 512 x 5 x 4: 2935; 512 x 7 x 3: 2780; in another run 384 x 7 x 4:
// 3143; 384 x 5 x 5: 2617; 384 x 5 x 6: 2617; 256 x 7 x 5: 2604; 512 x 3 x 6: 2335. The other rows
// below are for less local memory.
template <bool flags> constexpr std::array<Row<ShapeWith<flags>>, 3> kShapes = {
    {{{}, {{flags ? 384 : 512, 7, 4}}}, {{}, {{256, 7, 3}}}, {{}, {{64, 7, 3}}}}};

// What may be tuned: rows have room for more, as they have no flags.
template <bool flags> struct Parameters {
    Parameter group, vectors, stages;

    explicit Parameters(const char *algorithm)
        : group{GP_SCAN,
                algorithm,
                "group",
                "work-items of a work-group",
                {64, 128, 256, 384, 512, 1024},
                of_row<kShapes<flags>, &Shape::group>},
          vectors{GP_SCAN,      algorithm,
                  "vectors",    "vectors of 16 bytes of a work-item in a tile",
                  {1, 3, 5, 7}, of_row<kShapes<flags>, &Shape::vectors>},
          stages{GP_SCAN,         algorithm,
                 "stages",        "tiles in local memory, most of them on their way",
                 {3, 4, 5, 6, 8}, of_row<kShapes<flags>, &Shape::stages>} {}

    ShapeWith<flags> shape(const cl::Context &context, const Request &r) const {
        return {{tuned(context, r.from, group), tuned(context, r.from, vectors), tuned(context, r.from, stages)}};
    }
};

const Parameters<false> kRows("staged-rows");
const Parameters<true> kFlags("staged-segments");
constexpr std::array kRowsParameters = {&kRows.group, &kRows.vectors, &kRows.stages};
constexpr std::array kFlagsParameters = {&kFlags.group, &kFlags.vectors, &kFlags.stages};

// So many positions without elements come first that all further tiles lie at multiples of 16
// bytes, between which bulk copies go; SIZE_MAX: there is no such number. (A buffer's own address
// is one.)
size_t pad(const Request &r) {
    const size_t size = dtype(r.dtype).size, count = r.n * r.batch();
    const auto is_aligned = [&](const cl::Operand &operand, size_t bytes, size_t positions) {
        const size_t place = r.reverse ? operand.offset + count + positions : operand.offset - positions;
        return place * bytes % kVectorBytes == 0; // also where it is below 0
    };
    for (size_t positions = 0; positions < kVectorBytes; ++positions)
        if (is_aligned(r.in, size, positions) && is_aligned(r.out, size, positions) &&
            (!r.segmented || is_aligned(r.heads, 1, positions)))
            return positions;
    return SIZE_MAX;
}

void run_with(cl::Task &task, const Request &r, const Shape &shape, const char *option) {
    auto &context = task.context();
    const auto &features = context.features();
    const auto [group, vectors, stages] = shape;
    const size_t size = dtype(r.dtype).size, tile = group * vectors * (kVectorBytes / size);
    const size_t aligned = pad(r), before = aligned == SIZE_MAX ? 0 : aligned;
    const auto program = task.program({"scan/staged_segments.cl",
                                       text(r.options(), r.index_option(tile + kVectorBytes + (before > 0 ? r.n : 0)),
                                            " -DGP_GROUP=", group, " -DGP_VECTORS=", vectors, " -DGP_STAGES=", stages,
                                            " -DGP_SPIN_LIMIT=", features.spin_limit(), features.options(), option),
                                       r.combine.preamble()});
    const size_t tiles = ceil_div(multiply(r.n, r.batch(), "n elements") + before, tile);
    const size_t state_bytes = 16 + tiles * 2 * size;
    const auto state = tiles > 1 ? task.cleared_space(state_bytes) : task.work_space(state_bytes);
    const size_t groups = std::min(tiles, size_t{context.info().compute_units});
    r.launch(task, *program, "scan_staged_segments", cl::Range::groups(groups, group), r.in,
             r.segmented ? r.heads : cl::Operand{}, r.out, state, uint64_t{r.n}, uint64_t{r.batch()}, uint32_t(before),
             uint32_t{r.exclusive}, uint32_t{r.reverse});
}

void run_rows(cl::Task &task, const Request &r) { run_with(task, r, kRows.shape(task.context(), r), ""); }
void run_flags(cl::Task &task, const Request &r) { run_with(task, r, kFlags.shape(task.context(), r), ""); }
void run_fallback(cl::Task &task, const Request &r) {
    run_with(task, r, kFlags.shape(task.context(), r), " -DGP_FALLBACK_ONLY");
}

template <bool flags>
Refusal refuses_shape_of(const cl::Context &context, const Request &r, const ShapeWith<flags> &needed) {
    if (const Refusal why = refuses_shape(context, needed.group, needed.local_bytes(context))) return why;
    if (multiply(r.n, r.batch(), "n elements") / needed.group > uint32_t(-1)) return "it counts tiles in 32 bits";
    if (r.from != r.dtype) return "it has no accumulator of another type";
    const auto follow = [](const Rows &rows) { return rows.step == 1 && (rows.batch == 1 || rows.stride == rows.n); };
    return follow(r.rows_in) && follow(r.rows_out) ? Refusal{} : "it scans rows that follow each other, without steps";
}

Refusal refuses_rows_of(const cl::Context &context, const Request &r) {
    if (r.segmented) return "it takes no flags";
    return refuses_shape_of(context, r, kRows.shape(context, r));
}

Refusal refuses_flags_of(const cl::Context &context, const Request &r) {
    return refuses_shape_of(context, r, kFlags.shape(context, r));
}

bool fits(const cl::Context &, const Request &r) { return pad(r) != SIZE_MAX; }

} // namespace

const Algorithm kStagedRows = {{"staged-rows", "as staged-look-back, for rows that follow each other",
                                "Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016",
                                false, Suits::kGpu, kNeeds},
                               refuses_rows_of,
                               run_rows,
                               fits,
                               kRowsParameters};

const Algorithm kStagedSegments = {
    {"staged-segments", "as staged-rows, with flags",
     "Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016", false, Suits::kGpu,
     kNeeds},
    refuses_flags_of,
    run_flags,
    fits,
    kFlagsParameters};

const Algorithm kStagedSegmentsFallback = {
    {"staged-segments-fallback", "as staged-segments, but every sum is computed by all who need it; a test of that",
     "Smith, Levien and Owens, Decoupled Fallback, 2024", false, Suits::kByName, kNeeds},
    refuses_flags_of,
    run_fallback};

} // namespace gpcl::scan
