// What sorts in bins in local memory share: see kernels/sort/bins.cl.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/shape.h"
#include "ops/sort/passes.h"

namespace gpcl::sort {

inline constexpr size_t kLeastBinsGroup = 64;
inline constexpr size_t kPhaseWords = 96; // uint32s that kernels/common/phases.cl takes

struct BinsShape {
    size_t group, items;
    size_t most() const { return group * items; }
};

// Can keys that order the same be told apart?
inline bool is_stable(const Request &r) {
    return r.index != 0 || r.value_size != 0 || is_float(r.dtype) || !whole_keys(r);
}

// What a work-group takes of local memory: bins, what those of equal digits are found in, and keys,
// each with so many bytes more.
inline size_t bins_bytes(const cl::Context &context, const Request &r, const BinsShape &shape, size_t more) {
    const bool in_room = context.features().shuffles_in_local_memory();
    const size_t key = dtype(r.dtype).size;
    return shape.most() * (key + more) + shape.group * (in_room ? 2 : 1) * 8 * sizeof(uint32_t) +
           (in_room ? shape.group : 32) * sizeof(uint32_t) + 2 * key * (in_room ? shape.group : shape.group / 32) + 64;
}

// Of bins.cl; and of kernels that move indices or values as words.cl says.
inline std::string bins_options_alone(const cl::Context &context, const Request &r, const BinsShape &shape) {
    return text(key_options_alone(r), context.features().options(), " -DGP_GROUP=", shape.group,
                " -DGP_ITEMS=", shape.items, " -DGP_STABLE=", is_stable(r) ? 1 : 0);
}
inline std::string bins_options(const cl::Context &context, const Request &r, const BinsShape &shape) {
    return bins_options_alone(context, r, shape) + word_options(r);
}

// ---- One array in one work-group: local_bins.cpp

// As many keys of a work-item as the algorithm local-bins takes, and why it can't; it sorts up to
// `limit` keys.
BinsShape local_bins_shape(const cl::Context &context, const Request &request);
Refusal refuses_local_bins(const cl::Context &context, const Request &request, size_t limit);

// ---- Segments and rows by warps: kernels/sort/segment_warps.cl

struct WarpShape {
    static constexpr size_t kGroup = 128; // work-items of a work-group
    size_t items;                         // keys of a work-item

    size_t most() const { return 32 * items; }
    size_t local_bytes(const Request &r) const { // and what words are exchanged in
        return kGroup * (items * (dtype(r.dtype).size + 1) + sizeof(uint32_t));
    }
    std::string options(const cl::Context &context, const Request &r) const {
        return text(key_options_alone(r), context.features().options(), " -DGP_GROUP=", kGroup, " -DGP_ITEMS=", items,
                    " -DGP_STABLE=", is_stable(r) ? 1 : 0, word_options(r));
    }
    static cl::Range range(const cl::Context &context, size_t segments) {
        constexpr size_t kGroupsPerUnit = 16;
        return cl::Range::groups(
            std::min(ceil_div(segments, kGroup / 32), kGroupsPerUnit * context.info().compute_units), kGroup);
    }
};

// So many uint32s, all zeros, which the kernels that use them leave as zeros. A call with lent
// memory takes no other.
inline cl::Operand zeros_left(cl::Task &task, size_t count) {
    if (!task.is_lent() && !task.is_plan()) return task.cleared_space(count * sizeof(uint32_t));
    const cl::Operand words = task.work_space(count, sizeof(uint32_t));
    task.clear(words, count);
    return words;
}

// ---- Listed segments: local_bins.cpp

// How many keys of a segment one work-group has room for.
size_t most_listed(const cl::Context &context, const Request &request);

// Those of kernels/sort/segment_lists.cl.
struct Lists {
    static constexpr size_t kApart = 32, kCounts = kApart + kPhaseWords; // of classes; then those of phases
    cl::Operand counts, entries;

    cl::Operand phases() const { return counts + kApart; }
};

// Where class `kind` lies in them.
struct Listed {
    uint32_t kind = 0, first = 0, end = 0;
};

// Up to how many keys of an array ListedSamples sorts segments of; 0: none.
size_t most_of_listed_samples(const cl::Context &context, const Request &request);

// Sorts all segments by one launch, each that local memory holds in one work-group, the others by
// samples; and can it?
bool takes_segments_at_once(const cl::Context &context, const Request &request);
void sort_segments_at_once(cl::Task &task, const Request &request);

// What a sample sort takes beside the arrays.
struct SampleSpace {
    cl::Operand splitters, keys, values; // the latter two copies, where it sorts in place
    cl::Operand phases;                  // for one launch
};

// A sample sort of listed segments, behind which the counts of all classes are zeros. Work space is
// taken when it is made.
class ListedSamples {
  public:
    ListedSamples(cl::Task &task, const Request &request, const Lists &lists, const Listed &listed);
    void run(cl::Task &task) const;

  private:
    Request request_;
    Lists lists_;
    Listed listed_;
    BinsShape shape_;
    size_t count_; // of parts
    SampleSpace space_;
};

// Sorts the segments of a class, which have up to `most` keys.
void sort_listed(cl::Task &task, const Request &request, size_t most, const Lists &lists, const Listed &listed);

} // namespace gpcl::sort
