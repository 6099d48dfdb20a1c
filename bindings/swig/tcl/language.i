// Tcl: byte arrays (binary format) or lists of numbers; results are new ones of the same sort. Errors have the message as
// their result and the error code {GPCL ERROR_BUILD 300 log}: for `try ... trap {GPCL ERROR_BUILD}`.
%{
#include <cmath>

static void gpcl_raise(Tcl_Interp *interp, const gpcl_swig::Failure &failure) {
    Tcl_Obj *code[] = {
        Tcl_NewStringObj("GPCL", -1),
        Tcl_NewStringObj(gp_status_name(failure.status) + std::strlen("GP_"), -1),
        Tcl_NewIntObj(failure.status),
        Tcl_NewStringObj(failure.build_log.data(), int(failure.build_log.size())),
    };
    Tcl_SetObjErrorCode(interp, Tcl_NewListObj(4, code));
    Tcl_SetObjResult(interp, Tcl_NewStringObj(failure.message.data(), int(failure.message.size())));
}

// All values are texts to Tcl; what is a byte array now was made by `binary format` or read from a binary channel.
static bool gpcl_take(Tcl_Interp *interp, Tcl_Obj *value, gpcl_swig::Data &data) {
    int count = 0;
    if (value->typePtr != nullptr && std::strcmp(value->typePtr->name, "bytearray") == 0) {
        const unsigned char *bytes = Tcl_GetByteArrayFromObj(value, &count);
        data.borrow(bytes, std::size_t(count));
        return true;
    }
    Tcl_Obj **items = nullptr;
    if (Tcl_ListObjGetElements(interp, value, &count, &items) != TCL_OK) return false;
    data.reserve(std::size_t(count));
    for (int i = 0; i < count; ++i) {
        Tcl_WideInt integer = 0;
        double real = 0;
        if (Tcl_GetWideIntFromObj(nullptr, items[i], &integer) == TCL_OK) data.add_integer(integer);
        else if (Tcl_GetDoubleFromObj(nullptr, items[i], &real) == TCL_OK) data.add_real(real);
        else if (Tcl_StringCaseMatch(Tcl_GetString(items[i]), "nan*", 1)) data.add_real(std::nan("")); // Tcl refuses NaN
        else return Tcl_GetDoubleFromObj(interp, items[i], &real) == TCL_OK; // leaves the message
    }
    return true;
}

static Tcl_Obj *gpcl_give(const gpcl_swig::Data &data) {
    if (!data.is_list()) return Tcl_NewByteArrayObj(reinterpret_cast<const unsigned char *>(data.data()), int(data.bytes()));
    Tcl_Obj *list = Tcl_NewListObj(0, nullptr);
    for (std::size_t i = 0; i < data.count(); ++i) {
        const gpcl_swig::Number number = data.number(i);
        Tcl_Obj *item = nullptr;
        if (number.is_real) {
            item = Tcl_NewDoubleObj(number.real);
        } else if (data.is_unsigned() && number.integer < 0) { // past what Tcl's wide integers hold
            item = Tcl_NewStringObj(std::to_string(static_cast<std::uint64_t>(number.integer)).c_str(), -1);
        } else {
            item = Tcl_NewWideIntObj(number.integer);
        }
        Tcl_ListObjAppendElement(nullptr, list, item);
    }
    return list;
}
%}

%exception {
    try {
        $action
    } catch (const gpcl_swig::Failure &failure) {
        gpcl_raise(interp, failure);
        SWIG_fail;
    }
}

%typemap(in) gpcl_swig::In & (gpcl_swig::In data) {
    if (!gpcl_take(interp, $input, data)) SWIG_fail;
    $1 = &data;
}
%typemap(in) gpcl_swig::InOut & (gpcl_swig::InOut data) {
    if (!gpcl_take(interp, $input, data)) SWIG_fail;
    data.detach();
    $1 = &data;
}
%typemap(in, numinputs=0) gpcl_swig::Out & (gpcl_swig::Out data) "$1 = &data;"
%typemap(argout) gpcl_swig::Out &, gpcl_swig::InOut & "Tcl_SetObjResult(interp, gpcl_give(*$1));"
%typemap(argout) gpcl_swig::InOut &values { // the second result: a list of both
    Tcl_Obj *both[] = {Tcl_GetObjResult(interp), gpcl_give(*$1)};
    Tcl_SetObjResult(interp, Tcl_NewListObj(2, both));
}
