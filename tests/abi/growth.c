/* Structures grow at their end: older and newer callers than the library both work.
 *
 * SPDX-License-Identifier: MIT
 */
#include <gpcl/gpcl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void check(int condition, const char *what) {
    if (condition) return;
    printf("failed: %s (%s)\n", what, gp_error_message());
    ++failures;
}

/* Calls with options of `size` bytes at `options`; the results must be the defaults' ones. */
typedef gp_status (*call)(gp_context *context, const void *options);

static gp_status call_matmul(gp_context *context, const void *options) {
    const float a[4] = {1, 2, 3, 4};
    float c[4] = {0, 0, 0, 0};
    const gp_status status = gp_matmul(context, GP_FLOAT32, 2, 2, 2, a, 2, a, 2, c, 2, options);
    if (status == GP_SUCCESS) check(c[0] == 7 && c[1] == 10 && c[2] == 15 && c[3] == 22, "product");
    return status;
}
static gp_status call_scan(gp_context *context, const void *options) {
    const int32_t in[3] = {5, 6, 7};
    int32_t out[3] = {0, 0, 0};
    const gp_status status = gp_scan(context, GP_INT32, 3, in, out, options);
    if (status == GP_SUCCESS) check(out[0] == 5 && out[1] == 11 && out[2] == 18, "scan");
    return status;
}
static gp_status call_reduce(gp_context *context, const void *options) {
    const int32_t in[3] = {5, 6, 7};
    int32_t out = 0;
    const gp_status status = gp_reduce(context, GP_INT32, 3, in, &out, options);
    if (status == GP_SUCCESS) check(out == 18, "reduce");
    return status;
}
static gp_status call_arg_reduce(gp_context *context, const void *options) {
    const int32_t in[3] = {6, 5, 7};
    uint32_t position = 9;
    const gp_status status = gp_arg_reduce(context, GP_MINIMUM, GP_INT32, 3, in, GP_UINT32, &position, NULL, options);
    if (status == GP_SUCCESS) check(position == 1, "arg_reduce");
    return status;
}
static gp_status call_sort(gp_context *context, const void *options) {
    int32_t keys[3] = {7, 5, 6};
    const gp_status status = gp_sort(context, GP_INT32, 3, keys, options);
    if (status == GP_SUCCESS) check(keys[0] == 5 && keys[1] == 6 && keys[2] == 7, "sort");
    return status;
}
static gp_status call_top_k(gp_context *context, const void *options) {
    const int32_t in[3] = {6, 5, 7};
    uint32_t position = 9;
    const gp_status status = gp_top_k(context, GP_DESCENDING, GP_INT32, 3, in, 1, GP_UINT32, &position, NULL, options);
    if (status == GP_SUCCESS) check(position == 2, "top_k");
    return status;
}

static gp_status call_search(gp_context *context, const void *options) {
    const int32_t sorted[3] = {5, 6, 6}, value = 6;
    uint32_t position = 9;
    const gp_status status = gp_search(context, GP_INT32, 3, sorted, 1, &value, GP_UINT32, &position, options);
    if (status == GP_SUCCESS) check(position == 1, "search");
    return status;
}

static gp_status call_open(gp_context *context, const void *options) {
    gp_context *other = NULL;
    const gp_status status = gp_open_with("host", options, &other);
    (void)context;
    if (status == GP_SUCCESS) check(gp_close(other) == GP_SUCCESS, "open");
    return status;
}
static gp_status call_is_sorted(gp_context *context, const void *options) {
    const int32_t in[3] = {5, 7, 6};
    uint64_t position = 9;
    const gp_status status = gp_is_sorted(context, GP_INT32, 3, in, &position, options);
    if (status == GP_SUCCESS) check(position == 2, "is_sorted");
    return status;
}

static gp_status call_transform(gp_context *context, const void *options) {
    uint64_t out[3];
    const gp_status status = gp_transform(context, 3, 0, NULL, NULL, GP_UINT64, out, "i + 5", options);
    if (status == GP_SUCCESS) check(out[0] == 5 && out[1] == 6 && out[2] == 7, "transform");
    return status == GP_ERROR_UNSUPPORTED_DEVICE ? GP_SUCCESS : status; /* on "host" */
}

