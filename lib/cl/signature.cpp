// Signatures of calls.
// SPDX-License-Identifier: MIT
#include "cl/signature.h"

namespace gpcl::cl {

void Signature::bytes(const void *data, size_t size) {
    const auto *from = static_cast<const char *>(data);
    word(size);
    for (size_t at = 0; at < size && exists_; at += sizeof(uint64_t)) {
        uint64_t next = 0;
        std::memcpy(&next, from + at, std::min(size - at, sizeof next));
        word(next);
    }
}

void Signature::text(const char *text) {
    if (text == nullptr)
        word(SIZE_MAX); // no text has as many bytes
    else
        bytes(text, std::strlen(text));
}

// Where buffers share memory counts: it decides whether arrays overlap.
void Signature::add(const Context &context, const Place &place) {
    if (!exists_) return;
    if (place.buffer == nullptr) return word(0);
    auto buffer = buffers().find(place.buffer);
    exists_ = buffer != nullptr && buffer->context.get() == &context && place_count_ < places_.size();
    if (!exists_) return;
    const Extent all = buffer->extent(0, 0);
    size_t same = 0;
    while (same < place_count_ && buffers_[same]->extent(0, 0).memory != all.memory) ++same;
    word(same + 1);
    word(place.offset);
    word(all.begin);
    places_[place_count_] = place;
    buffers_[place_count_++] = std::move(buffer);
}

size_t Signature::find(const gp_buffer *handle, size_t offset) const {
    for (size_t i = 0; i < place_count_; ++i)
        if (places_[i].buffer == handle && places_[i].offset == offset) return i;
    return SIZE_MAX;
}

uint64_t Signature::hash() const {
    uint64_t hash = count_;
    for (const uint64_t word : words()) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15; // 2^64 divided by the golden ratio
        hash ^= hash >> 32;
    }
    return hash;
}

} // namespace gpcl::cl
