// An OpenCL layer between the loader and the driver that fails the call it is told to fail, and
// counts the references that are still held. The loader takes it from OPENCL_LAYERS; the test,
// which links it too, steers it from here.
// SPDX-License-Identifier: MIT
#pragma once

extern "C" {

// The call number `call` from now on fails, the first being 1; 0 fails none.
void faults_arm(long call);

// The OpenCL function that failed since faults_arm; NULL for none.
const char *faults_hit();

// How many calls came through since faults_arm, counted whether they can fail or not.
long faults_calls();

// How many of them were of functions whose names begin so, "clCreate" for one.
long faults_calls_of(const char *name);

// The kinds of OpenCL objects of which references are held, and how many: "2 event, 1 program"; ""
// for none.
const char *faults_live();

// Whether clGetKernelArgInfo fails, as it may for programs that were made of binaries.
void faults_hide_parameters(bool hidden);

// The devices no longer have float64, as many a mobile GPU.
void faults_hide_float64();
}
