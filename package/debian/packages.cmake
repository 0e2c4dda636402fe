# package/debian/: Debian packages of what is installed, made by CPack: `./dev package`.
#
# A component is a package. Files that Debian alone wants come with the packages, not with `cmake --install`.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME jackdaw)
set(CPACK_PACKAGE_CONTACT "The Jackdaw authors <jackdaw@localhost>")
# Each package has its own.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL libraries development tools libgc)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

# jackdaw_debian_package(COMPONENT name SECTION section DEPENDS packages SUMMARY line): the package of a component.
function(jackdaw_debian_package component name)
  cmake_parse_arguments(PARSE_ARGV 2 PACKAGE "" "SECTION;DEPENDS;RECOMMENDS;SUMMARY;TEXT" "")
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${PACKAGE_SECTION} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS ${PACKAGE_DEPENDS} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS ${PACKAGE_RECOMMENDS} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${PACKAGE_SUMMARY}\n${PACKAGE_TEXT}" PARENT_SCOPE)
  install(FILES ${PROJECT_SOURCE_DIR}/package/debian/copyright ${PROJECT_BINARY_DIR}/package/changelog.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

set(version "(= ${PROJECT_VERSION})")
jackdaw_debian_package(libraries libjackdaw0
  SECTION libs RECOMMENDS libhwloc15 SUMMARY "parallel garbage collector for C and C++"
  TEXT "Programs that were linked with libjackdaw.so need this. On machines with
 several memory nodes it uses hwloc.")
jackdaw_debian_package(development libjackdaw-dev
  SECTION libdevel DEPENDS "libjackdaw0 ${version}"
  SUMMARY "parallel garbage collector for C and C++ (development files)"
  TEXT "Headers, static libraries, files for CMake and pkg-config, documents and
 examples: the collector, with the interface of libgc and one in the style of
 cppgc, and the marking engine for runtimes with a heap of their own.")
jackdaw_debian_package(tools jackdaw-tools
  SECTION devel DEPENDS "libjackdaw-libgc ${version}" SUMMARY "run programs on Jackdaw, and look into heaps"
  TEXT "The jackdaw command runs programs that use libgc on Jackdaw, tells what is
 in a heap and why, what a program's collections did, and where it allocated.")
jackdaw_debian_package(libgc libjackdaw-libgc
  SECTION libs RECOMMENDS libhwloc15 SUMMARY "parallel garbage collector in the place of libgc"
  TEXT "Jackdaw under the names of libgc's libraries, in a folder where no loader
 finds it unless told, such as by jackdaw run.")

# What libjackdaw.so.0 offers, by version, for packages of programs that are linked with it.
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/symbols)
find_program(GENSYMBOLS dpkg-gensymbols)
find_program(GZIP gzip)
if(GENSYMBOLS AND GZIP AND TARGET jackdaw_shared)
  set(symbols ${CMAKE_CURRENT_LIST_DIR}/libjackdaw0.symbols)
  # Fails where names are gone or new, and so does a test with this command.
  set(make_symbols ${GENSYMBOLS} -plibjackdaw0 -v${PROJECT_VERSION} -e$<TARGET_FILE:jackdaw_shared> -I${symbols} -c4)
  set_target_properties(jackdaw_shared PROPERTIES JACKDAW_MAKE_SYMBOLS "${make_symbols}")
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/package/symbols DEPENDS jackdaw_shared ${symbols}
    COMMAND ${make_symbols} -O${PROJECT_BINARY_DIR}/package/symbols VERBATIM)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/package/changelog.gz DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md
    COMMAND ${GZIP} -9nc ${PROJECT_SOURCE_DIR}/CHANGELOG.md > ${PROJECT_BINARY_DIR}/package/changelog.gz)
  add_custom_target(jackdaw_debian
    DEPENDS ${PROJECT_BINARY_DIR}/package/symbols ${PROJECT_BINARY_DIR}/package/changelog.gz)
  include(CPack)
endif()
