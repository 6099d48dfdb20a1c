# SPDX-License-Identifier: MIT
find_program(GPCL_NODE NAMES node nodejs)
find_path(GPCL_NODE_INCLUDE_DIR node_api.h PATH_SUFFIXES node nodejs/src)
if(GPCL_NODE AND GPCL_NODE_INCLUDE_DIR)
    # SWIG wants V8's version as one number: 11.3.244 is 0x110300.
    execute_process(COMMAND ${GPCL_NODE} -p "const v = process.versions.v8.split('.'); '0x' + v[0].padStart(2, '0') + v[1].padStart(2, '0') + '00'"
                    OUTPUT_VARIABLE v8_version OUTPUT_STRIP_TRAILING_WHITESPACE)
    gpcl_swig(javascript gpcl.node OPTIONS -node -DV8_VERSION=${v8_version} INCLUDE ${GPCL_NODE_INCLUDE_DIR})
    target_compile_definitions(gpcl-swig-javascript PRIVATE NODE_GYP_MODULE_NAME=gpcl BUILDING_NODE_EXTENSION V8_VERSION=${v8_version})
    gpcl_swig_test(javascript EXAMPLE ${CMAKE_COMMAND} -E env NODE_PATH=${CMAKE_CURRENT_BINARY_DIR}/javascript
                                      ${GPCL_NODE} ${CMAKE_CURRENT_SOURCE_DIR}/javascript/example.js)
else()
    gpcl_swig_skip(javascript "Node or its headers are missing")
endif()
