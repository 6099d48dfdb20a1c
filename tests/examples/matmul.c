/* A matrix product, and shortest paths by the same call in the min-plus semiring.
 *
 * SPDX-License-Identifier: MIT
 */
#include <gpcl/gpcl.h>
#include <math.h>
#include <stdio.h>

int main(void) {
    const float a[2 * 3] = {1, 2, 3, 4, 5, 6};
    const float b[3 * 2] = {1, 0, 0, 1, 1, 1};
    float c[2 * 2];
    /* kilometres by road between four towns; INFINITY where there is no road */
    float roads[4 * 4] = {0, 5, INFINITY, INFINITY, 5, 0, 2, INFINITY, INFINITY, 2, 0, 4, INFINITY, INFINITY, 4, 0};
    float twice[4 * 4], paths[4 * 4];
    gp_matmul_options shortest = GP_MATMUL_OPTIONS_INIT;
    gp_context *context;

    shortest.semiring = GP_MIN_PLUS;
    if (gp_open(NULL, &context) != GP_SUCCESS ||
        gp_matmul(context, GP_FLOAT32, 2, 2, 3, a, 3, b, 2, c, 2, NULL) != GP_SUCCESS ||
        gp_matmul(context, GP_FLOAT32, 4, 4, 4, roads, 4, roads, 4, twice, 4, &shortest) != GP_SUCCESS ||
        gp_matmul(context, GP_FLOAT32, 4, 4, 4, twice, 4, twice, 4, paths, 4, &shortest) != GP_SUCCESS) {
        fprintf(stderr, "%s\n", gp_error_message());
        return 1;
    }
    gp_close(context);

    printf("product: %g %g / %g %g\n", (double)c[0], (double)c[1], (double)c[2], (double)c[3]);
    printf("from town 0 to town 3: %g km\n", (double)paths[3]);
    return c[0] == 4 && c[1] == 5 && c[2] == 10 && c[3] == 11 && paths[3] == 11 && isinf(twice[3]) ? 0 : 1;
}