static gp_status call_difference(gp_context *context, const void *options) {
    const int32_t in[3] = {5, 7, 6};
    int32_t out[3];
    const gp_status status = gp_difference(context, GP_INT32, 3, in, out, options);
    if (status == GP_SUCCESS) check(out[0] == 5 && out[1] == 2 && out[2] == -1, "difference");
    return status;
}

static gp_status call_run_lengths(gp_context *context, const void *options) {
    const int32_t in[3] = {5, 7, 7};
    uint64_t lengths[3] = {9, 9, 9}, count = 9;
    const gp_status status = gp_run_lengths(context, GP_INT32, 3, in, NULL, GP_UINT64, lengths, &count, options);
    if (status == GP_SUCCESS) check(count == 2 && lengths[1] == 2, "run_lengths");
    return status;
}

static gp_status call_unique(gp_context *context, const void *options) {
    const int32_t in[3] = {7, 5, 7};
    int32_t values[3] = {9, 9, 9};
    uint64_t counts[3] = {9, 9, 9}, count = 9;
    const gp_status status =
        gp_unique(context, GP_INT32, 3, in, values, GP_UINT64, NULL, NULL, counts, &count, options);
    if (status == GP_SUCCESS) check(count == 2 && values[0] == 5 && counts[1] == 2, "unique");
    return status;
}

static gp_status call_scan_by_key(gp_context *context, const void *options) {
    const int32_t keys[3] = {5, 7, 7}, values[3] = {1, 2, 3};
    int32_t sums[3] = {9, 9, 9};
    const gp_status status = gp_scan_by_key(context, GP_INT32, 3, keys, GP_INT32, values, sums, options);
    if (status == GP_SUCCESS) check(sums[1] == 2 && sums[2] == 5, "scan_by_key");
    return status;
}

static gp_status call_repeat(gp_context *context, const void *options) {
    const int32_t in[2] = {5, 7};
    const uint8_t repeats[2] = {1, 2};
    int32_t out[3] = {9, 9, 9};
    uint64_t count = 9;
    const gp_status status = gp_repeat(context, sizeof *in, 2, in, GP_UINT8, repeats, 3, out, &count, options);
    if (status == GP_SUCCESS) check(count == 3 && out[0] == 5 && out[2] == 7, "repeat");
    return status;
}

static gp_status call_reduce_by_key(gp_context *context, const void *options) {
    const int32_t keys[3] = {5, 7, 7}, values[3] = {1, 2, 3};
    int32_t sums[3] = {9, 9, 9};
    uint64_t count = 9;
    const gp_status status =
        gp_reduce_by_key(context, GP_INT32, 3, keys, GP_INT32, values, NULL, sums, &count, options);
    if (status == GP_SUCCESS) check(count == 2 && sums[1] == 5, "reduce_by_key");
    return status;
}

static gp_status call_paths(gp_context *context, const void *options) {
    const float in[4] = {0, 5, 1e30f, 0};
    float out[4] = {9, 9, 9, 9};
    const gp_status status = gp_paths(context, GP_FLOAT32, 2, in, 2, out, 2, NULL, 2, options);
    if (status == GP_SUCCESS) check(out[0] == 0 && out[1] == 5, "paths");
    return status;
}

static gp_status call_select(gp_context *context, const void *options) {
    const int32_t in[3] = {5, 6, 7};
    const uint8_t flags[3] = {1, 0, 1};
    int32_t out[3] = {0, 0, 0};
    uint64_t count = 0;
    const gp_status status = gp_select(context, 4, 3, in, flags, out, &count, options);
    if (status == GP_SUCCESS) check(count == 2 && out[0] == 5 && out[1] == 7 && out[2] == 0, "select");
    return status;
}

