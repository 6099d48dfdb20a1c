# SPDX-License-Identifier: MIT
find_program(GPCL_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH) # the system's, which has the headers and NumPy
set(Python3_EXECUTABLE ${GPCL_PYTHON})
find_package(Python3 QUIET COMPONENTS Interpreter Development.Module)
if(Python3_Development.Module_FOUND)
    gpcl_swig(python _gpcl_swig.so INCLUDE ${Python3_INCLUDE_DIRS}
              FILES ${CMAKE_CURRENT_BINARY_DIR}/python/gpcl_swig.py)
    set(run ${CMAKE_COMMAND} -E env PYTHONPATH=${CMAKE_CURRENT_BINARY_DIR}/python PYTHONDONTWRITEBYTECODE=1
            ${Python3_EXECUTABLE})
    gpcl_swig_test(python TEST ${run} ${CMAKE_CURRENT_SOURCE_DIR}/python/test.py
                          EXAMPLE ${run} ${CMAKE_CURRENT_SOURCE_DIR}/python/example.py)
else()
    gpcl_swig_skip(python "Python 3 or its headers are missing")
endif()
