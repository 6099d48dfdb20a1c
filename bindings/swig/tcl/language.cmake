# SPDX-License-Identifier: MIT
find_package(TCL QUIET)
if(TCL_FOUND AND TCL_TCLSH AND EXISTS "${TCL_INCLUDE_PATH}/tcl.h")
    gpcl_swig(tcl gpcl.so OPTIONS -namespace -pkgversion ${PROJECT_VERSION} INCLUDE ${TCL_INCLUDE_PATH}
              FILES ${CMAKE_CURRENT_BINARY_DIR}/tcl/pkgIndex.tcl)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/tcl/pkgIndex.tcl
         "package ifneeded gpcl ${PROJECT_VERSION} [list load [file join $dir gpcl.so] Gpcl]\n")
    set(run ${CMAKE_COMMAND} -E env TCLLIBPATH=${CMAKE_CURRENT_BINARY_DIR}/tcl ${TCL_TCLSH})
    gpcl_swig_test(tcl TEST ${run} ${CMAKE_CURRENT_SOURCE_DIR}/tcl/test.tcl
                       EXAMPLE ${run} ${CMAKE_CURRENT_SOURCE_DIR}/tcl/example.tcl)
else()
    gpcl_swig_skip(tcl "Tcl or its headers are missing")
endif()
