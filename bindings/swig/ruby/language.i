// Ruby: packed strings (Array#pack) or arrays of numbers; results are new ones of the same sort. Errors are Gpcl::Error
// with status and build_log.
%{
static VALUE gpcl_error_class() {
    static VALUE type = Qnil;
    if (NIL_P(type)) {
        type = rb_define_class_under(rb_define_module("Gpcl"), "Error", rb_eStandardError);
        rb_gc_register_mark_object(type);
        rb_define_attr(type, "status", 1, 0);
        rb_define_attr(type, "build_log", 1, 0);
    }
    return type;
}

static VALUE gpcl_make_error(const gpcl_swig::Failure &failure) {
    VALUE message = rb_utf8_str_new(failure.message.data(), long(failure.message.size()));
    VALUE error = rb_exc_new_str(gpcl_error_class(), message);
    rb_ivar_set(error, rb_intern("@status"), INT2NUM(failure.status));
    rb_ivar_set(error, rb_intern("@build_log"), rb_utf8_str_new(failure.build_log.data(), long(failure.build_log.size())));
    return error;
}

// Returns an error to raise, or nil. Raises nothing itself: that would jump over destructors.
static VALUE gpcl_take_array(VALUE array, gpcl_swig::Data &data) {
    const long count = RARRAY_LEN(array);
    data.reserve(std::size_t(count));
    for (long i = 0; i < count; ++i) {
        const VALUE item = rb_ary_entry(array, i);
        if (RB_FLOAT_TYPE_P(item)) {
            data.add_real(RFLOAT_VALUE(item));
        } else if (RB_INTEGER_TYPE_P(item)) {
            std::int64_t value = 0; // wraps, as the types do
            rb_integer_pack(item, &value, 1, sizeof value, 0, INTEGER_PACK_NATIVE_BYTE_ORDER | INTEGER_PACK_2COMP);
            data.add_integer(value);
        } else {
            return rb_exc_new_cstr(rb_eTypeError, "gpcl takes arrays of numbers");
        }
    }
    return Qnil;
}

static VALUE gpcl_take(VALUE value, gpcl_swig::Data &data) {
    if (RB_TYPE_P(value, T_ARRAY)) return gpcl_take_array(value, data);
    if (!RB_TYPE_P(value, T_STRING)) return rb_exc_new_cstr(rb_eTypeError, "gpcl takes packed strings and arrays of numbers");
    data.borrow(RSTRING_PTR(value), std::size_t(RSTRING_LEN(value)));
    return Qnil;
}

static VALUE gpcl_give(const gpcl_swig::Data &data) {
    if (!data.is_list()) return rb_str_new(data.data(), long(data.bytes()));
    VALUE array = rb_ary_new_capa(long(data.count()));
    for (std::size_t i = 0; i < data.count(); ++i) {
        const gpcl_swig::Number number = data.number(i);
        if (number.is_real) rb_ary_push(array, DBL2NUM(number.real));
        else if (data.is_unsigned()) rb_ary_push(array, ULL2NUM(static_cast<std::uint64_t>(number.integer)));
        else rb_ary_push(array, LL2NUM(number.integer));
    }
    return array;
}
%}
%init %{
    gpcl_error_class();
%}

%exception {
    VALUE error = Qnil;
    try {
        $action
    } catch (const gpcl_swig::Failure &failure) {
        error = gpcl_make_error(failure);
    }
    if (!NIL_P(error)) {
        $cleanup
        rb_exc_raise(error);
    }
}

// On the heap, for errors leave a function without its destructors.
%typemap(in) gpcl_swig::In & {
    $1 = new $*1_ltype;
    const VALUE error = gpcl_take($input, *$1);
    if (!NIL_P(error)) {
        $cleanup
        rb_exc_raise(error);
    }
}
%typemap(in) gpcl_swig::InOut & {
    $1 = new $*1_ltype;
    const VALUE error = gpcl_take($input, *$1);
    if (!NIL_P(error)) {
        $cleanup
        rb_exc_raise(error);
    }
    $1->detach();
}
%typemap(in, numinputs=0) gpcl_swig::Out & "$1 = new $*1_ltype;"
%typemap(freearg) gpcl_swig::In &, gpcl_swig::Out &, gpcl_swig::InOut & "delete $1;"
%typemap(argout) gpcl_swig::Out &, gpcl_swig::InOut & "vresult = SWIG_Ruby_AppendOutput(vresult, gpcl_give(*$1));"
