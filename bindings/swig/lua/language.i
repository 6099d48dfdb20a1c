// Lua: packed strings (string.pack) or tables of numbers; results are new ones of the same sort. Errors are tables with
// message, status and build_log, and read as their message.
%{
static int gpcl_error_text(lua_State *L) {
    lua_getfield(L, 1, "message");
    return 1;
}

static void gpcl_raise(lua_State *L, const gpcl_swig::Failure &failure) {
    lua_newtable(L);
    lua_pushinteger(L, failure.status);
    lua_setfield(L, -2, "status");
    lua_pushlstring(L, failure.message.data(), failure.message.size());
    lua_setfield(L, -2, "message");
    lua_pushlstring(L, failure.build_log.data(), failure.build_log.size());
    lua_setfield(L, -2, "build_log");
    if (luaL_newmetatable(L, "gpcl.Error")) {
        lua_pushcfunction(L, gpcl_error_text);
        lua_setfield(L, -2, "__tostring");
    }
    lua_setmetatable(L, -2);
}

static bool gpcl_take_table(lua_State *L, int index, gpcl_swig::Data &data) {
    const lua_Integer count = luaL_len(L, index);
    data.reserve(static_cast<std::size_t>(count));
    for (lua_Integer i = 1; i <= count; ++i) {
        const int kind = lua_geti(L, index, i);
        if (lua_isinteger(L, -1)) data.add_integer(lua_tointeger(L, -1));
        else data.add_real(lua_tonumber(L, -1));
        lua_pop(L, 1);
        if (kind != LUA_TNUMBER) {
            lua_pushfstring(L, "element %d of the table is no number", static_cast<int>(i));
            return false;
        }
    }
    return true;
}

static bool gpcl_take(lua_State *L, int index, gpcl_swig::Data &data) {
    std::size_t bytes = 0;
    if (lua_istable(L, index)) return gpcl_take_table(L, index, data);
    const char *text = lua_tolstring(L, index, &bytes);
    data.borrow(text, bytes);
    return true;
}

static void gpcl_give(lua_State *L, const gpcl_swig::Data &data) {
    if (!data.is_list()) {
        lua_pushlstring(L, data.data(), data.bytes());
        return;
    }
    lua_createtable(L, static_cast<int>(data.count()), 0);
    for (std::size_t i = 0; i < data.count(); ++i) {
        const gpcl_swig::Number number = data.number(i);
        if (number.is_real) lua_pushnumber(L, number.real);
        else lua_pushinteger(L, number.integer);
        lua_seti(L, -2, static_cast<lua_Integer>(i) + 1);
    }
}
%}

%exception {
    try {
        $action
    } catch (const gpcl_swig::Failure &failure) {
        gpcl_raise(L, failure);
        SWIG_fail;
    }
}

// On the heap, for errors leave a Lua function without its destructors.
%typemap(in, checkfn="gpcl_is_data") gpcl_swig::In & {
    $1 = new $*1_ltype;
    if (!gpcl_take(L, $input, *$1)) SWIG_fail;
}
%typemap(in, checkfn="gpcl_is_data") gpcl_swig::InOut & {
    $1 = new $*1_ltype;
    if (!gpcl_take(L, $input, *$1)) SWIG_fail;
    $1->detach();
}
%typemap(in, numinputs=0) gpcl_swig::Out & "$1 = new $*1_ltype;"
%typemap(freearg) gpcl_swig::In &, gpcl_swig::Out &, gpcl_swig::InOut & "delete $1;"
%typemap(argout) gpcl_swig::Out &, gpcl_swig::InOut & { gpcl_give(L, *$1); SWIG_arg++; }
%{
static int gpcl_is_data(lua_State *L, int index) { return lua_istable(L, index) || lua_type(L, index) == LUA_TSTRING; }
%}
