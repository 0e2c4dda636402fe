# Removes the files that MANIFEST names, a line each, and the folders that are empty then. DESTDIR counts, as when they
# were installed.
if(NOT EXISTS ${MANIFEST})
  message(FATAL_ERROR "nothing was installed from here: there is no ${MANIFEST}")
endif()
file(STRINGS ${MANIFEST} files)
list(TRANSFORM files PREPEND "$ENV{DESTDIR}")
file(REMOVE ${files})
foreach(file IN LISTS files)
  cmake_path(GET file PARENT_PATH folder)
  # Ends at the first folder that is not empty.
  execute_process(COMMAND rmdir -p ${folder} OUTPUT_QUIET ERROR_QUIET)
endforeach()
file(REMOVE ${MANIFEST})
