/* gpcl: parallel primitives over OpenCL behind a plain C interface.
 *
 * SPDX-License-Identifier: MIT
 *
 *     gp_context *context;
 *     if (gp_open(NULL, &context) != GP_SUCCESS) puts(gp_error_message());
 *     gp_sort(context, GP_FLOAT32, n, keys, NULL);
 *     gp_close(context);
 *
 * Conventions that hold for every declaration below
 *
 *   Status      Every function that can fail returns gp_status; 0 is success. Nothing is printed,
 *               nothing exits, no exception leaves the library. After a failure the calling thread
 *               reads gp_error_message(), gp_error_opencl() and gp_error_build_log().
 *   Failure     Arguments are checked before anything runs: after a status in the two hundreds, or
 *               GP_ERROR_TOO_LARGE, no output was written. After any other failure the memory that
 *               the call writes is undefined. Handles stay usable in both cases, unless the
 *               device is lost.
 *   Handed out  Handles, events, counts and structures that a call hands out are written when it
 *               succeeds, and are as they were after any failure; gp_open and gp_open_with alone
 *               set *context to NULL. So one variable may be both the wait list and what receives
 *               the event. A copy is then needed to free the event that was waited for.
 *   Sizes       Counts, offsets, strides and leading dimensions are in elements; only names that
 *               say "bytes" are in bytes. n = 0 succeeds and touches nothing (gp_reduce writes the
 *               identity).
 *   Pointers    Host pointers are aligned as their element type is. The library keeps none after it
 *               returns, but for the gp_enqueue_read and gp_enqueue_write calls, whose memory must
 *               live until the event is complete.
 *   Options     A pointer to a structure whose first member is struct_size; start from its
 *               GP_..._OPTIONS_INIT. A member left at zero means its default, NULL instead of the
 *               structure means all defaults. Members are only ever added at the end, so programs
 *               built against an older header keep working. No structure will ever take more than
 *               4096 bytes; a larger struct_size is refused. Refused with GP_ERROR_OPTION are
 *               reserved members that are not 0, members of the other form, and the offset, size,
 *               type or helpers of a member that is not set.
 *   Two forms   gp_NAME(...) takes host pointers and returns when the result is there.
 *               gp_enqueue_NAME(...) takes buffers, each with an offset in elements, a list of
 *               events to wait for, and an optional event that covers every step of the operation;
 *               it returns without waiting. The calls on one context run in the order in which they
 *               were enqueued. On the device "host" the work is done before the call returns.
 *   Counts      Where the size of an output depends on the data, the call tells it as a uint64. The
 *               calls on buffers write it into a buffer and do not wait for it. A later call takes
 *               its own size from there: options->n_buffer and n_offset, in uint64s. Then its
 *               argument n is the most there may be; arrays are checked with that, and more than
 *               that is taken as n. options->capacity is how many elements an output of such a size
 *               has room for, 0: as many as there may be. Where that is too little, nothing is
 *               written past the end, and the count is the whole one all the same, so it tells how
 *               much room a second call needs. Behind the count an output keeps what it held. Calls
 *               that follow each other so never wait for the host.
 *               n_buffer overlaps nothing that the call writes. A call that has it is of one array:
 *               without a batch, steps or segments. Algorithms, work space and limits are those of
 *               n, the most there may be, so sums of floats may be rounded otherwise than where n
 *               is the number itself. An algorithm that is named may refuse it. The operations
 *               whose options lack it take their sizes from the host: gp_matmul, gp_paths and
 *               gp_transpose_matrix, of matrices; gp_recurrence and gp_recurrence_varying, of
 *               signals; and gp_merge_runs, whose runs tell their sizes.
 *   Threads     A context and all that belongs to it may be used from several threads at once. Two
 *               contexts are independent.
 *   Fork        OpenCL does not survive a fork. Once a process has used it through gpcl, for which
 *               gp_devices is enough, calls that need it return GP_ERROR_FORK in every child that
 *               the process forks, on contexts from before the fork too. "host" serves in the
 *               child, and handles can be freed; but a child that was forked while another thread
 *               was in a call must make none.
 *   Lost        A device is lost where OpenCL says that it is gone, where it takes no commands any
 *               more after an error, or where a call given host memory was given up at its deadline
 *               (gp_deadline). From then on every call on its context returns
 *               GP_ERROR_DEVICE_LOST at once and does not enter the driver, those of other threads
 *               too; calls that are in the driver by then stay there. gp_close, gp_host_free and
 *               the *_free functions return it as well, and give the handle back all the same. What
 *               the device may still use stays allocated until the process ends. The host memory of
 *               calls that had not ended must stay valid as long, for the device may still read and
 *               write there. gp_open may open the device anew. An ordinary failure loses nothing.
 *   Lifetime    Buffers, events and kernels may be freed before or after gp_close; each keeps what
 *               it needs. Every *_free function and gp_close accept NULL. A program may end with
 *               handles open. Where the device is a CPU, exit() in Linux's main thread waits for
 *               what is enqueued, ten seconds at most: the driver's threads may be compiling
 *               kernels, and PoCL crashes where its compiler is destroyed meanwhile.
 */
#ifndef GPCL_GPCL_H
#define GPCL_GPCL_H

#if !defined(GP_PARSE) && !defined(SWIG)
#include <stddef.h>
#include <stdint.h>

#if defined(GPCL_STATIC)
#define GP_API
#elif defined(_WIN32) && defined(GPCL_BUILD)
#define GP_API __declspec(dllexport)
#elif defined(_WIN32)
#define GP_API __declspec(dllimport)
#elif defined(__GNUC__)
#define GP_API __attribute__((visibility("default")))
#else
#define GP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif
#else
#define GP_API
#endif

/* ---- Version --------------------------------------------------------------------------------- */

#define GP_VERSION_MAJOR 0
#define GP_VERSION_MINOR 1
#define GP_VERSION_PATCH 0

/* The version of the library that is running, such as "0.1.0". */
GP_API const char *gp_version(void);

/* ---- Status and errors ----------------------------------------------------------------------- */

typedef int32_t gp_status;

enum gp_status_code {
    GP_SUCCESS = 0,

    /* Environment: 1xx */
    GP_ERROR_NO_DEVICE = 100,          /* the selector matches no device; the message lists those there are */
    GP_ERROR_OPENCL = 101,             /* an OpenCL call failed; gp_error_opencl() has its code */
    GP_ERROR_UNSUPPORTED_TYPE = 102,   /* this device can't compute the type, such as float64 without cl_khr_fp64 */
    GP_ERROR_UNSUPPORTED_DEVICE = 103, /* this device can't run the request, such as operator text on "host" */
    GP_ERROR_NO_PROFILING = 104,       /* times were asked of an event that was recorded without profiling */
    GP_ERROR_FILE = 105,               /* a file can't be written */
    GP_ERROR_FORK = 106,               /* OpenCL was used before this process was forked */
    GP_ERROR_TIMEOUT = 107,            /* the call's time passed before the device was done; see gp_deadline */
    GP_ERROR_DEVICE_LOST = 108,        /* the device is gone, and the context with it; see "Lost" above */

    /* Arguments: 2xx */
    GP_ERROR_NULL_POINTER = 200,
    GP_ERROR_HANDLE = 201,        /* closed, freed, or not a handle of this library */
    GP_ERROR_WRONG_CONTEXT = 202, /* a buffer, event or kernel of another context */
    GP_ERROR_DTYPE = 203,         /* not a gp_dtype, or not one that this operation takes */
    GP_ERROR_OPERATOR = 204,      /* not a gp_operator, or operator text without an identity or the reverse */
    GP_ERROR_SEMIRING = 205,      /* not a gp_semiring */
    GP_ERROR_OPTION = 206,        /* another option has a value that it can't take */
    GP_ERROR_STRUCT_SIZE = 207,   /* struct_size is not filled in, or newer members are set that this library lacks */
    GP_ERROR_LEADING_DIMENSION = 208, /* smaller than the row (or column) that it must hold */
    GP_ERROR_BATCH_STRIDE = 209,      /* the C matrices of a batch overlap, as with a stride of 0 */
    GP_ERROR_OVERLAP = 210,           /* an output overlaps an input or another output */
    GP_ERROR_OUT_OF_BOUNDS = 211,     /* offset and size reach past the end of a buffer */
    GP_ERROR_SIZE_OVERFLOW = 212,     /* more bytes than any memory holds; was a number negative? */
    GP_ERROR_VALUE_SIZE = 213,        /* sort values are 1 to 64 bytes */
    GP_ERROR_ALIGNMENT = 214,         /* a host pointer is not aligned as its element type is */
    GP_ERROR_ALGORITHM = 215,         /* unknown name; the message lists those there are */
    GP_ERROR_ALGORITHM_REFUSED = 216, /* the named algorithm can't run this request; the message says why */
    GP_ERROR_INDEX = 217,             /* past the end of a listing */
    GP_ERROR_WORK_SIZE = 218,         /* dimensions, global or local size that this device can't launch */
    GP_ERROR_OPERATION = 219,         /* not a gp_operation */
    GP_ERROR_NOT_PINNED = 220,        /* a pointer that gp_host_alloc did not give, or that is not registered */
    GP_ERROR_PINNED = 221,            /* memory that is pinned already, or a part of it */
    GP_ERROR_EMPTY = 222,             /* n is 0 where at least one element is needed */

    /* Kernels: 3xx */
    GP_ERROR_BUILD = 300,           /* OpenCL C that does not build; gp_error_build_log() has the whole log */
    GP_ERROR_KERNEL_NAME = 301,     /* the program has no kernel of that name */
    GP_ERROR_KERNEL_ARGUMENT = 302, /* count, size or kind of an argument does not fit the kernel */
    GP_ERROR_LAUNCH = 303,          /* the device refused or aborted a launch */

    /* Memory: 4xx */
    GP_ERROR_HOST_MEMORY = 400,
    GP_ERROR_DEVICE_MEMORY = 401,
    GP_ERROR_TOO_LARGE = 402, /* more than the device, its bound, the index type or the algorithm holds; nothing ran */

    /* Internal: 5xx */
    GP_ERROR_INTERNAL = 500 /* a bug in gpcl; please report the message */
};

/* The name of a status, such as "GP_ERROR_OVERLAP"; "unknown status" for any other number. */
GP_API const char *gp_status_name(gp_status status);

/* What went wrong in the last call that the calling thread made: operation, argument or kernel,
 * what was expected and what came, device, OpenCL error name. Never NULL; empty when that call
 * succeeded: that a default call took another algorithm than usual, since the usual one was proved
 * to be wrong on this device, is no error, and gp_prove tells. Valid until the thread's next
 * call. */
GP_API const char *gp_error_message(void);

/* The OpenCL error code behind the last failure, such as -5; 0 where OpenCL had no part in it. */
GP_API int32_t gp_error_opencl(void);

/* The whole build log of the OpenCL C that did not build, never truncated. Never NULL; empty
 * otherwise. */
GP_API const char *gp_error_build_log(void);

/* ---- Element types --------------------------------------------------------------------------- */

typedef int32_t gp_dtype;

enum gp_dtype_code {
    GP_INT8 = 1,
    GP_INT16 = 2,
    GP_INT32 = 3,
    GP_INT64 = 4,
    GP_UINT8 = 5,
    GP_UINT16 = 6,
    GP_UINT32 = 7,
    GP_UINT64 = 8,
    GP_FLOAT16 = 9, /* IEEE 754 binary16, two bytes */
    GP_FLOAT32 = 10,
    GP_FLOAT64 = 11,
    GP_BFLOAT16 = 12 /* the upper half of a float32, two bytes; for products, and to be stored and moved */
};

/* Bytes of one element; 0 for a number that is no gp_dtype. */
GP_API size_t gp_dtype_size(gp_dtype dtype);

/* "int8" ... "bfloat16", as NumPy names them; "unknown" for a number that is no gp_dtype. */
GP_API const char *gp_dtype_name(gp_dtype dtype);

/* ---- Handles --------------------------------------------------------------------------------- */

typedef struct gp_context gp_context; /* a device, its queue, its programs */
typedef struct gp_buffer gp_buffer;   /* memory of a context's device */
typedef struct gp_event gp_event;     /* the progress and the times of one call */
typedef struct gp_kernel gp_kernel;   /* one kernel of the caller's own OpenCL C */

/* ---- Devices --------------------------------------------------------------------------------- */

typedef int32_t gp_device_kind;

enum gp_device_kind_code { GP_DEVICE_HOST = 1, GP_DEVICE_CPU = 2, GP_DEVICE_GPU = 3, GP_DEVICE_ACCELERATOR = 4 };

/* Filled by the library as far as struct_size reaches. Texts are cut to their arrays and always
 * end with a 0. The name of a device that PoCL's remote driver reaches on another host ends in
 * " (remote)", and has_unified_memory is 0 there. */
typedef struct gp_device_info {
    size_t struct_size;
    gp_device_kind kind;
    int32_t platform_index; /* -1 for "host" and for a caller's own OpenCL context */
    int32_t device_index;
    uint32_t compute_units;
    uint32_t clock_mhz;        /* 0 where it is not known */
    uint32_t vector_float;     /* native vector width in float32 elements */
    uint64_t global_bytes;     /* device memory; of a context's device, what it may take of it */
    uint64_t allocation_bytes; /* the largest single buffer */
    uint64_t local_bytes;      /* local memory of a work-group */
    uint64_t cache_bytes;      /* global memory cache */
    size_t work_group_size;    /* the largest there is */
    int32_t has_float64;       /* 1 or 0, as all has_ members */
    int32_t has_float16;       /* half arithmetic; GP_FLOAT16 operations work without it */
    int32_t has_images;
    int32_t has_unified_memory; /* shares the host's memory */
    char selector[32];          /* what gp_open takes to get this device: "0:1", "host", "auto" */
    char name[256];
    char vendor[128];
    char driver[128];
    char opencl_c[64]; /* such as "OpenCL C 1.2 PoCL" */
    char platform[128];
    char platform_version[128];
} gp_device_info;

/* How many devices there are: the OpenCL devices of all platforms, then "host", so at least 1. */
GP_API gp_status gp_devices(size_t *count);

/* Describes device number `index` of that list.
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_INDEX, GP_ERROR_STRUCT_SIZE. */
GP_API gp_status gp_device_describe(size_t index, gp_device_info *info);

/* ---- Contexts -------------------------------------------------------------------------------- */

/* Opens a device. `device` is one of, in any case of letters,
 *   NULL or ""   what the environment variable GPCL_DEVICE says, else the best there is: GPU,
 *                accelerator, OpenCL CPU, host
 *   "gpu", "accelerator", "cpu"   the best OpenCL device of that kind
 *   "host"       this process itself, on its CPUs; needs no OpenCL at all
 *   "auto"       the device that NULL opens, and "host" beside it: each call on host pointers runs
 *                where it is expected to end first (gp_explain)
 *   "1:0"        platform 1, device 0
 *   other text   the first device in whose own or platform's name it occurs, else the first in
 *                whose platform_version it does, behind "OpenCL 3.0 ": "pocl"
 *   "0:0,0:1"    several of these, which name OpenCL devices of one kind, each once
 *   "gpu*"       all OpenCL devices that the text before the star names, "gpu", "cpu",
 *                "accelerator" or other text, those of the first one's kind; one device is as
 *                without the star
 * See "Several devices" below for the last two. Nothing is built or allocated on the device until
 * it is needed.
 * On an OpenCL device that is this process' own CPU, such as PoCL, the host's algorithms do the
 * calls: those on host pointers as with "host", those on buffers as native kernels, in the queue's
 * order. They need no programs. Kernels run instead where OpenCL C or an algorithm of kernels is
 * among the options; for gp_enqueue_recurrence, gp_enqueue_recurrence_varying and
 * gp_enqueue_unique; for most operations with n_buffer; and in a context whose memory is bounded.
 * On Mesa's rusticl kernels do all calls.
 * "host" uses one thread for each CPU of the process' affinity, and no more than the environment
 * variable GPCL_THREADS says, a number from 1; anything else there is ignored. Large copies are
 * bounded by the same number. The affinity and the variable are read once, when the process first
 * opens a context. The matrix product named "host-blas" is the system's BLAS, which is loaded then;
 * its threads are its own, and OpenBLAS ends the process where it gets no memory or no thread. No
 * other call needs it.
 * The caller owns *context and gives it back with gp_close.
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_NO_DEVICE, GP_ERROR_OPENCL, GP_ERROR_FORK,
 * GP_ERROR_OPTION (GPCL_DEVICE_MEMORY; several devices of which one comes twice, is "host" or is of
 * another kind). *context is NULL after an error. */
GP_API gp_status gp_open(const char *device, gp_context **context);

typedef struct gp_open_options {
    size_t struct_size;
    /* The most device memory that the context may take, in bytes; of several devices each may. 0:
     * what the environment variable GPCL_DEVICE_MEMORY says, else as much as the device has. */
    uint64_t memory_bytes;
} gp_open_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_OPEN_OPTIONS_INIT                                                                                           \
    { sizeof(gp_open_options), 0 }
#endif

/* gp_open with options.
 *
 * A bound on device memory holds for all that the context takes at any time: gp_buffer_create,
 * arrays of calls on host pointers, work space, tables. It does not count a caller's own memory
 * (gp_buffer_wrap), programs, pinned memory, and what a driver keeps for commands that are under
 * way. GPCL_DEVICE_MEMORY is a number from 1, in bytes or with K, M, G or T behind it for 2^10,
 * 2^20, 2^30 or 2^40 of them; it bounds every context that is opened without memory_bytes, those of
 * gp_open_opencl too. Of several devices each has the bound for itself. On "host" there is none.
 *
 * Work space that is kept for later calls is given back before anything is refused. A buffer that
 * is larger than the bound is refused with GP_ERROR_TOO_LARGE; one that there is no room for at
 * the time, and the work space of a gp_enqueue_ call, with GP_ERROR_DEVICE_MEMORY. Calls on host
 * pointers take turns on a bounded context, so that each has all the room that buffers leave; they
 * may fail with GP_ERROR_DEVICE_MEMORY where another thread takes some meanwhile. On a device that
 * shares the host's memory a bounded context works as on one that has memory of its own: it copies
 * arrays. gp_describe tells the bound as global_bytes, and allocation_bytes is no more than that.
 *
 * Larger than memory: these calls on host pointers take arrays that the device, or the bound, can't
 * hold, and have them pass through the device in parts. The result is that of the whole, but sums
 * of floats may be rounded otherwise, by the room that there is.
 *   gp_sort, gp_sort_pairs, gp_argsort: rows of step 1. A row that the device can't hold is sorted
 *       in runs that it can, into host memory of the library's own, as much as keys and values or
 *       indices take. Each part of the result is then brought together from all runs and sorted.
 *   gp_scan, gp_reduce, gp_histogram, gp_recurrence, gp_recurrence_varying
 *   gp_matmul: rows of A and C are there while rows or columns of B pass; a few of each must fit.
 *   gp_transform, gp_select, gp_select_pairs, gp_nonzero, gp_merge, gp_merge_pairs, gp_search,
 *   gp_transpose_matrix; gp_unique, which finds equal elements on the host when they are sorted
 *   gp_difference, gp_is_sorted, gp_arg_reduce, gp_top_k: one row. k elements must fit twice.
 *   gp_gather, gp_scatter: as many positions as there may be; the rows that they name must fit.
 * What else the device has no memory for, the host does, as on "host": gp_run_lengths,
 * gp_reduce_by_key, gp_scan_by_key, gp_repeat, gp_partition, gp_merge_runs, gp_paths,
 * gp_histogram_weighted, gp_histogram_2d; gp_gather, gp_difference, gp_is_sorted, gp_arg_reduce and
 * gp_top_k beyond what is said above; sorts of segments and of keys with a step.
 * Refused with GP_ERROR_TOO_LARGE, or with GP_ERROR_DEVICE_MEMORY where work space has no room, are
 * those of these calls that have OpenCL C or `work`, or that name an algorithm of the device;
 * gp_sort_by; scans from rows to columns or back; and where less than the parts said above fits.
 * So are gp_scan_by_key and gp_paths in place where only their work space has no room.
 * Errors: as gp_open, GP_ERROR_STRUCT_SIZE, and GP_ERROR_OPTION for a GPCL_DEVICE_MEMORY that is no
 * number of bytes, from gp_open and gp_open_opencl too. */
