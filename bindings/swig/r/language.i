// R: numeric and integer vectors, or raw vectors of packed data; results are new ones of the same sort. Errors are
// conditions of class gpcl_error with message, status and build_log.
%{
static SEXP gpcl_make_error(const gpcl_swig::Failure &failure) {
    SEXP condition = PROTECT(Rf_allocVector(VECSXP, 4)), names = PROTECT(Rf_allocVector(STRSXP, 4));
    SEXP classes = PROTECT(Rf_allocVector(STRSXP, 3));
    const char *const name[] = {"message", "call", "status", "build_log"}, *const type[] = {"gpcl_error", "error", "condition"};
    for (int i = 0; i < 4; ++i) SET_STRING_ELT(names, i, Rf_mkChar(name[i]));
    for (int i = 0; i < 3; ++i) SET_STRING_ELT(classes, i, Rf_mkChar(type[i]));
    SET_VECTOR_ELT(condition, 0, Rf_mkString(failure.message.c_str()));
    SET_VECTOR_ELT(condition, 2, Rf_ScalarInteger(failure.status));
    SET_VECTOR_ELT(condition, 3, Rf_mkString(failure.build_log.c_str()));
    Rf_setAttrib(condition, R_NamesSymbol, names);
    Rf_setAttrib(condition, R_ClassSymbol, classes);
    UNPROTECT(3);
    return condition;
}

// Errors leave by a jump, so they wait until the arguments are freed: that is when SWIG asks for an error's type.
static SEXP gpcl_pending = nullptr;
static const char *gpcl_error_type(int code) {
    if (gpcl_pending == nullptr) return SWIG_ErrorType(code);
    SEXP condition = PROTECT(gpcl_pending);
    R_ReleaseObject(gpcl_pending);
    gpcl_pending = nullptr;
    Rf_eval(PROTECT(Rf_lang2(Rf_install("stop"), condition)), R_BaseEnv); // does not return
    return "";
}
#define SWIG_ErrorType(code) gpcl_error_type(code)

static bool gpcl_take(SEXP value, gpcl_swig::Data &data) {
    const std::size_t count = std::size_t(Rf_xlength(value));
    if (TYPEOF(value) == RAWSXP) {
        data.borrow(RAW(value), count);
    } else if (TYPEOF(value) == INTSXP || TYPEOF(value) == LGLSXP) {
        data.reserve(count);
        for (std::size_t i = 0; i < count; ++i) data.add_integer(INTEGER(value)[i]);
    } else if (TYPEOF(value) == REALSXP || value == R_NilValue) {
        data.reserve(count);
        for (std::size_t i = 0; i < count; ++i) data.add_real(REAL(value)[i]);
    } else {
        return false;
    }
    return true;
}

static double gpcl_double(const gpcl_swig::Number &number, bool is_unsigned) {
    if (number.is_real) return number.real;
    return is_unsigned ? double(static_cast<std::uint64_t>(number.integer)) : double(number.integer);
}

// R has integers of 32 bits, whose lowest stands for NA; all else becomes double.
static SEXP gpcl_give(const gpcl_swig::Data &data) {
    if (!data.is_list()) {
        SEXP raw = Rf_allocVector(RAWSXP, R_xlen_t(data.bytes()));
        if (data.bytes() != 0) std::memcpy(RAW(raw), data.data(), data.bytes());
        return raw;
    }
    SEXP real = Rf_allocVector(REALSXP, R_xlen_t(data.count()));
    for (std::size_t i = 0; i < data.count(); ++i) REAL(real)[i] = gpcl_double(data.number(i), data.is_unsigned());
    return real;
}
%}

%exception {
    try {
        $action
    } catch (const gpcl_swig::Failure &failure) {
        R_PreserveObject(gpcl_pending = gpcl_make_error(failure));
        SWIG_fail;
    }
}

// On the heap, for errors leave a function without its destructors.
%define GPCL_VECTOR(Kind, AFTER)
%typemap(in) gpcl_swig::Kind & {
    $1 = new $*1_ltype;
    if (!gpcl_take($input, *$1)) SWIG_exception_fail(SWIG_TypeError, "gpcl takes numeric, integer and raw vectors");
    AFTER
}
%typemap(scoercein) gpcl_swig::Kind & ""
%typemap(rtype) gpcl_swig::Kind & "vector"
%enddef
GPCL_VECTOR(In, )
GPCL_VECTOR(InOut, $1->detach();)
%typemap(in, numinputs=0) gpcl_swig::Out & "$1 = new $*1_ltype;"
%typemap(freearg) gpcl_swig::In &, gpcl_swig::Out &, gpcl_swig::InOut & "delete $1;"
%typemap(argout) gpcl_swig::Out &, gpcl_swig::InOut & "$result = gpcl_give(*$1);"
%typemap(argout) gpcl_swig::InOut &values { // the second result: a list of both
    SEXP first = PROTECT($result), second = PROTECT(gpcl_give(*$1));
    $result = Rf_allocVector(VECSXP, 2);
    SET_VECTOR_ELT($result, 0, first);
    SET_VECTOR_ELT($result, 1, second);
    UNPROTECT(2);
}

// Constants under their names, as numbers (SWIG has them as functions that return texts).
%insert("sinit") %{
for (getter in grep("^R_swig_gp_.*_code_.*_get$", names(getDLLRegisteredRoutines("gpcl")$.Call), value = TRUE))
    assign(sub("^R_swig_gp_.*_code_(.*)_get$", "\\1", getter), .Call(getter, FALSE, PACKAGE = "gpcl"))
%}

// Options and events may be left out.
%typemap(scoercein) SWIGTYPE *options, SWIGTYPE *event
    "if (missing($input)) $input = NULL else if (inherits($input, \"ExternalReference\")) $input = slot($input, \"ref\");"
