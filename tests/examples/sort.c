/* Sorts numbers, and says in which order they stood.
 *
 * SPDX-License-Identifier: MIT
 */
#include <gpcl/gpcl.h>
#include <stdio.h>

int main(void) {
    float keys[] = {2.5f, -1.0f, 7.0f, 0.0f};
    uint32_t order[4];
    gp_context *context;
    size_t i;

    if (gp_open(NULL, &context) != GP_SUCCESS || gp_argsort(context, GP_FLOAT32, 4, keys, GP_UINT32, order, NULL) ||
        gp_sort(context, GP_FLOAT32, 4, keys, NULL) != GP_SUCCESS) {
        fprintf(stderr, "%s\n", gp_error_message());
        return 1;
    }
    gp_close(context);

    for (i = 0; i < 4; ++i) printf("%g was number %u\n", (double)keys[i], (unsigned)order[i]);
    return keys[0] == -1 && keys[1] == 0 && keys[2] == 2.5f && keys[3] == 7 && order[0] == 1 && order[1] == 3 &&
                   order[2] == 0 && order[3] == 2
               ? 0
               : 1;
}