static gp_status call_merge(gp_context *context, const void *options) {
    const int32_t a[2] = {5, 7}, b[1] = {6};
    int32_t out[3] = {0, 0, 0};
    const gp_status status = gp_merge(context, GP_INT32, 2, a, 1, b, out, options);
    if (status == GP_SUCCESS) check(out[0] == 5 && out[1] == 6 && out[2] == 7, "merge");
    return status;
}

static gp_status call_merge_runs(gp_context *context, const void *options) {
    const int32_t keys[3] = {5, 7, 6};
    const uint64_t offsets[3] = {0, 2, 3};
    int32_t out[3] = {0, 0, 0};
    const gp_status status = gp_merge_runs(context, GP_INT32, 3, keys, 2, offsets, out, options);
    if (status == GP_SUCCESS) check(out[0] == 5 && out[1] == 6 && out[2] == 7, "merge_runs");
    return status;
}

static gp_status call_gather(gp_context *context, const void *options) {
    const int32_t in[2] = {5, 6}, positions[3] = {1, 0, 1};
    int32_t out[3] = {0, 0, 0};
    const gp_status status = gp_gather(context, sizeof(int32_t), 2, in, GP_INT32, 3, positions, out, options);
    if (status == GP_SUCCESS) check(out[0] == 6 && out[1] == 5 && out[2] == 6, "gather");
    return status;
}

static gp_status call_transpose_matrix(gp_context *context, const void *options) {
    const int32_t in[4] = {1, 2, 3, 4};
    int32_t out[4] = {0, 0, 0, 0};
    const gp_status status = gp_transpose_matrix(context, sizeof(int32_t), 2, 2, in, 2, out, 2, options);
    if (status == GP_SUCCESS) check(out[0] == 1 && out[1] == 3 && out[2] == 2 && out[3] == 4, "transpose_matrix");
    return status;
}

static gp_status call_sort_by(gp_context *context, const void *options) {
    int32_t elements[3] = {7, 5, 6};
    const gp_status status = gp_sort_by(context, sizeof(int32_t), 3, elements, "int", "a < b", options);
    if (status == GP_SUCCESS) check(elements[0] == 5 && elements[1] == 6 && elements[2] == 7, "sort_by");
    return status == GP_ERROR_UNSUPPORTED_DEVICE ? GP_SUCCESS : status; /* on "host" */
}

static gp_status call_histogram_weighted(gp_context *context, const void *options) {
    const uint8_t in[3] = {0, 2, 2};
    const float weights[3] = {1.5F, 2, 3};
    float sums[3] = {9, 9, 9};
    const gp_status status = gp_histogram_weighted(context, GP_UINT8, 3, in, GP_FLOAT32, weights, 3, sums, options);
    if (status == GP_SUCCESS) check(sums[0] == 1.5F && sums[1] == 0 && sums[2] == 5, "histogram_weighted");
    return status;
}

static gp_status call_histogram_2d(gp_context *context, const void *options) {
    const uint8_t x[3] = {0, 1, 1}, y[3] = {1, 1, 1};
    uint64_t counts[4] = {9, 9, 9, 9};
    const gp_status status = gp_histogram_2d(context, GP_UINT8, 3, x, y, 0, NULL, 2, 2, counts, options);
    if (status == GP_SUCCESS)
        check(counts[0] == 0 && counts[1] == 1 && counts[2] == 0 && counts[3] == 2, "histogram_2d");
    return status;
}

static gp_status call_histogram(gp_context *context, const void *options) {
    const uint8_t in[3] = {7, 5, 7};
    uint64_t counts[256];
    const gp_status status = gp_histogram(context, GP_UINT8, 3, in, 256, counts, options);
    if (status == GP_SUCCESS) check(counts[5] == 1 && counts[6] == 0 && counts[7] == 2, "histogram");
    return status;
}
static gp_status call_recurrence(gp_context *context, const void *options) {
    const float in[3] = {1, 2, 3}, half = 0.5f;
    float out[3] = {0, 0, 0};
    const gp_status status = gp_recurrence(context, GP_FLOAT32, 3, in, out, 1, &half, options);
    if (status == GP_SUCCESS) check(out[0] == 1 && out[1] == 2.5f && out[2] == 4.25f, "recurrence");
    return status;
}

