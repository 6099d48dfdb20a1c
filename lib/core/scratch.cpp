// Work space of calls on the host.
// SPDX-License-Identifier: MIT
#include "core/scratch.h"

#include "core/size.h"
#include "core/system.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <new>

namespace gpcl {
namespace {

constexpr std::align_val_t kAlignment{64};

struct Piece {
    void *data = nullptr;
    size_t bytes = 0;
};

// Pieces that no call has, the oldest first. Calls that come after its destructor, from those of
// others, find it empty.
class Kept {
  public:
    ~Kept() {
        clear();
        const std::lock_guard lock(mutex_);
        most_ = 0;
    }

    // The smallest piece that is large enough, unless it is far too large; else none.
    Piece take(size_t bytes) {
        const std::lock_guard lock(mutex_);
        size_t best = count_;
        for (size_t i = 0; i < count_; ++i) {
            const bool suits = pieces_[i].bytes >= bytes && pieces_[i].bytes / 4 <= bytes;
            if (suits && (best == count_ || pieces_[i].bytes < pieces_[best].bytes)) best = i;
        }
        return best < count_ ? remove(best) : Piece{};
    }

    void keep(const Piece &piece) {
        const std::lock_guard lock(mutex_);
        if (piece.bytes > most_) return free(piece);
        while (count_ == pieces_.size() || total_ + piece.bytes > most_) free(remove(0));
        pieces_[count_++] = piece;
        total_ += piece.bytes;
    }

    void clear() {
        const std::lock_guard lock(mutex_);
        while (count_ > 0) free(remove(count_ - 1));
    }

    // In a forked process: a thread that it has not may have held the lock, with pieces half moved.
    void enter_child() {
        if (mutex_.try_lock()) return mutex_.unlock();
        new (&mutex_) std::mutex;
        count_ = total_ = 0;
    }

  private:
    static void free(const Piece &piece) { ::operator delete(piece.data, kAlignment); }

    Piece remove(size_t index) {
        const Piece piece = pieces_[index];
        std::move(pieces_.begin() + index + 1, pieces_.begin() + count_, pieces_.begin() + index);
        --count_;
        total_ -= piece.bytes;
        return piece;
    }

    std::mutex mutex_;
    std::array<Piece, 128> pieces_;
    size_t count_ = 0, total_ = 0, most_ = 16 << 20;
};

Kept kept;
[[maybe_unused]] const bool survives_forks = [] {
    at_fork([] { kept.enter_child(); });
    return true;
}();

void *allocate(size_t bytes) {
    void *data = ::operator new(bytes, kAlignment, std::nothrow);
    if (data != nullptr) return data;
    kept.clear();
    return ::operator new(bytes, kAlignment);
}

} // namespace

Scratch::Scratch(size_t bytes) : data_(small_), bytes_(0) {
    if (bytes <= kSmall) return;
    constexpr size_t kPart = 4096; // sizes that differ little share pieces
    bytes_ = round_up(bytes, kPart);
    const Piece piece = kept.take(bytes_);
    data_ = piece.data != nullptr ? piece.data : allocate(bytes_);
    bytes_ = std::max(bytes_, piece.bytes);
}

Scratch::~Scratch() {
    if (bytes_ > 0) kept.keep({data_, bytes_});
}

void trim_scratch() { kept.clear(); }

} // namespace gpcl
