/* Running totals and the running maximum of an account, and its balance at the end.
 *
 * SPDX-License-Identifier: MIT
 */
#include <gpcl/gpcl.h>
#include <stdio.h>

int main(void) {
    const int32_t booked[] = {100, -30, 250, -75, 20};
    int32_t balance[5], highest[5], final;
    gp_scan_options running_maximum = GP_SCAN_OPTIONS_INIT;
    gp_context *context;
    int i;

    running_maximum.op = GP_MAXIMUM;
    if (gp_open(NULL, &context) != GP_SUCCESS || gp_scan(context, GP_INT32, 5, booked, balance, NULL) != GP_SUCCESS ||
        gp_scan(context, GP_INT32, 5, balance, highest, &running_maximum) != GP_SUCCESS ||
        gp_reduce(context, GP_INT32, 5, booked, &final, NULL) != GP_SUCCESS) {
        fprintf(stderr, "%s\n", gp_error_message());
        return 1;
    }
    gp_close(context);

    for (i = 0; i < 5; ++i) printf("%5d  balance %4d  highest so far %4d\n", booked[i], balance[i], highest[i]);
    return balance[3] == 245 && highest[4] == 320 && final == balance[4] && final == 265 ? 0 : 1;
}
