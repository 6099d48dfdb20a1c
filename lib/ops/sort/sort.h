// The sort's request and its algorithms.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/rows.h"
#include "ops/counted.h"
#include "ops/operation.h"

namespace gpcl::sort {

// A checked call. Keys are sorted in place, with values or without; or, where `index` is set, only
// read, and the order goes to `indices`.
struct Request {
    gp_dtype dtype = GP_INT32;
    size_t n = 0;
    bool descending = false;
    unsigned begin_bit = 0, end_bit = 0; // what the sort looks at, of the keys as ordered
    cl::Operand keys;
    size_t value_size = 0;      // 0: no values
    size_t value_alignment = 1; // a power of two that divides the address and size of every value
    cl::Operand values;         // counts in values
    gp_dtype index = 0;         // argsort: GP_UINT32 or GP_UINT64
    cl::Operand indices;
    // Where the sorted keys of one array go, beside indices, if those are asked for, or values;
    // keys and values are only read then. Without memory: see above. For run_apart, which knows
    // what takes it.
    cl::Operand sorted, sorted_values;
    // Of a batch; a row has n keys. Algorithms for one array know nothing of them.
    size_t batch = 1, stride = 0, step = 1;
    // Of segments, in place of rows: `segments` of them; without ends, `offsets` has one more.
    bool has_segments = false, has_ends = false;
    size_t segments = 0;
    gp_dtype offset_type = GP_UINT64;
    cl::Operand offsets, ends;
    Counted counted; // of one array

    Rows rows() const { return {n, batch, stride, step}; }
    bool is_apart() const { return sorted.memory != nullptr; }
    bool is_one_array() const { return batch == 1 && step == 1 && !has_segments; }
    // Rows without gaps.
    bool is_dense() const { return step == 1 && (batch == 1 || stride == n); }
};

// Of one array, by whole keys; its operands are to be added.
inline Request whole_array(gp_dtype type, size_t n) {
    Request result;
    result.dtype = type;
    result.n = result.stride = n;
    result.end_bit = static_cast<unsigned>(8 * dtype(type).size);
    return result;
}

inline bool whole_keys(const Request &r) { return r.begin_bit == 0 && r.end_bit == 8 * dtype(r.dtype).size; }

using Algorithm = gpcl::Algorithm<Request>;

// One algorithm a file.
extern const Algorithm kLocalBins;    // local_bins.cpp: some thousand keys, in one work-group, for GPUs
extern const Algorithm kSampleBins;   // sample_bins.cpp: some hundred thousand keys, for GPUs
extern const Algorithm kSingleTile;   // single_tile.cpp: few keys, in one work-group
extern const Algorithm kSplitOnce;    // split.cpp: by samples, then pieces in local memory, for NVIDIA GPUs
extern const Algorithm kSplit;        // split.cpp: two leading digits, then bins in local memory, for NVIDIA GPUs
extern const Algorithm kOnesweep;     // onesweep.cpp: one pass a digit, for NVIDIA GPUs
extern const Algorithm kRadixBuckets; // radix_buckets.cpp: buckets that are finished in cache, for CPUs
extern const Algorithm kRadixChunks;  // radix_chunks.cpp: one work-item a chunk, for CPUs
extern const Algorithm kRadixTiles;   // radix_tiles.cpp: one work-group a tile, for GPUs
extern const Algorithm kMergedRuns;   // merged_runs.cpp: for more keys than the others count
extern const Algorithm kHost;         // host.cpp: lib/host

// Those that sort all rows of a batch together; by name they sort one array too.
extern const Algorithm kRowWarps;    // row_warps.cpp: a row in the registers of a warp, for GPUs
extern const Algorithm kRowNetworks; // row_networks.cpp: a row in the registers of a work-item, for GPUs
extern const Algorithm kRowTiles;    // row_tiles.cpp: several rows in one work-group, for GPUs
extern const Algorithm kRowBins;     // local_bins.cpp: a row in one work-group, for GPUs
extern const Algorithm kRowSweeps;   // onesweep.cpp: passes over all rows, for NVIDIA GPUs
extern const Algorithm kRowItems;    // row_items.cpp: a work-item a row, for CPUs

// Those that sort segments, and nothing else.
extern const Algorithm kSegments;     // segments.cpp: by classes of their length, for GPUs
extern const Algorithm kSegmentItems; // row_items.cpp: a work-item a segment, for CPUs

// Steps of the ladder, which run by name only.
extern const Algorithm kOddEven;           // odd_even.cpp
extern const Algorithm kBitonic;           // bitonic.cpp
extern const Algorithm kBitonicFused;      // bitonic_fused.cpp
extern const Algorithm kRadixRegisters;    // radix_registers.cpp
extern const Algorithm kRadixLocal;        // radix_local.cpp
extern const Algorithm kRadixLocalVectors; // radix_local_vectors.cpp
extern const Algorithm kHostQsort;         // host_ladder.cpp
extern const Algorithm kHostStdSort;       // host_ladder.cpp
extern const Algorithm kHostRadix16;       // host_ladder.cpp

extern const Algorithm kSampleBinsFallback; // sample_bins.cpp: a test of it

std::span<const Algorithm> algorithms();

void prove(Proof &proof); // prove.cpp

// Why an algorithm for segments refuses a request without.
inline Refusal refuses_arrays(const Request &r) {
    constexpr size_t kMost = UINT32_MAX;
    if (!r.has_segments) return "it sorts segments by offsets";
    return r.n <= kMost ? Refusal{} : Refusal{"it counts keys in 32 bits, and n is ", r.n};
}

// ---- Rows: rows.cpp

// The algorithm for the rows of a batch on an OpenCL device that is the best for it; NULL where row
// after row is.
const Algorithm *choose_for_rows(const cl::Context &context, const Request &request);

// Runs an algorithm on an array or on rows: on all together, or on one after the other; rows that
// lie apart are gathered first where it wants them side by side.
void run_rows(cl::Task &task, const Algorithm &algorithm, const Request &request);

// The named algorithm, or the best for a request; throws where there is none.
const Algorithm &choose_for(const cl::Context &context, const char *name, const Request &request);

// apart.cpp: sorts keys to `sorted`, by the best algorithm; one that sorts in place has a copy.
// With values, those are copied too unless the bits that count are one digit.
void run_apart(cl::Task &task, const Request &request);

// The arrays of a call on host pointers; NULL where there are none.
struct HostArrays {
    void *keys, *values, *indices;
};

// pieces.cpp: sorts by the best algorithms while arrays are on their way; false where they are not
// large. The request is without operands.
bool run_pieces(cl::Task &task, cl::Context &context, const Request &whole, const HostArrays &host);

// external.cpp: is there room on the device for a call on host pointers as a whole? The request is
// without operands.
bool device_holds(const cl::Context &context, const char *algorithm, const Request &whole);
// Sorts one array that there is no room for.
void run_external(cl::Task &task, const char *algorithm, const Request &whole, const HostArrays &host);
// deal.cpp: shares a call on host pointers among the devices of its context, and returns true.
// False: one device is to do it all, and nothing was done.
bool deal(gp_context *context, const Request &whole, const gp_sort_options &options, const HostArrays &host);

// Its kernels beside those of the algorithms.
std::shared_ptr<cl::Program> ranges_program(cl::Task &task, const Request &request);

extern const Operation kOperation;
// place.cpp
extern const std::array<const place::Kind *, 4> kKinds;
const place::Kind &kind_of(size_t n, bool pairs, bool indices, const gp_sort_options &options);

} // namespace gpcl::sort
