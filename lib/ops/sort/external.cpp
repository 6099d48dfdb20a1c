// Sorts of arrays in host memory that the device can't hold: an external merge sort. Runs that it
// can hold are sorted into host memory of the library's own. Then each part of the result, as long
// as a run, is brought together from all runs, and sorted by the device on its way home; where a
// part begins in each run is found exactly, so that equal keys are no trouble.
// SPDX-License-Identifier: MIT
#include "cl/stream.h"
#include "core/size.h"
#include "core/system.h"
#include "host/order.h"
#include "ops/room.h"
#include "ops/sort/sort.h"

#include <algorithm>
#include <array>

namespace gpcl::sort {
namespace {

using cl::Operand;

constexpr size_t kMostOfRun = size_t{1} << 30; // keys

struct Raw { // left as memory was; so large that making one costs nothing
    std::byte bytes[4096];
    Raw() {} // NOLINT(modernize-use-equals-default): which would clear it
};
using HostMemory = cl::Kept<Raw>;

struct Slot { // what a run has on the device
    Operand keys, values;
    cl::Kept<std::byte> numbers; // in host memory: the values of an argsort
};

class External {
  public:
    External(cl::Task &task, const char *algorithm, const Request &whole, const HostArrays &host)
        : task_(task), algorithm_(algorithm), host_(host), form_(whole), n_(whole.n),
          key_size_(dtype(whole.dtype).size), numbers_(whole.index != 0) {
        if (numbers_) form_.value_size = dtype(whole.index).size;
        form_.index = 0;
        value_size_ = form_.value_size;
        if (value_size_ != 0) form_.value_alignment = alignment_of(value_size_);
        const cl::Context &context = task.context();
        run_ = most_held(context, std::min(n_, kMostOfRun), [&](size_t n) { return fits(context, n); });
        count_ = ceil_div(n_, run_);
        for (Slot &slot : slots_) {
            slot.keys = task.work_space(run_ * key_size_);
            if (value_size_ != 0) slot.values = task.work_space(run_ * value_size_);
        }
        make(keys_, n_ * key_size_);
        make(values_, n_ * value_size_);
    }

    void run() {
        make_runs();
        host::with_bits(form_.dtype, [&](auto bits) { merge_runs<decltype(bits)>(); });
    }

  private:
    static void make(HostMemory &memory, size_t bytes) {
        memory.resize(ceil_div(bytes, sizeof(Raw)));
        prefer_large_pages(memory.data(), bytes);
    }

    bool fits(const cl::Context &context, size_t n) const {
        Request r = form_;
        r.n = n;
        r.keys = Operand::stand_in();
        if (value_size_ != 0) r.values = Operand::stand_in();
        const size_t keys = n * key_size_, values = n * value_size_;
        return gpcl::device_holds(context, {keys * slots_.size(), values * slots_.size()},
                                  [&](cl::Task &task) { choose_for(context, algorithm_, r).run(task, r); });
    }

    size_t n_of(size_t k) const { return std::min(run_, n_ - k * run_); }
    Slot &slot_of(size_t k) { return slots_[k % slots_.size()]; }

    void sort(size_t k) {
        Request r = form_;
        r.n = n_of(k);
        r.keys = slot_of(k).keys;
        r.values = slot_of(k).values;
        choose_for(task_.context(), algorithm_, r).run(task_, r);
    }

    static std::byte *at(void *array, size_t element, size_t size) {
        return static_cast<std::byte *>(array) + element * size;
    }

    // The values of an argsort: where the keys of a run stand.
    const void *numbers_of(size_t k) {
        auto &numbers = slot_of(k).numbers;
        numbers.resize(n_of(k) * value_size_);
        const auto fill = [&](auto *to) {
            for (size_t i = 0; i < n_of(k); ++i) to[i] = static_cast<std::decay_t<decltype(*to)>>(k * run_ + i);
        };
        if (value_size_ == sizeof(uint32_t))
            fill(reinterpret_cast<uint32_t *>(numbers.data()));
        else
            fill(reinterpret_cast<uint64_t *>(numbers.data()));
        return numbers.data();
    }

    void make_runs() {
        cl::Stream stream(task_, true);
        stream.run(
            count_,
            [&](size_t k) {
                stream.copy_in(slot_of(k).keys, at(host_.keys, k * run_, key_size_), n_of(k) * key_size_);
                if (value_size_ == 0) return;
                stream.copy_in(slot_of(k).values, numbers_ ? numbers_of(k) : at(host_.values, k * run_, value_size_),
                               n_of(k) * value_size_);
            },
            [&](size_t k) { sort(k); },
            [&](size_t k) {
                stream.copy_out(slot_of(k).keys, at(keys_.data(), k * run_, key_size_), n_of(k) * key_size_);
                if (value_size_ != 0)
                    stream.copy_out(slot_of(k).values, at(values_.data(), k * run_, value_size_),
                                    n_of(k) * value_size_);
            },
            [](size_t) {});
    }

