// Node: typed arrays, Buffer, DataView; results are written into them. A failure throws an Error with status and buildLog.
%{
static bool gpcl_take(const v8::Local<v8::Value> &value, gpcl_swig::Data &data) {
    if (!value->IsArrayBufferView()) return false;
    const v8::Local<v8::ArrayBufferView> view = value.As<v8::ArrayBufferView>();
    data.borrow(static_cast<char *>(view->Buffer()->GetBackingStore()->Data()) + view->ByteOffset(), view->ByteLength());
    return true;
}

static void gpcl_raise(const gpcl_swig::Failure &failure) {
    v8::Isolate *isolate = v8::Isolate::GetCurrent();
    const v8::Local<v8::Context> context = isolate->GetCurrentContext();
    const auto text = [&](const std::string &from) {
        return v8::String::NewFromUtf8(isolate, from.data(), v8::NewStringType::kNormal, int(from.size())).ToLocalChecked();
    };
    const v8::Local<v8::Object> error = v8::Exception::Error(text(failure.message)).As<v8::Object>();
    (void)error->Set(context, text("status"), v8::Integer::New(isolate, failure.status));
    (void)error->Set(context, text("buildLog"), text(failure.build_log));
    isolate->ThrowException(error);
}
%}

%exception {
    try {
        $action
    } catch (const gpcl_swig::Failure &failure) {
        gpcl_raise(failure);
        SWIG_fail;
    }
}

%define GPCL_VIEW(Kind)
%typemap(in) gpcl_swig::Kind & (gpcl_swig::Kind data) {
    if (!gpcl_take($input, data)) SWIG_exception_fail(SWIG_TypeError, "gpcl takes typed arrays");
    $1 = &data;
}
%enddef
GPCL_VIEW(In)
GPCL_VIEW(Out)
GPCL_VIEW(InOut)
