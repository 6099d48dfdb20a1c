/* A kernel of one's own between two operations of the library, all on the device.
 *
 * SPDX-License-Identifier: MIT
 */
#include <gpcl/gpcl.h>
#include <stdio.h>

#define CHECK(call)                                                                                                    \
    if ((call) != GP_SUCCESS) return failed()

static int failed(void) {
    fprintf(stderr, "%s\n%s", gp_error_message(), gp_error_build_log());
    return 1;
}

static const char *source = "kernel void square(global int *x, int most) {"
                            "    const size_t i = get_global_id(0);"
                            "    x[i] = min(x[i] * x[i], most);"
                            "}";

int main(void) {
    const int32_t values[] = {3, -10, 2, -1};
    const int32_t most = 50;
    const size_t n = 4;
    int32_t sum;
    gp_context *context;
    gp_buffer *x, *total;
    gp_kernel *square;
    gp_argument arguments[2] = {{NULL, NULL, 0}, {NULL, NULL, 0}};

    CHECK(gp_open(NULL, &context));
    CHECK(gp_buffer_create(context, sizeof values, &x));
    CHECK(gp_buffer_create(context, sizeof sum, &total));
    CHECK(gp_buffer_write(x, 0, sizeof values, values));
    CHECK(gp_kernel_build(context, source, NULL, "square", &square));
    arguments[0].buffer = x;
    arguments[1].value = &most; /* passed by value */
    arguments[1].bytes = sizeof most;
    CHECK(gp_enqueue_kernel(square, 1, &n, NULL, 2, arguments, 0, NULL, NULL));
    CHECK(gp_enqueue_reduce(context, GP_INT32, n, x, 0, total, 0, NULL, 0, NULL, NULL));
    CHECK(gp_buffer_read(total, 0, sizeof sum, &sum));
    gp_kernel_free(square);
    gp_buffer_free(x);
    gp_buffer_free(total);
    gp_close(context);

    printf("sum of the squares, none above 50: %d\n", sum);
    return sum == 9 + 50 + 4 + 1 ? 0 : 1;
}
