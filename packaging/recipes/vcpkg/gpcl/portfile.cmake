# The tree that this port lies in; in a registry, vcpkg_from_github of a release stands here.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../../.." ABSOLUTE)
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "static" static)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DGPCL_COMMAND=OFF -DGPCL_TESTS=OFF -DGPCL_HIGHWAY=ON -DGPCL_STATIC_LIBRARY=${static})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME gpcl CONFIG_PATH lib/cmake/gpcl)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
