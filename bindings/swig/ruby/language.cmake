# SPDX-License-Identifier: MIT
find_package(Ruby 2.7 QUIET)
if(Ruby_FOUND AND EXISTS "${Ruby_INCLUDE_DIR}/ruby.h")
    gpcl_swig(ruby gpcl.so INCLUDE ${Ruby_INCLUDE_DIRS})
    set(run ${Ruby_EXECUTABLE} -I ${CMAKE_CURRENT_BINARY_DIR}/ruby)
    gpcl_swig_test(ruby TEST ${run} ${CMAKE_CURRENT_SOURCE_DIR}/ruby/test.rb
                        EXAMPLE ${run} ${CMAKE_CURRENT_SOURCE_DIR}/ruby/example.rb)
else()
    gpcl_swig_skip(ruby "Ruby or its headers are missing")
endif()
