// Sorts of few keys beside CUB: one call and a wait, and a chain of calls, which shows what each
// costs where nobody waits. peers_cuda.cu includes it behind what it uses.
// SPDX-License-Identifier: MIT
#pragma once

namespace small_sort {

constexpr size_t kChain = 51; // arrays: one for each call of a batch, and the call before them

// Arrays that are sorted in turn, and brought back before each batch. Value is char where there are
// none.
template <typename Key, typename Value> class Ours {
  public:
    Ours(const Context &context, const std::vector<Key> &keys, const std::vector<Value> &values, gp_order order)
        : context_(context), n_(keys.size()), keys_in_(context, keys) {
        if (!values.empty()) values_in_.emplace(context, values);
        for (size_t i = 0; i < kChain; ++i) {
            keys_.push_back(std::make_unique<Buffer<Key>>(context, n_));
            if (values_in_) values_.push_back(std::make_unique<Buffer<Value>>(context, n_));
        }
        options_.order = order;
    }
    Side side() {
        return {[this] { start(); }, [this] { context_.finish(); }, [this] { prepare(); }};
    }
    std::vector<Key> keys() const { return keys_[0]->values(); }
    std::vector<Value> values() const { return values_in_ ? values_[0]->values() : std::vector<Value>(); }

  private:
    void prepare() {
        for (auto &keys : keys_) keys->copy_from(keys_in_);
        for (auto &values : values_) values->copy_from(*values_in_);
        next_ = 0;
    }
    void start() {
        const size_t i = next_++ % kChain;
        peers::check(values_in_
                         ? gp_enqueue_sort_pairs(context_, dtype<Key>(), n_, *keys_[i], 0, sizeof(Value), *values_[i],
                                                 0, &options_, 0, nullptr, nullptr)
                         : gp_enqueue_sort(context_, dtype<Key>(), n_, *keys_[i], 0, &options_, 0, nullptr, nullptr));
    }

    const Context &context_;
    size_t n_, next_ = 0;
    gp_sort_options options_ = GP_SORT_OPTIONS_INIT;
    Buffer<Key> keys_in_;
    std::optional<Buffer<Value>> values_in_;
    std::vector<std::unique_ptr<Buffer<Key>>> keys_;
    std::vector<std::unique_ptr<Buffer<Value>>> values_;
};

template <typename Key, typename Value = char>
void rows(const Context &context, Table &table, const char *type, const std::vector<Key> &keys,
          const std::vector<Value> &values = {}, gp_order order = GP_ASCENDING) {
    const auto n = keys.size();
    Ours<Key, Value> ours(context, keys, values, order);
    const Memory<Key> keys_in(keys), keys_out(n);
    const Memory<Value> values_in(values), values_out(std::max<size_t>(values.size(), 1));
    const auto theirs = cub_side([&](void *space, size_t &bytes) {
        using Sort = cub::DeviceRadixSort;
        const auto count = static_cast<int>(n);
        if (!values.empty())
            return Sort::SortPairs(space, bytes, keys_in.get(), keys_out.get(), values_in.get(), values_out.get(),
                                   count);
        return order == GP_DESCENDING ? Sort::SortKeysDescending(space, bytes, keys_in.get(), keys_out.get(), count)
                                      : Sort::SortKeys(space, bytes, keys_in.get(), keys_out.get(), count);
    });
    for (const bool single : {true, false}) {
        const auto times = alternately(ours.side(), theirs, single);
        auto their_values = values_out.values();
        their_values.resize(values.size());
        table.row(single ? "small sort" : "in a chain", type, size_text(n), times, "CUB", static_cast<double>(n),
                  "Gkey/s", 0, ours.keys() == keys_out.values() && ours.values() == their_values);
    }
}

inline void all(const Context &context, Table &table, const Settings &settings) {
    for (const size_t n :
         settings.sizes<size_t>({4096, 16384, 65536}, {100, 1024, 2048, 4096, 8192, 16384, 32768, 65536})) {
        const auto keys = random_keys<uint32_t>(n);
        rows(context, table, "uint32", keys);
        rows(context, table, "u32, u32", keys, random_keys<uint32_t>(n, 7));
        rows(context, table, "uint64", random_keys<uint64_t>(n));
        rows(context, table, "float32", random_reals<float>(n, 3));
        if (settings.quick) continue;
        rows(context, table, "float64", random_reals<double>(n, 3));
        rows(context, table, "u32, u64", keys, random_keys<uint64_t>(n, 7));
        rows<uint32_t>(context, table, "descending", keys, {}, GP_DESCENDING);
        rows(context, table, "few", keys_like<uint32_t>(Keys::few, n));
        rows(context, table, "zipf", keys_like<uint32_t>(Keys::zipf, n));
    }
}

} // namespace small_sort
