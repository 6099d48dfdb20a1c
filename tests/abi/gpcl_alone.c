/* The plain header must stand on its own, in every C and C++.
 *
 * SPDX-License-Identifier: MIT
 */
#include <gpcl/gpcl.h>
#include <gpcl/gpcl.h> /* twice does no harm */

void use_initialisers(void);
void use_initialisers(void) {
    gp_matmul_options matmul = GP_MATMUL_OPTIONS_INIT;
    gp_scan_options scan = GP_SCAN_OPTIONS_INIT;
    gp_reduce_options reduce = GP_REDUCE_OPTIONS_INIT;
    gp_arg_reduce_options arg_reduce = GP_ARG_REDUCE_OPTIONS_INIT;
    gp_histogram_weighted_options weighted = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
    gp_histogram_2d_options pairs = GP_HISTOGRAM_2D_OPTIONS_INIT;
    gp_sort_options sort = GP_SORT_OPTIONS_INIT;
    gp_top_k_options top_k = GP_TOP_K_OPTIONS_INIT;
    gp_merge_options merge = GP_MERGE_OPTIONS_INIT;
    gp_merge_runs_options merge_runs = GP_MERGE_RUNS_OPTIONS_INIT;
    gp_search_options search = GP_SEARCH_OPTIONS_INIT;
    gp_open_options open = GP_OPEN_OPTIONS_INIT;
    gp_is_sorted_options is_sorted = GP_IS_SORTED_OPTIONS_INIT;
    gp_run_lengths_options run_lengths = GP_RUN_LENGTHS_OPTIONS_INIT;
    gp_reduce_by_key_options by_key = GP_REDUCE_BY_KEY_OPTIONS_INIT;
    gp_unique_options unique = GP_UNIQUE_OPTIONS_INIT;
    gp_scan_by_key_options scan_by_key = GP_SCAN_BY_KEY_OPTIONS_INIT;
    gp_repeat_options repeat = GP_REPEAT_OPTIONS_INIT;
    gp_paths_options paths = GP_PATHS_OPTIONS_INIT;
    gp_select_options select = GP_SELECT_OPTIONS_INIT;
    gp_gather_options gather = GP_GATHER_OPTIONS_INIT;
    gp_transpose_matrix_options transpose_matrix = GP_TRANSPOSE_MATRIX_OPTIONS_INIT;
    gp_sort_by_options sort_by = GP_SORT_BY_OPTIONS_INIT;
    gp_transform_options transform = GP_TRANSFORM_OPTIONS_INIT;
    gp_difference_options difference = GP_DIFFERENCE_OPTIONS_INIT;
    gp_timing timing = GP_TIMING_INIT;
    gp_command command = GP_COMMAND_INIT;
    (void)matmul;
    (void)scan;
    (void)reduce;
    (void)arg_reduce;
    (void)weighted;
    (void)pairs;
    (void)sort;
    (void)top_k;
    (void)merge;
    (void)merge_runs;
    (void)search;
    (void)open;
    (void)is_sorted;
    (void)run_lengths;
    (void)by_key;
    (void)unique;
    (void)scan_by_key;
    (void)repeat;
    (void)paths;
    (void)select;
    (void)gather;
    (void)transpose_matrix;
    (void)sort_by;
    (void)transform;
    (void)difference;
    (void)timing;
    (void)command;
}
