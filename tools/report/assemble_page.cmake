# Puts the report's page together: cmake -D OUTPUT=FILE -D VEGA_FOLDER=FOLDER -P assemble_page.cmake
cmake_minimum_required(VERSION 3.25)
set(page_folder ${CMAKE_CURRENT_LIST_DIR})

# Vega's packages that charts take, each behind those that it needs.
set(packages util time format loader dataflow statistics canvas scale scenegraph expression event-selector selection
  functions runtime view parser encode view-transforms transforms interpreter)
file(READ ${page_folder}/vega_modules.js vega)
foreach(package IN LISTS packages)
  file(READ ${VEGA_FOLDER}/vega-${package}.min.js module)
  # It names a file that is not there.
  string(REGEX REPLACE "//# sourceMappingURL=[^\n]*" "" module "${module}")
  set(name vega-${package})
  # vega-functions asks for it by another name.
  if(package STREQUAL "selection")
    set(name vega-selections)
  endif()
  string(APPEND vega "vegaModule = \"${name}\";\n${module}\n")
endforeach()

file(READ ${page_folder}/page.html page)
foreach(part IN ITEMS style.css charts.js figures.js study.js flame.js page.js)
  file(READ ${page_folder}/${part} text)
  get_filename_component(name ${part} NAME_WE)
  string(TOUPPER ${name} name)
  string(REPLACE "@${name}@" "${text}" page "${page}")
endforeach()
file(READ ${LICENCE} licence)
string(REPLACE "@LICENCE@" "${licence}" page "${page}")
string(REPLACE "@VEGA@" "${vega}" page "${page}")
file(WRITE ${OUTPUT} "${page}")
