// Partitions into three parts: two partitions, one after the other. Host side of
// kernels/select/masks.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/select/select.h"

#include <deque>

namespace gpcl::select {
namespace {

constexpr size_t kFlags = 16; // of a work-item

// Memory between the partitions: of the device, or of the process on "host".
class Between {
  public:
    explicit Between(cl::Task &task) : task_(task) {}
    cl::Operand operator()(size_t bytes) {
        if (!task_.context().is_host()) return task_.work_space(bytes);
        return {nullptr, 0, memory_.emplace_back(bytes).data()};
    }

  private:
    cl::Task &task_;
    std::deque<std::vector<std::byte>> memory_;
};

// masks[i] = 1 where flag i is from 1 to `most`, else 0.
void make_masks(cl::Task &task, const cl::Operand &flags, const cl::Operand &masks, size_t n, uint32_t most) {
    if (task.context().is_host())
        return task.on_host(GP_KERNEL, "host masks", [&] {
            const auto *from = static_cast<const uint8_t *>(flags.host);
            auto *to = static_cast<uint8_t *>(masks.host);
            for (size_t i = 0; i < n; ++i) to[i] = from[i] >= 1 && from[i] <= most ? 1 : 0;
        });
    const size_t group = std::min<size_t>(task.context().info().work_group_size, 256);
    const auto program = task.program({"select/masks.cl", ""});
    task.launch(*program, "select_masks", cl::Range::groups(ceil_div(n, group * kFlags), group), flags, masks,
                uint64_t{n}, most);
}

// The number behind `count`.
cl::Operand second_count(cl::Operand count) {
    ++count.offset;
    if (count.host != nullptr) count.host = static_cast<uint64_t *>(count.host) + 1;
    if (count.extent.memory != nullptr) count.extent.begin += sizeof(uint64_t);
    count.extent.bytes = sizeof(uint64_t);
    return count;
}

} // namespace

void run_thirds(cl::Task &task, const char *algorithm, const Request &r) {
    Between between(task);
    const auto run = [&](const Request &part) {
        choose(algorithms(), algorithm, task.context(), part).run(task, part);
    };
    Request first = r; // the first two parts, then the third
    first.thirds = false;
    first.count = second_count(r.count);
    first.elements.out = between(r.n * r.elements.size);
    if (r.values.size != 0) first.values.out = between(r.n * r.values.size);

    Request second = r; // the first part, then the second and the third
    second.thirds = false;
    second.source = r.second_source;
    second.elements.in = first.elements.out;
    second.values.in = first.values.out;
    if (r.has_text()) {
        second.kept = second.elements.in;
        run(first);
        return run(second);
    }
    const cl::Operand masks = between(r.n), flags = between(r.n); // flags move with their elements
    make_masks(task, r.kept, masks, r.n, 2);
    first.kept = masks;
    if (r.values.size != 0) {
        Request of_flags = first;
        of_flags.type = GP_UINT8;
        of_flags.elements = {1, 1, r.kept, flags};
        of_flags.values = {};
        run(of_flags);
    } else {
        first.values = {1, 1, r.kept, flags};
    }
    run(first);
    make_masks(task, flags, masks, r.n, 1);
    second.kept = masks;
    run(second);
}

} // namespace gpcl::select
