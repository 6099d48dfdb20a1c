// Chains of calls whose sizes only the device knows: flagged elements are sorted, their runs
// counted, the lengths added up, and the first element of each run fetched. gpcl's five calls take
// their sizes from buffers. CUB's sizes are arguments of the host: the number of elements, and
// later that of runs, come to pinned memory, and the host waits for the stream each time.
// peers_cuda.cu includes it behind what it uses.
// SPDX-License-Identifier: MIT
#pragma once

namespace chains {

// Work space of each step for the most elements there may be, taken before anything is timed.
class Step {
  public:
    template <typename Call> explicit Step(const Call &call) {
        check(call(nullptr, bytes_));
        space_ = std::make_shared<Memory<char>>(std::max<size_t>(bytes_, 1));
    }
    template <typename Call> void run(const Call &call) {
        size_t bytes = bytes_;
        check(call(space_->get(), bytes));
    }

  private:
    size_t bytes_ = 0;
    std::shared_ptr<Memory<char>> space_;
};

// One in `share` elements is flagged; each value comes some four times among those.
void five(const Context &context, Table &table, size_t n, size_t share) {
    std::vector<uint32_t> values(n);
    std::vector<uint8_t> flags(n);
    for (size_t i = 0; i < n; ++i) {
        values[i] = static_cast<uint32_t>(random_bits(uint64_t{13} << 40, i) % (n / share / 4 + 1));
        flags[i] = random_bits(uint64_t{14} << 40, i) % share == 0 ? 1 : 0;
    }
    const Buffer<uint32_t> in(context, values);
    const Buffer<uint8_t> our_flags(context, flags);
    Buffer<uint32_t> chosen(context, n), keys(context, n), lengths(context, n), begins(context, n), ours(context, n);
    Buffer<uint64_t> counts(context, 2); // of elements and of runs
    gp_sort_options sort = GP_SORT_OPTIONS_INIT;
    gp_run_lengths_options runs = GP_RUN_LENGTHS_OPTIONS_INIT;
    gp_scan_options scan = GP_SCAN_OPTIONS_INIT;
    gp_gather_options gather = GP_GATHER_OPTIONS_INIT;
    sort.n_buffer = runs.n_buffer = scan.n_buffer = gather.n_buffer = counts;
    scan.n_offset = gather.n_offset = 1;
    scan.kind = GP_EXCLUSIVE;
    const Side gpcl = {
        [&] {
            peers::check(gp_enqueue_select(context, 4, n, in, 0, our_flags, 0, chosen, 0, counts, 0, nullptr, 0,
                                           nullptr, nullptr));
            peers::check(gp_enqueue_sort(context, GP_UINT32, n, chosen, 0, &sort, 0, nullptr, nullptr));
            peers::check(gp_enqueue_run_lengths(context, GP_UINT32, n, chosen, 0, keys, 0, GP_UINT32, lengths, 0,
                                                counts, 1, &runs, 0, nullptr, nullptr));
            peers::check(gp_enqueue_scan(context, GP_UINT32, n, lengths, 0, begins, 0, &scan, 0, nullptr, nullptr));
            peers::check(gp_enqueue_gather(context, 4, n, chosen, 0, GP_UINT32, n, begins, 0, ours, 0, &gather, 0,
                                           nullptr, nullptr));
        },
        [&] { context.finish(); }};

    const Memory<uint32_t> their_in(values), their_chosen(n), sorted(n), their_keys(n), their_lengths(n),
        their_begins(n), theirs(n);
    const Memory<uint8_t> their_flags(flags);
    const Memory<int64_t> count(1);
    int64_t *on_host = nullptr;
    check(cudaMallocHost(&on_host, sizeof *on_host));
    const auto most = static_cast<int64_t>(n);
    const auto selects = [&](void *space, size_t &bytes) {
        return cub::DeviceSelect::Flagged(space, bytes, their_in.get(), their_flags.get(), their_chosen.get(),
                                          count.get(), most);
    };
    const auto sorts = [&](int64_t size) {
        return [&, size](void *space, size_t &bytes) {
            return cub::DeviceRadixSort::SortKeys(space, bytes, their_chosen.get(), sorted.get(), size);
        };
    };
    const auto encodes = [&](int64_t size) {
        return [&, size](void *space, size_t &bytes) {
            return cub::DeviceRunLengthEncode::Encode(space, bytes, sorted.get(), their_keys.get(), their_lengths.get(),
                                                      count.get(), size);
        };
    };
    const auto scans = [&](int64_t size) {
        return [&, size](void *space, size_t &bytes) {
            return cub::DeviceScan::ExclusiveSum(space, bytes, their_lengths.get(), their_begins.get(), size);
        };
    };
    Step select_step(selects), sort_step(sorts(most)), encode_step(encodes(most)), scan_step(scans(most));
    const auto wait_for_count = [&] {
        check(cudaMemcpyAsync(on_host, count.get(), sizeof *on_host, cudaMemcpyDeviceToHost));
        check(cudaStreamSynchronize(nullptr));
        return *on_host;
    };
    const Side cub_chain = {[&] {
                                select_step.run(selects);
                                const int64_t elements = wait_for_count();
                                sort_step.run(sorts(elements));
                                encode_step.run(encodes(elements));
                                const int64_t found = wait_for_count();
                                scan_step.run(scans(found));
                                thrust::gather(thrust::cuda::par_nosync, their_begins.get(), their_begins.get() + found,
                                               sorted.get(), theirs.get());
                            },
                            finish};
    const auto times = alternately(gpcl, cub_chain);
    const uint64_t found = counts.values()[1];
    const auto first = [&](const std::vector<uint32_t> &all) {
        return std::vector<uint32_t>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(found));
    };
    const bool same = found == static_cast<uint64_t>(*on_host) && first(ours.values()) == first(theirs.values()) &&
                      first(begins.values()) == first(their_begins.values());
    check(cudaFreeHost(on_host));
    table.row(("chain 1/" + std::to_string(share)).c_str(), "uint32", size_text(n), times, "CUB, two waits",
              static_cast<double>(n), "Gelem/s", 0, same);
}

void all(const Context &context, Table &table, const Settings &settings) {
    for (const auto n :
         settings.sizes<size_t>({1 << 12, 1 << 20}, {1 << 12, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26}))
        for (const size_t share : {2, 100}) five(context, table, n, share);
}

} // namespace chains
