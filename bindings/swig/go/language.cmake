# SPDX-License-Identifier: MIT
find_program(GPCL_GO NAMES go)
if(GPCL_GO)
    # Go compiles what SWIG writes by itself, into the program.
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/go)
    set(here ${CMAKE_CURRENT_SOURCE_DIR}/go)
    file(MAKE_DIRECTORY ${folder}/gpcl)
    file(WRITE ${folder}/go.mod "module gpcl.example\n\ngo 1.18\n")
    add_custom_command(
        OUTPUT ${folder}/example
        COMMAND ${GPCL_SWIG_PROGRAM} -c++ -go -cgo -intgosize 64 -outdir ${folder}/gpcl -o ${folder}/gpcl/wrap.cxx
                -I${CMAKE_CURRENT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR}/gpcl.i
        COMMAND ${CMAKE_COMMAND} -E copy ${here}/example.go ${folder}/example.go
        COMMAND ${CMAKE_COMMAND} -E env GOFLAGS=-mod=mod GOPROXY=off GOCACHE=${folder}/cache GOMAXPROCS=2
                "CGO_CXXFLAGS=-std=c++20 -O2 -w -I${CMAKE_CURRENT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include"
                "CGO_LDFLAGS=-L$<TARGET_FILE_DIR:gpcl> -lgpcl -Wl,-rpath,$<TARGET_FILE_DIR:gpcl>"
                ${GPCL_GO} build -p 2 -o example .
        WORKING_DIRECTORY ${folder}
        DEPENDS gpcl ${swig_inputs} ${here}/language.i ${here}/example.go ${PROJECT_SOURCE_DIR}/include/gpcl/gpcl.h
        COMMENT "SWIG and Go" VERBATIM)
    add_custom_target(gpcl-swig-go ALL DEPENDS ${folder}/example)
    gpcl_swig_test(go EXAMPLE ${folder}/example)
else()
    gpcl_swig_skip(go "Go is missing")
endif()
