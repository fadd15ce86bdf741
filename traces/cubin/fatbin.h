// Fat binaries: containers of cubins and PTX for several architectures, inside executables, shared libraries,
// objects, archives of objects, or alone in a .fatbin file.
//
// A container: magic 0xba55ed50, half words version (1) and header size, then the 64-bit size of its entries.
// An entry: half words kind (1 PTX, 2 cubin) and version, header size, 64-bit size of the stored bytes with
// padding, at +16 the compressed size (0 where stored plain), at +28 the SM, at +40 flags (0x2000 LZ4 block,
// 0x8000 zstd frame), at +56 the unpacked size. Read off containers that CUDA 11.8 and 13.0 wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "traces/cubin/bytes.h"

namespace warpgauge::cubin {

enum class FatbinKind : std::uint8_t { ptx, cubin, other };
enum class Compression : std::uint8_t { none, lz4, zstd };

struct FatbinEntry {
  FatbinKind kind = FatbinKind::other;
  Compression compression = Compression::none;
  unsigned sm = 0;                   // compute capability without the dot; may be one that is not supported
  std::uint64_t offset = 0;          // of the stored bytes in the buffer that was searched
  std::uint64_t stored_bytes = 0;    // without padding
  std::uint64_t unpacked_bytes = 0;  // equal to stored_bytes where stored plain
  std::uint64_t container = 0;       // offset of the container: entries of one translation unit share it
  std::string member;                // of an archive: the object's name; else empty
};

// All entries, in the order of the file. A plain cubin counts as one entry. A host ELF file is searched in
// all its sections, since libraries keep containers also outside .nv_fatbin and __nv_relfatbin. Throws Error
// for a container or an entry that reaches beyond its place; finding nothing is no error.
std::vector<FatbinEntry> find_fatbin_entries(ByteView file);

// The unpacked bytes. Throws Error when they do not decompress to the size that the entry declares.
Bytes extract(ByteView file, const FatbinEntry& entry);

// A file mapped into memory for reading: libraries may be hundreds of megabytes long.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);  // throws Error
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  [[nodiscard]] ByteView bytes() const { return {data_, size_}; }

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace warpgauge::cubin
