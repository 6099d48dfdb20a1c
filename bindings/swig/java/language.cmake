# SPDX-License-Identifier: MIT
find_package(Java 11 QUIET COMPONENTS Development)
find_package(JNI QUIET)
if(Java_FOUND AND JAVA_INCLUDE_PATH AND JAVA_INCLUDE_PATH2)
    gpcl_swig(java libgpcl_java.so OPTIONS -package gpcl
              INCLUDE ${JAVA_INCLUDE_PATH} ${JAVA_INCLUDE_PATH2}
              FILES ${CMAKE_CURRENT_BINARY_DIR}/java/gpcl.jar)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/java)
    set(own ${CMAKE_CURRENT_SOURCE_DIR}/java/GpclException.java ${CMAKE_CURRENT_SOURCE_DIR}/java/Memory.java)
    add_custom_command(
        OUTPUT ${folder}/gpcl.jar
        # Which files SWIG writes is known only now.
        COMMAND sh -c "exec \"$@\" *.java" javac ${Java_JAVAC_EXECUTABLE} -Xlint:-removal -nowarn -d classes ${own}
        COMMAND ${Java_JAR_EXECUTABLE} --create --file gpcl.jar -C classes gpcl
        WORKING_DIRECTORY ${folder} DEPENDS ${folder}/wrap.cpp ${own} COMMENT "Java classes" VERBATIM)
    add_custom_target(gpcl-java-jar ALL DEPENDS ${folder}/gpcl.jar)
    add_dependencies(gpcl-java-jar gpcl-swig-java)
    set(run ${Java_JAVA_EXECUTABLE} -Xcheck:jni -Djava.library.path=${folder} -cp ${folder}/gpcl.jar)
    gpcl_swig_test(java TEST ${run} ${CMAKE_CURRENT_SOURCE_DIR}/java/Test.java
                        EXAMPLE ${run} ${CMAKE_CURRENT_SOURCE_DIR}/java/Example.java)
else()
    gpcl_swig_skip(java "a JDK of version 11 or later is missing")
endif()
