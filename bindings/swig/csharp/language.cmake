# SPDX-License-Identifier: MIT
find_program(GPCL_MCS NAMES mcs csc)
find_program(GPCL_MONO NAMES mono)
if(GPCL_MCS AND GPCL_MONO)
    # Mono would take the name `gpcl` for the C library's.
    gpcl_swig(csharp libgpcl_csharp.so OPTIONS -namespace Gpcl -dllimport gpcl_csharp
              FILES ${CMAKE_CURRENT_BINARY_DIR}/csharp/Gpcl.dll)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/csharp)
    set(here ${CMAKE_CURRENT_SOURCE_DIR}/csharp)
    set(own ${here}/GpclException.cs ${here}/Memory.cs)
    add_custom_command(
        OUTPUT ${folder}/Gpcl.dll
        # Which files SWIG writes is known only now.
        COMMAND sh -c "exec \"$@\" *.cs" mcs ${GPCL_MCS} -nologo -nowarn:414 -target:library -out:Gpcl.dll ${own}
        WORKING_DIRECTORY ${folder} DEPENDS ${folder}/wrap.cpp ${own} COMMENT "C# assembly" VERBATIM)
    set(programs)
    foreach(program Test Example)
        add_custom_command(
            OUTPUT ${folder}/${program}.exe
            COMMAND ${GPCL_MCS} -nologo -r:Gpcl.dll -out:${program}.exe ${here}/${program}.cs
            WORKING_DIRECTORY ${folder} DEPENDS ${folder}/Gpcl.dll ${here}/${program}.cs VERBATIM)
        list(APPEND programs ${folder}/${program}.exe)
    endforeach()
    add_custom_target(gpcl-csharp-assembly ALL DEPENDS ${programs})
    add_dependencies(gpcl-csharp-assembly gpcl-swig-csharp)
    gpcl_swig_test(csharp TEST ${GPCL_MONO} ${folder}/Test.exe EXAMPLE ${GPCL_MONO} ${folder}/Example.exe)
else()
    gpcl_swig_skip(csharp "Mono or its compiler is missing")
endif()
