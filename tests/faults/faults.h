// An OpenCL layer between the loader and the driver that fails the call it is told to fail, and
// counts the references that are still held. The loader takes it from OPENCL_LAYERS; the test,
// which links it too, steers it from here.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

extern "C" {

// The call number `call` from now on fails, the first being 1; 0 fails none.
void faults_arm(long call);

// From the call of that number on the device is gone: the work under way ends, every call fails,
// and none reaches the driver. faults_arm ends that for what is made afterwards.
void faults_lose(long call);

// From the call of that number on the device hangs: it takes commands and runs none, for ever.
// faults_arm ends that for queues that are made afterwards.
void faults_hang(long call);

// Which device faults_hang is about: by the order in which queues were first made on them; -1, as
// from the start, all.
void faults_hang_device(long index);

// The OpenCL function that would never have come back from a device that hangs, and failed instead;
// NULL for none since faults_arm.
const char *faults_waited();

// The OpenCL function that failed since faults_arm; NULL for none.
const char *faults_hit();

// How many calls came through since faults_arm, counted whether they can fail or not.
long faults_calls();

// How many of them were of functions whose names begin so, "clCreate" for one.
long faults_calls_of(const char *name);

// The kinds of OpenCL objects of which references are held, and how many: "2 event, 1 program"; ""
// for none.
const char *faults_live();

// The most bytes of device memory that were held at a time since it was last asked, memory of the
// caller's own not counted.
size_t faults_memory_peak();

// Whether clGetKernelArgInfo fails, as it may for programs that were made of binaries.
void faults_hide_parameters(bool hidden);

// Is the calling thread in the driver?
bool faults_in_driver();

// The devices no longer have float64, as many a mobile GPU.
void faults_hide_float64();
}
