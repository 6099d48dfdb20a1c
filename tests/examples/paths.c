/* Shortest paths between all pairs of nodes, and the nodes on one of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include <gpcl/gpcl.h>
#include <math.h>
#include <stdio.h>

int main(void) {
    /* hours from town to town; INFINITY where there is no road. Those to town 3 are one way */
    const float roads[4 * 4] = {0,        5, INFINITY, 13, 5,        0,        2,        INFINITY,
                                INFINITY, 2, 0,        4,  INFINITY, INFINITY, INFINITY, 0};
    float hours[4 * 4];
    int32_t before[4 * 4];
    uint64_t negative = 0;
    gp_paths_options options = GP_PATHS_OPTIONS_INIT;
    gp_context *context;
    int32_t town;

    options.negative_cycle = &negative;
    if (gp_open(NULL, &context) != GP_SUCCESS ||
        gp_paths(context, GP_FLOAT32, 4, roads, 4, hours, 4, before, 4, &options) != GP_SUCCESS) {
        fprintf(stderr, "%s\n", gp_error_message());
        return 1;
    }
    gp_close(context);

    printf("from town 0 to town 3: %g hours, backwards:", (double)hours[3]);
    for (town = 3; town != 0 && town != -9999; town = before[town]) printf(" %d", (int)town); /* of row 0 */
    printf(" %d\n", (int)town);
    return negative == 0 && hours[3] == 11 && before[3] == 2 && before[2] == 1 && before[1] == 0 && isinf(hours[3 * 4])
               ? 0
               : 1;
}
