# Writes gpcl.spdx.json, the bill of what is in the library: what its build was configured with.

# gpcl_version_of(RESULT PREFIX FILE...): from macros PREFIX_MAJOR and so on
function(gpcl_version_of result prefix)
  set(numbers)
  foreach(file ${ARGN})
    if(EXISTS ${file} AND NOT numbers)
      file(STRINGS ${file} lines REGEX "^#define +${prefix}_(MAJOR|MINOR|RELEASE|PATCH) +[0-9]+")
      list(TRANSFORM lines REPLACE "^.* ([0-9]+).*$" "\\1" OUTPUT_VARIABLE numbers)
    endif()
  endforeach()
  if(numbers)
    list(JOIN numbers "." numbers)
  else()
    set(numbers NOASSERTION)
  endif()
  set(${result} ${numbers} PARENT_SCOPE)
endfunction()

gpcl_version_of(sbom_xxhash XXH_VERSION ${XXHASH_INCLUDE_DIR}/xxhash.h)
set(sbom_highway_package)
set(sbom_highway_relationship)
if(HWY_CONTRIB_LIBRARY IN_LIST private_libraries)
  gpcl_version_of(sbom_highway HWY ${HWY_INCLUDE_DIR}/hwy/base.h ${HWY_INCLUDE_DIR}/hwy/highway.h)
  set(sbom_highway_package ",
    {
      \"SPDXID\": \"SPDXRef-Highway\",
      \"name\": \"Highway\",
      \"versionInfo\": \"${sbom_highway}\",
      \"downloadLocation\": \"https://github.com/google/highway\",
      \"filesAnalyzed\": false,
      \"licenseConcluded\": \"Apache-2.0\",
      \"licenseDeclared\": \"Apache-2.0 OR BSD-3-Clause\",
      \"copyrightText\": \"NOASSERTION\"
    }")
  set(sbom_highway_relationship ",
    {\"spdxElementId\": \"SPDXRef-gpcl\", \"relationshipType\": \"DEPENDS_ON\", \"relatedSpdxElement\": \"SPDXRef-Highway\"}")
endif()
string(TIMESTAMP sbom_time "%Y-%m-%dT%H:%M:%SZ" UTC) # of SOURCE_DATE_EPOCH where that is set
string(UUID sbom_id NAMESPACE 6ba7b811-9dad-11d1-80b4-00c04fd430c8 TYPE SHA1
       NAME "gpcl ${PROJECT_VERSION} ${sbom_time} ${sbom_xxhash} ${sbom_highway}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/gpcl.spdx.json.in ${PROJECT_BINARY_DIR}/gpcl.spdx.json @ONLY)
