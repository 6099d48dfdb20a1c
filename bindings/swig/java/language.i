// Java: direct NIO buffers, from their position to their limit; results are written there. Errors are GpclException with
// getStatus() and getBuildLog(). Contexts are AutoCloseable.
%include "enumsimple.swg"
%rename("%(lowercamelcase)s", %$isvariable, %$not %$isenumitem) "";
%rename("%(lowercamelcase)s", %$isfunction, %$ismember) "";
%rename(statusName) gp_status_name;
%rename(dtypeSize) gp_dtype_size;
%rename(dtypeName) gp_dtype_name;
%rename(operationName) gp_operation_name;
%rename(cacheFolder) gp_cache_folder;
%rename(cacheProblem) gp_cache_problem;
%apply int64_t { uint64_t } // there are no unsigned types
%typemap(javainterfaces) gpcl_swig::Context "AutoCloseable"

%pragma(java) jniclasscode=%{
    static {
        System.loadLibrary("gpcl_java");
    }
%}

%{
static void gpcl_raise(JNIEnv *jenv, const gpcl_swig::Failure &failure) {
    const jclass type = jenv->FindClass("gpcl/GpclException");
    if (!type) return; // Java has thrown already, here and below
    const jmethodID make = jenv->GetMethodID(type, "<init>", "(ILjava/lang/String;Ljava/lang/String;)V");
    const jstring message = jenv->NewStringUTF(failure.message.c_str());
    const jstring log = message ? jenv->NewStringUTF(failure.build_log.c_str()) : nullptr;
    const jobject error = make && log ? jenv->NewObject(type, make, jint(failure.status), message, log) : nullptr;
    if (error) jenv->Throw(static_cast<jthrowable>(error));
}

// Memory.java has seen that the buffer is direct, in the machine's byte order, and writable where it must be.
static bool gpcl_take(JNIEnv *jenv, jobject buffer, gpcl_swig::Data &data) {
    const jclass memory = jenv->FindClass("gpcl/Memory");
    if (!memory) return false;
    const auto ask = [&](const char *method) {
        const jmethodID id = jenv->GetStaticMethodID(memory, method, "(Ljava/nio/Buffer;)J");
        return id ? std::size_t(jenv->CallStaticLongMethod(memory, id, buffer)) : 0;
    };
    const std::size_t first = ask("firstByte");
    if (jenv->ExceptionCheck()) return false;
    const std::size_t bytes = ask("byteCount");
    if (jenv->ExceptionCheck()) return false;
    const auto *address = static_cast<const char *>(jenv->GetDirectBufferAddress(buffer));
    data.borrow(address + first, bytes);
    return true;
}
%}

%exception {
    try {
        $action
    } catch (const gpcl_swig::Failure &failure) {
        gpcl_raise(jenv, failure);
        return $null;
    }
}

%define GPCL_BUFFER(Kind, CHECK)
%typemap(jni) gpcl_swig::Kind & "jobject"
%typemap(jtype) gpcl_swig::Kind & "java.nio.Buffer"
%typemap(jstype) gpcl_swig::Kind & "java.nio.Buffer"
%typemap(javain) gpcl_swig::Kind & "Memory.CHECK($javainput)"
%typemap(in) gpcl_swig::Kind & (gpcl_swig::Kind data) {
    if (!gpcl_take(jenv, $input, data)) return $null;
    $1 = &data;
}
%enddef
GPCL_BUFFER(In, readable)
GPCL_BUFFER(Out, writable)
GPCL_BUFFER(InOut, writable)

// A mapping's memory as a direct buffer, until the mapping is released.
%typemap(in, numinputs=0) JNIEnv *jenv "$1 = jenv;"
%typemap(jstype) jobject view "java.nio.ByteBuffer"
%typemap(javaout) jobject view {
    java.nio.ByteBuffer memory = (java.nio.ByteBuffer) $jnicall;
    return (access() == Gpcl.READ ? memory.asReadOnlyBuffer() : memory).order(java.nio.ByteOrder.nativeOrder());
}
%extend gpcl_swig::Mapping {
    jobject view(JNIEnv *jenv) {
        return jenv->NewDirectByteBuffer($self->memory($self->access()), jlong($self->bytes()));
    }
}
