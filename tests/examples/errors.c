/* What a program can learn when a call fails: a status, a sentence, and the build log of text that
 * does not compile.
 *
 * SPDX-License-Identifier: MIT
 */
#include <gpcl/gpcl.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    const float in[3] = {1, 2, 3};
    float out[3] = {0, 0, 0};
    gp_scan_options options = GP_SCAN_OPTIONS_INIT;
    gp_context *context;
    gp_device_info info;
    gp_status status;

    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    if (gp_open("a device that nobody built", &context) != GP_ERROR_NO_DEVICE) return 1;
    printf("expected error: %s\n\n", gp_error_message()); /* lists the devices there are */

    if (gp_open(NULL, &context) != GP_SUCCESS || gp_describe(context, &info) != GP_SUCCESS) return 1;
    status = gp_scan(context, GP_FLOAT32, 3, in, NULL, NULL);
    printf("expected error: %s: %s\n\n", gp_status_name(status), gp_error_message());
    if (status != GP_ERROR_NULL_POINTER) return 1;

    options.operator_source = "a + bb"; /* bb is not declared */
    options.operator_identity = "0";
    status = gp_scan(context, GP_FLOAT32, 3, in, out, &options);
    printf("expected error: %s: %s\n%s\n", gp_status_name(status), gp_error_message(), gp_error_build_log());
    if (info.kind == GP_DEVICE_HOST) {
        if (status != GP_ERROR_UNSUPPORTED_DEVICE) return 1;
    } else if (status != GP_ERROR_BUILD || strstr(gp_error_build_log(), "bb") == NULL) {
        return 1;
    }

    options.operator_source = NULL; /* the context is as good as before */
    options.operator_identity = NULL;
    if (gp_scan(context, GP_FLOAT32, 3, in, out, &options) != GP_SUCCESS || strcmp(gp_error_message(), "") != 0)
        return 1;
    gp_close(context);
    return out[2] == 6 ? 0 : 1;
}
