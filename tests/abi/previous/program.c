/* A program built against the previous version's header, beside this file, runs with the library of today. Both files are
 * replaced by a release's own when the next version begins.
 *
 * SPDX-License-Identifier: MIT
 */
#include <gpcl/gpcl.h>
#include <stdio.h>
#include <string.h>

#define CHECK(what)                                                                                                    \
    if (!(what)) {                                                                                                     \
        printf("%d: %s: %s\n", __LINE__, #what, gp_error_message());                                                   \
        return 1;                                                                                                      \
    }

int main(void) {
    const int32_t in[] = {3, 1, 4, 1, 5, 9, 2, 6};
    int32_t keys[8], sums[8], product[4], sum = 0;
    uint32_t order[8];
    size_t count = 0;
    gp_context *context = NULL;
    gp_buffer *buffer = NULL;
    gp_event *event = NULL;
    gp_timing timing = GP_TIMING_INIT;
    gp_sort_options sort = GP_SORT_OPTIONS_INIT;
    gp_scan_options scan = GP_SCAN_OPTIONS_INIT;
    gp_reduce_options reduce = GP_REDUCE_OPTIONS_INIT;
    gp_matmul_options matmul = GP_MATMUL_OPTIONS_INIT;
    struct {
        gp_device_info info;
        char behind[64];
    } device;
    struct {
        gp_algorithm_info info;
        char behind[64];
    } algorithm;

    CHECK(gp_open(NULL, &context) == GP_SUCCESS && gp_profile(context, 1) == GP_SUCCESS);

    /* what the library fills ends where the old structure ends */
    memset(&device, 7, sizeof device);
    device.info.struct_size = sizeof device.info;
    CHECK(gp_describe(context, &device.info) == GP_SUCCESS);
    CHECK(strlen(device.info.name) > 0 && device.behind[0] == 7);
    memset(&algorithm, 7, sizeof algorithm);
    algorithm.info.struct_size = sizeof algorithm.info;
    CHECK(gp_algorithms(GP_SORT, &count) == GP_SUCCESS && count > 0);
    CHECK(gp_algorithm_describe(GP_SORT, 0, &algorithm.info) == GP_SUCCESS);
    CHECK(strlen(algorithm.info.summary) > 0 && algorithm.behind[0] == 7);

    sort.order = GP_DESCENDING;
    sort.event = &event;
    memcpy(keys, in, sizeof in);
    CHECK(gp_sort(context, GP_INT32, 8, keys, &sort) == GP_SUCCESS);
    CHECK(keys[0] == 9 && keys[1] == 6 && keys[7] == 1);
    CHECK(gp_event_timing(event, &timing) == GP_SUCCESS && gp_event_free(event) == GP_SUCCESS);
    sort.event = NULL;
    CHECK(gp_argsort(context, GP_INT32, 8, in, GP_UINT32, order, &sort) == GP_SUCCESS);
    CHECK(order[0] == 5 && order[6] == 1 && order[7] == 3);

    scan.kind = GP_EXCLUSIVE;
    scan.direction = GP_REVERSE;
    CHECK(gp_scan(context, GP_INT32, 8, in, sums, &scan) == GP_SUCCESS);
    CHECK(sums[7] == 0 && sums[0] == 28);

    reduce.op = GP_MAXIMUM;
    CHECK(gp_reduce(context, GP_INT32, 8, in, &sum, &reduce) == GP_SUCCESS && sum == 9);

    matmul.semiring = GP_MIN_PLUS;
    matmul.transpose_b = GP_TRANSPOSE;
    CHECK(gp_matmul(context, GP_INT32, 2, 2, 2, in, 2, in + 4, 2, product, 2, &matmul) == GP_SUCCESS);
    CHECK(product[0] == 8 && product[1] == 5 && product[2] == 9 && product[3] == 6);

    CHECK(gp_buffer_create(context, sizeof in, &buffer) == GP_SUCCESS);
    CHECK(gp_enqueue_write(buffer, 0, sizeof in, in, 0, NULL, NULL) == GP_SUCCESS);
    CHECK(gp_enqueue_sort(context, GP_INT32, 8, buffer, 0, NULL, 0, NULL, &event) == GP_SUCCESS);
    CHECK(gp_event_wait(event) == GP_SUCCESS && gp_event_free(event) == GP_SUCCESS);
    CHECK(gp_buffer_read(buffer, 0, sizeof keys, keys) == GP_SUCCESS && keys[0] == 1 && keys[7] == 9);
    CHECK(gp_buffer_free(buffer) == GP_SUCCESS && gp_close(context) == GP_SUCCESS);

    printf("built for %d.%d.%d, runs with %s\n", GP_VERSION_MAJOR, GP_VERSION_MINOR, GP_VERSION_PATCH, gp_version());
    return 0;
}
