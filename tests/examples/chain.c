/* Buffers on the device, calls chained by events, and the time that each command took.
 *
 * SPDX-License-Identifier: MIT
 */
#include <gpcl/gpcl.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                                    \
    if ((call) != GP_SUCCESS) return failed()

static int failed(void) {
    fprintf(stderr, "%s\n", gp_error_message());
    return 1;
}

int main(void) {
    enum { N = 10000 };
    const size_t bytes = N * sizeof(int32_t);
    int32_t *values = malloc(bytes), *totals = malloc(bytes);
    gp_context *context;
    gp_buffer *keys, *sums;
    gp_event *written, *sorted, *summed, *done;
    gp_timing timing = GP_TIMING_INIT;
    size_t i;
    int right;

    if (values == NULL || totals == NULL) return 1;
    for (i = 0; i < N; ++i) values[i] = (int32_t)(N - i); /* 10000, 9999, ... 1 */
    CHECK(gp_open(NULL, &context));
    CHECK(gp_profile(context, 1));
    CHECK(gp_buffer_create(context, bytes, &keys));
    CHECK(gp_buffer_create(context, bytes, &sums));

    /* Nothing below waits, until gp_event_wait. */
    CHECK(gp_enqueue_write(keys, 0, bytes, values, 0, NULL, &written));
    CHECK(gp_enqueue_sort(context, GP_INT32, N, keys, 0, NULL, 1, &written, &sorted));
    CHECK(gp_enqueue_scan(context, GP_INT32, N, keys, 0, sums, 0, NULL, 1, &sorted, &summed));
    CHECK(gp_enqueue_read(sums, 0, bytes, totals, 1, &summed, &done));
    CHECK(gp_event_wait(done));

    CHECK(gp_event_timing(sorted, &timing));
    printf("sorting ran %zu commands for %llu ns\n", timing.commands, (unsigned long long)timing.run_ns);
    for (i = 0; i < timing.commands; ++i) {
        gp_command command = GP_COMMAND_INIT;
        CHECK(gp_event_command(sorted, i, &command));
        printf("  %-24s %10llu ns\n", command.name, (unsigned long long)command.run_ns);
    }
    right = totals[0] == 1 && totals[1] == 3 && totals[N - 1] == N / 2 * (N + 1);
    gp_event_free(written);
    gp_event_free(sorted);
    gp_event_free(summed);
    gp_event_free(done);
    gp_buffer_free(keys);
    gp_buffer_free(sums);
    gp_close(context);
    free(values);
    free(totals);
    return right ? 0 : 1;
}
