// Transform on several devices: each takes a part of the positions.
// SPDX-License-Identifier: MIT
#include "ops/deal.h"
#include "ops/transform/transform.h"

namespace gpcl::transform {
namespace {

// Does the name stand in the text? A part's positions are not the call's.
bool uses_name(std::string_view text, std::string_view name) {
    const auto is_letter = [](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
        const size_t end = at + name.size();
        if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) return true;
    }
    return false;
}

} // namespace

bool deal(gp_context *context, const Request &whole, const gp_transform_options &options, const void *const *in,
          void *out) {
    const size_t size_out = dtype(whole.dtype).size;
    const bool has_positions = uses_name(whole.source, "i") || uses_name(whole.helpers, "i");
    place::Deal deal(context, "transform", has_positions ? 0 : whole.n,
                     static_cast<double>(size_out + whole.bytes_in()), options);
    if (!deal) return false;
    deal.on_devices([&](const place::Share &share, size_t) {
        const gp_transform_options mine = place::part_options(options);
        std::array<const void *, kMostInputs> from{};
        for (size_t k = 0; k < whole.count; ++k)
            from.at(k) = element(in[k], whole.is_one(k) ? 0 : share.begin, dtype(whole.types.at(k)).size);
        return gp_transform(share.device, share.count(), whole.count, whole.types.data(), from.data(), whole.dtype,
                            element(out, share.begin, size_out), whole.source.c_str(), &mine);
    });
    deal.end();
    return true;
}

} // namespace gpcl::transform
