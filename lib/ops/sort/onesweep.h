// The steps of onesweep.cpp, for a sort that goes another way where it can.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/sort/bins.h"
#include "ops/sort/passes.h"

namespace gpcl::sort {

// The division of work, and what it takes beside the arrays.
struct OnesweepPlan {
    size_t group, keys, groups, ring;
    size_t zeros; // uint32s to fill
    uint32_t passes;
    cl::Operand totals, rows;
    cl::Operand done; // a uint32; what sets it to 1 between begin and end has sorted the keys; see `rest` below

    // row: keys of each row where rows are sorted by themselves, else 0.
    OnesweepPlan(cl::Task &task, const Request &request, size_t row = 0);
};

// Where tiles had better look back; elsewhere they find for themselves what is late.
constexpr FeatureSet kLookBackFeatures = kForwardProgress | kShuffle;

Refusal refuses_onesweep(const cl::Context &context, const Request &request);

// Fills what must be zeros.
void begin_onesweep(cl::Task &task, const OnesweepPlan &plan);

// In between: the two passes by leading digits, stable ones, of split.cpp; `state` is that of
// kernels/sort/split_state.cl.
void split_onesweep(cl::Task &task, const Request &request, const OnesweepPlan &plan, const Arrays &arrays,
                    const cl::Operand &state);

// Sorts, then does what comes behind the last pass. With `rest`, where `done` is not 1 but greater,
// one less is how many keys to sort, a quarter or less of all, and they lie in keys_odd.
void end_onesweep(cl::Task &task, const Request &request, const OnesweepPlan &plan, const Arrays &arrays,
                  bool rest = false);

// Passes over listed segments, all in one, in tiles. Work space is taken when it is made.
class SegmentSweeps {
  public:
    // The last class of the lists has entries `first` to `end`, of more than `least` keys each.
    SegmentSweeps(cl::Task &task, const Request &request, const Lists &lists, size_t first, size_t end, size_t least);
    // What must be filled with zeros before it runs.
    struct Zeros {
        cl::Operand array;
        uint32_t count = 0; // uint32s
    };
    std::array<Zeros, 2> zeros() const;
    void run(cl::Task &task) const;

  private:
    size_t most_tiles() const;
    void finish(cl::Task &task) const;
    void copy(cl::Task &task, size_t size, size_t word, const cl::Operand &in, const cl::Operand &out,
              const cl::Operand *order) const;

    Request request_;
    Lists lists_;
    cl::Operand list_, table_, row_totals_;
    size_t first_, count_;
    OnesweepPlan plan_;
    Arrays arrays_;
};

} // namespace gpcl::sort
