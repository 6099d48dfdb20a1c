// Perl: packed strings (pack) or references to arrays of numbers; results are new ones of the same sort. Calls die with a
// Gpcl::Error, which has message, status and build_log and reads as its message.
%{
static void gpcl_raise(pTHX_ const gpcl_swig::Failure &failure) {
    HV *fields = newHV();
    (void)hv_stores(fields, "message", newSVpvn_utf8(failure.message.data(), failure.message.size(), 1));
    (void)hv_stores(fields, "status", newSViv(failure.status));
    (void)hv_stores(fields, "build_log", newSVpvn_utf8(failure.build_log.data(), failure.build_log.size(), 1));
    SV *error = sv_2mortal(newRV_noinc(reinterpret_cast<SV *>(fields)));
    sv_bless(error, gv_stashpv("Gpcl::Error", GV_ADD));
    sv_setsv(ERRSV, error); // what SWIG_fail dies with
}

static bool gpcl_take_array(pTHX_ AV *array, gpcl_swig::Data &data) {
    const SSize_t count = av_len(array) + 1;
    data.reserve(std::size_t(count));
    for (SSize_t i = 0; i < count; ++i) {
        SV **item = av_fetch(array, i, 0);
        UV digits = 0;
        int kind = 0;
        if (item && SvIOK(*item)) {
            data.add_integer(SvIsUV(*item) ? std::int64_t(SvUVX(*item)) : SvIVX(*item));
        } else if (item && SvNOK(*item)) {
            data.add_real(SvNVX(*item));
        } else if (item && SvPOK(*item) && (kind = grok_number(SvPVX(*item), SvCUR(*item), &digits)) != 0) {
            if ((kind & (IS_NUMBER_IN_UV | IS_NUMBER_NOT_INT)) != IS_NUMBER_IN_UV) data.add_real(SvNV(*item));
            else data.add_integer(std::int64_t(kind & IS_NUMBER_NEG ? 0 - digits : digits));
        } else {
            return false;
        }
    }
    return true;
}

static bool gpcl_take(pTHX_ SV *value, gpcl_swig::Data &data) {
    if (SvROK(value) && SvTYPE(SvRV(value)) == SVt_PVAV) return gpcl_take_array(aTHX_ reinterpret_cast<AV *>(SvRV(value)), data);
    if (!SvPOK(value) || !sv_utf8_downgrade(value, 1)) return false; // numbers and texts are no packed strings
    data.borrow(SvPVX(value), SvCUR(value));
    return true;
}

static SV *gpcl_give(pTHX_ const gpcl_swig::Data &data) {
    if (!data.is_list()) return newSVpvn_flags(data.data(), data.bytes(), SVs_TEMP);
    AV *array = newAV();
    for (std::size_t i = 0; i < data.count(); ++i) {
        const gpcl_swig::Number number = data.number(i);
        av_push(array, number.is_real       ? newSVnv(number.real)
                       : data.is_unsigned() ? newSVuv(UV(number.integer))
                                            : newSViv(number.integer));
    }
    return sv_2mortal(newRV_noinc(reinterpret_cast<SV *>(array)));
}
%}
%perlcode %{
package Gpcl::Error;
use overload '""' => sub { $_[0]{message} }, fallback => 1;
sub message { $_[0]{message} }
sub status { $_[0]{status} }
sub build_log { $_[0]{build_log} }
package Gpcl;
%}

%exception {
    try {
        $action
    } catch (const gpcl_swig::Failure &failure) {
        gpcl_raise(aTHX_ failure);
        SWIG_fail;
    }
}

// On the heap, for errors leave a function without its destructors.
%typemap(in) gpcl_swig::In & {
    $1 = new $*1_ltype;
    if (!gpcl_take(aTHX_ $input, *$1)) SWIG_exception_fail(SWIG_TypeError, "gpcl takes packed strings and arrays of numbers");
}
%typemap(in) gpcl_swig::InOut & {
    $1 = new $*1_ltype;
    if (!gpcl_take(aTHX_ $input, *$1)) SWIG_exception_fail(SWIG_TypeError, "gpcl takes packed strings and arrays of numbers");
    $1->detach();
}
%typemap(in, numinputs=0) gpcl_swig::Out & "$1 = new $*1_ltype;"
%typemap(freearg) gpcl_swig::In &, gpcl_swig::Out &, gpcl_swig::InOut & "delete $1;"
%typemap(argout) gpcl_swig::Out &, gpcl_swig::InOut & {
    if (argvi >= items) EXTEND(sp, argvi + 1);
    $result = gpcl_give(aTHX_ *$1);
    ++argvi;
}