GP_API gp_status gp_open_with(const char *device, const gp_open_options *options, gp_context **context);

/* Several devices: a context that gp_open opened on several deals large calls on host pointers out
 * to them. Each device takes a part of the array, of the rows or of the matrix, in proportion to
 * its compute units and clock. A part has 8 MiB of the arrays at least; a call that is too small
 * for two parts runs on one device.
 *
 * Dealt out are gp_reduce, gp_arg_reduce, gp_is_sorted, gp_difference and gp_top_k, of one array
 * and of rows; gp_scan, gp_sort, gp_sort_pairs and gp_argsort of rows; gp_histogram; gp_search by
 * its values; gp_transform; and gp_matmul by the lines of C as they are stored, or by the products
 * of a batch. The first device alone runs all other operations, and of these: calls with
 * options->algorithm, `work`, segments, columns or steps; scans and sorts of one array, whose parts
 * the host would have to reduce or to merge in more time than other devices save; gp_top_k of more
 * than a sixteenth of one array; gp_histogram with more bytes of counts than of elements;
 * gp_transform with the name i in its text or helpers; one product with finish_source.
 *
 * Integers, sorts, positions and counts are the same bits as on one device. Floating-point results
 * are the same bits from run to run with the same devices, and their error bounds are those of one
 * device. The event of a call that is dealt out has a command for each step that all devices, or
 * the host, take together, with times of the process' clock. gp_deadline holds for each such step.
 * Where one part of a call fails, other parts of its output may have been written.
 *
 * The context is the first device's for all else: gp_describe, buffers, gp_enqueue_ calls, kernels
 * and what gp_parameter_describe tells. gp_context_device gives the others, for buffers and calls
 * there. gp_deadline, gp_profile, gp_finish, gp_flush, gp_trim, gp_warmup, gp_parameter_set,
 * gp_close and pinned memory are for all of them.
 *
 * A call fails where one of its devices is lost. Later calls on host pointers go to the devices
 * that are left. Buffer and enqueue calls on the lost device return GP_ERROR_DEVICE_LOST, and so
 * does gp_close of the context. */

/* *count = how many devices the context was opened on: 1, but for those that gp_open opened on
 * several. Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE. */
GP_API gp_status gp_context_devices(gp_context *context, size_t *count);

/* *device = device number `index` of the context as a context of its own, on which buffers can be
 * created and every call made. It lives until `context` is closed, and gp_close refuses it. Buffers
 * and events of one device are of another context to the others. Of a context of one device it is
 * that context itself.
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_INDEX. */
GP_API gp_status gp_context_device(gp_context *context, size_t index, gp_context **device);

/* Waits for all enqueued work and gives the context back. NULL is allowed. Errors:
 * GP_ERROR_HANDLE, also where the context is one of those that gp_context_device gave. */
GP_API gp_status gp_close(gp_context *context);

/* Where the calling thread's last call on host pointers ran, and why, of a context that "auto"
 * opened or whose device is the host's own CPU: "sort of 1000 keys, uint32: on host; expected 3.1
 * us on host and 41 us on NVIDIA H200". Of a context of several devices it tells how the call was
 * dealt out: "reduce dealt out: 0:0 from 0 on, 0:1 from 500000 on, of 1000000". Of other contexts
 * it says that there is one place; "" where there was no such call, and for no context. Valid until
 * the calling thread's next call of gp_explain.
 *
 * The buffers and gp_enqueue_ calls of a context that "auto" opened are the device's, and
 * gp_describe describes the device, with the selector "auto". Where the best device is "host",
 * "auto" is "host". A call on host pointers goes to the device with OpenCL C or `work` among its
 * options, and with an algorithm that runs there; to the host with an algorithm that runs there,
 * where the device can't compute the type, and where an array is larger than a buffer can be. Any
 * other one goes where the model says that it ends first. The arrays' way there and back counts,
 * which is faster for pinned memory.
 *
 * The model is what was measured on this machine: how long arrays take to the device and back,
 * and how long calls of a kind and type take on both sides by their amount of work. What a call
 * needs of that is measured when it is first asked for: plain calls of the sizes around it, as far
 * as one takes 20 ms. Such a first call takes some tenths of a second more, and builds programs.
 * gp_places_file() keeps the model, so that the same call runs in the same place from run to run,
 * and floating-point results are the same bits. They may differ between the two places as they do
 * between devices; `algorithm`, or a context of its own, pins a place. Where the file can't be
 * written, each process measures for itself. gp_places_measure, which `gpcl tune all --device auto`
 * calls, measures all sizes beforehand. */
GP_API const char *gp_explain(gp_context *context);

/* Describes the device of a context. Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE,
 * GP_ERROR_STRUCT_SIZE. */
GP_API gp_status gp_describe(gp_context *context, gp_device_info *info);

/* Waits until everything enqueued so far is complete. */
GP_API gp_status gp_finish(gp_context *context);

/* Hands everything enqueued so far to the device, without waiting. */
GP_API gp_status gp_flush(gp_context *context);

/* Ends each later call on the context, and on what belongs to it, that waits for the device longer
 * than so many milliseconds from its beginning on: it returns GP_ERROR_TIMEOUT. 0, the default:
 * they wait as long as it takes. Calls that are waiting already keep the deadline that they began
 * with. Where the call was given host memory, from which the device may still read or to which it
 * may still write, the device is lost then ("Lost" above), as it is for gp_close and
 * gp_host_unregister. After any other call nothing is lost: what was enqueued goes on, and
 * gp_finish or gp_event_wait can be called again. A call with a deadline asks for the state of its
 * commands instead of waiting in the driver, which takes it up to an eighth longer, and at most a
 * millisecond. What takes long in a driver without waiting for the device, such as building a
 * program, is not ended, and neither is work on "host". Errors: GP_ERROR_NULL_POINTER,
 * GP_ERROR_HANDLE. */
GP_API gp_status gp_deadline(gp_context *context, uint64_t milliseconds);

/* Records times for the events of later calls (enabled = 1), or stops doing so (0, the default).
 * Recording costs some microseconds a launch. Waits for what was enqueued before. Not to be called
 * while other threads enqueue on this context. On a caller's own queue (gp_open_opencl) that queue
 * decides: GP_ERROR_NO_PROFILING where it can't. */
GP_API gp_status gp_profile(gp_context *context, int32_t enabled);

/* Gives back what is kept for later calls: work space, pinned memory of the library's own, and the
 * programs built from callers' texts, which are operators and sources of gp_kernel_build; but not
 * the program of a gp_kernel that is not freed. On PoCL a text takes some hundred kilobytes until
 * gp_trim or gp_close. */
GP_API gp_status gp_trim(gp_context *context);

/* The folder in which built programs are kept, "" when that is switched off. GPCL_CACHE_DIR names
 * another folder; GPCL_CACHE=off switches the cache off. Valid until the calling thread's next
 * call.
 * What is in it runs in this process, so it is used only if it belongs to this user or to root and
 * nobody else may write to it; of its files those of which the same holds. The folder itself must
 * not be a link; folders above it may be. Links, files of more than 64 MiB and what is no regular
 * file are passed over. A missing folder is made for this user alone. A program that runs with
 * rights that its caller lacks (set-user-ID, set-group-ID, file capabilities) ignores the variables
 * that gpcl reads, HOME and XDG_CACHE_HOME among them, and so has no cache. */
GP_API const char *gp_cache_folder(void);

/* Why built programs are not kept there, or none can be added: the cache is switched off, a folder
 * belongs to another user, others may write to it, it is a link, it can't be made. "" where nothing
 * stands in the way. Makes the folder if it is missing. Valid until the calling thread's next
 * call. */
GP_API const char *gp_cache_problem(void);

/* ---- Buffers --------------------------------------------------------------------------------- */

/* Allocates `bytes` bytes of device memory with undefined content; 0 is allowed. The caller owns
 * *buffer and gives it back with gp_buffer_free. Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE,
 * GP_ERROR_TOO_LARGE, GP_ERROR_DEVICE_MEMORY. */
GP_API gp_status gp_buffer_create(gp_context *context, size_t bytes, gp_buffer **buffer);

/* Gives a buffer back; enqueued work that uses it still completes. NULL is allowed. */
GP_API gp_status gp_buffer_free(gp_buffer *buffer);

/* The size that the buffer was created with, in bytes. */
GP_API gp_status gp_buffer_bytes(gp_buffer *buffer, size_t *bytes);

/* Copies between host memory and a buffer, or between buffers of one context; blocks until done.
 * Offsets are in bytes. Source and destination must not overlap. gp_buffer_fill repeats a pattern
 * of 1, 2, 4, 8, 16, 32, 64 or 128 bytes; offset and bytes are multiples of it.
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_OVERLAP,
 * GP_ERROR_WRONG_CONTEXT, GP_ERROR_OPTION (pattern_bytes). */
GP_API gp_status gp_buffer_write(gp_buffer *buffer, size_t offset_bytes, size_t bytes, const void *source);
GP_API gp_status gp_buffer_read(gp_buffer *buffer, size_t offset_bytes, size_t bytes, void *destination);
GP_API gp_status gp_buffer_copy(gp_buffer *source, size_t source_offset_bytes, gp_buffer *destination,
                                size_t destination_offset_bytes, size_t bytes);
GP_API gp_status gp_buffer_fill(gp_buffer *buffer, size_t offset_bytes, size_t bytes, const void *pattern,
                                size_t pattern_bytes);

typedef int32_t gp_access;

enum gp_access_code {
    GP_READ = 1,
    GP_WRITE = 2, /* the old content of the mapped range is lost */
    GP_READ_WRITE = 3
};

/* Makes a range of the buffer readable or writable (or both) at *pointer; waits for enqueued work.
 * Until gp_buffer_unmap is called with that pointer, nothing else may use the buffer. Without a
 * copy where the device shares the host's memory. Errors: as gp_buffer_read, and GP_ERROR_OPTION
 * for `access`. */
GP_API gp_status gp_buffer_map(gp_buffer *buffer, gp_access access, size_t offset_bytes, size_t bytes, void **pointer);
GP_API gp_status gp_buffer_unmap(gp_buffer *buffer, void *pointer);

/* The same without blocking. wait_count events in `wait` must be complete before it begins (0 and
 * NULL: none); `event`, if not NULL, receives an event that the caller frees. Host memory must stay
 * valid until the event is complete; the pattern of a fill is copied at once.
 * Every gp_enqueue_ call fails with GP_ERROR_LAUNCH where an event in `wait` has failed already, or
 * with the error of the host's algorithm that failed. */
GP_API gp_status gp_enqueue_write(gp_buffer *buffer, size_t offset_bytes, size_t bytes, const void *source,
                                  size_t wait_count, gp_event *const *wait, gp_event **event);
GP_API gp_status gp_enqueue_read(gp_buffer *buffer, size_t offset_bytes, size_t bytes, void *destination,
                                 size_t wait_count, gp_event *const *wait, gp_event **event);
GP_API gp_status gp_enqueue_copy(gp_buffer *source, size_t source_offset_bytes, gp_buffer *destination,
                                 size_t destination_offset_bytes, size_t bytes, size_t wait_count,
                                 gp_event *const *wait, gp_event **event);
GP_API gp_status gp_enqueue_fill(gp_buffer *buffer, size_t offset_bytes, size_t bytes, const void *pattern,
                                 size_t pattern_bytes, size_t wait_count, gp_event *const *wait, gp_event **event);

/* ---- Pinned host memory ---------------------------------------------------------------------- */

/* In gp_scan, gp_reduce, gp_histogram and gp_recurrence, large arrays in ordinary memory pass
 * through a device with memory of its own piece by piece: one piece is on its way there, one at
 * work and one on its way back, and the device needs memory for a few of them, however many there
 * are. Sums of floats may then be rounded otherwise than those of the same elements in buffers or
 * pinned memory.
 *
 * Large arrays in ordinary memory travel through pinned memory of the library's own, by several
 * threads; the environment variable GPCL_PINNED_BYTES bounds it (else 256 MiB, and a sixteenth of
 * the machine's memory). Memory that is pinned itself needs neither: every call of this context
 * that is given a pointer into it lets the device read or write there. Pinning takes time, some 0.1
 * to 0.6 ms a MiB, so it pays for memory that is used again and again. On "host" and on devices
 * that share the host's memory these calls pin nothing and all memory is alike. */

/* Allocates `bytes` bytes of pinned memory with undefined content, aligned to a page; 0 is
 * allowed. The caller gives it back with gp_host_free, before or after gp_close. Errors:
 * GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_SIZE_OVERFLOW, GP_ERROR_TOO_LARGE,
 * GP_ERROR_HOST_MEMORY. */
GP_API gp_status gp_host_alloc(gp_context *context, size_t bytes, void **pointer);

/* Gives it back. Work that was enqueued on the memory must be complete. NULL is allowed.
 * Errors: GP_ERROR_NOT_PINNED for any pointer that gp_host_alloc did not give, and the second
 * time. */
GP_API gp_status gp_host_free(void *pointer);

/* Pins memory that the caller has, until gp_host_unregister is called with the same pointer, or
 * gp_close. Until then the memory must not be freed. Errors: GP_ERROR_NULL_POINTER,
 * GP_ERROR_HANDLE, GP_ERROR_OPTION (bytes is 0), GP_ERROR_SIZE_OVERFLOW, GP_ERROR_PINNED where a
 * byte of it is pinned for this context already, GP_ERROR_TOO_LARGE, GP_ERROR_HOST_MEMORY. */
GP_API gp_status gp_host_register(gp_context *context, void *pointer, size_t bytes);

/* Waits for enqueued work and ends that. Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE,
 * GP_ERROR_NOT_PINNED. */
GP_API gp_status gp_host_unregister(gp_context *context, void *pointer);

/* ---- Events and times ------------------------------------------------------------------------ */

/* Waits for an event; fails with GP_ERROR_LAUNCH when the work behind it failed on the device. */
GP_API gp_status gp_event_wait(gp_event *event);

/* The same for at most so many milliseconds, and no longer than gp_deadline allows. After
 * GP_ERROR_TIMEOUT the work goes on and the event can be waited for again. 0 hands enqueued work to
 * the device and does not wait. */
GP_API gp_status gp_event_wait_for(gp_event *event, uint64_t milliseconds);

/* *done becomes 1 when the work is complete, else 0. Does not wait. */
GP_API gp_status gp_event_done(gp_event *event, int32_t *done);

/* Gives an event back; the work behind it goes on. NULL is allowed. */
GP_API gp_status gp_event_free(gp_event *event);

/* Times in nanoseconds of the device's clock; on "host" of the process'. All commands of the call
 * are counted. Commands that overlap count once in a time, so none is longer than span_ns; the
 * three together are, where copies overlap kernels or each other. */
typedef struct gp_timing {
    size_t struct_size;
    uint64_t upload_ns;   /* while copies from host memory were under way */
    uint64_t run_ns;      /* while kernels, fills and copies on the device were */
    uint64_t download_ns; /* while copies to host memory were */
    uint64_t span_ns;     /* from the first command's start to the last one's end, gaps included */
    size_t commands;      /* how many gp_event_command lists */
    size_t kernels;       /* how many of them are kernels */
} gp_timing;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_TIMING_INIT                                                                                                 \
    { sizeof(gp_timing), 0, 0, 0, 0, 0, 0 }
#define GP_COMMAND_INIT                                                                                                \
    {                                                                                                                  \
        sizeof(gp_command), 0, 0, 0, {0, 0, 0}, {0, 0, 0}, 0, 0, { 0 }                                                 \
    }
#endif

typedef int32_t gp_command_kind;

enum gp_command_kind_code { GP_UPLOAD = 1, GP_KERNEL = 2, GP_DOWNLOAD = 3, GP_COPY = 4, GP_FILL = 5 };

/* One command of a call, in the order in which they ran. */
typedef struct gp_command {
    size_t struct_size;
    gp_command_kind kind;
    uint64_t start_ns; /* since the start of the call's first command */
    uint64_t run_ns;
    size_t global_size[3];  /* work-items; 0 for a dimension not used */
    size_t local_size[3];   /* work-items of a work-group; 0 when OpenCL chose */
    uint64_t local_bytes;   /* local memory of a work-group */
    uint64_t private_bytes; /* private memory of a work-item, as far as the device tells */
    char name[64];          /* the kernel's name; "upload", "download", "copy", "fill" */
} gp_command;

/* Waits for the event, then sums up its times. Errors: GP_ERROR_NO_PROFILING unless gp_profile was
 * on. */
GP_API gp_status gp_event_timing(gp_event *event, gp_timing *timing);

/* Waits for the event, then describes command number `index`. Errors: GP_ERROR_NO_PROFILING,
 * GP_ERROR_INDEX. */
GP_API gp_status gp_event_command(gp_event *event, size_t index, gp_command *command);

/* ---- The caller's own kernels ---------------------------------------------------------------- */

/* Builds `source` (OpenCL C, ends with 0) with `options` (as clBuildProgram takes them; NULL for
 * none) and takes the kernel `name` from it. Built programs are kept in memory and on disk like the
 * library's own. The caller owns *kernel and gives it back with gp_kernel_free.
 * -cl-kernel-arg-info is added to the options where the compiler takes it.
 * Errors: GP_ERROR_BUILD with the whole log in gp_error_build_log(), GP_ERROR_KERNEL_NAME,
 * GP_ERROR_UNSUPPORTED_DEVICE on "host". */
GP_API gp_status gp_kernel_build(gp_context *context, const char *source, const char *options, const char *name,
                                 gp_kernel **kernel);
GP_API gp_status gp_kernel_free(gp_kernel *kernel);

/* One argument of a launch: `buffer` if that is not NULL; else `bytes` bytes at `value`, passed by
 * value; else, with value NULL, `bytes` bytes of local memory. A value of 0 bytes is refused.
 * A pointer to global or constant memory takes a buffer, a pointer to local memory takes local
 * memory. The structure never grows: what later versions add comes as a value of 0 bytes. */
typedef struct gp_argument {
    gp_buffer *buffer;
    const void *value;
    size_t bytes;
} gp_argument;

/* Launches a kernel over `dimensions` (1 to 3) sizes in global_size and, unless local_size is
 * NULL, work-groups of local_size, which divide the global sizes. All arguments come with the
 * launch, so threads may share a kernel. Where OpenCL tells what the kernel declares, an argument
 * of another kind is refused, and a value whose size is not that of its OpenCL type. Buffers may
 * overlap. Accesses past their ends are not checked.
 * Errors: GP_ERROR_WORK_SIZE, GP_ERROR_KERNEL_ARGUMENT, GP_ERROR_WRONG_CONTEXT, GP_ERROR_LAUNCH,
 * GP_ERROR_TOO_LARGE (more local memory, that of the kernel's own arrays included, than the device
 * has). */
GP_API gp_status gp_enqueue_kernel(gp_kernel *kernel, uint32_t dimensions, const size_t *global_size,
                                   const size_t *local_size, size_t argument_count, const gp_argument *arguments,
                                   size_t wait_count, gp_event *const *wait, gp_event **event);

/* ---- Operations and their algorithms --------------------------------------------------------- */

typedef int32_t gp_operation;

enum gp_operation_code {
    GP_MATMUL = 1,
    GP_SCAN = 2,
    GP_SORT = 3,
    GP_REDUCE = 4,
    GP_HISTOGRAM = 5,
    GP_RECURRENCE = 6,
    GP_RECURRENCE_VARYING = 7,
    GP_ARG_REDUCE = 8,
    GP_TOP_K = 9,
    GP_SEARCH = 10,
    GP_IS_SORTED = 11,
    GP_MERGE = 12,
    GP_HISTOGRAM_WEIGHTED = 13, /* gp_histogram_weighted and gp_histogram_2d */
    GP_MERGE_RUNS = 14,
    GP_PATHS = 15,
    GP_TRANSFORM = 16,
    GP_DIFFERENCE = 17,
    GP_SELECT = 18, /* gp_select, gp_partition and gp_nonzero */
    GP_GATHER = 19, /* gp_gather and gp_scatter */
    GP_TRANSPOSE_MATRIX = 20,
    GP_RUN_LENGTHS = 21,
    GP_REDUCE_BY_KEY = 22,
    GP_UNIQUE = 23,
    GP_SCAN_BY_KEY = 24,
    GP_REPEAT = 25
};

/* "matmul" ... "repeat", as the command and the tuning file name them; "unknown" for a number that
 * is no gp_operation. The codes are 1 and on, without gaps. */
