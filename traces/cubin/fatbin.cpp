#include "traces/cubin/fatbin.h"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "traces/cubin/elf.h"
#include "traces/cubin/image.h"

namespace warpgauge::cubin {

namespace {

constexpr std::uint32_t container_magic = 0xba55ed50;
constexpr std::uint64_t container_header_bytes = 16;
constexpr std::uint64_t least_entry_header_bytes = 64;
constexpr std::uint64_t flag_lz4 = 0x2000;
constexpr std::uint64_t flag_zstd = 0x8000;
constexpr std::uint64_t largest_unpacked = std::uint64_t{1} << 30U;
constexpr std::string_view archive_magic = "!<arch>\n";

// `base` is where `bytes` begins in the file, for the entries' offsets and for messages.
class Search {
 public:
  void file(ByteView bytes, std::uint64_t base) {
    if (starts_with(bytes, archive_magic)) {
      archive(bytes, base);
    } else if (is_elf(bytes)) {
      elf_file(bytes, base);
    } else {
      everywhere(bytes, base, is_container(bytes, 0));
    }
  }

  std::vector<FatbinEntry> take() { return std::move(entries_); }

 private:
  static bool starts_with(ByteView bytes, std::string_view text) {
    return bytes.size() >= text.size() &&
           std::equal(text.begin(), text.end(), bytes.begin(),
                      [](char a, std::uint8_t b) { return a == static_cast<char>(b); });
  }

  static bool is_container(ByteView bytes, std::uint64_t at) {
    return bytes.size() >= container_header_bytes && at <= bytes.size() - container_header_bytes &&
           read_at<std::uint32_t>(bytes, at, "a fat binary") == container_magic;
  }

  // Containers stand at multiples of 8 of the file, with padding between them that nothing specifies. Where
  // they are expected, a broken one is an error; elsewhere the magic may be there by chance.
  void everywhere(ByteView bytes, std::uint64_t base, bool expected) {
    for (std::uint64_t at = 0; at < bytes.size();) {
      if (!is_container(bytes, at) || (!expected && !is_plausible(bytes, at))) {
        at += 8;
        continue;
      }
      at = container(bytes, at, base);
      at = (at + 7) / 8 * 8;
    }
  }

  static bool is_plausible(ByteView bytes, std::uint64_t at) {
    const auto version = read_at<std::uint16_t>(bytes, at + 4, "a fat binary");
    const auto header = read_at<std::uint16_t>(bytes, at + 6, "a fat binary");
    const auto size = read_at<std::uint64_t>(bytes, at + 8, "a fat binary");
    return version == 1 && header == container_header_bytes && size >= least_entry_header_bytes &&
           size <= bytes.size() - at - header;
  }

  std::uint64_t container(ByteView bytes, std::uint64_t at, std::uint64_t base) {
    const auto header = read_at<std::uint16_t>(bytes, at + 6, "a fat binary");
    const auto size = read_at<std::uint64_t>(bytes, at + 8, "a fat binary");
    if (header < container_header_bytes) throw Error("a fat binary with too short a header", base + at);
    const std::uint64_t begin = at + header;
    if (begin > bytes.size() || size > bytes.size() - begin) {
      throw Error("a fat binary reaches beyond the end of the file", base + at);
    }
    const std::uint64_t end = begin + size;
    for (std::uint64_t entry_at = begin; entry_at + least_entry_header_bytes <= end;) {
      entry_at = entry(bytes.first(static_cast<std::size_t>(end)), entry_at, base, base + at);
    }
    return end;
  }

  std::uint64_t entry(ByteView bytes, std::uint64_t at, std::uint64_t base, std::uint64_t container_offset) {
    FatbinEntry e;
    const auto kind = read_at<std::uint16_t>(bytes, at, "a fat binary's entry");
    const auto header = read_at<std::uint32_t>(bytes, at + 4, "a fat binary's entry");
    const auto payload = read_at<std::uint64_t>(bytes, at + 8, "a fat binary's entry");
    const auto compressed = read_at<std::uint32_t>(bytes, at + 16, "a fat binary's entry");
    const auto flags = read_at<std::uint64_t>(bytes, at + 40, "a fat binary's entry");
    const auto unpacked = read_at<std::uint64_t>(bytes, at + 56, "a fat binary's entry");
    const std::uint64_t room = bytes.size() - at;
    if (header < least_entry_header_bytes || header > room || payload > room - header) {
      throw Error("an entry of a fat binary reaches beyond its container", base + at);
    }
    if (kind == 1) e.kind = FatbinKind::ptx;
    if (kind == 2) e.kind = FatbinKind::cubin;
    e.sm = read_at<std::uint32_t>(bytes, at + 28, "a fat binary's entry");
    e.offset = base + at + header;
    e.container = container_offset;
    e.member = member_;
    if (compressed == 0) {
      e.stored_bytes = payload;
      e.unpacked_bytes = payload;
    } else {
      if (compressed > payload) throw Error("a compressed entry is longer than its place", base + at);
      e.compression = (flags & flag_zstd) != 0 ? Compression::zstd : Compression::lz4;
      if ((flags & (flag_zstd | flag_lz4)) == 0)
        throw Error("an entry is compressed in an unknown way", base + at);
      e.stored_bytes = compressed;
      e.unpacked_bytes = unpacked;
    }
    entries_.push_back(std::move(e));
    return at + header + payload;
  }

