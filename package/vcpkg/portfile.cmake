# An overlay port of the checkout that it lies in: vcpkg install jackdaw --overlay-ports=package/vcpkg
get_filename_component(SOURCE_PATH ${CURRENT_PORT_DIR}/../.. ABSOLUTE)
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" dynamic is_shared)
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" static is_static)
vcpkg_cmake_configure(SOURCE_PATH ${SOURCE_PATH} OPTIONS
  -DJACKDAW_BUILD_TOOLS=OFF -DJACKDAW_BUILD_TESTS=OFF -DJACKDAW_BUILD_BENCH=OFF
  -DJACKDAW_BUILD_SHARED=${is_shared} -DJACKDAW_BUILD_STATIC=${is_static})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/jackdaw)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share)
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE)