GP_API const char *gp_operation_name(gp_operation operation);

/* One way to carry out an operation. Texts live as long as the library. */
typedef struct gp_algorithm_info {
    size_t struct_size;
    const char *name;    /* what the `algorithm` option takes; that takes a name of the version before, too */
    const char *summary; /* one line: what it does and where it fits */
    const char *source;  /* where the method is from */
    int32_t on_host;     /* 1: runs on the device "host"; 0: runs on OpenCL devices */
    int32_t by_name;     /* 1: never the default of one array: a step of the ladder that leads to it, to study and to
                            compare, or for the rows of a batch */
    int32_t needs_proof; /* 1: it uses what not every device carries, and is proved before it is chosen by default:
                            gp_prove */
    int32_t reserved;
} gp_algorithm_info;

/* How many algorithms an operation has. They are ordered by preference: the default is the first
 * that was made for the device's kind and can run the request, else the first that can run it;
 * those with by_name = 1 run when they are named only, and those that were proved to be wrong on
 * the device (gp_prove). Errors: GP_ERROR_OPERATION,
 * GP_ERROR_NULL_POINTER. */
GP_API gp_status gp_algorithms(gp_operation operation, size_t *count);

/* Describes algorithm number `index` of an operation. Errors: GP_ERROR_OPERATION, GP_ERROR_INDEX,
 * GP_ERROR_STRUCT_SIZE. */
GP_API gp_status gp_algorithm_describe(gp_operation operation, size_t index, gp_algorithm_info *info);

/* Whether algorithm number `index` of an operation on `dtype` gives right results on the context's
 * device. GP_SUCCESS: it does, or it has nothing to prove there. GP_ERROR_ALGORITHM_REFUSED: it
 * does not, and is never chosen by default; gp_error_message says what came out wrong.
 *
 * A default call does this by itself where an algorithm with needs_proof is to be chosen for the
 * first time for a device, driver, version of gpcl and type: it makes small calls on inputs that
 * show mistakes, on a queue of its own, and compares the results with those of "host". That takes
 * some milliseconds, and builds the programs that it needs. The result is kept beside the programs,
 * in gp_cache_folder, and for this process. Other threads that choose the same wait meanwhile. An
 * algorithm that is named is not proved. gp_warmup, and functions that tell how much work space a
 * call needs, prove what they find chosen. GPCL_PROVE=off switches all this off, but not this
 * function. `now`: 1 proves what is not known yet; 0 runs nothing, and takes what is not known for
 * right.
 * Errors: GP_ERROR_OPERATION, GP_ERROR_INDEX, GP_ERROR_DTYPE, GP_ERROR_OPTION; where the proof
 * itself fails for want of memory nothing is known. */
GP_API gp_status gp_prove(gp_context *context, gp_operation operation, size_t index, gp_dtype dtype, int32_t now);

/* Builds, or takes from the cache, the programs that `operation` on `dtype` needs with default
 * options, so that no later call pays for it, whatever its size: gp_scan and gp_reduce of one row,
 * gp_sort, gp_histogram of even bins or, for integers, one for each value, recurrences of order 1,
 * products of square matrices and of one with a vector; of GP_HISTOGRAM_WEIGHTED sums in one
 * dimension, of the weights' type, and counts of pairs; of GP_SELECT selections by flags of
 * elements of the type's size, and positions as uint32 and uint64; of GP_RUN_LENGTHS lengths of
 * uint64; of GP_REDUCE_BY_KEY and GP_SCAN_BY_KEY sums of the type, by keys of int32; of GP_UNIQUE
 * values and counts of uint64; of GP_REPEAT elements of the type's size, by repeats of uint64; of
 * arrays in host memory, or at the beginning of buffers. The programs of the same calls with
 * options->n_buffer are among them. Of GP_TRANSFORM it only checks the type: its programs are the
 * callers' texts.
 * Errors: as the operation's own. */
GP_API gp_status gp_warmup(gp_context *context, gp_operation operation, gp_dtype dtype);

/* ---- Tuning ---------------------------------------------------------------------------------- */

/* A number on which the speed of an algorithm depends, and of its results no more than the
 * rounding of sums. Texts live as long as the library. */
typedef struct gp_parameter_info {
    size_t struct_size;
    const char *algorithm;
    const char *name;
    const char *summary; /* one line: what it is, in which unit */
    size_t value;        /* what the context uses */
    size_t
        preset; /* what it uses unless it is told otherwise: measured on such a device, or computed from its limits */
    size_t value_count;
    size_t values[16]; /* what it can be, in order; value_count of them, in every version at most 16 */
} gp_parameter_info;

/* How many parameters the algorithms of an operation have, one after the other; 0 for those that
 * have none.
 * Errors: GP_ERROR_OPERATION, GP_ERROR_NULL_POINTER. */
GP_API gp_status gp_parameters(gp_operation operation, size_t *count);

/* Describes parameter number `index` of an operation as this context uses it on `dtype`.
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_OPERATION, GP_ERROR_DTYPE (not a
 * gp_dtype), GP_ERROR_INDEX, GP_ERROR_STRUCT_SIZE. */
GP_API gp_status gp_parameter_describe(gp_context *context, gp_operation operation, gp_dtype dtype, size_t index,
                                       gp_parameter_info *info);

/* Sets a parameter for the context's later calls on `dtype`; 0 goes back to the preset. A value
 * that the device has no room for makes the algorithm refuse: GP_ERROR_ALGORITHM_REFUSED where it
 * is named, else another takes its place.
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_OPERATION, GP_ERROR_DTYPE,
 * GP_ERROR_OPTION (no such parameter, or a value that it can't have). */
GP_API gp_status gp_parameter_set(gp_context *context, gp_operation operation, gp_dtype dtype, const char *algorithm,
                                  const char *name, size_t value);

/* The file from which every context takes, when it is opened, the values found by `gpcl tune` for
 * its device: what the environment variable GPCL_TUNING says, else gpcl/tuning in the XDG
 * configuration folder; "" when GPCL_TUNING is "off". It is text: a first line "gpcl tuning 1",
 * then "[name of a device]" and below it lines such as "matmul float32 panels depth 256". What
 * can't be read, and values that a parameter can't have, are passed over. Valid until the calling
 * thread's next call. */
GP_API const char *gp_tuning_file(void);

/* Writes the values that were set on the context, or came from the tuning file, to `file` (NULL:
 * gp_tuning_file()); what the file says of other devices stays. It is replaced as a whole or not at
 * all. Its permissions stay; so does a link, whose target is replaced.
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_FILE (also where the file is there but
 * is none of gpcl's). */
GP_API gp_status gp_tuning_save(gp_context *context, const char *file);

/* The file of the model of "auto": what the environment variable GPCL_PLACES says, else
 * gpcl/places in the XDG configuration folder; "" when GPCL_PLACES is "off". It is text: a first
 * line "gpcl places 1", then "[device; driver; version of gpcl; threads]" and below it lines such
 * as "sort uint32 8 65536 310000 72000 262144 262144": a sort of 4^8 keys, its work, nanoseconds on
 * the host and on the device, bytes up and down. Lines that make no sense are passed over; a file
 * that does not begin so is left alone, and not used. Valid until the calling thread's next
 * call. */
GP_API const char *gp_places_file(void);

/* Measures how long the operation's calls on host pointers take on the host and on the device, of
 * all sizes that take less than a second, and replaces what gp_places_file() says of them. Takes
 * some seconds. Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_OPERATION, GP_ERROR_DTYPE,
 * GP_ERROR_UNSUPPORTED_DEVICE (a context that "auto" did not open). */
GP_API gp_status gp_places_measure(gp_context *context, gp_operation operation, gp_dtype dtype);

/* ---- Matrix product -------------------------------------------------------------------------- */

typedef int32_t gp_layout;
enum gp_layout_code { GP_ROW_MAJOR = 0, GP_COLUMN_MAJOR = 1 };

typedef int32_t gp_transpose;
enum gp_transpose_code { GP_NO_TRANSPOSE = 0, GP_TRANSPOSE = 1 };

/* (plus, times; zero, one). "zero" starts each sum and is the result of an empty one; "one" leaves
 * a factor as it is. */
typedef int32_t gp_semiring;
enum gp_semiring_code {
    GP_PLUS_TIMES = 0, /* (+, *; 0, 1), the ordinary product; integers wrap */
    GP_MIN_PLUS = 1,   /* (min, +; largest, 0), shortest paths; largest is +infinity or the type's largest integer.
                          Integer sums wrap: write "no edge" as half of that at most */
    GP_MAX_PLUS =
        2, /* (max, +; lowest, 0), longest paths; lowest is -infinity or the lowest integer; the same caution */
    GP_MAX_MIN = 3, /* (max, min; lowest, largest), widest paths */
    GP_OR_AND = 4   /* (or, and; 0, 1), reachability; any value but 0 is true, results are 0 and 1 */
};

typedef int32_t gp_precision;
enum gp_precision_code {
    GP_FULL = 0, /* error no larger than plain arithmetic in that type gives */
    GP_FAST = 1  /* float32 factors may be rounded to 11 bits, as in tf32, where that is faster; sums stay float32 */
};

/* What is applied to each element of C before it is stored. */
typedef int32_t gp_activation;
enum gp_activation_code {
    GP_NO_ACTIVATION = 0,
    GP_RELU = 1,      /* x below 0 becomes 0 */
    GP_GELU = 2,      /* x / 2 * (1 + erf(x / sqrt(2))), computed as x / 2 * erfc(-x / sqrt(2)) */
    GP_GELU_TANH = 3, /* x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), which is near it and faster */
    GP_CLAMP = 4      /* x below clamp_low becomes that, x above clamp_high that */
};

/* Which elements of C share an element of the bias. */
typedef int32_t gp_bias;
enum gp_bias_code {
    GP_BIAS_BY_COLUMN = 0, /* element j is for column j; there are n */
    GP_BIAS_BY_ROW = 1     /* element i is for row i; there are m */
};

