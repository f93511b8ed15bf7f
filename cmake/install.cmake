# SPDX-License-Identifier: Apache-2.0
install(TARGETS cuvet RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS cuvet_static cuvet_shared ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/cuvet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# cuvet.pc finds its prefix from where it lies, so that an installed tree can be moved.
file(RELATIVE_PATH CUVET_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" CUVET_PC_UP "${CUVET_PC_UP}")
configure_file(cmake/cuvet.pc.in cuvet.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cuvet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(DIRECTORY share/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/cuvet)
install(FILES man/cuvet.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES completions/cuvet.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME cuvet)
install(FILES completions/_cuvet DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/cuvet.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES README.md NEWS.md LICENSE docs/json.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
