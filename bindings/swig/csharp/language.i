// C#: arrays of any primitive type; results are written into them. Errors are GpclException with Status and BuildLog.
// Contexts are IDisposable.
%include "enumsimple.swg"
%rename("%(camelcase)s", %$isvariable, %$not %$isenumitem) "";
%rename("%(camelcase)s", %$isfunction) "";
%rename("$ignore", regextarget=1, %$isfunction, %$not %$ismember) "^gp_"; // again: the last match counts
%rename(Version) gp_version;
%rename(StatusName) gp_status_name;
%rename(DtypeSize) gp_dtype_size;
%rename(DtypeName) gp_dtype_name;
%rename(OperationName) gp_operation_name;
%rename(CacheFolder) gp_cache_folder;
%rename(CacheProblem) gp_cache_problem;
%apply long long { size_t } // ints convert to it by themselves

%pragma(csharp) imclasscode=%{
    [System.Runtime.InteropServices.UnmanagedFunctionPointer(System.Runtime.InteropServices.CallingConvention.Cdecl)]
    delegate void Raise(int status, string message, string buildLog);

    [System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint = "gpcl_swig_on_failure")]
    static extern void OnFailure(Raise raise);

    static readonly Raise raise = Keep((status, message, buildLog) =>
        SWIGPendingException.Set(new GpclException(status, message, buildLog)));

    static Raise Keep(Raise raise) {
        OnFailure(raise);
        return raise;
    }
%}

%{
static void (*gpcl_raise)(int status, const char *message, const char *build_log);
extern "C" SWIGEXPORT void gpcl_swig_on_failure(void (*raise)(int, const char *, const char *)) { gpcl_raise = raise; }

struct GpclMemory { // as in Memory.cs
    void *address;
    std::size_t bytes;
};
%}

%feature("except", canthrow=1) {
    try {
        $action
    } catch (const gpcl_swig::Failure &failure) {
        gpcl_raise(failure.status, failure.message.c_str(), failure.build_log.c_str());
        return $null;
    }
}

%define GPCL_ARRAY(Kind)
%typemap(ctype) gpcl_swig::Kind & "GpclMemory *"
%typemap(imtype) gpcl_swig::Kind & "ref Memory"
%typemap(cstype) gpcl_swig::Kind & "System.Array"
%typemap(csin, pre="    var pinned_$csinput = new Pinned($csinput, \"$csinput\");", post="      pinned_$csinput.Dispose();")
    gpcl_swig::Kind & "ref pinned_$csinput.Memory"
%typemap(in) gpcl_swig::Kind & (gpcl_swig::Kind data) {
    data.borrow($input->address, $input->bytes);
    $1 = &data;
}
%enddef
GPCL_ARRAY(In)
GPCL_ARRAY(Out)
GPCL_ARRAY(InOut)