typedef struct gp_matmul_options {
    size_t struct_size;
    gp_layout layout;
    gp_transpose transpose_a;
    gp_transpose transpose_b;
    gp_semiring semiring;
    gp_precision precision;
    int32_t reserved;
    const void *alpha;         /* one element of the type that is computed in; NULL: the semiring's one */
    const void *beta;          /* likewise; NULL: the semiring's zero */
    size_t batch;              /* number of products; 0 means 1 */
    size_t stride_a;           /* elements from one A to the next; 0: all products share A */
    size_t stride_b;           /* likewise for B */
    size_t stride_c;           /* must keep the C matrices apart when batch > 1 */
    const char *algorithm;     /* a name from gp_algorithms; NULL chooses */
    gp_event **event;          /* host-pointer form: receives a completed event with the times; the caller frees it */
    const void *bias;          /* gp_matmul: host memory, elements of C's type, which are added to C; NULL for none */
    gp_buffer *bias_buffer;    /* gp_enqueue_matmul: instead of `bias`, from element bias_offset on */
    size_t bias_offset;        /* in elements */
    size_t stride_bias;        /* elements from one product's bias to the next one's; 0: all products share it */
    gp_bias bias_by;           /* whether the bias has an element for each column or for each row */
    gp_activation activation;  /* after the bias */
    const void *clamp_low;     /* GP_CLAMP: one element of the type that is computed in; NULL: no bound */
    const void *clamp_high;    /* likewise */
    const char *finish_source; /* OpenCL C expression of x, b, i and j that replaces bias and activation; NULL for
                                  none. See "Finish" below */
    const char *plus_source;   /* OpenCL C expressions of a and b, and of zero and one: the caller's semiring, which
                                  replaces `semiring`; all four or none. See "The caller's semiring" below */
    const char *times_source;
    const char *zero_source;
    const char *one_source;
    const char *helpers;      /* OpenCL C declarations that come before these texts, such as functions; NULL for none */
    gp_transpose transpose_c; /* GP_TRANSPOSE: C is stored as its transpose, in the other layout than `layout` */
    gp_dtype c_dtype;         /* the elements of C and of the bias; 0: as those of A and B. See "Types" below */
} gp_matmul_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_MATMUL_OPTIONS_INIT                                                                                         \
    {                                                                                                                  \
        sizeof(gp_matmul_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
            0, 0                                                                                                       \
    }
#endif

/* C = finish(alpha * op(A) * op(B) + beta * C), in the arithmetic of a semiring.
 *
 * op(A) is m x k, op(B) is k x n, C is m x n; op transposes where the option says so. In row-major
 * layout (the default) element (i, j) of a matrix X is x[i * ldx + j]; ldx is at least the number
 * of columns of X as it is stored. In column-major layout it is x[j * ldx + i], ldx at least the
 * number of rows. With transpose_c, C alone is stored in the other layout: element (i, j) is
 * c[j * ldc + i] in row-major layout, and ldc is at least m.
 *
 * Types: GP_FLOAT32, GP_FLOAT64, GP_INT16 and GP_INT32 (wrap), GP_FLOAT16 and GP_BFLOAT16 (two
 * bytes, computed in float32, rounded to nearest once at the end; work on devices without half
 * arithmetic), GP_INT8 and GP_UINT8 (computed in int32, which wraps; the low eight bits of the
 * end's result are stored, so that GP_CLAMP to the type's bounds saturates).
 * c_dtype gives C and the bias another type than A and B: GP_FLOAT32 where those are GP_FLOAT16 or
 * GP_BFLOAT16, and nothing is rounded to two bytes; GP_INT32 where those are GP_INT8, GP_UINT8 or
 * GP_INT16, which are computed in int32 then. Others are refused. GP_INT8, GP_UINT8 and integers
 * with another c_dtype have the plus-times product alone; other semirings refuse them
 * (GP_ERROR_DTYPE). alpha, beta and the bounds of GP_CLAMP point to one element of the type that is
 * computed in: float for GP_FLOAT16 and GP_BFLOAT16, int32 for GP_INT8, GP_UINT8 and a c_dtype of
 * GP_INT32, else the matrices' own type.
 *
 * When beta is NULL or equals the semiring's zero, C is not read (it may hold NaN). When k is 0 the
 * product is the semiring's zero. When alpha equals the semiring's zero the product is still
 * computed, so NaN and infinity count. In the semirings with minimum or maximum, a NaN among the
 * terms of a sum is left out of it; in GP_MAX_MIN so is a term with a NaN factor. When k is 0 the
 * product is the semiring's zero times alpha, which for integers in GP_MIN_PLUS and GP_MAX_PLUS
 * wraps. NULL is allowed for a matrix without elements.
 *
 * C must not overlap A or B; blocks of one larger matrix with the same leading dimension whose
 * columns are apart do not, where the matrices have one type. C must not overlap the bias either.
 *
 * Finish: each element x of alpha * op(A) * op(B) + beta * C becomes activation(x + bias) in the
 * same pass, before it is rounded to C's type, which happens once. The bias is added as numbers
 * are, and integers wrap, in every semiring. Rows and columns are those of C as it is written here,
 * whatever the layout. Product g has the elements from g * stride_bias on. A NaN stays NaN with
 * each activation, and -infinity becomes NaN with GP_GELU and GP_GELU_TANH, which take
 * floating-point types only. The error that they add is some 16 units of the result's last place
 * around 0, and grows with x^2 * eps (GP_GELU) and x^3 * eps (GP_GELU_TANH) times the result where
 * x is far below 0 and the result next to 0. It costs no pass over C; "host" goes over C once more
 * in float32 and float64.
 * finish_source is an OpenCL C expression, such as "fmax(x + b, 0.1f * (x + b))": x is the element,
 * b its element of the bias, or 0, and i and j are its row and column (ulong). x, b and the value
 * are of the type that is computed in, which is called T. It replaces `activation`, which must be
 * GP_NO_ACTIVATION then, and the addition of the bias.
 *
 * The caller's semiring: plus_source and times_source are OpenCL C expressions of a and b, such as
 * "fmin(a, b)" and "a + b", zero_source and one_source expressions of their identities, such as
 * "INFINITY" and "0". All are of the type that is computed in, which is called T (int for GP_INT32,
 * short for GP_INT16, float for GP_FLOAT16 and GP_BFLOAT16). plus must be associative and
 * commutative, since sums are taken in any order. times has its a from alpha or A, its b from A *
 * B, from B or from C; it need not be commutative. C is read unless beta is NULL. Algorithms that
 * know only certain semirings refuse. Texts run on OpenCL devices, not on "host"
 * (GP_ERROR_UNSUPPORTED_DEVICE), and each text is built once for a context and kept on disk like
 * other programs. Where one does not build, gp_error_build_log() has the whole log
 * (GP_ERROR_BUILD).
 *
 * Error bound (plus-times): each element differs from the exact one by at most (k + 2) * eps *
 * (|alpha| |A| |B| + |beta| |C|), eps that of the type that is computed in, and by half a unit of
 * the last place of C more where that is GP_FLOAT16 or GP_BFLOAT16; typically by sqrt(k) * eps.
 * Matrix units sum two-byte factors, and those of GP_FAST, toward zero, and err more as k grows.
 * With GP_FAST and GP_FLOAT32 by 2^-10 |A| |B| more, and by 2^-37 k times the product of the
 * largest magnitudes in the row of A and the column of B; with GP_FAST, numbers below 2^-126 may
 * lose bits, and those of 2^128 - 2^116 and more may count as infinite, as in tf32. Where matrix
 * units compute float32 products in parts, or float64 products as integers, numbers that would
 * break the bound are detected on the device, and the product is computed plainly.
 * Cost: batch * m * n * k multiply-adds. Method: register tiles over packed panels (Goto and van de
 * Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008) on CPUs, over tiles in local
 * memory on GPUs (Volkov and Demmel, 2008), split operands through matrix units where there are
 * some that gpcl knows (Ootomo and Yokota, 2022), residues of integers for large products of
 * float64 there (Ozaki, Uchino and Imamura, 2025).
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_DTYPE, GP_ERROR_UNSUPPORTED_TYPE,
 * GP_ERROR_UNSUPPORTED_DEVICE, GP_ERROR_SEMIRING (also one of its four texts without the others, or
 * blank), GP_ERROR_OPTION, GP_ERROR_STRUCT_SIZE, GP_ERROR_LEADING_DIMENSION,
 * GP_ERROR_BATCH_STRIDE, GP_ERROR_OVERLAP, GP_ERROR_SIZE_OVERFLOW, GP_ERROR_ALIGNMENT,
 * GP_ERROR_ALGORITHM, GP_ERROR_ALGORITHM_REFUSED, GP_ERROR_TOO_LARGE, GP_ERROR_DEVICE_MEMORY,
 * GP_ERROR_BUILD. */
GP_API gp_status gp_matmul(gp_context *context, gp_dtype dtype, size_t m, size_t n, size_t k, const void *a, size_t lda,
                           const void *b, size_t ldb, void *c, size_t ldc, const gp_matmul_options *options);

/* The same on buffers; errors also GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_WRONG_CONTEXT. alpha, beta, the
 * bounds of GP_CLAMP and texts are read at once. */
GP_API gp_status gp_enqueue_matmul(gp_context *context, gp_dtype dtype, size_t m, size_t n, size_t k, gp_buffer *a,
                                   size_t a_offset, size_t lda, gp_buffer *b, size_t b_offset, size_t ldb, gp_buffer *c,
                                   size_t c_offset, size_t ldc, const gp_matmul_options *options, size_t wait_count,
                                   gp_event *const *wait, gp_event **event);

/* ---- Shortest paths -------------------------------------------------------------------------- */

typedef struct gp_paths_options {
    size_t struct_size;
    const char *algorithm;            /* a name from gp_algorithms; NULL chooses */
    gp_event **event;                 /* host-pointer form: receives a completed event with the times; the caller
                                         frees it */
    uint64_t *negative_cycle;         /* host-pointer form: receives 1 if there is a cycle of negative length, else 0;
                                         NULL: not wanted */
    gp_buffer *negative_cycle_buffer; /* gp_enqueue_paths: receives the same */
    size_t negative_cycle_offset;     /* in uint64 */
} gp_paths_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_PATHS_OPTIONS_INIT                                                                                          \
    { sizeof(gp_paths_options), 0, 0, 0, 0, 0 }
#endif

/* The lengths of the shortest paths between all pairs of n nodes, and the paths themselves.
 *
 * in[i * ld_in + j] is the length of the edge from node i to node j. +infinity means that there is
 * none, for integers the type's largest value; so does NaN. Lengths may be negative. An element of
 * the diagonal counts as 0 where it is greater, since a path of no edges has length 0.
 *
 * out[i * ld_out + j] becomes the length of the shortest path from i to j: +infinity, or the
 * largest value, where there is none, and 0 for i = j. What lies between the rows of out is not
 * touched. in == out with the same leading dimension is allowed; any other overlap is refused. NULL
 * is allowed for matrices where n is 0.
 *
 * predecessors, NULL where they are not wanted, is an n x n matrix of int32:
 * predecessors[i * ld_predecessors + j] becomes the node before j on a shortest path from i to j,
 * -9999 for i = j and where there is no path (as in SciPy). Walking from j over
 * p = predecessors[i * ld_predecessors + p] leads back to i. Of several shortest paths it is one,
 * the same from run to run; edges of length 0 make no circles.
 *
 * A cycle of negative length leaves no shortest paths between the nodes that it reaches: then some
 * out[i * ld_out + i] is less than 0, the other elements of out and predecessors are undefined, and
 * options->negative_cycle receives 1. An edge from a node to itself that is less than 0 is such a
 * cycle. The call succeeds.
 *
 * Types: GP_FLOAT32, GP_FLOAT64, GP_INT32, GP_INT16. The lengths of edges and of shortest paths of
 * integers lie within a sixth of the type's largest value, 357913941 and 5461, below 0 and above;
 * an edge or a path that is longer counts as none. n with predecessors is at most 2^31 - 1.
 * Rounding: an element is a sum of the lengths of a path's edges, in an order that depends on n and
 * the device; it differs from the shortest length by at most e * eps * the sum of the edges'
 * magnitudes on either path, e being their number. It is the same bits from run to run on one
 * device.
 * Cost: 2 * n^3 operations; two copies of a band of the matrix as work space. With predecessors it
 * takes three to four times as long.
 * Method: Floyd, "Algorithm 97: Shortest Path", 1962, by blocks of nodes, whose other parts are
 * min-plus products (Park, Penner and Prasanna, "Optimizing Graph Algorithms for Improved Cache
 * Performance", 2004).
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_DTYPE, GP_ERROR_UNSUPPORTED_TYPE,
 * GP_ERROR_OPTION, GP_ERROR_STRUCT_SIZE, GP_ERROR_LEADING_DIMENSION, GP_ERROR_OVERLAP,
 * GP_ERROR_SIZE_OVERFLOW, GP_ERROR_ALIGNMENT, GP_ERROR_TOO_LARGE, GP_ERROR_ALGORITHM,
 * GP_ERROR_ALGORITHM_REFUSED, GP_ERROR_DEVICE_MEMORY. */
GP_API gp_status gp_paths(gp_context *context, gp_dtype dtype, size_t n, const void *in, size_t ld_in, void *out,
                          size_t ld_out, int32_t *predecessors, size_t ld_predecessors,
                          const gp_paths_options *options);

/* The same on buffers; predecessors_offset counts int32. Errors also GP_ERROR_OUT_OF_BOUNDS,
 * GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_paths(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                                  size_t ld_in, gp_buffer *out, size_t out_offset, size_t ld_out,
                                  gp_buffer *predecessors, size_t predecessors_offset, size_t ld_predecessors,
                                  const gp_paths_options *options, size_t wait_count, gp_event *const *wait,
                                  gp_event **event);

/* ---- Operators of scan and reduce ------------------------------------------------------------ */

typedef int32_t gp_operator;
enum gp_operator_code {
    GP_ADD = 0,      /* identity 0; integers wrap */
    GP_MULTIPLY = 1, /* identity 1; integers wrap */
    GP_MINIMUM = 2,  /* identity +infinity or the type's largest value; NaN wins, as in NumPy */
    GP_MAXIMUM = 3   /* identity -infinity or the type's lowest value; NaN wins, as in NumPy */
};

/* ---- Scan ------------------------------------------------------------------------------------ */

typedef int32_t gp_scan_kind;
enum gp_scan_kind_code {
    GP_INCLUSIVE = 0, /* out[i] = in[0] o ... o in[i] */
    GP_EXCLUSIVE = 1  /* out[i] = identity o in[0] o ... o in[i - 1] */
};

typedef int32_t gp_direction;
enum gp_direction_code {
    GP_FORWARD = 0,
    GP_REVERSE = 1 /* as if each row, or each segment of it, were turned round, scanned, and turned round again */
};

typedef struct gp_scan_options {
    size_t struct_size;
    gp_operator op;
    gp_scan_kind kind;
    gp_direction direction;
    int32_t reserved;
    const char *operator_source; /* OpenCL C expression of a and b, such as "max(a, b)"; replaces `op`. The type of sums
                                      is called T. It must be associative; it need not be commutative: a comes first */
    const char *operator_identity; /* OpenCL C expression of its identity, such as "0"; required with operator_source */
    const char *operator_helpers;  /* OpenCL C declarations put before it, such as functions; NULL for none */
    const char *algorithm;         /* a name from gp_algorithms; NULL chooses */
    gp_event **event;  /* host-pointer form: receives a completed event with the times; the caller frees it */
    size_t batch;      /* number of rows, each scanned by itself; 0 means 1 */
    size_t stride_in;  /* elements from one row of `in` to the next; 0 means n * step_in, rows that follow each other */
    size_t stride_out; /* likewise for `out` */
    size_t step_in;    /* elements from one to the next within a row of `in`; 0 means 1 */
    size_t step_out;   /* likewise for `out`. For the columns of a row-major matrix: batch = its columns, n = its rows,
                          strides of 1, steps of its leading dimension */
    const uint8_t *heads;    /* host-pointer form: one flag for each element of `in`, heads[k] for in[k]; NULL for none.
                                A flag other than 0 begins a segment, which ends before the next one or with the row,
                                and is scanned by itself; the first element of a row begins one in any case. Segments
                                are the same in both directions: GP_REVERSE scans each from its last element */
    gp_buffer *heads_buffer; /* gp_enqueue_scan: the flags, heads_buffer[heads_offset + k] for in[in_offset + k] */
    size_t heads_offset;     /* in flags, which are bytes */
    gp_dtype accumulator;    /* type of the sums and of `out`; 0 means dtype */
    int32_t reserved2;
    const void *initial;       /* host memory, one element a row, of the type of sums: what comes
                                  before the row; read before the call returns. NULL: the identity */
    void *final_value;         /* host-pointer form: host memory, one element a row, which receives
                                  what `initial` must be for the rows to go on; may be `initial`
                                  itself; NULL: not wanted */
    gp_buffer *initial_buffer; /* gp_enqueue_scan: instead of `initial`, from element
                                  initial_offset on */
    size_t initial_offset;
    gp_buffer *final_buffer; /* gp_enqueue_scan: receives the final values, from element
                                  final_offset on */
    size_t final_offset;
    gp_buffer *n_buffer; /* gp_enqueue_scan: one uint64, how many elements there are, n at most. See Counts */
    size_t n_offset;     /* in uint64s: where in n_buffer */
} gp_scan_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_SCAN_OPTIONS_INIT                                                                                           \
    { sizeof(gp_scan_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#endif

/* Prefix sums (or other running combinations) of n elements, or of every row of a batch.
 *
 * Types: sums and out are GP_INT32, GP_UINT32, GP_INT64, GP_UINT64, GP_FLOAT32 or GP_FLOAT64:
 * dtype, or the accumulator, which must hold every value of dtype. With it, dtype may also be
 * GP_INT8, GP_INT16, GP_UINT8, GP_UINT16 or GP_FLOAT16.
 *
 * in == out with the same strides and steps is allowed, where the types are the same too; any other
 * overlap, counted from the first to the last element, is refused. Rows of out share no element:
 * they follow each other, or lie as the columns of a matrix do. Elements of out between the rows
 * are left as they are.
 * Floating-point results are the same bits from run to run on one device. Each result begins with
 * the identity, so a sum of nothing but -0 is +0.
 *
 * Carries: who has rows in pieces scans one after the other, and gives each call as `initial` what
 * the one before wrote as the final value. The results are those of whole rows: the same bits for
 * integers, within the same error bound for floats. The initial value v of a row comes first:
 * out[i] = v o in[0] o ... o in[i], or, exclusive, v o in[0] o ... o in[i - 1]. The final value is
 * v o in[0] o ... o in[n - 1] in both kinds, and v itself when n is 0 (without v, the identity).
 * Row r has element r of either. GP_REVERSE comes from the end, so the last piece is the first to
 * be scanned. With flags, the first segment goes on with v, unless its first element has a flag;
 * the final value is that of the last segment alone. In reverse the last segment goes on with v,
 * and the final value is the identity if the row's first element has a flag. The final values
 * overlap neither in, out nor flags; the initial ones do not overlap out. In buffers both may be
 * the same elements, or lie apart. Algorithms that only run when named may refuse carries.
 *
 * Error bound (add, floating point): out[i] differs from the exact sum by at most eps * (i + 1) *
 * sum |in[0..i]|, eps that of the type of sums, in[0] the first of its segment; the blocked order
 * used makes the typical error far smaller.
 * Cost: n operations, 3 n elements of memory traffic. Method: reduce, scan the sums, scan with
 * offsets (Blelloch, "Prefix Sums and Their Applications", 1990, which has the segmented operator
 * too; Dotsenko et al., 2008).
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_DTYPE (also of the accumulator),
 * GP_ERROR_UNSUPPORTED_TYPE, GP_ERROR_OPERATOR, GP_ERROR_OPTION (also heads and carries of the
 * other form, two initial values), GP_ERROR_STRUCT_SIZE, GP_ERROR_BATCH_STRIDE, GP_ERROR_OVERLAP,
 * GP_ERROR_SIZE_OVERFLOW, GP_ERROR_ALIGNMENT, GP_ERROR_ALGORITHM, GP_ERROR_ALGORITHM_REFUSED,
 * GP_ERROR_BUILD (operator text), GP_ERROR_UNSUPPORTED_DEVICE (operator text on "host"),
 * GP_ERROR_TOO_LARGE, GP_ERROR_DEVICE_MEMORY. */
GP_API gp_status gp_scan(gp_context *context, gp_dtype dtype, size_t n, const void *in, void *out,
                         const gp_scan_options *options);

/* The same on buffers. With options->n_buffer, GP_REVERSE comes from the last of as many elements
 * as it says. Errors also GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_scan(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                                 gp_buffer *out, size_t out_offset, const gp_scan_options *options, size_t wait_count,
                                 gp_event *const *wait, gp_event **event);

/* ---- Reduce ---------------------------------------------------------------------------------- */

typedef struct gp_reduce_options {
    size_t struct_size;
    gp_operator op;
    int32_t reserved;
    const char *operator_source; /* these three as in gp_scan_options */
    const char *operator_identity;
    const char *operator_helpers;
    const char *algorithm;
    gp_event **event;     /* host-pointer form: receives a completed event with the times; the caller frees it */
    size_t batch;         /* number of rows, each with a result of its own; 0 means 1 */
    size_t stride_in;     /* elements from one row to the next; 0 means n * step_in, rows that follow each other */
    size_t stride_out;    /* elements from one result to the next; 0 means 1 */
    size_t step_in;       /* elements from one to the next within a row; 0 means 1. Columns as in gp_scan_options */
    gp_dtype accumulator; /* type of the sums and of `out`; 0 means dtype */
    int32_t reserved2;
    int32_t accumulate; /* 1: what is in the output comes first: out[0] o in[0] o ... o in[n - 1] */
    int32_t reserved3;
    gp_buffer *n_buffer; /* gp_enqueue_reduce: one uint64, how many elements there are, n at most. See Counts */
    size_t n_offset;     /* in uint64s: where in n_buffer */
} gp_reduce_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_REDUCE_OPTIONS_INIT                                                                                         \
    { sizeof(gp_reduce_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#endif

/* out[0] = in[0] o in[1] o ... o in[n - 1], the identity when n is 0; with a batch, one such
 * result for each row. Types, order of operands, reproducibility, error bound and errors as
 * gp_scan; out must not lie within in. Results between which stride_out leaves elements leave those
 * as they are. Cost: n operations, n elements of memory traffic.
 *
 * With options->accumulate, whoever has rows in pieces reduces one after the other into the same
 * output, from the second piece on, or from the first into an output that holds the identity: the
 * results are those of whole rows, the same bits for integers, within the same error bound for
 * floats. When n is 0 the output stays as it is. The pieces' partial results take work space of a
 * row's result each. Any other value than 0 and 1 is refused with GP_ERROR_OPTION. */
GP_API gp_status gp_reduce(gp_context *context, gp_dtype dtype, size_t n, const void *in, void *out,
                           const gp_reduce_options *options);

/* The same on buffers; the first result is written at out_offset. */
GP_API gp_status gp_enqueue_reduce(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                                   gp_buffer *out, size_t out_offset, const gp_reduce_options *options,
                                   size_t wait_count, gp_event *const *wait, gp_event **event);

/* ---- Arg reduce ------------------------------------------------------------------------------ */

typedef struct gp_arg_reduce_options {
    size_t struct_size;
    const char *algorithm; /* a name from gp_algorithms; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    size_t batch;          /* number of rows, each with a result of its own; 0 means 1 */
    size_t stride_in;      /* elements from one row to the next; 0 means n * step_in, rows that follow each other */
    size_t stride_out;     /* elements from one position to the next, and from one value to the next; 0 means 1 */
    size_t step_in;        /* elements from one to the next within a row; 0 means 1. Columns as in gp_scan_options */
    gp_buffer *n_buffer;   /* gp_enqueue_arg_reduce: one uint64, how many elements there are, n at most. See Counts */
    size_t n_offset;       /* in uint64s: where in n_buffer */
} gp_arg_reduce_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_ARG_REDUCE_OPTIONS_INIT                                                                                     \
    { sizeof(gp_arg_reduce_options), 0, 0, 0, 0, 0, 0, 0, 0 }
#endif

/* Where the smallest element of each row is (op GP_MINIMUM), or the largest (GP_MAXIMUM).
 * positions[0] is its place in the row, counted from 0; values[0] the element itself, with its
 * bits. With a batch, there is one of each for each row, stride_out apart; what lies between is not
 * touched. Of equal elements the first counts. As in numpy.argmin and numpy.argmax, -0 equals +0,
 * and a NaN comes before all numbers, whichever is asked for: the result is the first NaN.
 *
 * Types: all, also those that the device can't compute. `index` is the type of the positions,
 * GP_UINT32 or GP_UINT64. values may be NULL. Positions and values must overlap neither in nor each
 * other.
 * Errors: GP_ERROR_EMPTY for n = 0, GP_ERROR_OPERATOR, GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE,
 * GP_ERROR_DTYPE (also of index), GP_ERROR_OPTION, GP_ERROR_STRUCT_SIZE, GP_ERROR_OVERLAP,
 * GP_ERROR_SIZE_OVERFLOW, GP_ERROR_ALIGNMENT, GP_ERROR_TOO_LARGE (n > 2^32 with GP_UINT32),
 * GP_ERROR_ALGORITHM, GP_ERROR_ALGORITHM_REFUSED, GP_ERROR_HOST_MEMORY, GP_ERROR_DEVICE_MEMORY;
 * outputs are undefined where the device or memory fails. Cost: n comparisons, n elements of memory
 * traffic. */
GP_API gp_status gp_arg_reduce(gp_context *context, gp_operator op, gp_dtype dtype, size_t n, const void *in,
                               gp_dtype index, void *positions, void *values, const gp_arg_reduce_options *options);

/* The same on buffers. Where options->n_buffer says 0, the results are left as they are. Errors
 * also GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_arg_reduce(gp_context *context, gp_operator op, gp_dtype dtype, size_t n, gp_buffer *in,
                                       size_t in_offset, gp_dtype index, gp_buffer *positions, size_t positions_offset,
                                       gp_buffer *values, size_t values_offset, const gp_arg_reduce_options *options,
                                       size_t wait_count, gp_event *const *wait, gp_event **event);

/* ---- Transform ------------------------------------------------------------------------------- */

typedef struct gp_transform_options {
    size_t struct_size;
    const char *helpers;   /* OpenCL C declarations put before the text, such as functions; NULL for none */
    const char *algorithm; /* a name from gp_algorithms; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    uint32_t broadcast;    /* bit k, 1 << k: in[k] is one element, which is xk at every position */
    int32_t reserved;
    gp_buffer *n_buffer; /* gp_enqueue_transform: a uint64 on the device that is read when the call runs. As many
                            elements are computed, at most n. NULL: n */
    size_t n_offset;     /* in uint64 */
} gp_transform_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_TRANSFORM_OPTIONS_INIT                                                                                      \
    { sizeof(gp_transform_options), 0, 0, 0, 0, 0, 0, 0 }
#endif

/* out[i] = source(x0, x1, ..., i) for n elements, in one pass over up to 8 arrays.
 *
 * source is an OpenCL C expression, such as "x0 * 2 + x1": x0 to x7 are the elements at a position
 * of `count` arrays, each of its own type dtypes[k], and i is that position (ulong), counted from
 * 0. A float16 is read as a float. The value becomes one of the type of `out`, which is called T
 * (float for GP_FLOAT16, which is rounded to nearest once), as C converts: from floats to integers
 * it is cut off. Comparisons give 0 and 1. No element but those at the position can be reached. The
 * text is built once for a context and kept on disk like other programs; where it does not build,
 * gp_error_build_log() has the whole log. It runs on OpenCL devices, not on "host".
 *
 * count = 0 is allowed: then `dtypes` and `in` may be NULL. Arrays that options->broadcast names
 * hold one element, such as a sum that another call left on the device.
 *
 * out may be one of the arrays, or several, if that has elements of the same size and is not
 * broadcast; any other overlap is refused. Arrays of the input may overlap.
 *
 * Types: all; GP_FLOAT64 where the device can compute it.
 * Cost: n values of the text, and each array's memory traffic once. No work space.
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_DTYPE, GP_ERROR_UNSUPPORTED_TYPE,
 * GP_ERROR_UNSUPPORTED_DEVICE (on "host"), GP_ERROR_OPTION (more than 8 arrays, a blank text, bits
 * of `broadcast` without an array), GP_ERROR_STRUCT_SIZE, GP_ERROR_OVERLAP, GP_ERROR_SIZE_OVERFLOW,
 * GP_ERROR_ALIGNMENT, GP_ERROR_ALGORITHM, GP_ERROR_ALGORITHM_REFUSED, GP_ERROR_BUILD,
 * GP_ERROR_HOST_MEMORY, GP_ERROR_DEVICE_MEMORY. */
GP_API gp_status gp_transform(gp_context *context, size_t n, size_t count, const gp_dtype *dtypes,
                              const void *const *in, gp_dtype dtype, void *out, const char *source,
                              const gp_transform_options *options);

/* The same on buffers; array k begins at element in_offsets[k] of in[k], where in_offsets is not
 * NULL. With options->n_buffer, elements from that number on are left as they are. Errors also
 * GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_transform(gp_context *context, size_t n, size_t count, const gp_dtype *dtypes,
                                      gp_buffer *const *in, const size_t *in_offsets, gp_dtype dtype, gp_buffer *out,
                                      size_t out_offset, const char *source, const gp_transform_options *options,
                                      size_t wait_count, gp_event *const *wait, gp_event **event);

/* ---- Difference ------------------------------------------------------------------------------ */

/* What becomes of a row's first element, which has none before it. */
typedef int32_t gp_first;
enum gp_first_code {
    GP_FIRST_KEPT = 0,    /* out[0] = in[0], so that an inclusive scan gives the row again; n elements */
    GP_FIRST_LEFT_OUT = 1 /* out[i] is the difference of in[i + 1] and in[i], as numpy.diff; n - 1 elements */
};

typedef struct gp_difference_options {
    size_t struct_size;
    gp_first first;
    int32_t reserved;
    const char *operator_source;  /* OpenCL C expression of a and b, such as "b - a": an element, and the one behind it.
                                    It replaces the difference; the type of elements is called T. NULL: b - a */
    const char *operator_helpers; /* OpenCL C declarations put before it, such as functions; NULL for none */
    const char *algorithm;        /* a name from gp_algorithms; NULL chooses */
    gp_event **event;  /* host-pointer form: receives a completed event with the times; the caller frees it */
    size_t batch;      /* number of rows, each by itself; 0 means 1 */
    size_t stride_in;  /* elements from one row of `in` to the next; 0 means n * step_in, rows that follow each other */
    size_t stride_out; /* likewise for `out`; 0 means that its rows follow each other */
    size_t step_in;    /* elements from one to the next within a row of `in`; 0 means 1 */
    size_t step_out;   /* likewise for `out`. Columns as in gp_scan_options */
    gp_buffer *n_buffer; /* gp_enqueue_difference: one uint64, how many elements there are, n at most. See Counts */
    size_t n_offset;     /* in uint64s: where in n_buffer */
} gp_difference_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_DIFFERENCE_OPTIONS_INIT                                                                                     \
    { sizeof(gp_difference_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#endif

/* The differences of neighbouring elements of n, or of every row of a batch: out[i] = in[i] -
 * in[i - 1] and out[0] = in[0]; with GP_FIRST_LEFT_OUT out[i] = in[i + 1] - in[i], n - 1 of them.
 *
 * Types: all; GP_FLOAT64 where the device can compute it. Integers wrap. float16 is computed in
 * float32 (T is float) and rounded to nearest once. Each float is the exact difference, rounded.
 * options->operator_source gives each pair of neighbours another value; a first element that is
 * kept stays as it is. It runs on OpenCL devices, not on "host".
 *
 * in and out must not overlap. Rows of out share no element: they follow each other, or lie as the
 * columns of a matrix do. Elements of out between the rows are left as they are.
 * Cost: n operations, 2 n elements of memory traffic. No work space.
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_DTYPE, GP_ERROR_UNSUPPORTED_TYPE,
 * GP_ERROR_OPERATOR (a blank text), GP_ERROR_OPTION, GP_ERROR_STRUCT_SIZE, GP_ERROR_BATCH_STRIDE,
 * GP_ERROR_OVERLAP, GP_ERROR_SIZE_OVERFLOW, GP_ERROR_ALIGNMENT, GP_ERROR_ALGORITHM,
 * GP_ERROR_ALGORITHM_REFUSED, GP_ERROR_BUILD, GP_ERROR_UNSUPPORTED_DEVICE (operator text on
 * "host"), GP_ERROR_HOST_MEMORY, GP_ERROR_DEVICE_MEMORY. */
GP_API gp_status gp_difference(gp_context *context, gp_dtype dtype, size_t n, const void *in, void *out,
                               const gp_difference_options *options);

/* The same on buffers; errors also GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_difference(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                                       gp_buffer *out, size_t out_offset, const gp_difference_options *options,
                                       size_t wait_count, gp_event *const *wait, gp_event **event);

/* ---- Sort ------------------------------------------------------------------------------------ */

typedef int32_t gp_order;
enum gp_order_code { GP_ASCENDING = 0, GP_DESCENDING = 1 };

typedef struct gp_sort_options {
    size_t struct_size;
    gp_order order;
    int32_t reserved;
    const char *algorithm; /* a name from gp_algorithms; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    uint32_t begin_bit;    /* the sort looks at these bits of the keys alone: from begin_bit, 0 the lowest, */
    uint32_t end_bit;      /* up to, not including, end_bit; 0 means all from begin_bit on */
    gp_buffer *work;       /* where work space is taken from; NULL: from a pool that the context keeps (gp_trim) */
    size_t work_offset;    /* in bytes: where in `work` it begins */
    size_t work_bytes;     /* how many there are from there on; 0 means all up to its end */
    size_t batch;          /* number of rows, each sorted by itself; 0 means 1 */
    size_t stride;         /* keys from one row to the next; 0 means n * step, rows that follow each other */
    size_t step;           /* keys from one to the next within a row; 0 means 1. Columns as in gp_scan_options */
    size_t segments;       /* with offsets, or where work space is asked for: number of segments, each sorted by itself;
                              0 with neither offsets nor offsets_buffer means that there are none */
    const void *offsets;   /* host-pointer form: where each segment begins, in keys, and where the last one ends,
                              segments + 1 offsets; with ends, `segments` of them */
    const void *ends; /* where each segment ends, for segments with gaps between them; NULL: where the next begins */
    gp_buffer *offsets_buffer; /* gp_enqueue_sort and its like: instead of `offsets`, from element offsets_offset on */
    size_t offsets_offset;
    gp_buffer *ends_buffer; /* instead of `ends`, from element ends_offset on */
    size_t ends_offset;
    gp_dtype offset_type; /* of offsets and ends: GP_INT32, GP_UINT32, GP_INT64 or GP_UINT64; 0 means GP_UINT64 */
    int32_t reserved2;
    gp_buffer *n_buffer; /* gp_enqueue_ forms: one uint64, how many keys there are, n at most. See Counts */
    size_t n_offset;     /* in uint64s: where in n_buffer */
} gp_sort_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_SORT_OPTIONS_INIT                                                                                           \
    { sizeof(gp_sort_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#endif

/* Sorts n keys in place, or n keys of every row of a batch, or segments of n keys.
 *
 * Types: the eight integer types, GP_FLOAT32, GP_FLOAT64 (also on devices that can't compute
 * float64). The sort is stable in both orders: equal keys keep their order. Floating-point keys
 * order as in NumPy: -0 equals +0, all NaN are equal to each other and come last, in descending
 * order too; every key keeps its bits.
 *
 * A range of bits counts them in the keys as ordered: as unsigned numbers that order as the keys do
 * in ascending order. For unsigned keys these are their own bits. Signed ones have their highest
 * bit turned. Floating-point keys below zero have all bits turned, the others the highest; -0
 * counts as +0; NaN has ones everywhere. In descending order all bits are turned again, but those
 * of NaN. Keys with equal bits in the range are equal, and keep their order.
 *
 * Rows: key i of row r lies r * stride + i * step keys after the first; its value, or the place of
 * its index, as many values or indices after theirs. Indices count from 0 in each row. Rows share
 * no key: they follow each other, or lie as the columns of a matrix do. What lies between them is
 * left as it is. Short rows share a work-group, or have one each; long ones are sorted together by
 * passes over all of them, or one after the other, whichever is sooner on the device. An algorithm
 * for one array that is named sorts row after row. Rows with gaps, or with steps, are gathered
 * first where the algorithm wants them side by side, and put back afterwards.
 *
 * Segments: segment s is the keys offsets[s] up to, not including, offsets[s + 1], or ends[s]. Each
 * is sorted by itself, its indices count from 0; segments may be empty. They come in the order in
 * which they lie: no offset is less than the one before, or than the end before it. Keys, values
 * and indices outside all segments are left as they are. The calls on host pointers check the
 * offsets, and their error names the first wrong one (GP_ERROR_OPTION). The calls on buffers do not
 * check them, so that the host does not wait. They cut segments to the n keys, and take a segment
 * that ends before it begins for an empty one. Keys that several segments share are undefined
 * afterwards; some may be lost or come twice. Nothing is written outside the segments. A call with
 * segments has one row, of step 1, and on OpenCL devices n is less than 2^32. The device divides
 * segments into classes by their length. Short ones are sorted by a network in the registers of a
 * work-item or a warp, longer ones in the local memory of a work-group. Those beyond that are
 * sorted by samples, or together by radix passes. On CPUs a work-item sorts a segment.
 *
 * Work space: n keys and n values of 1, 2, 4, 8 or 16 aligned bytes, and counters; other values
 * take n keys, n indices of 4 bytes and n values or indices, whichever is more; gp_argsort up to 2
 * n keys and n indices; keys of one byte alone may take counters only. Counters are at most 1 % of
 * that or 3 MiB, whichever is more. With a batch n is the keys of all rows; counters are up to a
 * tenth, and rows that are gathered take as much again as their arrays. Segments take more: up to
 * half as many bytes as the keys, n / 2 bytes, and with indices of 8 bytes 4 n bytes; on CPUs 2 n
 * keys, 2 n indices of 4 bytes and n values in all. gp_sort_work_bytes tells exactly.
 * Cost: up to 4096 keys take one launch; on NVIDIA GPUs up to 16384 do, as far as local memory has
 * room, and up to some hundred thousand keys of 2 bytes and more take two. More take a pass over
 * the data to count, then one for every 8 bits, of which those are left out, two by two, that are
 * the same in all keys; many integers on NVIDIA's Hopper generation take three to five where their
 * distribution allows. From 2^31 keys on, an OpenCL device sorts 4 or 16 runs and merges them.
 * Method: least-significant-digit radix sort (Adinets and Merrill, "Onesweep", 2022; Satish, Harris
 * and Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs", 2009); on CPUs keys
 * alone, on Hopper many integers are split by their highest digits first (Stehle and Jacobsen, "A
 * Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", 2017).
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_DTYPE, GP_ERROR_OPTION,
 * GP_ERROR_STRUCT_SIZE, GP_ERROR_BATCH_STRIDE (rows that share keys), GP_ERROR_OVERLAP (work space,
 * too), GP_ERROR_SIZE_OVERFLOW, GP_ERROR_ALIGNMENT, GP_ERROR_VALUE_SIZE, GP_ERROR_ALGORITHM,
 * GP_ERROR_ALGORITHM_REFUSED, GP_ERROR_OUT_OF_BOUNDS (`work` is too small), GP_ERROR_WRONG_CONTEXT
 * (`work`), GP_ERROR_TOO_LARGE, GP_ERROR_DEVICE_MEMORY, GP_ERROR_HOST_MEMORY. Work space is taken
 * before anything is written: where it can't be had, the arrays are as they were; but for rows on
 * "host", of which some may be sorted then. */
GP_API gp_status gp_sort(gp_context *context, gp_dtype dtype, size_t n, void *keys, const gp_sort_options *options);

/* Sorts n keys in place and moves the values with them; a value is any value_size (1 to 64) bytes,
 * without alignment. */
GP_API gp_status gp_sort_pairs(gp_context *context, gp_dtype dtype, size_t n, void *keys, size_t value_size,
                               void *values, const gp_sort_options *options);

/* Writes to `indices` the order in which the keys would be sorted: keys[indices[0]] comes first.
 * index is GP_UINT32 (n up to 2^32) or GP_UINT64. The keys are left as they are. */
GP_API gp_status gp_argsort(gp_context *context, gp_dtype dtype, size_t n, const void *keys, gp_dtype index,
                            void *indices, const gp_sort_options *options);

/* *bytes = the device memory that a sort of buffers takes beside its arrays, wherever it comes
 * from: from options->work_offset on in options->work, or from the pool. value_size is 0 for
 * gp_enqueue_sort; `index` is 0, or the type of gp_enqueue_argsort's indices, and then value_size
 * is 0. The calls on host pointers take as much, but up to n * (4 + value_size) bytes more for
 * values that are not aligned to their size. 0 on "host", which uses the process' memory, and for
 * algorithms that only run when named, which take it from the pool. Cost: O(1); nothing is built.
 * Errors: as gp_sort. */
GP_API gp_status gp_sort_work_bytes(gp_context *context, gp_dtype dtype, size_t n, size_t value_size, gp_dtype index,
                                    const gp_sort_options *options, size_t *bytes);

/* The same on buffers; offsets are in keys, values and indices. With options->n_buffer, keys,
 * values and indices behind the count are left as they are; `work` does not overlap it; n is less
 * than 2^31 on OpenCL devices, where one algorithm for each kind of device takes it: "onesweep",
 * "radix-tiles" or "radix-chunks". Errors also GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_sort(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *keys, size_t keys_offset,
                                 const gp_sort_options *options, size_t wait_count, gp_event *const *wait,
                                 gp_event **event);
GP_API gp_status gp_enqueue_sort_pairs(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *keys,
                                       size_t keys_offset, size_t value_size, gp_buffer *values, size_t values_offset,
                                       const gp_sort_options *options, size_t wait_count, gp_event *const *wait,
                                       gp_event **event);
GP_API gp_status gp_enqueue_argsort(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *keys, size_t keys_offset,
                                    gp_dtype index, gp_buffer *indices, size_t indices_offset,
                                    const gp_sort_options *options, size_t wait_count, gp_event *const *wait,
                                    gp_event **event);

/* ---- Top k ----------------------------------------------------------------------------------- */

typedef struct gp_top_k_options {
    size_t struct_size;
    const char *algorithm; /* a name from gp_algorithms; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    size_t batch;          /* number of rows, each with k results of its own; 0 means 1 */
    size_t stride_in;      /* elements from one row to the next; 0 means n * step_in, rows that follow each other */
    size_t stride_out;     /* elements from one row's results to the next's; 0 means k */
    size_t step_in;        /* elements from one to the next within a row; 0 means 1. Columns as in gp_scan_options */
    int32_t unsorted;      /* 1: the k results are in any order, which may differ from call to call */
    int32_t reserved;
    gp_buffer *n_buffer; /* gp_enqueue_top_k: one uint64, how many elements there are, n at most. See Counts */
    size_t n_offset;     /* in uint64s: where in n_buffer */
} gp_top_k_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_TOP_K_OPTIONS_INIT                                                                                          \
    { sizeof(gp_top_k_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#endif

/* The k smallest elements of each row, smallest first (GP_ASCENDING), or the k largest, largest
 * first (GP_DESCENDING). positions[i] is the place of number i in the row, counted from 0;
 * values[i] the element itself, with its bits. Either may be NULL, not both. With a batch there
 * are k of each for each row, stride_out apart; what lies between is not touched.
 *
 * These are the first k of what a stable sort of the row would give (gp_sort): of equal elements
 * those with the lowest positions are taken, and they come in the order of their positions. -0
 * equals +0. All NaN are equal and come last, in descending order too, so that they are taken only
 * where a row has fewer than k numbers. k = 0 does nothing, and n may be 0 then.
 *
 * Types: all, also those that the device can't compute. `index` is the type of the positions,
 * GP_UINT32 or GP_UINT64, also where positions is NULL. `in` is only read; outputs must overlap
 * neither it nor each other.
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_DTYPE (also of index), GP_ERROR_OPTION
 * (k > n, too), GP_ERROR_STRUCT_SIZE, GP_ERROR_OVERLAP, GP_ERROR_BATCH_STRIDE for
 * 0 < stride_out < k, GP_ERROR_SIZE_OVERFLOW, GP_ERROR_ALIGNMENT, GP_ERROR_TOO_LARGE (n > 2^32 with
 * GP_UINT32), GP_ERROR_ALGORITHM, GP_ERROR_ALGORITHM_REFUSED (n >= 2^32 on OpenCL devices),
 * GP_ERROR_HOST_MEMORY, GP_ERROR_DEVICE_MEMORY; outputs are undefined where the device or memory
 * fails.
 *
 * Work space: some 100 bytes for each of the k, and n / 500 elements. Cost: few elements, or few
 * of each of many rows, take one launch. Of long rows a sample tells which elements can be among
 * the k, and one pass over the row keeps those; where the sample misleads, as with many equal
 * elements or k near n, up to seven passes over the row find them by their digits (of 64-bit
 * elements, up to ten). On OpenCL devices long rows are taken one after the other. Then k elements
 * are sorted. Method: Alabi, Blanchard, Gordon and Steinbach, "Fast k-Selection Algorithms for
 * Graphics Processing Units", 2012; Floyd and Rivest, "Expected Time Bounds for Selection",
 * 1975. */
GP_API gp_status gp_top_k(gp_context *context, gp_order order, gp_dtype dtype, size_t n, const void *in, size_t k,
                          gp_dtype index, void *positions, void *values, const gp_top_k_options *options);

/* The same on buffers. With options->n_buffer, where it says less than k, all elements are the
 * results, and what the outputs hold behind them stays. Errors also GP_ERROR_OUT_OF_BOUNDS,
 * GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_top_k(gp_context *context, gp_order order, gp_dtype dtype, size_t n, gp_buffer *in,
                                  size_t in_offset, size_t k, gp_dtype index, gp_buffer *positions,
                                  size_t positions_offset, gp_buffer *values, size_t values_offset,
                                  const gp_top_k_options *options, size_t wait_count, gp_event *const *wait,
                                  gp_event **event);

/* ---- Search ---------------------------------------------------------------------------------- */

typedef int32_t gp_side;
enum gp_side_code {
    GP_LEFT = 0, /* before the elements that equal the value: its lower bound */
    GP_RIGHT = 1 /* behind them: its upper bound */
};

typedef struct gp_search_options {
    size_t struct_size;
    gp_side side;
    gp_order order;        /* that in which the array is sorted */
    const char *algorithm; /* a name from gp_algorithms; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    gp_buffer *n_buffer;   /* gp_enqueue_search: one uint64, how many elements there are, n at most. See Counts */
    size_t n_offset;       /* in uint64s: where in n_buffer */
    gp_buffer *m_buffer;   /* likewise how many values there are; m is the most there may be */
    size_t m_offset;
} gp_search_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_SEARCH_OPTIONS_INIT                                                                                         \
    { sizeof(gp_search_options), 0, 0, 0, 0, 0, 0, 0, 0 }
#endif

/* For each of m values, where it belongs in a sorted array of n elements: positions[i] is how many
 * elements come before values[i] in the order of gp_sort (GP_LEFT), or how many come before it or
 * equal it (GP_RIGHT). So it is in 0 .. n, 0 where n is 0, and as numpy.searchsorted has it: -0
 * equals +0, all NaN are equal to each other and come last, in descending order too.
 *
 * The array is as gp_sort leaves it. In one that is not sorted, positions are some numbers in 0 ..
 * n, and nothing outside of the array is read. The values may have any order. Sorted ones, in the
 * array's order, take less time.
 *
 * Types: all, also those that the device can't compute. Array and values have the same type, and
 * may overlap. `index` is the type of the positions, GP_UINT32 or GP_UINT64; the positions overlap
 * neither of the two.
 * Cost: log2(n) comparisons a value; where values are sorted and m is not much less than n, n + m
 * elements of memory traffic. Method: search without branches, several at a time (Khuong and Morin,
 * "Array Layouts for Comparison-Based Searching", 2017), from samples in local memory on; sorted
 * values by parts of the array (Green, McColl and Bader, "GPU Merge Path", 2012).
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_DTYPE (also of index), GP_ERROR_OPTION,
 * GP_ERROR_STRUCT_SIZE, GP_ERROR_OVERLAP, GP_ERROR_ALIGNMENT, GP_ERROR_SIZE_OVERFLOW,
 * GP_ERROR_TOO_LARGE (n > 2^32 - 1 with GP_UINT32), GP_ERROR_ALGORITHM,
 * GP_ERROR_ALGORITHM_REFUSED, GP_ERROR_DEVICE_MEMORY. */
GP_API gp_status gp_search(gp_context *context, gp_dtype dtype, size_t n, const void *sorted, size_t m,
                           const void *values, gp_dtype index, void *positions, const gp_search_options *options);

/* The same on buffers. Positions of values behind options->m_buffer's number are left as they are.
 * Errors also GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_search(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *sorted,
                                   size_t sorted_offset, size_t m, gp_buffer *values, size_t values_offset,
                                   gp_dtype index, gp_buffer *positions, size_t positions_offset,
                                   const gp_search_options *options, size_t wait_count, gp_event *const *wait,
                                   gp_event **event);

/* ---- Is sorted ------------------------------------------------------------------------------- */

typedef struct gp_is_sorted_options {
    size_t struct_size;
    gp_order order;
    int32_t strict;        /* 1: an element that equals the one before it is out of order, too */
    const char *algorithm; /* a name from gp_algorithms; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    size_t batch;          /* number of rows, each with a result of its own; 0 means 1 */
    size_t stride_in;      /* elements from one row to the next; 0 means n * step_in, rows that follow each other */
    size_t stride_out;     /* elements from one position to the next; 0 means 1 */
    size_t step_in;        /* elements from one to the next within a row; 0 means 1. Columns as in gp_scan_options */
    gp_buffer *n_buffer;   /* gp_enqueue_is_sorted: one uint64, how many elements there are, n at most. See Counts */
    size_t n_offset;       /* in uint64s: where in n_buffer */
} gp_is_sorted_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_IS_SORTED_OPTIONS_INIT                                                                                      \
    { sizeof(gp_is_sorted_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#endif

/* Whether each row is sorted in the order of gp_sort, and where that ends: positions[0] is the
 * least i with in[i] before in[i - 1], n where there is none (also where n is 0 or 1). With
 * options->strict, it is the least i with in[i - 1] not before in[i]. With a batch, there is one
 * for each row, stride_out apart; what lies between is not touched. -0 equals +0, all NaN are equal
 * to each other and come last, in descending order too.
 *
 * Types: all, also those that the device can't compute. The positions must not overlap `in`.
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_DTYPE, GP_ERROR_OPTION,
 * GP_ERROR_STRUCT_SIZE, GP_ERROR_OVERLAP, GP_ERROR_ALIGNMENT, GP_ERROR_SIZE_OVERFLOW,
 * GP_ERROR_ALGORITHM, GP_ERROR_ALGORITHM_REFUSED, GP_ERROR_DEVICE_MEMORY. Cost: n comparisons, n
 * elements of memory traffic. */
GP_API gp_status gp_is_sorted(gp_context *context, gp_dtype dtype, size_t n, const void *in, uint64_t *positions,
                              const gp_is_sorted_options *options);

/* The same on buffers; positions are uint64, positions_offset counts them. Errors also
 * GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_is_sorted(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                                      gp_buffer *positions, size_t positions_offset,
                                      const gp_is_sorted_options *options, size_t wait_count, gp_event *const *wait,
                                      gp_event **event);

/* ---- Runs ------------------------------------------------------------------------------------ */

typedef struct gp_run_lengths_options {
    size_t struct_size;
    const char *algorithm; /* a name from gp_algorithms; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    size_t capacity;       /* elements that values, lengths and first positions hold; 0 means n. See Counts at the
                              top of this file */
    void *firsts; /* host-pointer form: receives where each run begins, of the type `index`; NULL: not wanted */
    gp_buffer *firsts_buffer; /* gp_enqueue_run_lengths: receives that, from element firsts_offset on */
    size_t firsts_offset;
    gp_buffer
        *n_buffer;   /* gp_enqueue_run_lengths: one uint64, how many elements there are; n is the most there may be */
    size_t n_offset; /* in uint64s: where in n_buffer */
} gp_run_lengths_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_RUN_LENGTHS_OPTIONS_INIT                                                                                    \
    { sizeof(gp_run_lengths_options), 0, 0, 0, 0, 0, 0, 0, 0 }
#endif

/* The runs of an array, which are neighbours that equal each other: values[k] is the first element
 * of run number k, lengths[k] how many elements it has, and *count how many runs there are (0 when
 * n is 0). Equal is what gp_sort takes for equal: -0 equals +0, all NaN are equal to each other.
 *
 * Types: all, also those that the device can't compute. `index`, the type of lengths and first
 * positions, is GP_UINT32 or GP_UINT64. `values` and `lengths` may each be NULL, which leaves them
 * out. Outputs overlap neither `in` nor each other. Elements of the outputs behind the last run are
 * left as they are.
 *
 * Cost: n elements read, each run written once; twice n elements read by "chunks". Method: a scan
 * of pairs, the number of runs and what comes since the last one began (Blelloch, "Prefix Sums and
 * Their Applications", 1990, section 1.5), in one pass where the device can (Merrill and Garland,
 * "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016).
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_DTYPE, GP_ERROR_OPTION,
 * GP_ERROR_STRUCT_SIZE, GP_ERROR_OVERLAP, GP_ERROR_ALIGNMENT, GP_ERROR_SIZE_OVERFLOW,
 * GP_ERROR_ALGORITHM, GP_ERROR_ALGORITHM_REFUSED, GP_ERROR_TOO_LARGE (n past the type `index`),
 * GP_ERROR_DEVICE_MEMORY. */
GP_API gp_status gp_run_lengths(gp_context *context, gp_dtype dtype, size_t n, const void *in, void *values,
                                gp_dtype index, void *lengths, uint64_t *count, const gp_run_lengths_options *options);

/* The same on buffers; `values` and `lengths` NULL are left out. The count is a uint64, which
 * count_offset counts; nothing waits for it. Errors also GP_ERROR_OUT_OF_BOUNDS,
 * GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_run_lengths(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                                        gp_buffer *values, size_t values_offset, gp_dtype index, gp_buffer *lengths,
                                        size_t lengths_offset, gp_buffer *count, size_t count_offset,
                                        const gp_run_lengths_options *options, size_t wait_count, gp_event *const *wait,
                                        gp_event **event);

typedef struct gp_reduce_by_key_options {
    size_t struct_size;
    gp_operator op;
    int32_t any_order;           /* 1: elements of equal keys need not follow each other */
    const char *operator_source; /* these three as in gp_scan_options */
    const char *operator_identity;
    const char *operator_helpers;
    const char *algorithm; /* a name from gp_algorithms; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    gp_dtype accumulator;  /* type of the results; 0 means dtype */
    int32_t reserved;
    size_t capacity;     /* elements that out_keys and out_values hold; 0 means n. As in gp_run_lengths_options */
    gp_buffer *n_buffer; /* gp_enqueue_reduce_by_key: these two as in gp_run_lengths_options */
    size_t n_offset;
} gp_reduce_by_key_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_REDUCE_BY_KEY_OPTIONS_INIT                                                                                  \
    { sizeof(gp_reduce_by_key_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#endif

/* Sums (or other combinations) of the values whose keys equal each other and follow each other:
 * out_keys[k] is the first key of run number k of the keys, as gp_run_lengths has runs,
 * out_values[k] = values[i] o values[i + 1] o ... o values[j] of that run's elements i to j, and
 * *count how many runs there are. With options->any_order keys that equal each other make one run
 * wherever they are: the results come in the ascending order of their keys, as gp_sort has it, and
 * values are combined in the order in which they stand.
 *
 * Types: keys of key_dtype, any; values of `dtype` and results of dtype or of the accumulator, as
 * in gp_reduce. out_keys may be NULL, which leaves it out. Outputs overlap neither inputs nor each
 * other. Floating-point results are the same bits from run to run on one device, with an error
 * bound as in gp_scan.
 *
 * Cost: n keys and n values read, each result written once; n operations; twice n keys read by
 * "chunks". With any_order also a sort of n pairs and work space of n keys and n values. Method:
 * that of gp_run_lengths.
 *
 * Errors: those of gp_run_lengths, and GP_ERROR_UNSUPPORTED_TYPE, GP_ERROR_OPERATOR, GP_ERROR_BUILD
 * (operator text), GP_ERROR_UNSUPPORTED_DEVICE (operator text on "host"). */
GP_API gp_status gp_reduce_by_key(gp_context *context, gp_dtype key_dtype, size_t n, const void *keys, gp_dtype dtype,
                                  const void *values, void *out_keys, void *out_values, uint64_t *count,
                                  const gp_reduce_by_key_options *options);

/* The same on buffers; the count as in gp_enqueue_run_lengths. Errors also GP_ERROR_OUT_OF_BOUNDS,
 * GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_reduce_by_key(gp_context *context, gp_dtype key_dtype, size_t n, gp_buffer *keys,
                                          size_t keys_offset, gp_dtype dtype, gp_buffer *values, size_t values_offset,
                                          gp_buffer *out_keys, size_t out_keys_offset, gp_buffer *out_values,
                                          size_t out_values_offset, gp_buffer *count, size_t count_offset,
                                          const gp_reduce_by_key_options *options, size_t wait_count,
                                          gp_event *const *wait, gp_event **event);

typedef struct gp_scan_by_key_options {
    size_t struct_size;
    gp_operator op;
    gp_scan_kind kind;
    const char *operator_source; /* these three as in gp_scan_options */
    const char *operator_identity;
    const char *operator_helpers;
    const char *algorithm; /* a name from gp_algorithms; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    gp_dtype accumulator;  /* type of the results; 0 means dtype */
    int32_t reserved;
    const void *initial; /* host memory, one element of the type of the results: what comes before each run; read before
                            the call returns. NULL: the identity */
    gp_buffer *n_buffer; /* gp_enqueue_scan_by_key: one uint64, how many elements there are; n is the most there may
                            be */
    size_t n_offset;     /* in uint64s: where in n_buffer */
} gp_scan_by_key_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_SCAN_BY_KEY_OPTIONS_INIT                                                                                    \
    { sizeof(gp_scan_by_key_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#endif

/* Prefix sums (or other running combinations) of values that start anew with each run of keys, as
 * gp_run_lengths has runs: with v the initial value, or the identity, and j the first element of
 * the run that has element i,
 *   GP_INCLUSIVE   out[i] = v o values[j] o ... o values[i]
 *   GP_EXCLUSIVE   out[i] = v o values[j] o ... o values[i - 1]
 *
 * Types: keys of key_dtype, any; values of `dtype` and results of dtype or of the accumulator, as
 * in gp_scan. `out` has as many elements as `values`, may be `values` itself where the types are
 * the same, and overlaps nothing else. With n_buffer, the elements of `out` behind the last one are
 * left as they are. Floating-point results are the same bits from run to run on one device, with an
 * error bound as in gp_scan.
 *
 * Cost: n keys and n values read, n results written, n operations; "chunks" reads a part twice.
 * Method: a scan of pairs, whether a run begins and what comes since then (Blelloch, "Prefix Sums
 * and Their Applications", 1990, section 1.5), in one pass where the device can (Merrill and
 * Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016).
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_DTYPE, GP_ERROR_UNSUPPORTED_TYPE,
 * GP_ERROR_OPERATOR, GP_ERROR_OPTION, GP_ERROR_STRUCT_SIZE, GP_ERROR_OVERLAP, GP_ERROR_ALIGNMENT,
 * GP_ERROR_SIZE_OVERFLOW, GP_ERROR_ALGORITHM, GP_ERROR_ALGORITHM_REFUSED, GP_ERROR_BUILD (operator
 * text), GP_ERROR_UNSUPPORTED_DEVICE (operator text on "host"), GP_ERROR_TOO_LARGE,
 * GP_ERROR_DEVICE_MEMORY. */
GP_API gp_status gp_scan_by_key(gp_context *context, gp_dtype key_dtype, size_t n, const void *keys, gp_dtype dtype,
                                const void *values, void *out, const gp_scan_by_key_options *options);

/* The same on buffers; errors also GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_scan_by_key(gp_context *context, gp_dtype key_dtype, size_t n, gp_buffer *keys,
                                        size_t keys_offset, gp_dtype dtype, gp_buffer *values, size_t values_offset,
                                        gp_buffer *out, size_t out_offset, const gp_scan_by_key_options *options,
                                        size_t wait_count, gp_event *const *wait, gp_event **event);

/* ---- Repeat ---------------------------------------------------------------------------------- */

typedef struct gp_repeat_options {
    size_t struct_size;
    const char *algorithm; /* a name from gp_algorithms; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    gp_buffer *n_buffer;   /* gp_enqueue_repeat: one uint64, how many elements there are; n is the most there may be */
    size_t n_offset;       /* in uint64s: where in n_buffer */
} gp_repeat_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_REPEAT_OPTIONS_INIT                                                                                         \
    { sizeof(gp_repeat_options), 0, 0, 0, 0 }
#endif

/* Each element as often as its repeats say: out = repeats[0] times in[0], then repeats[1] times
 * in[1], and so on. *count = the sum of the repeats. It turns values and lengths of gp_run_lengths
 * back into an array.
 *
 * An element is any element_size (1 to 64) bytes, without alignment. `index`, the type of the
 * repeats, is GP_UINT8, GP_UINT16, GP_UINT32 or GP_UINT64. `out` has room for `capacity` elements.
 * Where there are more, the first of them are written and nothing behind them; *count is how many
 * there are all the same. What `out` holds behind the last element stays. With a capacity of 0, for
 * which `out` may be NULL, the call only counts. Where the sum passes 2^64 - 1, it wraps, and `out`
 * holds some of the elements. Outputs overlap neither inputs nor each other.
 *
 * Cost: n repeats and n elements read, the output written; a work space of n uint64s, which are
 * written and read. Method: a scan of the repeats; then each part of the output finds by search
 * where it begins among the sums (Green, McColl and Bader, "GPU Merge Path", 2012, which divides a
 * merge so).
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_VALUE_SIZE (element_size),
 * GP_ERROR_DTYPE (index), GP_ERROR_OPTION, GP_ERROR_STRUCT_SIZE, GP_ERROR_OVERLAP,
 * GP_ERROR_ALIGNMENT (repeats, count), GP_ERROR_SIZE_OVERFLOW, GP_ERROR_ALGORITHM,
 * GP_ERROR_ALGORITHM_REFUSED, GP_ERROR_HOST_MEMORY, GP_ERROR_DEVICE_MEMORY. */
GP_API gp_status gp_repeat(gp_context *context, size_t element_size, size_t n, const void *in, gp_dtype index,
                           const void *repeats, size_t capacity, void *out, uint64_t *count,
                           const gp_repeat_options *options);

/* The same on buffers; the count is a uint64, which count_offset counts; nothing waits for it.
 * Errors also GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_repeat(gp_context *context, size_t element_size, size_t n, gp_buffer *in, size_t in_offset,
                                   gp_dtype index, gp_buffer *repeats, size_t repeats_offset, size_t capacity,
                                   gp_buffer *out, size_t out_offset, gp_buffer *count, size_t count_offset,
                                   const gp_repeat_options *options, size_t wait_count, gp_event *const *wait,
                                   gp_event **event);

/* ---- Unique ---------------------------------------------------------------------------------- */

typedef struct gp_unique_options {
    size_t struct_size;
    int32_t sorted; /* 1: `in` is sorted, ascending as gp_sort does it, so that nothing is sorted here */
    int32_t reserved;
    const char *algorithm; /* a name from gp_algorithms; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    size_t capacity;       /* elements that values, firsts and counts hold; 0 means n. See Counts at the top of this
                              file */
    gp_buffer *n_buffer;   /* gp_enqueue_unique: one uint64, how many elements there are, n at most. See Counts */
    size_t n_offset;       /* in uint64s: where in n_buffer */
} gp_unique_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_UNIQUE_OPTIONS_INIT                                                                                         \
    { sizeof(gp_unique_options), 0, 0, 0, 0, 0, 0, 0 }
#endif

/* The distinct elements of an array, ascending as gp_sort has it: values[k] is the first element of
 * `in` that equals it, firsts[k] the position of that one, counts[k] how many elements equal it,
 * and *count how many distinct elements there are (0 when n is 0). inverse[i] is the k of in[i].
 * Equal is what gp_sort takes for equal: -0 equals +0, and all NaN equal each other and come last.
 *
 * Types: all, also those that the device can't compute. `index`, the type of firsts, inverse and
 * counts, is GP_UINT32 or GP_UINT64. values, firsts, inverse and counts may each be NULL, which
 * leaves them out. `in` has n elements and is left as it is, inverse has n, the others have
 * options->capacity. Where that is too little, inverse is complete all the same. Outputs overlap
 * neither `in` nor each other. Elements of the outputs behind the last value are left as they are.
 *
 * With options->sorted, nothing checks that `in` is sorted. If it is not, the results are the runs
 * of neighbours that equal each other, as gp_run_lengths has them, in the order in which they lie;
 * gp_is_sorted tells.
 *
 * Cost: a sort of n elements, or where firsts or inverse are wanted of n pairs of an element and
 * its position; then n elements read and each result written once. An inverse takes another pass,
 * which writes n positions in the order of the values; of 16 million elements and more GPUs take
 * one more to bring them to where they are written. GPUs do some thousand elements in one launch.
 * Work space: that of the sort, n elements, with firsts or inverse n positions, and with inverse as
 * many again, or four times as many where GPUs bring them. Of float16 ranks are sorted: that takes
 * n elements more, and positions for values too. With options->sorted it is no more than n
 * positions, for the inverse. "host" counts integers that lie close to each other, and sorts
 * others. Method: a sort and the runs of what it gives, as gp_run_lengths finds them.
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_DTYPE, GP_ERROR_OPTION,
 * GP_ERROR_STRUCT_SIZE, GP_ERROR_OVERLAP, GP_ERROR_ALIGNMENT, GP_ERROR_SIZE_OVERFLOW,
 * GP_ERROR_ALGORITHM, GP_ERROR_ALGORITHM_REFUSED, GP_ERROR_TOO_LARGE (n past the type `index`),
 * GP_ERROR_HOST_MEMORY, GP_ERROR_DEVICE_MEMORY. */
GP_API gp_status gp_unique(gp_context *context, gp_dtype dtype, size_t n, const void *in, void *values, gp_dtype index,
                           void *firsts, void *inverse, void *counts, uint64_t *count,
                           const gp_unique_options *options);

/* The same on buffers; `values`, `firsts`, `inverse` and `counts` NULL are left out. The count is a
 * uint64, which count_offset counts; nothing waits for it. Errors also GP_ERROR_OUT_OF_BOUNDS,
 * GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_unique(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                                   gp_buffer *values, size_t values_offset, gp_dtype index, gp_buffer *firsts,
                                   size_t firsts_offset, gp_buffer *inverse, size_t inverse_offset, gp_buffer *counts,
                                   size_t counts_offset, gp_buffer *count, size_t count_offset,
                                   const gp_unique_options *options, size_t wait_count, gp_event *const *wait,
                                   gp_event **event);

/* ---- Merge ----------------------------------------------------------------------------------- */

typedef struct gp_merge_options {
    size_t struct_size;
    gp_order order; /* in which a and b are sorted */
    int32_t reserved;
    const char *algorithm; /* a name from gp_algorithms; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    gp_buffer *n_a_buffer; /* gp_enqueue_ forms: one uint64, how many keys a has, n_a at most. See Counts */
    size_t n_a_offset;     /* in uint64s: where in n_a_buffer */
    gp_buffer *n_b_buffer; /* likewise of b */
    size_t n_b_offset;
} gp_merge_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_MERGE_OPTIONS_INIT                                                                                          \
    { sizeof(gp_merge_options), 0, 0, 0, 0, 0, 0, 0, 0 }
#endif

/* Merges the n_a sorted keys of `a` and the n_b of `b` into the n_a + n_b sorted keys of `out`.
 *
 * Types: all, also those that the device can't compute. The order of keys is that of gp_sort: -0
 * equals +0, all NaN are equal and come last in both orders, every key keeps its bits. The merge is
 * stable: of equal keys those of `a` come first, and those of one array keep their order.
 *
 * The arrays must be sorted in options->order, which is not checked. Where they are not, out holds
 * keys of a and b in an undefined order, some perhaps more than once and others not at all; nothing
 * else is read or written. `a` and `b` may overlap each other, `out` neither.
 * Cost: n_a + n_b comparisons, 2 (n_a + n_b) keys of memory traffic. On GPUs the work space is one
 * position for each work-group. Method: merge path (Green, McColl and Bader, "GPU Merge Path",
 * 2012; Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path: Parallel Merging Made Simple", 2012).
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_DTYPE, GP_ERROR_OPTION (order),
 * GP_ERROR_STRUCT_SIZE, GP_ERROR_OVERLAP, GP_ERROR_SIZE_OVERFLOW, GP_ERROR_ALIGNMENT,
 * GP_ERROR_VALUE_SIZE, GP_ERROR_ALGORITHM, GP_ERROR_ALGORITHM_REFUSED, GP_ERROR_DEVICE_MEMORY. */
GP_API gp_status gp_merge(gp_context *context, gp_dtype dtype, size_t n_a, const void *a, size_t n_b, const void *b,
                          void *out, const gp_merge_options *options);

/* The same with values, which go where their keys go: a_values[i] belongs to a[i]. A value is any
 * value_size (1 to 64) bytes, without alignment. out_values overlaps no other array, nor does
 * `out`; those of the inputs may overlap each other. */
GP_API gp_status gp_merge_pairs(gp_context *context, gp_dtype dtype, size_t n_a, const void *a, size_t n_b,
                                const void *b, void *out, size_t value_size, const void *a_values, const void *b_values,
                                void *out_values, const gp_merge_options *options);

/* The same on buffers; errors also GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_WRONG_CONTEXT. Offsets are in
 * keys and values. Of a and b, n_a_buffer and n_b_buffer of the options may tell the numbers of
 * keys; then `out` has room for n_a + n_b, and keeps what lies behind the keys that there are. */
GP_API gp_status gp_enqueue_merge(gp_context *context, gp_dtype dtype, size_t n_a, gp_buffer *a, size_t a_offset,
                                  size_t n_b, gp_buffer *b, size_t b_offset, gp_buffer *out, size_t out_offset,
                                  const gp_merge_options *options, size_t wait_count, gp_event *const *wait,
                                  gp_event **event);
GP_API gp_status gp_enqueue_merge_pairs(gp_context *context, gp_dtype dtype, size_t n_a, gp_buffer *a, size_t a_offset,
                                        size_t n_b, gp_buffer *b, size_t b_offset, gp_buffer *out, size_t out_offset,
                                        size_t value_size, gp_buffer *a_values, size_t a_values_offset,
                                        gp_buffer *b_values, size_t b_values_offset, gp_buffer *out_values,
                                        size_t out_values_offset, const gp_merge_options *options, size_t wait_count,
                                        gp_event *const *wait, gp_event **event);

/* ---- Merge of runs --------------------------------------------------------------------------- */

typedef struct gp_merge_runs_options {
    size_t struct_size;
    gp_order order;        /* in which each run is sorted */
    gp_dtype offset_type;  /* of offsets: GP_INT32, GP_UINT32, GP_INT64 or GP_UINT64; 0 means GP_UINT64 */
    const char *algorithm; /* a name from gp_algorithms; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    gp_buffer *work;       /* where work space is taken from; NULL: from a pool that the context keeps (gp_trim) */
    size_t work_offset;    /* in bytes: where in `work` it begins */
    size_t work_bytes;     /* how many there are from there on; 0 means all up to its end */
} gp_merge_runs_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_MERGE_RUNS_OPTIONS_INIT                                                                                     \
    { sizeof(gp_merge_runs_options), 0, 0, 0, 0, 0, 0, 0 }
#endif

/* Merges the sorted runs of an array of n keys into the n sorted keys of `out`. Run r is the keys
 * offsets[r] up to, not including, offsets[r + 1]: there are runs + 1 offsets, of
 * options->offset_type, the first is 0 and the last n. Runs may be empty. There is at least one run
 * where n is not 0. Of no runs `offsets` may be NULL.
 *
 * Types, order of keys and NaN are those of gp_merge. The merge is stable: of equal keys those of
 * earlier runs come first, and those of one run keep their order. So the result is what a stable
 * sort of all keys gives.
 *
 * The calls on host pointers check the offsets, and their error names the first wrong one
 * (GP_ERROR_OPTION). The calls on buffers do not check them, so that the host does not wait. They
 * cut offsets to the n keys, and take the first as 0 and the last as n. Where an offset is less
 * than the one before, or a run is not sorted in options->order, which is not checked, what `out`
 * holds is undefined; nothing else is read or written. `out` does not overlap `keys`.
 *
 * Cost: the runs are merged two by two, in ceil(log2(runs)) passes of n comparisons and 2 n keys of
 * memory traffic each. Runs for which that takes longer than gp_sort of all keys are sorted
 * instead, whatever their order was: on GPUs, of millions of keys of 4 and 8 bytes, more than 32 to
 * 256 runs; of fewer keys, of 1 and 2 bytes, and on CPUs, more than 1 to 16. Algorithms
 * "tiles" and "chunks" always merge, "sort" always sorts. On buffers empty runs count as others do.
 * Work space: of passes n keys and n values, where there are more than two runs, and four positions
 * for each work-group; of a sort as gp_sort. gp_merge_runs_work_bytes tells exactly.
 * Method: merge path (Green, McColl and Bader, "GPU Merge Path", 2012; Odeh, Green, Mwassi, Shmueli
 * and Birk, "Merge Path: Parallel Merging Made Simple", 2012).
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_DTYPE, GP_ERROR_OPTION (order,
 * offset_type, runs, offsets), GP_ERROR_STRUCT_SIZE, GP_ERROR_OVERLAP (work space, too),
 * GP_ERROR_SIZE_OVERFLOW, GP_ERROR_ALIGNMENT, GP_ERROR_VALUE_SIZE, GP_ERROR_ALGORITHM,
 * GP_ERROR_ALGORITHM_REFUSED, GP_ERROR_OUT_OF_BOUNDS (`work` is too small), GP_ERROR_WRONG_CONTEXT
 * (`work`), GP_ERROR_DEVICE_MEMORY, GP_ERROR_HOST_MEMORY. */
GP_API gp_status gp_merge_runs(gp_context *context, gp_dtype dtype, size_t n, const void *keys, size_t runs,
                               const void *offsets, void *out, const gp_merge_runs_options *options);

/* The same with values, which go where their keys go: values[i] belongs to keys[i]. A value is any
 * value_size (1 to 64) bytes, without alignment. out_values overlaps no other array, nor does
 * `out`. */
GP_API gp_status gp_merge_runs_pairs(gp_context *context, gp_dtype dtype, size_t n, const void *keys, size_t runs,
                                     const void *offsets, void *out, size_t value_size, const void *values,
                                     void *out_values, const gp_merge_runs_options *options);

/* *bytes = the device memory that a merge of runs in buffers takes beside its arrays, wherever it
 * comes from: from options->work_offset on in options->work, or from the pool. value_size is 0 for
 * gp_enqueue_merge_runs. The calls on host pointers take no more, but for values that are not
 * aligned to their size, as gp_sort_work_bytes says of them. 0 on "host", which uses the process'
 * memory. Cost: O(1); nothing is built. Errors: as gp_merge_runs. */
GP_API gp_status gp_merge_runs_work_bytes(gp_context *context, gp_dtype dtype, size_t n, size_t runs, size_t value_size,
                                          const gp_merge_runs_options *options, size_t *bytes);

/* The same on buffers, the offsets too; errors also GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_WRONG_CONTEXT.
 * keys_offset, out_offset and the like are in keys and values, offsets_offset in offsets. */
GP_API gp_status gp_enqueue_merge_runs(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *keys,
                                       size_t keys_offset, size_t runs, gp_buffer *offsets, size_t offsets_offset,
                                       gp_buffer *out, size_t out_offset, const gp_merge_runs_options *options,
                                       size_t wait_count, gp_event *const *wait, gp_event **event);
GP_API gp_status gp_enqueue_merge_runs_pairs(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *keys,
                                             size_t keys_offset, size_t runs, gp_buffer *offsets, size_t offsets_offset,
                                             gp_buffer *out, size_t out_offset, size_t value_size, gp_buffer *values,
                                             size_t values_offset, gp_buffer *out_values, size_t out_values_offset,
                                             const gp_merge_runs_options *options, size_t wait_count,
                                             gp_event *const *wait, gp_event **event);

/* ---- Sort by the caller's order -------------------------------------------------------------- */

typedef struct gp_sort_by_options {
    size_t struct_size;
    const char *helpers; /* OpenCL C declarations put before the comparison, such as a structure; NULL for none */
    gp_event **event;    /* host-pointer form: receives a completed event with the times; the caller frees it */
    gp_buffer *n_buffer; /* gp_enqueue_sort_by: one uint64, how many elements there are, n at most. See Counts */
    size_t n_offset;     /* in uint64s: where in n_buffer */
} gp_sort_by_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_SORT_BY_OPTIONS_INIT                                                                                        \
    { sizeof(gp_sort_by_options), 0, 0, 0, 0 }
#endif

/* Sorts n elements in place by the caller's order.
 *
 * `type` is the OpenCL C type of an element, such as "float", "int2", or a structure that the
 * helpers declare; it has element_size bytes, 1 to 64. `comes_before` is an OpenCL C expression of
 * two of them, a and b: must a come before b? Such as "a.weight < b.weight". It is a strict weak
 * order: nothing comes before itself, what comes before comes before in one direction only, and
 * elements neither of which comes before the other are equal. The sort is stable: equal elements
 * keep their order. Where it is no such order, the call ends all the same, and leaves some order of
 * the same elements. A function among the helpers must not loop for ever, nor write memory.
 * Elements are moved byte by byte, padding included, and need no alignment.
 *
 * Work space: n elements, and a position for every work-group. A text is built once, and kept for
 * later calls with the same texts and element_size (gp_trim).
 * Cost: n log2(n) comparisons, and 2 n elements of memory traffic for each doubling of n past what
 * a work-group sorts. Method: merge sort of blocks in local memory, by merge path (Green, McColl
 * and Bader, "GPU Merge Path", 2012; Satish, Harris and Garland, "Designing Efficient Sorting
 * Algorithms for Manycore GPUs", 2009).
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_VALUE_SIZE (element_size),
 * GP_ERROR_OPTION (a blank text), GP_ERROR_STRUCT_SIZE, GP_ERROR_SIZE_OVERFLOW, GP_ERROR_BUILD (the
 * texts, or a type of another size), GP_ERROR_UNSUPPORTED_DEVICE ("host"),
 * GP_ERROR_DEVICE_MEMORY. */
GP_API gp_status gp_sort_by(gp_context *context, size_t element_size, size_t n, void *elements, const char *type,
                            const char *comes_before, const gp_sort_by_options *options);

/* The same on a buffer; the offset is in elements. Errors also GP_ERROR_OUT_OF_BOUNDS,
 * GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_sort_by(gp_context *context, size_t element_size, size_t n, gp_buffer *elements,
                                    size_t offset, const char *type, const char *comes_before,
                                    const gp_sort_by_options *options, size_t wait_count, gp_event *const *wait,
                                    gp_event **event);

/* ---- Select, partition, positions ------------------------------------------------------------ */

/* For gp_select, gp_partition and gp_nonzero. */
typedef struct gp_select_options {
    size_t struct_size;
    const char *algorithm; /* a name from gp_algorithms; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    const char *predicate; /* OpenCL C expression of an element x, such as "x.weight > 0"; replaces the flags */
    const char *type;      /* with predicate: the OpenCL C type of an element, such as "float"; it has its size */
    const char *helpers;   /* with predicate: OpenCL C declarations put before it, such as a structure; NULL for none */
    size_t capacity;       /* elements that the outputs have room for; 0 means n. Not for gp_partition */
    gp_buffer *n_buffer;   /* enqueue form: one uint64, how many elements there are; n is the most there may be */
    size_t n_offset;       /* in uint64s: where in n_buffer */
    int32_t parts;         /* gp_partition: 3 makes three parts; 2 or 0: two */
    int32_t reserved;
} gp_select_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_SELECT_OPTIONS_INIT                                                                                         \
    { sizeof(gp_select_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#endif

/* out = the elements of `in` that are kept, in their order; *count = how many those are.
 *
 * An element is any element_size (1 to 64) bytes, without alignment. It is kept where its flag, a
 * uint8, is not 0. Instead of flags (NULL) there may be the caller's text, options->predicate: an
 * expression of x, an element of type options->type. It is kept where that is not 0. A function
 * among the helpers must not loop for ever, nor write memory. The text is built once, and kept for
 * later calls with the same texts and element_size (gp_trim).
 *
 * `out` has room for options->capacity elements. Where more are kept, the first of them are written
 * and nothing behind them; *count is how many are kept all the same. What `out` holds behind the
 * kept elements stays. Outputs overlap neither each other nor an input.
 * Cost: n flags and the kept elements are read, the kept elements are written; with a text all
 * elements are read, and those of a tile that are kept a second time, from the caches. The work
 * space is one count for each work-group or tile. Method: single-pass scan with decoupled look-back
 * (Merrill and Garland, 2016) on GPUs that keep work-groups running; elsewhere counts of parts,
 * then a pass that writes (Blelloch, "Prefix Sums and Their Applications", 1990).
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_VALUE_SIZE, GP_ERROR_OPTION (a blank
 * text, flags and a predicate, neither of them, a type without a predicate, members of the other
 * form), GP_ERROR_STRUCT_SIZE, GP_ERROR_OVERLAP, GP_ERROR_SIZE_OVERFLOW, GP_ERROR_ALIGNMENT
 * (count), GP_ERROR_BUILD (the texts, or a type of another size), GP_ERROR_UNSUPPORTED_DEVICE (a
 * text on "host"), GP_ERROR_ALGORITHM, GP_ERROR_ALGORITHM_REFUSED, GP_ERROR_DEVICE_MEMORY,
 * GP_ERROR_HOST_MEMORY. */
GP_API gp_status gp_select(gp_context *context, size_t element_size, size_t n, const void *in, const uint8_t *flags,
                           void *out, uint64_t *count, const gp_select_options *options);

/* The same with values, which go where their elements go: values[i] belongs to in[i]. A value is
 * any value_size (1 to 64) bytes, without alignment. */
GP_API gp_status gp_select_pairs(gp_context *context, size_t element_size, size_t n, const void *in,
                                 const uint8_t *flags, void *out, size_t value_size, const void *values,
                                 void *out_values, uint64_t *count, const gp_select_options *options);

/* The same on buffers; the count is a uint64, which stays on the device. Offsets are in elements,
 * flags, values and uint64s. Errors also GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_select(gp_context *context, size_t element_size, size_t n, gp_buffer *in, size_t in_offset,
                                   gp_buffer *flags, size_t flags_offset, gp_buffer *out, size_t out_offset,
                                   gp_buffer *count, size_t count_offset, const gp_select_options *options,
                                   size_t wait_count, gp_event *const *wait, gp_event **event);
GP_API gp_status gp_enqueue_select_pairs(gp_context *context, size_t element_size, size_t n, gp_buffer *in,
                                         size_t in_offset, gp_buffer *flags, size_t flags_offset, gp_buffer *out,
                                         size_t out_offset, size_t value_size, gp_buffer *values, size_t values_offset,
                                         gp_buffer *out_values, size_t out_values_offset, gp_buffer *count,
                                         size_t count_offset, const gp_select_options *options, size_t wait_count,
                                         gp_event *const *wait, gp_event **event);

/* out = the n elements of `in`, those that gp_select keeps first, then the others; both in their
 * order. *count = how many are kept. Flags, texts, values, cost and errors as gp_select's; all
 * elements are read and written. options->capacity is 0 or n.
 *
 * With options->parts 3, the elements come first whose flag, or the text's value, an integer, is 1,
 * then those with 2, then all others, each part in its order. count receives two uint64s: where the
 * second part begins and where the third does, so how many elements are in the first part, and in
 * the first two. It takes two passes over all elements, and a work space of n elements, n values
 * and up to 2 n bytes. */
GP_API gp_status gp_partition(gp_context *context, size_t element_size, size_t n, const void *in, const uint8_t *flags,
                              void *out, uint64_t *count, const gp_select_options *options);
GP_API gp_status gp_partition_pairs(gp_context *context, size_t element_size, size_t n, const void *in,
                                    const uint8_t *flags, void *out, size_t value_size, const void *values,
                                    void *out_values, uint64_t *count, const gp_select_options *options);

/* The same on buffers; errors also GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_partition(gp_context *context, size_t element_size, size_t n, gp_buffer *in,
                                      size_t in_offset, gp_buffer *flags, size_t flags_offset, gp_buffer *out,
                                      size_t out_offset, gp_buffer *count, size_t count_offset,
                                      const gp_select_options *options, size_t wait_count, gp_event *const *wait,
                                      gp_event **event);
GP_API gp_status gp_enqueue_partition_pairs(gp_context *context, size_t element_size, size_t n, gp_buffer *in,
                                            size_t in_offset, gp_buffer *flags, size_t flags_offset, gp_buffer *out,
                                            size_t out_offset, size_t value_size, gp_buffer *values,
                                            size_t values_offset, gp_buffer *out_values, size_t out_values_offset,
                                            gp_buffer *count, size_t count_offset, const gp_select_options *options,
                                            size_t wait_count, gp_event *const *wait, gp_event **event);

/* positions = where the elements of `in` that are not zero are, counted from 0 and ascending;
 * *count = how many those are. With options->predicate: where that is not 0. index_type is
 * GP_UINT32 or GP_UINT64.
 *
 * Types: all, also those that the device can't compute. -0 is zero, NaN is not. Positions of flags
 * are those of GP_UINT8. options->type has the size of dtype.
 * `positions` has room for options->capacity of them, as gp_select says. Outputs do not overlap
 * `in` or each other. Cost: n elements are read, the positions are written. Method as gp_select's.
 *
 * Errors: as gp_select, and GP_ERROR_DTYPE (dtype, index_type), GP_ERROR_TOO_LARGE (n is more than
 * 2^32 with GP_UINT32), GP_ERROR_ALIGNMENT (in, positions, count). */
GP_API gp_status gp_nonzero(gp_context *context, gp_dtype dtype, size_t n, const void *in, gp_dtype index_type,
                            void *positions, uint64_t *count, const gp_select_options *options);

/* The same on buffers; positions_offset counts positions, count_offset uint64s. Errors also
 * GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_nonzero(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                                    gp_dtype index_type, gp_buffer *positions, size_t positions_offset,
                                    gp_buffer *count, size_t count_offset, const gp_select_options *options,
                                    size_t wait_count, gp_event *const *wait, gp_event **event);

/* ---- Histogram ------------------------------------------------------------------------------- */

typedef struct gp_histogram_options {
    size_t struct_size;
    const char *algorithm; /* a name from gp_algorithms; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    double lower; /* even bins from lower to upper; lower == upper: a bin for each whole number from lower on */
    double upper;
    const void *edges;    /* host memory, bins + 1 ascending edges, read before the call returns; replaces the two */
    gp_dtype edges_dtype; /* of `edges`: GP_FLOAT64, or the elements' own; 0 means GP_FLOAT64 */
    int32_t reserved;
    int32_t accumulate; /* 1: the counts are added to those that are there */
    int32_t reserved2;
    gp_buffer *n_buffer; /* gp_enqueue_histogram: one uint64, how many elements there are, n at most. See Counts */
    size_t n_offset;     /* in uint64s: where in n_buffer */
} gp_histogram_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_HISTOGRAM_OPTIONS_INIT                                                                                      \
    { sizeof(gp_histogram_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#endif

/* counts[b] = how many of the n elements of `in` lie in bin b, for b = 0 .. bins - 1: in [e[b],
 * e[b + 1]), the last bin also on its right edge. NaN, and what lies outside of all bins, is left
 * out. The edges e are
 *
 *   by default      whole numbers: bin b counts the elements equal to lower + b; integer types only
 *   lower < upper   even: b * ((upper - lower) / bins) + lower, computed in float64 and rounded to
 *                   the element type where that is float16 or float32; the last is upper. Both are
 *                   finite
 *   edges           the caller's, ascending (equal ones make an empty bin), no NaN
 *
 * Elements are compared as in NumPy: with edges of float64, integers of 64 bits are rounded to
 * float64 first. Counts equal those of numpy.histogram, at the edges too.
 *
 * Types: the eight integer types, GP_FLOAT16, GP_FLOAT32, GP_FLOAT64 (also on devices that can't
 * compute them). bins is 1 to 2^24. counts has `bins` elements, which are overwritten (with zeros
 * when n is 0), and must not overlap `in`. Results are exact: counts have 64 bits.
 *
 * With options->accumulate, whoever has the elements in pieces counts one after the other into the
 * same counts: they are those of the whole, and when n is 0 they stay as they are. Sums wrap at
 * 2^64. It takes work space of `bins` counts. Any other value than 0 and 1 is refused with
 * GP_ERROR_OPTION.
 *
 * Cost: n increments, n elements of memory traffic; log2(bins) steps an element for a caller's
 * edges. Method: sub-histograms in local memory, one or more a work-group, added up at the end
 * (Podlozhnyuk, "Histogram Calculation in CUDA", 2007); counters in global memory where local
 * memory does not hold the bins.
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_DTYPE, GP_ERROR_OPTION (bins, lower,
 * upper, edges), GP_ERROR_STRUCT_SIZE, GP_ERROR_OVERLAP, GP_ERROR_ALIGNMENT,
 * GP_ERROR_SIZE_OVERFLOW, GP_ERROR_ALGORITHM, GP_ERROR_ALGORITHM_REFUSED, GP_ERROR_TOO_LARGE,
 * GP_ERROR_DEVICE_MEMORY. */
GP_API gp_status gp_histogram(gp_context *context, gp_dtype dtype, size_t n, const void *in, size_t bins,
                              uint64_t *counts, const gp_histogram_options *options);

/* The same on buffers; counts are uint64, counts_offset counts them. With options->n_buffer n is at
 * most 2^31 on OpenCL devices (GP_ERROR_TOO_LARGE). Errors also GP_ERROR_OUT_OF_BOUNDS,
 * GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_histogram(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                                      size_t bins, gp_buffer *counts, size_t counts_offset,
                                      const gp_histogram_options *options, size_t wait_count, gp_event *const *wait,
                                      gp_event **event);

/* ---- Histograms of weights, and of pairs ----------------------------------------------------- */

typedef struct gp_histogram_weighted_options {
    size_t struct_size;
    const char *algorithm; /* a name from gp_algorithms of GP_HISTOGRAM_WEIGHTED; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    double lower;          /* these four as in gp_histogram_options */
    double upper;
    const void *edges;
    gp_dtype edges_dtype;
    gp_dtype sums_dtype; /* of `sums`: GP_FLOAT64, or the weights' own; 0 means the weights' own */
    gp_buffer *n_buffer; /* gp_enqueue_histogram_weighted: one uint64, how many elements, n at most. See Counts */
    size_t n_offset;     /* in uint64s: where in n_buffer */
} gp_histogram_weighted_options;

typedef struct gp_histogram_2d_options {
    size_t struct_size;
    const char *algorithm; /* a name from gp_algorithms of GP_HISTOGRAM_WEIGHTED; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    double lower_x;        /* the bins of x: as in gp_histogram_options */
    double upper_x;
    double lower_y; /* the bins of y */
    double upper_y;
    const void *edges_x; /* bins_x + 1; replaces lower_x and upper_x */
    const void *edges_y; /* bins_y + 1 */
    gp_dtype edges_dtype_x;
    gp_dtype edges_dtype_y;
    gp_dtype sums_dtype; /* with weights, of `sums`: as in gp_histogram_weighted_options */
    int32_t reserved;
    gp_buffer *n_buffer; /* gp_enqueue_histogram_2d: one uint64, how many pairs there are, n at most. See Counts */
    size_t n_offset;     /* in uint64s: where in n_buffer */
} gp_histogram_2d_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT                                                                             \
    { sizeof(gp_histogram_weighted_options), 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#define GP_HISTOGRAM_2D_OPTIONS_INIT                                                                                   \
    { sizeof(gp_histogram_2d_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#endif

/* sums[b] = the sum of the weights[i] whose in[i] lies in bin b. Bins, and the types of `in`, are
 * those of gp_histogram. There are n weights, of weight_dtype GP_FLOAT32 or GP_FLOAT64 (also on
 * devices that can't compute float64). sums has `bins` elements of the type options->sums_dtype,
 * which are overwritten (with zeros when n is 0), and must not overlap `in` or `weights`.
 *
 * Accuracy: each result is the exact sum of its weights, rounded once to the nearest (to even, if
 * two are as near). So it does not depend on the order of elements, on the device or on threads,
 * and is the same bits each time. An empty bin's sum is 0, and so is one of weights of -0. NaN, or
 * inf and -inf together, make NaN of their bin's sum, and inf or -inf alone makes itself of it;
 * other bins don't change. A sum beyond the type's greatest number is inf.
 *
 * Cost: n elements and n weights of memory traffic; one or two additions an element where weights
 * lie within some dozens of octaves, else up to five. Work space: up to 60 bytes a bin for weights
 * of float32 and 300 for float64; on CPUs 16, or up to 88 and 552, for each part of the elements.
 * Method: integers of 320 or 2144 bits (Kulisch, "Computer Arithmetic and Validity", 2013;
 * Collange, Defour, Graillat and Iakymchuk, "Numerical reproducibility for the parallel reduction",
 * 2015), of which local memory holds a window; on the host doubles that never round (Demmel and
 * Nguyen, 2015).
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_DTYPE, GP_ERROR_OPTION (bins, lower,
 * upper, edges), GP_ERROR_STRUCT_SIZE, GP_ERROR_OVERLAP, GP_ERROR_ALIGNMENT,
 * GP_ERROR_SIZE_OVERFLOW, GP_ERROR_ALGORITHM, GP_ERROR_ALGORITHM_REFUSED, GP_ERROR_TOO_LARGE,
 * GP_ERROR_DEVICE_MEMORY, GP_ERROR_HOST_MEMORY. */
GP_API gp_status gp_histogram_weighted(gp_context *context, gp_dtype dtype, size_t n, const void *in,
                                       gp_dtype weight_dtype, const void *weights, size_t bins, void *sums,
                                       const gp_histogram_weighted_options *options);

/* sums[a * bins_y + b] = how many pairs (x[i], y[i]) there are where x[i] lies in bin a of x, and
 * y[i] in bin b of y, as uint64; or, with weights, the sum of their weights[i]. Without weights,
 * weight_dtype is 0 and `weights` NULL. The rest is as for gp_histogram_weighted: x and y have n
 * elements of one type, `sums` bins_x * bins_y in rows without gaps, which is at most 2^24. A pair
 * of which either element is NaN or outside of its bins is left out. Counts equal those of
 * numpy.histogram2d of the same edges. The work space is up to 8 bytes a
 * count. */
GP_API gp_status gp_histogram_2d(gp_context *context, gp_dtype dtype, size_t n, const void *x, const void *y,
                                 gp_dtype weight_dtype, const void *weights, size_t bins_x, size_t bins_y, void *sums,
                                 const gp_histogram_2d_options *options);

/* The same on buffers; offsets are in elements, weights and sums. Without weights, the buffer is
 * NULL. Errors also GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_histogram_weighted(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in,
                                               size_t in_offset, gp_dtype weight_dtype, gp_buffer *weights,
                                               size_t weights_offset, size_t bins, gp_buffer *sums, size_t sums_offset,
                                               const gp_histogram_weighted_options *options, size_t wait_count,
                                               gp_event *const *wait, gp_event **event);
GP_API gp_status gp_enqueue_histogram_2d(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *x, size_t x_offset,
                                         gp_buffer *y, size_t y_offset, gp_dtype weight_dtype, gp_buffer *weights,
                                         size_t weights_offset, size_t bins_x, size_t bins_y, gp_buffer *sums,
                                         size_t sums_offset, const gp_histogram_2d_options *options, size_t wait_count,
                                         gp_event *const *wait, gp_event **event);

/* ---- Linear recurrence ----------------------------------------------------------------------- */

typedef struct gp_recurrence_options {
    size_t struct_size;
    size_t batch;               /* number of rows; 0 means 1 */
    size_t stride_in;           /* elements from one row of `in` to the next; 0 means n */
    size_t stride_out;          /* likewise for `out`; at least n */
    const void *initial;        /* host memory, batch * order elements: y[-1], y[-2] ... of each row; NULL: zeros */
    const char *algorithm;      /* a name from gp_algorithms; NULL chooses */
    gp_event **event;           /* host-pointer form: receives a completed event with the times; the caller frees it */
    gp_direction direction;     /* GP_REVERSE: from the row's end to its beginning */
    int32_t share_coefficients; /* gp_recurrence_varying: 1: all rows have one row of coefficients */
    void *
        final_state; /* host-pointer form: host memory, batch * order elements, which receive what `initial` must be for
                          the rows to go on: y[n - 1], y[n - 2] ...; may be `initial` itself; NULL: not wanted */
    size_t stride_coefficients; /* gp_recurrence_varying: likewise for coefficients; 0 means n */
    gp_buffer *initial_buffer; /* gp_enqueue_ forms: instead of `initial`, elements initial_offset and on of a buffer */
    size_t initial_offset;
    gp_buffer *final_buffer; /* gp_enqueue_ forms: receives what final_state does, from element final_offset on */
    size_t final_offset;
} gp_recurrence_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_RECURRENCE_OPTIONS_INIT                                                                                     \
    { sizeof(gp_recurrence_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#endif

/* y[t] = x[t] + c[0] y[t - 1] + ... + c[order - 1] y[t - order], for t = 0 .. n - 1, in every row
 * of a batch.
 *
 * x is `in`; NULL stands for zeros, which leaves what the initial state makes of itself (with c =
 * {1, 1} and the initial state {1, 0}, Fibonacci's numbers). y is `out`; in == out with the same
 * strides is allowed, any other overlap refused. `coefficients` are host memory in both forms, read
 * before the call returns. Elements of `out` between the rows are left as they are. GP_REVERSE:
 * y[t] = x[t] + c[0] y[t + 1] + ..., for t = n - 1 .. 0; the initial state is y[n], y[n + 1] ...,
 * the final one y[0], y[1] ...
 *
 * States: who has rows in pieces gives each call as the initial state what the one before wrote as
 * the final one. Results are within the error bound of whole rows. A state is `order` values, those
 * of row r from element r * order on. The initial one is host memory, read before the call returns,
 * or in the buffer form initial_buffer (not both); the final one is host memory (final_state) in
 * the host-pointer form and final_buffer in the buffer form. When n is less than the order, 0
 * included, what is left of the initial state goes on as the older part of the final one. The final
 * state overlaps neither in, out nor coefficients, initial_buffer does not overlap out; the two may
 * be the same elements, or lie apart. Refused with GP_ERROR_OPTION are members of the other form.
 *
 * Types: GP_FLOAT32, GP_FLOAT64. order is 1 to 8. Results are the same bits from run to run on one
 * device.
 *
 * Error bound: y[t] differs from the exact value by at most (order + 2) * (t + 1) * eps * sum g[i]
 * |x[t - i]|, where g is the answer to a single 1 of the recurrence with |c| in the place of c, and
 * the initial state counts as input; so it is for the plain loop, and for look-ahead by precomputed
 * responses too. Where such responses would be too large for the type, the default takes the plain
 * loop, and an algorithm that can't refuses: Fibonacci's numbers are right up to the largest that
 * the type holds, then infinite. From the first y of a row that is not finite on, none is; which of
 * infinity and NaN they are may differ from the plain loop.
 * Cost: n * order multiply-adds a row. Method: look-ahead over the past (Kogge and Stone, "A
 * Parallel Algorithm for the Efficient Solution of a General Class of Recurrence Equations", 1973;
 * Maleki and Burtscher, "Automatic Hierarchical Parallelization of Linear Recurrences", 2018).
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_DTYPE, GP_ERROR_UNSUPPORTED_TYPE,
 * GP_ERROR_OPTION (order), GP_ERROR_STRUCT_SIZE, GP_ERROR_BATCH_STRIDE, GP_ERROR_OVERLAP,
 * GP_ERROR_ALIGNMENT, GP_ERROR_SIZE_OVERFLOW, GP_ERROR_ALGORITHM, GP_ERROR_ALGORITHM_REFUSED,
 * GP_ERROR_TOO_LARGE, GP_ERROR_DEVICE_MEMORY. */
GP_API gp_status gp_recurrence(gp_context *context, gp_dtype dtype, size_t n, const void *in, void *out, size_t order,
                               const void *coefficients, const gp_recurrence_options *options);

/* The same on buffers; `in` NULL stands for zeros. Errors also GP_ERROR_OUT_OF_BOUNDS,
 * GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_recurrence(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                                       gp_buffer *out, size_t out_offset, size_t order, const void *coefficients,
                                       const gp_recurrence_options *options, size_t wait_count, gp_event *const *wait,
                                       gp_event **event);

/* y[t] = x[t] + a[t] y[t - 1], for t = 0 .. n - 1, in every row of a batch: the recurrence of
 * order 1 whose coefficient changes from step to step. Where a[t] is 0, it begins anew.
 *
 * a is `coefficients`, with rows of its own or one for all (options->stride_coefficients,
 * options->share_coefficients); in the buffer form it is a buffer too. It must not overlap `out`;
 * it may overlap `in`. All else is as in gp_recurrence with order 1: x and y, the states, the
 * types. GP_REVERSE: y[t] = x[t] + a[t] y[t + 1], for t = n - 1 .. 0.
 *
 * Error bound: y[t] differs from the exact value by at most 3 * (t + 1) * eps * g[t], where g is
 * the same with |x|, |a| and the initial state's magnitude, up to the first t at which g[t] is past
 * the type's largest number; from there on y may be anything, infinity and NaN included. Products
 * of coefficients may be as large or small as they like: their exponents are kept apart. Underflow,
 * as in the plain loop, may lose some of the smallest normal numbers at each step, which later
 * coefficients multiply. From the first x or a of a row that is not finite on, no y is; which of
 * infinity and NaN they are may differ from the plain loop.
 * Cost: n multiply-adds a row; some 2 n, and 5 n elements of memory traffic, where rows are cut (3
 * n where they have some 9000 elements or more, on NVIDIA's Hopper generation). Method: scan of
 * pairs (Blelloch, "Prefix Sums and Their Applications", 1990, section 1.4; Martin and Cundy,
 * "Parallelizing Linear Recurrent Neural Nets Over Sequence Length", 2018).
 *
 * Errors: those of gp_recurrence, which refuses share_coefficients and stride_coefficients with
 * GP_ERROR_OPTION. */
GP_API gp_status gp_recurrence_varying(gp_context *context, gp_dtype dtype, size_t n, const void *coefficients,
                                       const void *in, void *out, const gp_recurrence_options *options);

/* The same on buffers; `in` NULL stands for zeros. Errors also GP_ERROR_OUT_OF_BOUNDS,
 * GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_recurrence_varying(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *coefficients,
                                               size_t coefficients_offset, gp_buffer *in, size_t in_offset,
                                               gp_buffer *out, size_t out_offset, const gp_recurrence_options *options,
                                               size_t wait_count, gp_event *const *wait, gp_event **event);

/* ---- Gather and scatter ---------------------------------------------------------------------- */

typedef struct gp_gather_options {
    size_t struct_size;
    const char *algorithm; /* a name from gp_algorithms of GP_GATHER; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    size_t row;            /* elements of a row, which moves as a whole; 0 means 1 */
    int32_t from_end;      /* 1: negative positions count from the end, -1 is the last row; 0: they are out of bounds */
    int32_t reserved;
    gp_buffer *first_wrong_buffer; /* gp_enqueue_ forms: receives, as uint64, the least i whose positions[i] is out of
                                      bounds, UINT64_MAX where there is none; NULL: not wanted */
    size_t first_wrong_offset;     /* in uint64 */
    gp_buffer *n_buffer; /* gp_enqueue_ forms: holds, as uint64, how many positions there are; m is then the most that
                            there can be, and a larger number counts as m */
    size_t n_offset;     /* in uint64 */
} gp_gather_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_GATHER_OPTIONS_INIT                                                                                         \
    { sizeof(gp_gather_options), 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#endif

/* gp_gather: out[i] = in[positions[i]], for i = 0 .. m - 1; `in` has n elements, `out` m. Elements
 * are any element_size (1 to 64) bytes, without alignment. With options->row, positions are those
 * of rows of so many elements: `in` has n rows and `out` m, one behind the other (as numpy.take
 * along the first axis).
 *
 * `index` is the type of the positions: GP_INT32, GP_UINT32, GP_INT64 or GP_UINT64. They lie in
 * 0 .. n - 1; with options->from_end in -n .. n - 1. The call on host pointers fails with
 * GP_ERROR_OUT_OF_BOUNDS where one does not, names the first that is wrong, and writes nothing. The
 * call on buffers does not wait to tell: it goes on with the positions that are right, and
 * options->first_wrong_buffer receives the place of the first wrong one. Nothing out of bounds is
 * read or written in either form.
 * gp_enqueue_gather fills rows of wrong positions with zero bytes. With options->n_buffer, rows of
 * `out` behind that number are not touched.
 *
 * `in` and `positions` may overlap; `out` overlaps neither. Arrays of no elements may be NULL.
 * Cost: m rows and m positions read, m rows written; the call on host pointers reads the positions
 * twice. Work space: some bytes, with options->first_wrong_buffer. Method: several rows of a
 * work-item are under way at a time (He, Govindaraju, Luo and Smith, "Efficient Gather and Scatter
 * Operations on Graphics Processors", 2007).
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_VALUE_SIZE (element_size),
 * GP_ERROR_DTYPE (index), GP_ERROR_OPTION, GP_ERROR_STRUCT_SIZE, GP_ERROR_OVERLAP,
 * GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_ALIGNMENT (positions), GP_ERROR_SIZE_OVERFLOW,
 * GP_ERROR_ALGORITHM, GP_ERROR_ALGORITHM_REFUSED, GP_ERROR_TOO_LARGE, GP_ERROR_DEVICE_MEMORY. */
GP_API gp_status gp_gather(gp_context *context, size_t element_size, size_t n, const void *in, gp_dtype index, size_t m,
                           const void *positions, void *out, const gp_gather_options *options);

/* The reverse: out[positions[i]] = in[i], for i = 0 .. m - 1; `in` has m elements (or rows), `out`
 * n, of which those stay as they are that no position names. Where several positions are equal, it
 * is not specified whose element is there in the end (as in CUB and Thrust), and one of more than 8
 * bytes, or a row, may come from several of them. gp_enqueue_scatter writes nothing for wrong
 * positions. All else is as for gp_gather. */
GP_API gp_status gp_scatter(gp_context *context, size_t element_size, size_t m, const void *in, gp_dtype index,
                            const void *positions, size_t n, void *out, const gp_gather_options *options);

/* The same on buffers; in_offset and out_offset are in elements, not rows. Errors also
 * GP_ERROR_OUT_OF_BOUNDS for what reaches past the end of a buffer, GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_gather(gp_context *context, size_t element_size, size_t n, gp_buffer *in, size_t in_offset,
                                   gp_dtype index, size_t m, gp_buffer *positions, size_t positions_offset,
                                   gp_buffer *out, size_t out_offset, const gp_gather_options *options,
                                   size_t wait_count, gp_event *const *wait, gp_event **event);
GP_API gp_status gp_enqueue_scatter(gp_context *context, size_t element_size, size_t m, gp_buffer *in, size_t in_offset,
                                    gp_dtype index, gp_buffer *positions, size_t positions_offset, size_t n,
                                    gp_buffer *out, size_t out_offset, const gp_gather_options *options,
                                    size_t wait_count, gp_event *const *wait, gp_event **event);

/* ---- Transposes of matrices ------------------------------------------------------------------ */

typedef struct gp_transpose_matrix_options {
    size_t struct_size;
    const char *algorithm; /* a name from gp_algorithms of GP_TRANSPOSE_MATRIX; NULL chooses */
    gp_event **event;      /* host-pointer form: receives a completed event with the times; the caller frees it */
    size_t batch;          /* number of matrices; 0 means 1 */
    size_t stride_in;      /* elements from one matrix of `in` to the next; 0 means rows * ld_in */
    size_t stride_out;     /* likewise for `out`; 0 means columns * ld_out */
} gp_transpose_matrix_options;

#if !defined(GP_PARSE) && !defined(SWIG)
#define GP_TRANSPOSE_MATRIX_OPTIONS_INIT                                                                               \
    { sizeof(gp_transpose_matrix_options), 0, 0, 0, 0, 0 }
#endif

/* out[j * ld_out + i] = in[i * ld_in + j], for i = 0 .. rows - 1 and j = 0 .. columns - 1, in every
 * matrix of a batch. `in` has rows of `columns` elements, which begin ld_in apart; `out` has
 * `columns` rows of `rows` elements, ld_out apart. Elements are any element_size (1 to 64) bytes,
 * without alignment. What lies between the rows and the matrices of `out` is not touched.
 *
 * `in` is only read; `out` does not overlap it. Matrices of `out` lie one behind the other:
 * stride_out is at least what one takes; those of `in` may overlap each other.
 * Cost: each element is read once and written once. No work space, but for the call on host
 * pointers where `out` has gaps. Method: tiles in local memory (Ruetsch and Micikevicius,
 * "Optimizing Matrix Transpose in CUDA", 2009), of small squares that work-items turn round in
 * registers.
 *
 * Errors: GP_ERROR_NULL_POINTER, GP_ERROR_HANDLE, GP_ERROR_VALUE_SIZE (element_size),
 * GP_ERROR_OPTION, GP_ERROR_STRUCT_SIZE, GP_ERROR_LEADING_DIMENSION, GP_ERROR_BATCH_STRIDE,
 * GP_ERROR_OVERLAP, GP_ERROR_SIZE_OVERFLOW, GP_ERROR_ALGORITHM, GP_ERROR_ALGORITHM_REFUSED,
 * GP_ERROR_TOO_LARGE, GP_ERROR_DEVICE_MEMORY, GP_ERROR_HOST_MEMORY. */
GP_API gp_status gp_transpose_matrix(gp_context *context, size_t element_size, size_t rows, size_t columns,
                                     const void *in, size_t ld_in, void *out, size_t ld_out,
                                     const gp_transpose_matrix_options *options);

/* The same on buffers; errors also GP_ERROR_OUT_OF_BOUNDS, GP_ERROR_WRONG_CONTEXT. */
GP_API gp_status gp_enqueue_transpose_matrix(gp_context *context, size_t element_size, size_t rows, size_t columns,
                                             gp_buffer *in, size_t in_offset, size_t ld_in, gp_buffer *out,
                                             size_t out_offset, size_t ld_out,
                                             const gp_transpose_matrix_options *options, size_t wait_count,
                                             gp_event *const *wait, gp_event **event);

#if !defined(GP_PARSE) && !defined(SWIG)
#ifdef __cplusplus
}
#endif
#endif

#endif
