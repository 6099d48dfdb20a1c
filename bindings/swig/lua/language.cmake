# SPDX-License-Identifier: MIT
find_package(Lua 5.3 QUIET)
find_program(GPCL_LUA NAMES lua${LUA_VERSION_MAJOR}.${LUA_VERSION_MINOR} lua)
if(LUA_FOUND AND GPCL_LUA)
    gpcl_swig(lua gpcl.so INCLUDE ${LUA_INCLUDE_DIR}) # the interpreter brings its library
    set(run ${CMAKE_COMMAND} -E env "LUA_CPATH=${CMAKE_CURRENT_BINARY_DIR}/lua/?.so" ${GPCL_LUA})
    gpcl_swig_test(lua TEST ${run} ${CMAKE_CURRENT_SOURCE_DIR}/lua/test.lua
                       EXAMPLE ${run} ${CMAKE_CURRENT_SOURCE_DIR}/lua/example.lua)
else()
    gpcl_swig_skip(lua "Lua 5.3 or later and its headers are missing")
endif()
