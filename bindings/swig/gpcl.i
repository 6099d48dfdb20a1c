// gpcl for every language that SWIG knows, from the header itself: its constants and structures as they are, and the
// classes of classes.h. What differs from language to language stands in <language>/language.i alone: how data comes in
// and goes out (In, Out, InOut), and how a failure becomes an error of that language.
// SPDX-License-Identifier: MIT
#if defined(SWIGPYTHON)
%module(threads="1") gpcl_swig // the cffi package is `gpcl`
#elif defined(SWIGJAVA)
%module Gpcl
#elif defined(SWIGCSHARP)
%module gp
#elif defined(SWIGPERL)
%module Gpcl
#else
%module gpcl
#endif

%{
#include "classes.h"

#include <mutex>
#include <set>

// Texts in option structures live as long as the process; each different one once.
static const char *gpcl_keep(const char *text) {
    static std::mutex mutex;
    static std::set<std::string> texts;
    if (text == nullptr || *text == 0) return nullptr; // some languages have no NULL for texts
    const std::lock_guard<std::mutex> lock(mutex);
    return texts.insert(text).first->c_str();
}
%}

%include <stdint.i>

// Optional arguments: overloads where types are static (and where SWIG counts arguments), else arguments that may be left out.
#if !defined(SWIGJAVA) && !defined(SWIGCSHARP) && !defined(SWIGJAVASCRIPT)
%feature("compactdefaultargs");
#endif

// Names without their prefix, as each language writes them.
%rename("%(regex:/^GP_(.*)/\\1/)s", %$isenumitem) "";
%rename("%(regex:/^GP_(.*)/\\1/)s", %$isconstant) "";
%rename("$ignore", regextarget=1, %$isfunction, %$not %$ismember) "^gp_"; // the classes call them
%rename(version) gp_version;
%rename(status_name) gp_status_name;
%rename(dtype_size) gp_dtype_size;
%rename(dtype_name) gp_dtype_name;
%rename(operation_name) gp_operation_name;
%rename(cache_folder) gp_cache_folder;
%rename(cache_problem) gp_cache_problem;
%rename(tuning_file) gp_tuning_file;
%rename(places_file) gp_places_file;
%rename(DeviceInfo) gp_device_info;
%rename(AlgorithmInfo) gp_algorithm_info;
%rename(MatmulOptions) gp_matmul_options;
%warnfilter(302) gp_matmul_options::alpha;
%warnfilter(302) gp_matmul_options::beta;
%warnfilter(302) gp_matmul_options::clamp_low;
%warnfilter(302) gp_matmul_options::clamp_high;
%rename(ScanOptions) gp_scan_options;
%rename(ReduceOptions) gp_reduce_options;
%rename(ArgReduceOptions) gp_arg_reduce_options;
%rename(TopKOptions) gp_top_k_options;
%rename(SortOptions) gp_sort_options;
%rename(MergeOptions) gp_merge_options;
%rename(MergeRunsOptions) gp_merge_runs_options;
%rename(SearchOptions) gp_search_options;
%rename(IsSortedOptions) gp_is_sorted_options;
%rename(SelectOptions) gp_select_options;
%rename(RunLengthsOptions) gp_run_lengths_options;
%rename(ReduceByKeyOptions) gp_reduce_by_key_options;
%rename(UniqueOptions) gp_unique_options;
%rename(ScanByKeyOptions) gp_scan_by_key_options;
%rename(RepeatOptions) gp_repeat_options;
%rename(PathsOptions) gp_paths_options;
%rename(GatherOptions) gp_gather_options;
%rename(TransposeMatrixOptions) gp_transpose_matrix_options;
%rename(SortByOptions) gp_sort_by_options;
%rename(TransformOptions) gp_transform_options;
%rename(DifferenceOptions) gp_difference_options;
%rename(HistogramOptions) gp_histogram_options;
%rename(HistogramWeightedOptions) gp_histogram_weighted_options;
%rename(Histogram2dOptions) gp_histogram_2d_options;
%rename(RecurrenceOptions) gp_recurrence_options;
%ignore GPCL_GPCL_H;
%ignore GP_API;
%rename(Timing) gp_timing;
%rename(Command) gp_command;
%ignore gp_command::global_size; // arrays; see below
%ignore gp_command::local_size;
%ignore gp_argument;
%ignore gp_parameter_info; // `gpcl tune` sets parameters

