# Makes plain text of links in installed documents to files that are not installed, such as a benchmark's.
#
# Expects documents, the folder's name in the prefix.
cmake_path(ABSOLUTE_PATH documents BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX})
file(GLOB_RECURSE pages $ENV{DESTDIR}${documents}/*.md)
foreach(page IN LISTS pages)
  cmake_path(GET page PARENT_PATH folder)
  file(READ ${page} text)
  set(mended "${text}")
  # Brackets would hold the list together, so they are left out of its items.
  string(REGEX MATCHALL "\\([a-zA-Z0-9_./-]+[#)]" targets "${text}")
  list(TRANSFORM targets REPLACE "[(#)]" "")
  list(REMOVE_DUPLICATES targets)
  foreach(target IN LISTS targets)
    if(NOT EXISTS ${folder}/${target})
      string(REGEX REPLACE "!?\\[([^]]*)\\]\\(${target}(#[^)]*)?\\)" "\\1" mended "${mended}")
    endif()
  endforeach()
  if(NOT mended STREQUAL text)
    file(WRITE ${page} "${mended}")
  endif()
endforeach()
