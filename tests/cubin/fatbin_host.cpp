// A host object with a fat binary in the section where nvcc puts it; made into a library and an archive.
asm(".section .nv_fatbin, \"a\"\n"
    ".balign 8\n"
    ".incbin \"" FATBIN_FILE
    "\"\n"
    ".text\n");

extern "C" int fatbin_host_marker() {
  return 1;
}