// What the library fills in can't be set; what only C can set is left out.
%immutable gp_device_info::kind;
%immutable gp_command::kind;
%ignore *::struct_size;
%ignore *::reserved;
%ignore *::reserved2;
%ignore *::reserved3;
%ignore *::event;
%ignore gp_scan_options::initial; // carries: arguments of the classes' functions, or C alone
%ignore gp_scan_options::initial_buffer;
%ignore gp_scan_options::final_buffer;
%ignore gp_recurrence_options::initial;
%ignore gp_recurrence_options::initial_buffer;
%ignore gp_recurrence_options::final_buffer;
%ignore *::initial_offset;
%ignore *::final_offset;
%ignore gp_scan_options::final_value;
%ignore gp_recurrence_options::final_state;
%ignore gp_matmul_options::bias; // for C alone
%ignore gp_matmul_options::bias_buffer;
%ignore gp_matmul_options::bias_offset;
%ignore gp_matmul_options::bias_by;
%ignore gp_matmul_options::stride_bias;
%ignore gp_histogram_options::edges;
%ignore gp_histogram_options::edges_dtype;
%ignore gp_histogram_weighted_options::edges;
%ignore gp_histogram_weighted_options::edges_dtype;
%ignore gp_histogram_2d_options::edges_x;
%ignore gp_histogram_2d_options::edges_y;
%ignore gp_histogram_2d_options::edges_dtype_x;
%ignore gp_histogram_2d_options::edges_dtype_y;
%ignore gp_scan_options::heads;
%ignore gp_scan_options::heads_buffer;
%ignore gp_scan_options::heads_offset;
%ignore gp_run_lengths_options::firsts;
%ignore gp_run_lengths_options::firsts_buffer;
%ignore gp_run_lengths_options::firsts_offset;
%ignore gp_run_lengths_options::n_buffer;
%ignore gp_run_lengths_options::n_offset;
%ignore gp_reduce_by_key_options::n_buffer;
%ignore gp_reduce_by_key_options::n_offset;
%ignore gp_unique_options::n_buffer;
%ignore gp_unique_options::n_offset;
%ignore gp_select_options::parts; // the count of three parts is two numbers, in C
%ignore gp_scan_by_key_options::initial;
%ignore gp_scan_by_key_options::n_buffer;
%ignore gp_scan_by_key_options::n_offset;
%ignore gp_repeat_options::n_buffer;
%ignore gp_repeat_options::n_offset;
%ignore gp_scan_options::n_buffer;
%ignore gp_scan_options::n_offset;
%ignore gp_reduce_options::n_buffer;
%ignore gp_reduce_options::n_offset;
%ignore gp_arg_reduce_options::n_buffer;
%ignore gp_arg_reduce_options::n_offset;
%ignore gp_difference_options::n_buffer;
%ignore gp_difference_options::n_offset;
%ignore gp_sort_options::n_buffer;
%ignore gp_sort_options::n_offset;
%ignore gp_top_k_options::n_buffer;
%ignore gp_top_k_options::n_offset;
%ignore gp_sort_by_options::n_buffer;
%ignore gp_sort_by_options::n_offset;
%ignore gp_search_options::n_buffer;
%ignore gp_search_options::n_offset;
%ignore gp_is_sorted_options::n_buffer;
%ignore gp_is_sorted_options::n_offset;
%ignore gp_histogram_options::n_buffer;
%ignore gp_histogram_options::n_offset;
%ignore gp_histogram_weighted_options::n_buffer;
%ignore gp_histogram_weighted_options::n_offset;
%ignore gp_histogram_2d_options::n_buffer;
%ignore gp_histogram_2d_options::n_offset;
%ignore gp_search_options::m_buffer;
%ignore gp_search_options::m_offset;
%ignore gp_merge_options::n_a_buffer;
%ignore gp_merge_options::n_a_offset;
%ignore gp_merge_options::n_b_buffer;
%ignore gp_merge_options::n_b_offset;
%ignore gp_paths_options::negative_cycle; // the diagonal of the result tells
%ignore gp_paths_options::negative_cycle_buffer;
%ignore gp_paths_options::negative_cycle_offset;
%ignore gp_transform_options::n_buffer; // for C alone
%ignore gp_transform_options::n_offset;
%ignore gp_select_options::n_buffer;
%ignore gp_select_options::n_offset;
%ignore gp_gather_options::first_wrong_buffer;
%ignore gp_gather_options::first_wrong_offset;
%ignore gp_gather_options::n_buffer;
%ignore gp_gather_options::n_offset;
%ignore gp_sort_options::work;
%ignore gp_sort_options::work_offset;
%ignore gp_sort_options::work_bytes;
%ignore gp_merge_runs_options::work;
%ignore gp_merge_runs_options::work_offset;
%ignore gp_merge_runs_options::work_bytes;
%ignore gp_sort_options::segments;
%ignore gp_sort_options::offsets;
%ignore gp_sort_options::offsets_buffer;
%ignore gp_sort_options::offsets_offset;
%ignore gp_sort_options::offset_type;
%ignore gp_sort_options::ends;
%ignore gp_sort_options::ends_buffer;
%ignore gp_sort_options::ends_offset;
%immutable gp_algorithm_info::name;
%immutable gp_algorithm_info::summary;
%immutable gp_algorithm_info::source;
%typemap(memberin) const char * "$1 = gpcl_keep($input);"

