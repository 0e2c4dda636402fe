# Installs the headers: those that programs include, <jackdaw/...>, and below jackdaw/internal what these are made of. In
# the sources the latter include each other as "mark/worker.h", which could be a program's own header.
#
# Expects source_dir, include_dir and engine_only.
set(folders base mark)
set(public marker object_model)
set(libgc "")
if(NOT engine_only)
  list(APPEND folders machine heap gc)
  # Under the names of libgc's, also found as <gc.h> and <gc/gc.h>.
  set(libgc gc gc_allocator gc_backptr gc_cpp gc_disclaim gc_gcj gc_inline gc_mark gc_tiny_fl gc_typed javaxfc
    leak_detector)
  list(APPEND public collector cppgc machine ${libgc})
endif()
string(REPLACE ";" "|" any_folder "${folders}")
cmake_path(ABSOLUTE_PATH include_dir BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX})
set(destination $ENV{DESTDIR}${include_dir}/jackdaw)

function(write_header name text)
  file(WRITE ${destination}/${name} "${text}")
  message(STATUS "Installing: ${destination}/${name}")
  set(CMAKE_INSTALL_MANIFEST_FILES ${CMAKE_INSTALL_MANIFEST_FILES} ${include_dir}/jackdaw/${name} PARENT_SCOPE)
endfunction()

foreach(name IN LISTS public)
  list(APPEND headers include/jackdaw/${name}.h)
endforeach()
foreach(folder IN LISTS folders)
  file(GLOB_RECURSE found RELATIVE ${source_dir} ${source_dir}/${folder}/*.h)
  list(APPEND headers ${found})
endforeach()
list(FILTER headers EXCLUDE REGEX "^gc/c/")

foreach(header IN LISTS headers)
  file(READ ${source_dir}/${header} text)
  string(REGEX REPLACE "#include \"((${any_folder})/[^\"]*)\"" "#include <jackdaw/internal/\\1>" text "${text}")
  string(REGEX REPLACE "#include \"(jackdaw/[^\"]*)\"" "#include <\\1>" text "${text}")
  if(header MATCHES "^include/jackdaw/(.*)$")
    write_header(${CMAKE_MATCH_1} "${text}")
  else()
    write_header(internal/${header} "${text}")
  endif()
endforeach()
foreach(name IN LISTS libgc)
  write_header(gc/${name}.h "#include \"../${name}.h\"\n")
endforeach()
