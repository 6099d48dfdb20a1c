/* Numbers and layouts that programs were compiled with. A line here changes only with the library's soname.
 *
 * SPDX-License-Identifier: MIT
 */
#include <gpcl/gpcl.h>
#include <stddef.h>

#define PIN(what, value) _Static_assert((what) == (value), #what)
#define AT(type, member, offset) PIN(offsetof(type, member), offset)

PIN(sizeof(gp_status), 4);
PIN(sizeof(gp_dtype), 4);
PIN(GP_SUCCESS, 0);
PIN(GP_ERROR_NO_DEVICE, 100);
PIN(GP_ERROR_OPENCL, 101);
PIN(GP_ERROR_UNSUPPORTED_TYPE, 102);
PIN(GP_ERROR_UNSUPPORTED_DEVICE, 103);
PIN(GP_ERROR_NO_PROFILING, 104);
PIN(GP_ERROR_FILE, 105);
PIN(GP_ERROR_NULL_POINTER, 200);
PIN(GP_ERROR_HANDLE, 201);
PIN(GP_ERROR_WRONG_CONTEXT, 202);
PIN(GP_ERROR_DTYPE, 203);
PIN(GP_ERROR_OPERATOR, 204);
PIN(GP_ERROR_SEMIRING, 205);
PIN(GP_ERROR_OPTION, 206);
PIN(GP_ERROR_STRUCT_SIZE, 207);
PIN(GP_ERROR_LEADING_DIMENSION, 208);
PIN(GP_ERROR_BATCH_STRIDE, 209);
PIN(GP_ERROR_OVERLAP, 210);
PIN(GP_ERROR_OUT_OF_BOUNDS, 211);
PIN(GP_ERROR_SIZE_OVERFLOW, 212);
PIN(GP_ERROR_VALUE_SIZE, 213);
PIN(GP_ERROR_ALIGNMENT, 214);
PIN(GP_ERROR_ALGORITHM, 215);
PIN(GP_ERROR_ALGORITHM_REFUSED, 216);
PIN(GP_ERROR_INDEX, 217);
PIN(GP_ERROR_WORK_SIZE, 218);
PIN(GP_ERROR_OPERATION, 219);
PIN(GP_ERROR_BUILD, 300);
PIN(GP_ERROR_KERNEL_NAME, 301);
PIN(GP_ERROR_KERNEL_ARGUMENT, 302);
PIN(GP_ERROR_LAUNCH, 303);
PIN(GP_ERROR_HOST_MEMORY, 400);
PIN(GP_ERROR_DEVICE_MEMORY, 401);
PIN(GP_ERROR_TOO_LARGE, 402);
PIN(GP_ERROR_INTERNAL, 500);
PIN(GP_INT8, 1);
PIN(GP_INT16, 2);
PIN(GP_INT32, 3);
PIN(GP_INT64, 4);
PIN(GP_UINT8, 5);
PIN(GP_UINT16, 6);
PIN(GP_UINT32, 7);
PIN(GP_UINT64, 8);
PIN(GP_FLOAT16, 9);
PIN(GP_FLOAT32, 10);
PIN(GP_FLOAT64, 11);
PIN(GP_DEVICE_HOST, 1);
PIN(GP_DEVICE_CPU, 2);
PIN(GP_DEVICE_GPU, 3);
PIN(GP_DEVICE_ACCELERATOR, 4);
PIN(GP_READ, 1);
PIN(GP_WRITE, 2);
PIN(GP_READ_WRITE, 3);
PIN(GP_UPLOAD, 1);
PIN(GP_KERNEL, 2);
PIN(GP_DOWNLOAD, 3);
PIN(GP_COPY, 4);
PIN(GP_FILL, 5);
PIN(GP_MATMUL, 1);
PIN(GP_SCAN, 2);
PIN(GP_SORT, 3);
PIN(GP_REDUCE, 4);
PIN(GP_HISTOGRAM, 5);
PIN(GP_RECURRENCE, 6);
PIN(GP_ROW_MAJOR, 0);
PIN(GP_COLUMN_MAJOR, 1);
PIN(GP_NO_TRANSPOSE, 0);
PIN(GP_TRANSPOSE, 1);
PIN(GP_PLUS_TIMES, 0);
PIN(GP_MIN_PLUS, 1);
PIN(GP_MAX_PLUS, 2);
PIN(GP_MAX_MIN, 3);
PIN(GP_OR_AND, 4);
PIN(GP_FULL, 0);
PIN(GP_FAST, 1);
PIN(GP_ADD, 0);
PIN(GP_MULTIPLY, 1);
PIN(GP_MINIMUM, 2);
PIN(GP_MAXIMUM, 3);
PIN(GP_INCLUSIVE, 0);
PIN(GP_EXCLUSIVE, 1);
PIN(GP_FORWARD, 0);
PIN(GP_REVERSE, 1);
PIN(GP_ASCENDING, 0);
PIN(GP_DESCENDING, 1);

#if UINTPTR_MAX == UINT64_MAX
AT(gp_device_info, struct_size, 0);
AT(gp_device_info, kind, 8);
AT(gp_device_info, platform_index, 12);
AT(gp_device_info, device_index, 16);
AT(gp_device_info, compute_units, 20);
AT(gp_device_info, clock_mhz, 24);
AT(gp_device_info, vector_float, 28);
AT(gp_device_info, global_bytes, 32);
AT(gp_device_info, allocation_bytes, 40);
AT(gp_device_info, local_bytes, 48);
AT(gp_device_info, cache_bytes, 56);
AT(gp_device_info, work_group_size, 64);
AT(gp_device_info, has_float64, 72);
AT(gp_device_info, has_float16, 76);
AT(gp_device_info, has_images, 80);
AT(gp_device_info, has_unified_memory, 84);
AT(gp_device_info, selector, 88);
AT(gp_device_info, name, 120);
AT(gp_device_info, vendor, 376);
AT(gp_device_info, driver, 504);
AT(gp_device_info, opencl_c, 632);
AT(gp_device_info, platform, 696);
AT(gp_device_info, platform_version, 824);
PIN(sizeof(gp_device_info), 952);