namespace gpcl_swig {
class In;
class Out;
class InOut;
}
%ignore gpcl_swig::Mapping::memory; // language.i has something better, where it can
#if defined(SWIGPYTHON)
%include "python/language.i"
#elif defined(SWIGJAVA)
%include "java/language.i"
#elif defined(SWIGCSHARP)
%include "csharp/language.i"
#elif defined(SWIGLUA)
%include "lua/language.i"
#elif defined(SWIGRUBY)
%include "ruby/language.i"
#elif defined(SWIGPERL)
%include "perl/language.i"
#elif defined(SWIGTCL)
%include "tcl/language.i"
#elif defined(SWIGGO)
%include "go/language.i"
#elif defined(SWIGJAVASCRIPT)
%include "javascript/language.i"
#elif defined(SWIGR)
%include "r/language.i"
#else
#error "gpcl.i does not know this language"
#endif

// alpha, beta and the bounds of GP_CLAMP are held as float64, exact for every type that is computed in; NaN while they are not
// set. (What extends comes before what is extended, to take its place.)
%extend gp_matmul_options {
    gp_matmul_options() { return new gp_matmul_options GP_MATMUL_OPTIONS_INIT; }
    ~gp_matmul_options() {
        delete static_cast<const double *>($self->alpha);
        delete static_cast<const double *>($self->beta);
        delete static_cast<const double *>($self->clamp_low);
        delete static_cast<const double *>($self->clamp_high);
        delete $self;
    }
    double alpha;
    double beta;
    double clamp_low;
    double clamp_high;
}
%{
static double gpcl_factor(const void *held) {
    return held != nullptr ? *static_cast<const double *>(held) : std::numeric_limits<double>::quiet_NaN();
}
static void gpcl_hold(const void *&held, double value) {
    delete static_cast<const double *>(held);
    held = new double(value);
}
static double gp_matmul_options_alpha_get(const gp_matmul_options *o) { return gpcl_factor(o->alpha); }
static double gp_matmul_options_beta_get(const gp_matmul_options *o) { return gpcl_factor(o->beta); }
static void gp_matmul_options_alpha_set(gp_matmul_options *o, double value) { gpcl_hold(o->alpha, value); }
static void gp_matmul_options_beta_set(gp_matmul_options *o, double value) { gpcl_hold(o->beta, value); }
static double gp_matmul_options_clamp_low_get(const gp_matmul_options *o) { return gpcl_factor(o->clamp_low); }
static double gp_matmul_options_clamp_high_get(const gp_matmul_options *o) { return gpcl_factor(o->clamp_high); }
static void gp_matmul_options_clamp_low_set(gp_matmul_options *o, double value) { gpcl_hold(o->clamp_low, value); }
static void gp_matmul_options_clamp_high_set(gp_matmul_options *o, double value) { gpcl_hold(o->clamp_high, value); }
%}

