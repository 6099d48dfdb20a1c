// Repeats for CPUs: each work-item writes a chunk of the output, one repeated element after the
// other.
//
// Macros: those of call.cl
// Launch: work-groups of one, each with `chunk` elements of the output (the last with the rest)
// SPDX-License-Identifier: MIT
#include "repeat/call.cl"

#define GP_BLOCK 4096 // elements that are written by one loop: some drivers leave a loop after 65535 turns

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void repeat_chunks(GP_REPEAT, ulong chunk) {
    GP_BEGIN_REPEAT
    const ulong begin = min(get_global_id(0) * chunk, size), end = min(begin + chunk, size);
    if (begin == end) return;
    ulong run = gp_run_at(ends, n, begin);
    for (ulong at = begin; at < end;) {
        // Here and below the sums may have wrapped: no element behind the last one is read.
        const ulong stop = run == n - 1 ? end : min(ends[run], end);
        while (at < stop) {
            const uint some = (uint)min(stop - at, (ulong)GP_BLOCK);
#if GP_WORDS == 1
            const Word x = in[run];
            for (uint i = 0; i < some; ++i) out[at + i] = x;
#else
            for (uint i = 0; i < some; ++i)
                for (uint w = 0; w < GP_WORDS; ++w) out[(at + i) * GP_WORDS + w] = in[run * GP_WORDS + w];
#endif
            at += some;
        }
        if (run < n - 1) ++run;
    }
}
