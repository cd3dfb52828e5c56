# One library target a folder: hornbeam_library(NAME [DEPENDS libraries...]
# [PRIVATE libraries...] [SUBFOLDERS folders...]).
# Every .cpp of the folder and of the SUBFOLDERS named belongs to it, so that adding a file edits no list.
function(hornbeam_library NAME)
  cmake_parse_arguments(ARG "" "" "DEPENDS;PRIVATE;SUBFOLDERS" ${ARGN})
  set(PATTERNS *.cpp)
  foreach(FOLDER ${ARG_SUBFOLDERS})
    list(APPEND PATTERNS ${FOLDER}/*.cpp)
  endforeach()
  file(GLOB SOURCES CONFIGURE_DEPENDS ${PATTERNS})
  add_library(hornbeam_${NAME} STATIC ${SOURCES})
  target_include_directories(hornbeam_${NAME} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(hornbeam_${NAME} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE})
endfunction()

# One test program a folder: hornbeam_test(NAME DEPENDS libraries...). Every *_test.cpp belongs to it.
function(hornbeam_test NAME)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB SOURCES CONFIGURE_DEPENDS *.cpp)
  add_executable(test_${NAME} ${SOURCES})
  target_include_directories(test_${NAME} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(test_${NAME} PRIVATE
    HORNBEAM_TESTS_FOLDER="${PROJECT_SOURCE_DIR}/tests"
    HORNBEAM_SHARED_DATA="${PROJECT_SOURCE_DIR}/../shared/data")
  target_link_libraries(test_${NAME} PRIVATE ${ARG_DEPENDS} GTest::gtest GTest::gtest_main)
  gtest_discover_tests(test_${NAME} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES TEST_PREFIX "${NAME}." PROPERTIES TIMEOUT 300)
endfunction()
