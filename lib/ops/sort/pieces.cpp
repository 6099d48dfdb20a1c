// Sorts of large arrays in host memory. On their way to the device, pieces are sorted by their
// highest digit alone; then the keys of a few digits of all pieces are collected, sorted and sent
// home, while those of the next digits are sorted. Host side of kernels/sort/ranges.cl.
// SPDX-License-Identifier: MIT
#include "cl/link.h"
#include "cl/stream.h"
#include "core/size.h"
#include "ops/sort/passes.h"

#include <algorithm>
#include <array>
#include <limits>

namespace gpcl::sort {
namespace {

using cl::Operand;

constexpr size_t kBegins = kDigits + 1;
constexpr size_t kMostOfPiece = size_t{1} << 30; // elements
// Measured on an H200, ms, as a whole and in pieces, uint32: 2^24: 3.7, 5.0; 2^26: 12.8, 14.6;
// 2^28: 44.7, 41.9, but by pieces of 16 MiB 52.4, since a driver takes longer for a piece's
// commands than the link for the piece.
constexpr size_t kFrom = size_t{1} << 30;   // bytes of an array
constexpr size_t kPiece = size_t{32} << 20; // bytes
// Nothing overlaps the first range's sort, so it is small; those that follow grow, since they are
// sorted faster than the link takes them.
constexpr size_t kFirstShare = 64, kLargestShare = 8, kMostShare = 4; // parts of n

struct Slot { // what a piece or a range has on the device
    Operand keys, values, wide;
};

struct Range { // of digits
    size_t first, end;
    size_t at, n; // elements
};

class Pieces {
  public:
    Pieces(cl::Task &task, cl::Context &context, const Request &whole, const HostArrays &host, size_t piece)
        : task_(task), context_(context), whole_(whole), host_(host), key_size_(dtype(whole.dtype).size),
          index_size_(whole.index != 0 ? dtype(whole.index).size : 0), piece_(piece), count_(ceil_div(whole.n, piece)),
          form_(whole) {
        form_.index = 0;
        if (index_size_ != 0) form_.value_size = sizeof(uint32_t);
        if (form_.value_size != 0) form_.value_alignment = alignment_of(form_.value_size);
        all_ = new_slot(whole.n, false);
        begins_ = task.work_space(count_ * kBegins * sizeof(uint32_t));
    }

    void run() {
        bring();
        fetch(ranges());
    }

  private:
    size_t n_of(size_t k) const { return std::min(piece_, whole_.n - k * piece_); }

    // Keys with values, or with their numbers where they are to be ordered.
    Slot new_slot(size_t n, bool widens) {
        Slot slot;
        slot.keys = task_.work_space(n * key_size_);
        if (form_.value_size != 0) slot.values = task_.work_space(n * form_.value_size);
        if (widens) slot.wide = task_.work_space(n * index_size_);
        return slot;
    }

    void sort(size_t n, const Slot &slot, unsigned begin_bit) {
        Request r = form_;
        r.n = n;
        r.begin_bit = begin_bit;
        r.keys = slot.keys;
        r.values = slot.values;
        choose_for(context_, nullptr, r).run(task_, r);
    }

    unsigned highest_digit() const { return whole_.end_bit - std::min(whole_.end_bit - whole_.begin_bit, kDigitBits); }

    std::shared_ptr<cl::Program> program() { return ranges_program(task_, form_); }

    // Sorts the pieces by the highest digit, one while the next are on their way.
    void bring() {
        std::array<Slot, cl::Stream::kSlots> slots;
        for (size_t i = 0; i < std::min(slots.size(), count_); ++i) slots[i] = new_slot(piece_, false);
        const auto slot_of = [&](size_t k) -> const Slot & { return slots[k % slots.size()]; };
        cl::Stream stream(task_, false);
        stream.run(
            count_,
            [&](size_t k) {
                const size_t at = k * piece_, n = n_of(k);
                stream.copy_in(slot_of(k).keys, static_cast<const std::byte *>(host_.keys) + at * key_size_,
                               n * key_size_);
                if (whole_.value_size != 0)
                    stream.copy_in(slot_of(k).values,
                                   static_cast<const std::byte *>(host_.values) + at * whole_.value_size,
                                   n * whole_.value_size);
            },
            [&](size_t k) {
                const size_t at = k * piece_, n = n_of(k);
                const Slot &slot = slot_of(k);
                if (index_size_ != 0)
                    task_.launch(*program(), "sort_number", cl::Range{{items(n), 0, 0}, {}, 1},
                                 static_cast<uint32_t>(n), static_cast<uint32_t>(at), slot.values);
                sort(n, slot, highest_digit());
                task_.launch(*program(), "sort_digit_begins", cl::Range{{kBegins, 0, 0}, {}, 1},
                             static_cast<uint32_t>(n), uint32_t{highest_digit()}, flipped_bits(form_), slot.keys,
                             begins_ + k * kBegins);
                task_.copy(slot.keys, all_.keys + at, n, key_size_);
                if (form_.value_size != 0) task_.copy(slot.values, all_.values + at, n, form_.value_size);
            },
            [](size_t) {}, [](size_t) {});
    }

    // Enough work-items to fill the device.
    size_t items(size_t n) const {
        const size_t most = std::max<size_t>(context_.info().compute_units, 1) * 2048;
        return std::min(round_up(n, size_t{64}), most);
    }