  void elf_file(ByteView bytes, std::uint64_t base) {
    // The header alone says whether it is a cubin; only then need the rest hold together.
    if (bytes.size() >= elf::header_bytes &&
        read_at<std::uint16_t>(bytes, 18, "ELF header") == elf::machine_cuda) {
      FatbinEntry e;
      e.kind = FatbinKind::cubin;
      ElfHeader header;
      header.abi_version = bytes[8];
      header.flags = read_at<std::uint32_t>(bytes, 48, "ELF header");
      e.sm = cubin_sm(header);
      e.offset = base;
      e.container = base;
      e.member = member_;
      e.stored_bytes = e.unpacked_bytes = bytes.size();
      entries_.push_back(std::move(e));
      return;
    }
    for (const ElfRange& s : elf_sections(bytes)) {
      const ByteView section = slice(bytes, s.offset, s.size, "a section");
      const bool named = s.name == ".nv_fatbin" || s.name == "__nv_relfatbin";
      const std::uint64_t first = std::min<std::uint64_t>((8 - s.offset % 8) % 8, section.size());
      everywhere(section.subspan(static_cast<std::size_t>(first)), base + s.offset + first, named);
    }
  }

  // The common archive format: 60 bytes of text before each member, which starts at an even offset. GNU's
  // long names stand in the member "//".
  void archive(ByteView bytes, std::uint64_t base) {
    constexpr std::uint64_t header_bytes = 60;
    ByteView long_names;
    for (std::uint64_t at = archive_magic.size(); at < bytes.size();) {
      const ByteView header = slice(bytes, at, header_bytes, "an archive member's header");
      const std::string_view text(reinterpret_cast<const char*>(header.data()), header.size());
      std::uint64_t size = 0;
      const std::string_view digits = text.substr(48, 10);
      const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), size);
      if (parsed.ec != std::errc{} || text.substr(58) != "`\n")
        throw Error("a broken archive member", base + at);
      const ByteView member = slice(bytes, at + header_bytes, size, "an archive member");
      const std::string_view name = text.substr(0, 16);
      if (name.starts_with("// ")) {
        long_names = member;
      } else if (!name.starts_with("/ ") && !name.starts_with("/SYM64/")) {
        member_ = member_name(name, long_names);
        file(member, base + at + header_bytes);
        member_.clear();
      }
      at += header_bytes + size + (size & 1U);
    }
  }

  static std::string member_name(std::string_view name, ByteView long_names) {
    if (name.starts_with('/')) {
      std::uint64_t offset = 0;
      std::from_chars(name.data() + 1, name.data() + name.size(), offset);
      if (offset >= long_names.size()) return {};
      const std::string_view names(reinterpret_cast<const char*>(long_names.data()), long_names.size());
      name = names.substr(static_cast<std::size_t>(offset));
    }
    return std::string(name.substr(0, std::min(name.find('/'), name.find('\n'))));
  }

  std::vector<FatbinEntry> entries_;
  std::string member_;
};

Bytes unpack_lz4(ByteView stored, std::uint64_t unpacked) {
  // A block cannot grow by more than a factor of 255.
  if (unpacked / 255 > stored.size() || stored.size() > LZ4_MAX_INPUT_SIZE)
    throw Error("an LZ4 entry declares an impossible size");
  Bytes result(static_cast<std::size_t>(unpacked));
  const int written = LZ4_decompress_safe(reinterpret_cast<const char*>(stored.data()),
                                          reinterpret_cast<char*>(result.data()),
                                          static_cast<int>(stored.size()), static_cast<int>(result.size()));
  if (written < 0 || static_cast<std::uint64_t>(written) != unpacked)
    throw Error("an LZ4 entry does not decompress");
  return result;
}

Bytes unpack_zstd(ByteView stored, std::uint64_t unpacked) {
  Bytes result(static_cast<std::size_t>(unpacked));
  const std::size_t written = ZSTD_decompress(result.data(), result.size(), stored.data(), stored.size());
  if (ZSTD_isError(written) != 0)
    throw Error(fmt::format("a zstd entry does not decompress: {}", ZSTD_getErrorName(written)));
  if (written != unpacked) throw Error("a zstd entry decompresses to another size than it declares");
  return result;
}

}  // namespace

std::vector<FatbinEntry> find_fatbin_entries(ByteView file) {
  Search search;
  search.file(file, 0);
  return search.take();
}

Bytes extract(ByteView file, const FatbinEntry& entry) {
  const ByteView stored = slice(file, entry.offset, entry.stored_bytes, "an entry of a fat binary");
  if (entry.unpacked_bytes > largest_unpacked) throw Error("an entry declares more than 1 GiB", entry.offset);
  switch (entry.compression) {
    case Compression::none:
      return {stored.begin(), stored.end()};
    case Compression::lz4:
      return unpack_lz4(stored, entry.unpacked_bytes);
    case Compression::zstd:
      return unpack_zstd(stored, entry.unpacked_bytes);
  }
  throw Error("an entry is compressed in an unknown way", entry.offset);
}

}  // namespace warpgauge::cubin
