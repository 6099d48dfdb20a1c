/* Prints what the library makes of its environment, for secure_test.cpp to run with rights that its
 * caller lacks.
 * SPDX-License-Identifier: MIT */
#include <gpcl/gpcl.h>

#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#if defined(__has_feature) /* clang's */
#if __has_feature(address_sanitizer)
#define IS_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED
#endif
#ifdef IS_SANITIZED
int __lsan_is_turned_off(void); /* it can't look into a set-user-ID process, and fails */
int __lsan_is_turned_off(void) { return 1; }
#endif

int main(void) {
    gp_context *context = NULL;
    size_t count = 0, i, largest = 0;
    printf("secure %lu\n", getauxval(AT_SECURE));
    printf("cache [%s]\n", gp_cache_folder());
    printf("tuning [%s]\n", gp_tuning_file());
    if (gp_devices(&count) != GP_SUCCESS) return 1;
    for (i = 0; i < count; ++i) {
        gp_device_info info;
        memset(&info, 0, sizeof info);
        info.struct_size = sizeof info;
        if (gp_device_describe(i, &info) != GP_SUCCESS) return 1;
        if (info.work_group_size > largest) largest = info.work_group_size;
    }
    printf("devices %s\n", count > 1 ? "several" : "host");
    printf("groups %s\n", largest > 1 ? "large" : "1");
    printf("opens %s\n", gp_status_name(gp_open(NULL, &context)));
    return gp_close(context) == GP_SUCCESS ? 0 : 1;
}