AT(gp_timing, struct_size, 0);
AT(gp_timing, upload_ns, 8);
AT(gp_timing, run_ns, 16);
AT(gp_timing, download_ns, 24);
AT(gp_timing, span_ns, 32);
AT(gp_timing, commands, 40);
AT(gp_timing, kernels, 48);
PIN(sizeof(gp_timing), 56);

AT(gp_command, struct_size, 0);
AT(gp_command, kind, 8);
AT(gp_command, start_ns, 16);
AT(gp_command, run_ns, 24);
AT(gp_command, global_size, 32);
AT(gp_command, local_size, 56);
AT(gp_command, local_bytes, 80);
AT(gp_command, private_bytes, 88);
AT(gp_command, name, 96);
PIN(sizeof(gp_command), 160);

AT(gp_argument, buffer, 0);
AT(gp_argument, value, 8);
AT(gp_argument, bytes, 16);
PIN(sizeof(gp_argument), 24);

AT(gp_algorithm_info, struct_size, 0);
AT(gp_algorithm_info, name, 8);
AT(gp_algorithm_info, summary, 16);
AT(gp_algorithm_info, source, 24);
AT(gp_algorithm_info, on_host, 32);
AT(gp_algorithm_info, by_name, 36);
PIN(sizeof(gp_algorithm_info), 40);

AT(gp_matmul_options, struct_size, 0);
AT(gp_matmul_options, layout, 8);
AT(gp_matmul_options, transpose_a, 12);
AT(gp_matmul_options, transpose_b, 16);
AT(gp_matmul_options, semiring, 20);
AT(gp_matmul_options, precision, 24);
AT(gp_matmul_options, reserved, 28);
AT(gp_matmul_options, alpha, 32);
AT(gp_matmul_options, beta, 40);
AT(gp_matmul_options, batch, 48);
AT(gp_matmul_options, stride_a, 56);
AT(gp_matmul_options, stride_b, 64);
AT(gp_matmul_options, stride_c, 72);
AT(gp_matmul_options, algorithm, 80);
AT(gp_matmul_options, event, 88);
PIN(sizeof(gp_matmul_options), 96);

AT(gp_scan_options, struct_size, 0);
AT(gp_scan_options, op, 8);
AT(gp_scan_options, kind, 12);
AT(gp_scan_options, direction, 16);
AT(gp_scan_options, reserved, 20);
AT(gp_scan_options, operator_source, 24);
AT(gp_scan_options, operator_identity, 32);
AT(gp_scan_options, operator_helpers, 40);
AT(gp_scan_options, algorithm, 48);
AT(gp_scan_options, event, 56);
AT(gp_scan_options, batch, 64);
AT(gp_scan_options, stride_in, 72);
AT(gp_scan_options, stride_out, 80);
AT(gp_scan_options, step_in, 88);
AT(gp_scan_options, step_out, 96);
AT(gp_scan_options, heads, 104);
AT(gp_scan_options, heads_buffer, 112);
AT(gp_scan_options, heads_offset, 120);
AT(gp_scan_options, accumulator, 128);
AT(gp_scan_options, reserved2, 132);
PIN(sizeof(gp_scan_options), 136);

AT(gp_reduce_options, struct_size, 0);
AT(gp_reduce_options, op, 8);
AT(gp_reduce_options, reserved, 12);
AT(gp_reduce_options, operator_source, 16);
AT(gp_reduce_options, operator_identity, 24);
AT(gp_reduce_options, operator_helpers, 32);
AT(gp_reduce_options, algorithm, 40);
AT(gp_reduce_options, event, 48);
AT(gp_reduce_options, batch, 56);
AT(gp_reduce_options, stride_in, 64);
AT(gp_reduce_options, stride_out, 72);
AT(gp_reduce_options, step_in, 80);
AT(gp_reduce_options, accumulator, 88);
AT(gp_reduce_options, reserved2, 92);
PIN(sizeof(gp_reduce_options), 96);

AT(gp_sort_options, struct_size, 0);
AT(gp_sort_options, order, 8);
AT(gp_sort_options, reserved, 12);
AT(gp_sort_options, algorithm, 16);
AT(gp_sort_options, event, 24);
AT(gp_sort_options, begin_bit, 32);
AT(gp_sort_options, end_bit, 36);
AT(gp_sort_options, work, 40);
AT(gp_sort_options, work_offset, 48);
AT(gp_sort_options, work_bytes, 56);
PIN(sizeof(gp_sort_options), 64);

AT(gp_histogram_options, struct_size, 0);
AT(gp_histogram_options, algorithm, 8);
AT(gp_histogram_options, event, 16);
PIN(sizeof(gp_histogram_options), 24);

AT(gp_recurrence_options, struct_size, 0);
AT(gp_recurrence_options, batch, 8);
AT(gp_recurrence_options, stride_in, 16);
AT(gp_recurrence_options, stride_out, 24);
AT(gp_recurrence_options, initial, 32);
AT(gp_recurrence_options, algorithm, 40);
AT(gp_recurrence_options, event, 48);
PIN(sizeof(gp_recurrence_options), 56);
#endif