static gp_status call_recurrence_varying(gp_context *context, const void *options) {
    const float in[3] = {1, 2, 3}, a[3] = {9, 0.5f, 2};
    float out[3] = {0, 0, 0};
    const gp_status status = gp_recurrence_varying(context, GP_FLOAT32, 3, a, in, out, options);
    if (status == GP_SUCCESS) check(out[0] == 1 && out[1] == 2.5f && out[2] == 8, "recurrence that varies");
    return status;
}

/* Options that a caller with an older or newer header would pass. `first` is the size of
 * struct_size and the members that were there first. */
static void options_grow(gp_context *context, const char *name, call run, size_t size, size_t first) {
    union {
        size_t struct_size;
        void *aligned;
        unsigned char bytes[512];
    } options;
    size_t part;
    for (part = first; part <= size; ++part) { /* what lies behind an older structure is not looked at */
        memset(&options, 0x5a, sizeof options);
        memset(options.bytes, 0, part);
        options.struct_size = part;
        check(run(context, &options) == GP_SUCCESS, name);
    }
    memset(&options, 0, sizeof options);
    options.struct_size = size + 24; /* a newer structure whose new members are unused */
    check(run(context, &options) == GP_SUCCESS, name);
    for (part = size; part < size + 24; ++part) { /* ... or used */
        options.bytes[part] = 1;
        check(run(context, &options) == GP_ERROR_STRUCT_SIZE, name);
        options.bytes[part] = 0;
    }
    options.struct_size = 0;
    check(run(context, &options) == GP_ERROR_STRUCT_SIZE, name);
}

typedef gp_status (*fill)(gp_context *context, void *info);

static gp_status fill_device(gp_context *context, void *info) { return gp_describe(context, info); }
static gp_status fill_algorithm(gp_context *context, void *info) {
    (void)context;
    return gp_algorithm_describe(GP_SORT, 0, info);
}

/* Results are written as far as struct_size reaches and not a byte further. */
static void results_grow(gp_context *context, const char *name, fill run, size_t size) {
    union {
        size_t struct_size;
        void *aligned;
        unsigned char bytes[2048];
    } whole, info;
    size_t part, i;
    memset(&whole, 0, sizeof whole);
    whole.struct_size = size;
    check(run(context, &whole) == GP_SUCCESS, name);
    for (part = sizeof(size_t); part <= size + 16; part += 4) {
        const size_t known = part < size ? part : size;
        memset(&info, 0x5a, sizeof info);
        info.struct_size = part;
        check(run(context, &info) == GP_SUCCESS, name);
        check(info.struct_size == part, "struct_size is the caller's");
        check(memcmp(info.bytes + sizeof(size_t), whole.bytes + sizeof(size_t), known - sizeof(size_t)) == 0, name);
        for (i = part; i < sizeof info.bytes; ++i) {
            if (info.bytes[i] != 0x5a) break;
        }
        check(i == sizeof info.bytes, "nothing behind the caller's structure is written");
    }
}

