# Settings and helpers shared by every folder.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(WARPGAUGE_FUZZ "Build the libFuzzer targets (clang only)" OFF)
set(WARPGAUGE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them: address,undefined or thread")

# Results must be the same bytes on every compiler: no contraction of a*b+c, no fast maths.
add_library(warpgauge_options INTERFACE)
target_include_directories(warpgauge_options INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(warpgauge_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow -Werror -ffp-contract=off)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # Masks are counted everywhere; without it each count is a call. Every x86-64 since 2008 has the instruction.
  target_compile_options(warpgauge_options INTERFACE -mpopcnt)
endif()
# Code is position-independent for the runtime libraries, none of whose inner functions anybody replaces: calls within a
# file may be inlined. Clang assumes so anyway.
target_compile_options(warpgauge_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
if(WARPGAUGE_SANITIZE)
  target_compile_options(warpgauge_options INTERFACE
    -fsanitize=${WARPGAUGE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(warpgauge_options INTERFACE -fsanitize=${WARPGAUGE_SANITIZE})
  # GCC 12 warns of uninitialised memory inside std::regex once it is instrumented.
  target_compile_options(warpgauge_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
if(WARPGAUGE_FUZZ)
  target_compile_options(warpgauge_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# warpgauge_library(NAME SOURCES a.cpp … LINKS lib …): a static library under the common options.
function(warpgauge_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC warpgauge_options ${ARG_LINKS})
endfunction()

# warpgauge_test(NAME SOURCES a.cpp … LINKS lib …): one GoogleTest binary; ctest sees every case.
function(warpgauge_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE warpgauge_options ${ARG_LINKS} GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE WARPGAUGE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 120)
endfunction()

# warpgauge_fuzzer(NAME SOURCES a.cpp … LINKS lib …): `LLVMFuzzerTestOneInput` lives in the sources.
# With WARPGAUGE_FUZZ it is a libFuzzer binary; always, a replayer that ctest runs over
# tests/fuzz/corpus/NAME, so a finding once made stays found.
function(warpgauge_fuzzer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  if(WARPGAUGE_FUZZ)
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE warpgauge_options ${ARG_LINKS})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  endif()
  add_executable(${name}_replay ${ARG_SOURCES} ${CMAKE_SOURCE_DIR}/tests/fuzz/replay.cpp)
  target_link_libraries(${name}_replay PRIVATE warpgauge_options ${ARG_LINKS})
  add_test(NAME fuzz_corpus.${name} COMMAND ${name}_replay ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name})
endfunction()