    // How many keys of each run are among the first `rank` ones of all: those whose code is less
    // than some code, and of those with that code the first, by runs. `before`: the same of a lower
    // rank.
    template <class Bits> std::vector<size_t> split(size_t rank, const std::vector<size_t> &before) const {
        const auto *keys = reinterpret_cast<const Bits *>(keys_.data());
        const host::Order<Bits> order(form_.dtype, form_.descending);
        const unsigned width = form_.end_bit - form_.begin_bit;
        const auto mask = static_cast<Bits>(host::Order<Bits>::kMax >> (8 * sizeof(Bits) - width));
        const auto code = [&](Bits key) { return static_cast<Bits>(order.rank(key) >> form_.begin_bit) & mask; };
        // Keys before low[k] have codes less than `least`, those from high[k] on more than `most`.
        std::vector<size_t> low = before, high(count_), middle(count_);
        for (size_t k = 0; k < count_; ++k) high[k] = n_of(k);
        Bits least = 0, most = mask;
        while (least < most) {
            const auto pivot = static_cast<Bits>(least + (most - least) / 2);
            size_t sum = 0;
            for (size_t k = 0; k < count_; ++k) {
                const Bits *const run = keys + k * run_;
                middle[k] = static_cast<size_t>(
                    std::partition_point(run + low[k], run + high[k], [&](Bits key) { return code(key) <= pivot; }) -
                    run);
                sum += middle[k];
            }
            if (sum >= rank) {
                high = middle;
                most = pivot;
            } else {
                low = middle;
                least = static_cast<Bits>(pivot + 1);
            }
        }
        size_t left = rank;
        for (const size_t each : low) left -= each;
        for (size_t k = 0; k < count_; ++k) {
            const size_t more = std::min(left, high[k] - low[k]);
            low[k] += more;
            left -= more;
        }
        return low;
    }

    template <class Bits> void merge_runs() {
        std::vector<size_t> begins(count_), ends;
        cl::Stream stream(task_, true);
        stream.run(
            count_,
            [&](size_t part) {
                ends = split<Bits>(part * run_ + n_of(part), begins);
                size_t done = 0;
                for (size_t k = 0; k < count_; ++k) {
                    const size_t from = k * run_ + begins[k], n = ends[k] - begins[k];
                    stream.copy_in(slot_of(part).keys, at(keys_.data(), from, key_size_), n * key_size_,
                                   done * key_size_);
                    stream.copy_in(slot_of(part).values, at(values_.data(), from, value_size_), n * value_size_,
                                   done * value_size_);
                    done += n;
                }
                begins.swap(ends);
            },
            [&](size_t part) { sort(part); },
            [&](size_t part) {
                const size_t first = part * run_, n = n_of(part);
                if (!numbers_) stream.copy_out(slot_of(part).keys, at(host_.keys, first, key_size_), n * key_size_);
                if (value_size_ != 0)
                    stream.copy_out(slot_of(part).values,
                                    at(numbers_ ? host_.indices : host_.values, first, value_size_), n * value_size_);
            },
            [](size_t) {});
    }

    cl::Task &task_;
    const char *const algorithm_;
    const HostArrays host_;
    Request form_; // of each sort: keys, or pairs
    const size_t n_, key_size_;
    const bool numbers_; // the values are indices
    size_t value_size_ = 0;
    size_t run_ = 0, count_ = 0; // keys of a run, and how many runs there are
    std::array<Slot, cl::Stream::kSlots> slots_;
    HostMemory keys_, values_; // the runs, one after the other
};

} // namespace

bool device_holds(const cl::Context &context, const char *algorithm, const Request &whole) {
    if (context.is_host()) return true; // before a Request is copied, which small sorts feel
    Request r = whole;
    for (Operand *array : {&r.keys, &r.values, &r.indices, &r.offsets, &r.ends}) *array = Operand::stand_in();
    const size_t span = r.rows().span(), index_size = r.index != 0 ? dtype(r.index).size : 0;
    const Footprint arrays{span * dtype(r.dtype).size, span * r.value_size, span * index_size,
                           r.has_segments ? (r.segments + 1) * dtype(r.offset_type).size : 0,
                           r.has_ends ? r.segments * dtype(r.offset_type).size : 0};
    return gpcl::device_holds(context, arrays,
                              [&](cl::Task &task) { run_rows(task, choose_for(context, algorithm, r), r); });
}

void run_external(cl::Task &task, const char *algorithm, const Request &whole, const HostArrays &host) {
    External(task, algorithm, whole, host).run();
}

} // namespace gpcl::sort
