# Installs the build into a folder of its own, builds the consumer against it, runs it, and sees a wrong version refused.
# The README's C++ example is built and run with it, word for word.
set(prefix ${BUILD}/install-test/prefix)
set(work ${BUILD}/install-test/build)
file(REMOVE_RECURSE ${BUILD}/install-test)

function(must_run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed (${code}): ${ARGV}\n${out}")
  endif()
  message(STATUS "${out}")
endfunction()

must_run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

file(READ ${README} readme)
string(REGEX MATCH "```cpp\n(.*)\n```" _ "${readme}")
string(FIND "${CMAKE_MATCH_1}" "```" end)
string(SUBSTRING "${CMAKE_MATCH_1}" 0 ${end} example)
if(NOT example MATCHES "sconet::train")
  message(FATAL_ERROR "the README has no C++ example")
endif()
file(COPY ${SOURCE}/CMakeLists.txt ${SOURCE}/consumer.cpp DESTINATION ${BUILD}/install-test/source)
file(WRITE ${BUILD}/install-test/source/readme.cpp "${example}")

set(configure ${CMAKE_COMMAND} -S ${BUILD}/install-test/source -G Ninja -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release)
must_run(${configure} -B ${work} -DWANTED=${VERSION})
must_run(${CMAKE_COMMAND} --build ${work})
must_run(${work}/consumer)
must_run(${work}/readme)

execute_process(COMMAND ${configure} -B ${work}-wrong -DWANTED=99.0 RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE err)
if(code EQUAL 0 OR NOT err MATCHES "sconet")
  message(FATAL_ERROR "version 99 was not refused")
endif()
