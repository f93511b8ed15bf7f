# SPDX-License-Identifier: Apache-2.0
# One executable per tests/unit/test_*.c, one per tests/fuzz/fuzz_*.c (replayed over its corpus unless CUVET_FUZZ).
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

file(GLOB UNIT_TESTS CONFIGURE_DEPENDS tests/unit/test_*.c)
foreach(source ${UNIT_TESTS})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE src include tests/unit)
  target_link_libraries(${name} PRIVATE cuvet_static PkgConfig::CMOCKA)
  target_compile_definitions(${name} PRIVATE TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
  add_test(NAME unit.${name} COMMAND ${name})
endforeach()

file(GLOB FUZZ_TARGETS CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
foreach(source ${FUZZ_TARGETS})
  get_filename_component(name ${source} NAME_WE)
  if(CUVET_FUZZ)
    add_executable(${name} ${source})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    add_executable(${name} ${source} tests/fuzz/replay_main.c)
    add_test(NAME fuzz.${name} COMMAND ${name} ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name})
  endif()
  target_include_directories(${name} PRIVATE src include tests/fuzz)
  target_link_libraries(${name} PRIVATE cuvet_static)
endforeach()

# Runners in Python: each closes with "N passed, N failed", which tests/tally.py adds up.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(add_runner name)
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT 900 ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1")
endfunction()

add_runner(machines.all tests/machines/run.py $<TARGET_FILE:cuvet> --jobs 2)
set_tests_properties(machines.all PROPERTIES PROCESSORS 2)
add_runner(machines.builders tests/machines/builders.py)
add_runner(machines.bundles tests/machines/bundles.py $<TARGET_FILE:cuvet>)

add_runner(explain.cases tests/cases/run.py $<TARGET_FILE:cuvet>)
add_runner(explain.noise tests/cases/noise.py $<TARGET_FILE:cuvet>)

foreach(name usage output inputs documents surfaces bundle hostile kb_add ld run arch)
  add_runner(cli.${name} tests/cli/${name}.py $<TARGET_FILE:cuvet>)
endforeach()
add_runner(cli.library tests/cli/library.py ${CMAKE_BINARY_DIR})
# Oracles that take seconds; without their tools they skip, and say so.
add_runner(truth.gpucode_small tests/truth/gpucode/run.py $<TARGET_FILE:cuvet> --small)

file(GLOB HOUSE_CHECKS CONFIGURE_DEPENDS tests/house/*.py)
list(FILTER HOUSE_CHECKS EXCLUDE REGEX "/house\\.py$")
foreach(source ${HOUSE_CHECKS})
  get_filename_component(name ${source} NAME_WE)
  add_runner(house.${name} ${source} ${CMAKE_BINARY_DIR})
endforeach()