int main(void) {
    gp_context *context = NULL;
    check(gp_open(NULL, &context) == GP_SUCCESS, "gp_open");
    if (failures > 0) return 1;
    options_grow(context, "gp_open_options", call_open, sizeof(gp_open_options),
                 offsetof(gp_open_options, memory_bytes));
    options_grow(context, "gp_matmul_options", call_matmul, sizeof(gp_matmul_options),
                 offsetof(gp_matmul_options, layout));
    options_grow(context, "gp_scan_options", call_scan, sizeof(gp_scan_options), offsetof(gp_scan_options, op));
    options_grow(context, "gp_reduce_options", call_reduce, sizeof(gp_reduce_options), offsetof(gp_reduce_options, op));
    options_grow(context, "gp_arg_reduce_options", call_arg_reduce, sizeof(gp_arg_reduce_options),
                 offsetof(gp_arg_reduce_options, algorithm));
    options_grow(context, "gp_sort_options", call_sort, sizeof(gp_sort_options), offsetof(gp_sort_options, order));
    options_grow(context, "gp_top_k_options", call_top_k, sizeof(gp_top_k_options),
                 offsetof(gp_top_k_options, algorithm));
    options_grow(context, "gp_search_options", call_search, sizeof(gp_search_options),
                 offsetof(gp_search_options, side));
    options_grow(context, "gp_is_sorted_options", call_is_sorted, sizeof(gp_is_sorted_options),
                 offsetof(gp_is_sorted_options, order));
    options_grow(context, "gp_transform_options", call_transform, sizeof(gp_transform_options),
                 offsetof(gp_transform_options, helpers));
    options_grow(context, "gp_difference_options", call_difference, sizeof(gp_difference_options),
                 offsetof(gp_difference_options, first));
    options_grow(context, "gp_run_lengths_options", call_run_lengths, sizeof(gp_run_lengths_options),
                 offsetof(gp_run_lengths_options, algorithm));
    options_grow(context, "gp_reduce_by_key_options", call_reduce_by_key, sizeof(gp_reduce_by_key_options),
                 offsetof(gp_reduce_by_key_options, op));
    options_grow(context, "gp_scan_by_key_options", call_scan_by_key, sizeof(gp_scan_by_key_options),
                 offsetof(gp_scan_by_key_options, op));
    options_grow(context, "gp_repeat_options", call_repeat, sizeof(gp_repeat_options),
                 offsetof(gp_repeat_options, algorithm));
    options_grow(context, "gp_unique_options", call_unique, sizeof(gp_unique_options),
                 offsetof(gp_unique_options, sorted));
    options_grow(context, "gp_paths_options", call_paths, sizeof(gp_paths_options),
                 offsetof(gp_paths_options, algorithm));
    options_grow(context, "gp_select_options", call_select, sizeof(gp_select_options),
                 offsetof(gp_select_options, algorithm));
    options_grow(context, "gp_merge_options", call_merge, sizeof(gp_merge_options), offsetof(gp_merge_options, order));
    options_grow(context, "gp_merge_runs_options", call_merge_runs, sizeof(gp_merge_runs_options),
                 offsetof(gp_merge_runs_options, order));
    options_grow(context, "gp_gather_options", call_gather, sizeof(gp_gather_options),
                 offsetof(gp_gather_options, algorithm));
    options_grow(context, "gp_transpose_matrix_options", call_transpose_matrix, sizeof(gp_transpose_matrix_options),
                 offsetof(gp_transpose_matrix_options, algorithm));
    options_grow(context, "gp_sort_by_options", call_sort_by, sizeof(gp_sort_by_options),
                 offsetof(gp_sort_by_options, helpers));
    options_grow(context, "gp_histogram_weighted_options", call_histogram_weighted,
                 sizeof(gp_histogram_weighted_options), offsetof(gp_histogram_weighted_options, algorithm));
    options_grow(context, "gp_histogram_2d_options", call_histogram_2d, sizeof(gp_histogram_2d_options),
                 offsetof(gp_histogram_2d_options, algorithm));
    options_grow(context, "gp_histogram_options", call_histogram, sizeof(gp_histogram_options),
                 offsetof(gp_histogram_options, algorithm));
    options_grow(context, "gp_recurrence_options", call_recurrence, sizeof(gp_recurrence_options),
                 offsetof(gp_recurrence_options, batch));
    options_grow(context, "gp_recurrence_options", call_recurrence_varying, sizeof(gp_recurrence_options),
                 offsetof(gp_recurrence_options, batch));
    results_grow(context, "gp_device_info", fill_device, sizeof(gp_device_info));
    results_grow(context, "gp_algorithm_info", fill_algorithm, sizeof(gp_algorithm_info));
    check(gp_close(context) == GP_SUCCESS, "gp_close");
    if (failures == 0) puts("older and newer structures work");
    return failures == 0 ? 0 : 1;
}