    // Ranges of digits that have about as many keys as they should; all digits where one of them
    // has too many.
    std::vector<Range> ranges() {
        std::vector<uint32_t> begins(count_ * kBegins);
        task_.read(begins_.memory, 0, begins.size() * sizeof begins[0], begins.data(), true);
        const size_t least = cl::forced_piece() ? piece_ : 1;
        const size_t largest = std::max(whole_.n / kLargestShare, least), most = std::max(whole_.n / kMostShare, least);
        size_t wanted = std::max(whole_.n / kFirstShare, least), at = 0;
        std::vector<Range> result;
        Range range{0, 0, 0, 0};
        const auto close = [&](size_t digit) {
            if (range.n > 0) {
                result.push_back(range);
                wanted = std::min(2 * wanted, largest);
            }
            at += range.n;
            range = {digit, digit, at, 0};
        };
        for (size_t digit = 0; digit < kDigits; ++digit) {
            size_t n = 0;
            for (size_t k = 0; k < count_; ++k) n += begins[k * kBegins + digit + 1] - begins[k * kBegins + digit];
            if (n > most) return {{0, kDigits, 0, whole_.n}};
            if (range.n + n > most) close(digit);
            range.end = digit + 1;
            range.n += n;
            if (range.n >= wanted) close(digit + 1);
        }
        close(kDigits);
        return result;
    }

    void collect(const Range &range, size_t size, const Operand &from, const Operand &to) {
        const auto word = static_cast<uint32_t>(size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : 1);
        const size_t each = ceil_div(items(range.n), count_);
        task_.launch(*program(), "sort_collect", cl::Range{{each * count_, 0, 0}, {}, 1}, static_cast<uint32_t>(count_),
                     uint64_t{piece_}, static_cast<uint32_t>(range.first), static_cast<uint32_t>(range.end),
                     static_cast<uint32_t>(size / word), word, begins_, from, to);
    }

    // Sorts the ranges, one while those before are on their way home.
    void fetch(const std::vector<Range> &ranges) {
        const bool together = ranges.size() == 1;
        const bool widens = whole_.index == GP_UINT64;
        size_t most = 0;
        for (const Range &range : ranges) most = std::max(most, range.n);
        std::array<Slot, cl::Stream::kSlots> slots;
        for (size_t i = 0; i < std::min(slots.size(), ranges.size()); ++i) {
            if (together)
                slots[i] = all_;
            else
                slots[i] = new_slot(most, false);
            if (widens) slots[i].wide = task_.work_space(most * index_size_);
        }
        const auto slot_of = [&](size_t k) -> const Slot & { return slots[k % slots.size()]; };
        cl::Stream stream(task_, false);
        stream.run(
            ranges.size(), [](size_t) {},
            [&](size_t k) {
                const Slot &slot = slot_of(k);
                if (!together) {
                    collect(ranges[k], key_size_, all_.keys, slot.keys);
                    if (form_.value_size != 0) collect(ranges[k], form_.value_size, all_.values, slot.values);
                }
                sort(ranges[k].n, slot, whole_.begin_bit);
                if (widens) widen(task_, ranges[k].n, slot.values, slot.wide);
            },
            [&](size_t k) {
                const Range &range = ranges[k];
                const Slot &slot = slot_of(k);
                const auto send = [&](const Operand &from, void *to, size_t size) {
                    stream.copy_out(from, static_cast<std::byte *>(to) + range.at * size, range.n * size);
                };
                if (index_size_ != 0) return send(widens ? slot.wide : slot.values, host_.indices, index_size_);
                send(slot.keys, host_.keys, key_size_);
                if (whole_.value_size != 0) send(slot.values, host_.values, whole_.value_size);
            },
            [](size_t) {});
    }

    cl::Task &task_;
    cl::Context &context_;
    const Request &whole_;
    const HostArrays &host_;
    const size_t key_size_, index_size_;
    const size_t piece_; // elements of one
    const size_t count_;
    Request form_;   // of each sort: keys, or pairs
    Slot all_;       // the pieces, one after the other
    Operand begins_; // of each piece's digits
};

} // namespace

std::shared_ptr<cl::Program> ranges_program(cl::Task &task, const Request &request) {
    Request keys = request;
    keys.value_size = 0;
    keys.index = 0;
    return task.program({"sort/ranges.cl", key_options(keys)});
}

bool run_pieces(cl::Task &task, cl::Context &context, const Request &whole, const HostArrays &host) {
    const size_t key_size = dtype(whole.dtype).size, n = whole.n;
    const size_t index_size = whole.index != 0 ? dtype(whole.index).size : 0;
    const size_t element = std::max({key_size, whole.value_size, index_size});
    const size_t bytes = cl::piece_bytes(
        context, {{host.keys, n * key_size}, {host.values, n * whole.value_size}, {host.indices, n * index_size}});
    if (bytes == 0) return false;
    const bool pays = cl::forced_piece() || n * element >= kFrom;
    const size_t piece = std::clamp((cl::forced_piece() ? bytes : kPiece) / element, size_t{1}, kMostOfPiece);
    // What a sort takes at most, with its copies and theirs.
    const size_t sum = key_size + std::max(whole.value_size, index_size);
    const bool fits = n <= context.info().allocation_bytes / element && n <= context.room() / 4 / sum;
    const bool numbered = whole.index == 0 || n - 1 <= std::numeric_limits<uint32_t>::max();
    if (!pays || !fits || !numbered || n <= piece) return false;
    Pieces(task, context, whole, host, piece).run();
    return true;
}

} // namespace gpcl::sort
