// Python: anything with the buffer protocol (NumPy arrays, array.array, bytearray), contiguous; results are written into
// it. Errors are gpcl_swig.Error with status and build_log. Other threads run while an operation does.
%{
static PyObject *gpcl_error;

static void gpcl_raise(const gpcl_swig::Failure &failure) {
    PyObject *message = PyUnicode_DecodeUTF8(failure.message.data(), Py_ssize_t(failure.message.size()), "replace");
    PyObject *log = PyUnicode_DecodeUTF8(failure.build_log.data(), Py_ssize_t(failure.build_log.size()), "replace");
    PyObject *status = PyLong_FromLong(failure.status);
    PyObject *error = message && log && status ? PyObject_CallFunctionObjArgs(gpcl_error, message, nullptr) : nullptr;
    if (error && PyObject_SetAttrString(error, "status", status) == 0 && PyObject_SetAttrString(error, "build_log", log) == 0)
        PyErr_SetObject(gpcl_error, error);
    Py_XDECREF(error);
    Py_XDECREF(status);
    Py_XDECREF(log);
    Py_XDECREF(message);
}

// Keeps an object's memory in place for the length of a call.
struct GpclView {
    Py_buffer view = {};
    GpclView() = default;
    GpclView(const GpclView &) = delete;
    ~GpclView() { PyBuffer_Release(&view); }
    bool take(PyObject *object, int flags, gpcl_swig::Data &data) {
        if (PyObject_GetBuffer(object, &view, flags) != 0) return false;
        data.borrow(view.buf, std::size_t(view.len));
        return true;
    }
};
%}

%init %{
    gpcl_error = PyErr_NewExceptionWithDoc("gpcl_swig.Error", "A failure: str() is its message; status, build_log.",
                                           PyExc_RuntimeError, nullptr);
    Py_XINCREF(gpcl_error);
    PyModule_AddObject(m, "Error", gpcl_error);
%}
%pythoncode %{
Error = _gpcl_swig.Error
%}

%exception {
    try {
        $action
    } catch (const gpcl_swig::Failure &failure) {
        gpcl_raise(failure);
        SWIG_fail;
    }
}

%define GPCL_BUFFER(Kind, FLAGS)
%typemap(in) gpcl_swig::Kind & (gpcl_swig::Kind data, GpclView view) {
    if (!view.take($input, FLAGS, data)) SWIG_fail;
    $1 = &data;
}
%enddef
GPCL_BUFFER(In, PyBUF_SIMPLE)
GPCL_BUFFER(Out, PyBUF_WRITABLE)
GPCL_BUFFER(InOut, PyBUF_WRITABLE)

%extend gpcl_swig::Context {
    %pythoncode %{
    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
    %}
}

// `with Mapping(buffer, READ) as view:` has a memoryview, which is released with the mapping.
%nothread gpcl_swig::Mapping::view;
%extend gpcl_swig::Mapping {
    PyObject *view() {
        const gp_access access = $self->access();
        char *memory = static_cast<char *>($self->memory(access));
        return PyMemoryView_FromMemory(memory, Py_ssize_t($self->bytes()), access == GP_READ ? PyBUF_READ : PyBUF_WRITE);
    }
    %pythoncode %{
    def __enter__(self):
        self._view = self.view()
        return self._view

    def __exit__(self, *_):
        self._view.release()
        self.release()
    %}
}
