# SPDX-License-Identifier: MIT
find_program(GPCL_RSCRIPT NAMES Rscript)
find_path(GPCL_R_INCLUDE_DIR R.h PATHS /usr/share/R/include /usr/lib/R/include)
if(GPCL_RSCRIPT AND GPCL_R_INCLUDE_DIR)
    gpcl_swig(r gpcl.so INCLUDE ${GPCL_R_INCLUDE_DIR}
              FILES ${CMAKE_CURRENT_BINARY_DIR}/r/gpcl.R)
    gpcl_swig_test(r EXAMPLE ${GPCL_RSCRIPT} ${CMAKE_CURRENT_SOURCE_DIR}/r/example.R ${CMAKE_CURRENT_BINARY_DIR}/r)
else()
    gpcl_swig_skip(r "R or its headers are missing")
endif()
