# SPDX-License-Identifier: MIT
find_package(PerlLibs QUIET)
if(PERLLIBS_FOUND AND EXISTS "${PERL_INCLUDE_PATH}/perl.h")
    gpcl_swig(perl Gpcl.so INCLUDE ${PERL_INCLUDE_PATH}
              FILES ${CMAKE_CURRENT_BINARY_DIR}/perl/Gpcl.pm)
    separate_arguments(flags UNIX_COMMAND "${PERL_EXTRA_C_FLAGS}") # Perl's structures depend on them
    target_compile_options(gpcl-swig-perl PRIVATE ${flags})
    set(run ${PERL_EXECUTABLE} -I ${CMAKE_CURRENT_BINARY_DIR}/perl)
    gpcl_swig_test(perl TEST ${run} ${CMAKE_CURRENT_SOURCE_DIR}/perl/test.pl
                        EXAMPLE ${run} ${CMAKE_CURRENT_SOURCE_DIR}/perl/example.pl)
else()
    gpcl_swig_skip(perl "Perl's headers are missing")
endif()