%include <gpcl/gpcl.h>

%define GPCL_OPTIONS(structure, INITIAL)
%extend structure {
    structure() { return new structure INITIAL; }
}
%enddef
%extend gp_command { // 0 for a dimension not used, and where OpenCL chose the work-group
    size_t work_items(size_t dimension) { return dimension < 3 ? $self->global_size[dimension] : 0; }
    size_t work_group(size_t dimension) { return dimension < 3 ? $self->local_size[dimension] : 0; }
}
GPCL_OPTIONS(gp_scan_options, GP_SCAN_OPTIONS_INIT)
GPCL_OPTIONS(gp_reduce_options, GP_REDUCE_OPTIONS_INIT)
GPCL_OPTIONS(gp_arg_reduce_options, GP_ARG_REDUCE_OPTIONS_INIT)
GPCL_OPTIONS(gp_top_k_options, GP_TOP_K_OPTIONS_INIT)
GPCL_OPTIONS(gp_sort_options, GP_SORT_OPTIONS_INIT)
GPCL_OPTIONS(gp_merge_options, GP_MERGE_OPTIONS_INIT)
GPCL_OPTIONS(gp_merge_runs_options, GP_MERGE_RUNS_OPTIONS_INIT)
GPCL_OPTIONS(gp_search_options, GP_SEARCH_OPTIONS_INIT)
GPCL_OPTIONS(gp_is_sorted_options, GP_IS_SORTED_OPTIONS_INIT)
GPCL_OPTIONS(gp_select_options, GP_SELECT_OPTIONS_INIT)
GPCL_OPTIONS(gp_run_lengths_options, GP_RUN_LENGTHS_OPTIONS_INIT)
GPCL_OPTIONS(gp_reduce_by_key_options, GP_REDUCE_BY_KEY_OPTIONS_INIT)
GPCL_OPTIONS(gp_unique_options, GP_UNIQUE_OPTIONS_INIT)
GPCL_OPTIONS(gp_scan_by_key_options, GP_SCAN_BY_KEY_OPTIONS_INIT)
GPCL_OPTIONS(gp_repeat_options, GP_REPEAT_OPTIONS_INIT)
GPCL_OPTIONS(gp_paths_options, GP_PATHS_OPTIONS_INIT)
GPCL_OPTIONS(gp_gather_options, GP_GATHER_OPTIONS_INIT)
GPCL_OPTIONS(gp_transpose_matrix_options, GP_TRANSPOSE_MATRIX_OPTIONS_INIT)
GPCL_OPTIONS(gp_sort_by_options, GP_SORT_BY_OPTIONS_INIT)
GPCL_OPTIONS(gp_transform_options, GP_TRANSFORM_OPTIONS_INIT)
GPCL_OPTIONS(gp_difference_options, GP_DIFFERENCE_OPTIONS_INIT)
GPCL_OPTIONS(gp_histogram_options, GP_HISTOGRAM_OPTIONS_INIT)
GPCL_OPTIONS(gp_histogram_weighted_options, GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT)
GPCL_OPTIONS(gp_histogram_2d_options, GP_HISTOGRAM_2D_OPTIONS_INIT)
GPCL_OPTIONS(gp_recurrence_options, GP_RECURRENCE_OPTIONS_INIT)

// Where results go to the caller's memory, there is one way to read.
#if !defined(SWIGLUA) && !defined(SWIGRUBY) && !defined(SWIGPERL) && !defined(SWIGTCL) && !defined(SWIGR)
%ignore gpcl_swig::DeviceBuffer::read_packed;
%ignore gpcl_swig::Mapping::read_packed;
#endif

%include "classes.h"
