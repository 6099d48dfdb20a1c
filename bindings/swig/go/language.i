// Go: slices of bytes; Bytes makes them from slices of numbers, without a copy. Results are written into them. A failure
// panics with a text: status, message, and the build log below.
%rename("%(camelcase)s", %$isvariable, %$not %$isenumitem) "";
%typemap(gotype) enum SWIGTYPE "int"

%insert(go_wrapper) %{
// Bytes is the memory of a slice of numbers.
func Bytes[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), uintptr(len(values))*unsafe.Sizeof(values[0]))
}
%}

// The panic leaves C++ by a jump, so nothing may be left to destroy.
%{
static thread_local std::string gpcl_failure;
%}
%exception {
    bool failed = false;
    try {
        $action
    } catch (const gpcl_swig::Failure &failure) {
        failed = true;
        gpcl_failure = std::string(gp_status_name(failure.status)) + ": " + failure.message + "\n" + failure.build_log;
    }
    if (failed) _swig_gopanic(gpcl_failure.c_str());
}

%define GPCL_SLICE(Kind)
%typemap(gotype) gpcl_swig::Kind & "[]byte"
%typemap(in) gpcl_swig::Kind & (gpcl_swig::Kind data) {
    data.borrow($input.array, std::size_t($input.len));
    $1 = &data;
}
%enddef
GPCL_SLICE(In)
GPCL_SLICE(Out)
GPCL_SLICE(InOut)
