// gpcl for every language that SWIG knows, from the header itself: its constants and structures as they are, and the
// classes of classes.h. What differs from language to language stands in <language>/language.i alone: how data comes in
// and goes out (In, Out, InOut), and how a failure becomes an error of that language.
// SPDX-License-Identifier: MIT
%module gpcl

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
%rename(cache_folder) gp_cache_folder;
%rename(DeviceInfo) gp_device_info;
%rename(AlgorithmInfo) gp_algorithm_info;
%rename(MatmulOptions) gp_matmul_options;
%rename(ScanOptions) gp_scan_options;
%rename(ReduceOptions) gp_reduce_options;
%rename(SortOptions) gp_sort_options;
%rename(HistogramOptions) gp_histogram_options;
%rename(RecurrenceOptions) gp_recurrence_options;
%ignore GPCL_GPCL_H;
%ignore GP_API;
%ignore gp_timing; // events are not wrapped
%ignore gp_command;
%ignore gp_argument;

// What the library fills in can't be set; what only C can set is left out.
%immutable gp_device_info::kind;
%ignore *::struct_size;
%ignore *::reserved;
%ignore *::reserved2;
%ignore *::event;
%ignore gp_matmul_options::alpha;
%ignore gp_matmul_options::beta;
%ignore gp_recurrence_options::initial;
%ignore gp_scan_options::heads;
%ignore gp_scan_options::heads_buffer;
%ignore gp_scan_options::heads_offset;
%immutable gp_algorithm_info::name;
%immutable gp_algorithm_info::summary;
%immutable gp_algorithm_info::source;
%typemap(memberin) const char * "$1 = gpcl_keep($input);"

namespace gpcl_swig {
class In;
class Out;
class InOut;
}
%include "language.i"

%include <gpcl/gpcl.h>

%define GPCL_OPTIONS(structure, INITIAL)
%extend structure {
    structure() { return new structure INITIAL; }
}
%enddef
GPCL_OPTIONS(gp_matmul_options, GP_MATMUL_OPTIONS_INIT)
GPCL_OPTIONS(gp_scan_options, GP_SCAN_OPTIONS_INIT)
GPCL_OPTIONS(gp_reduce_options, GP_REDUCE_OPTIONS_INIT)
GPCL_OPTIONS(gp_sort_options, GP_SORT_OPTIONS_INIT)
GPCL_OPTIONS(gp_histogram_options, GP_HISTOGRAM_OPTIONS_INIT)
GPCL_OPTIONS(gp_recurrence_options, GP_RECURRENCE_OPTIONS_INIT)

// Where results go to the caller's memory, there is one way to read.
#if !defined(SWIGLUA) && !defined(SWIGRUBY) && !defined(SWIGPERL) && !defined(SWIGTCL) && !defined(SWIGR)
%ignore gpcl_swig::DeviceBuffer::read_packed;
#endif

%include "classes.h"
