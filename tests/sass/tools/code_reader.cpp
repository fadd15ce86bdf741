#include "tests/sass/tools/code_reader.h"

#include <fcntl.h>
#include <lz4.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace warpgauge::sass::tools {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::uint32_t fatbin_magic = 0xba55ed50;
constexpr std::uint16_t kind_elf = 2;
constexpr std::uint64_t flag_lz4 = 0x2000;
constexpr std::uint64_t flag_zstd = 0x8000;

template <class T>
std::optional<T> read(Bytes bytes, std::uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

Bytes slice(Bytes bytes, std::uint64_t at, std::uint64_t size) {
  if (at > bytes.size() || bytes.size() - at < size) return {};
  return bytes.subspan(at, size);
}

// Returns whether the image was a cubin of the wanted architecture.
bool visit_elf(Bytes elf, unsigned wanted, const CodeVisitor& visitor) {
  if (elf.size() < 64 || std::memcmp(elf.data(), "\177ELF", 4) != 0) return false;
  if (read<std::uint16_t>(elf, 18) != 190) return false;  // EM_CUDA
  const std::uint32_t flags = read<std::uint32_t>(elf, 48).value_or(0);
  const bool abi_8 = elf[8] >= 8;
  const unsigned sm = (abi_8 ? flags >> 8 : flags) & 0xff;
  if (wanted != 0 && sm != wanted) return false;
  const std::uint64_t sections = read<std::uint64_t>(elf, 40).value_or(0);
  const std::uint16_t count = read<std::uint16_t>(elf, 60).value_or(0);
  for (std::uint64_t i = 0; i < count; ++i) {
    const Bytes header = slice(elf, sections + i * 64, 64);
    if (header.empty()) return true;
    constexpr std::uint64_t executable = 4;
    if (*read<std::uint32_t>(header, 4) != 1 || (*read<std::uint64_t>(header, 8) & executable) == 0) continue;
    visitor(sm, slice(elf, *read<std::uint64_t>(header, 24), *read<std::uint64_t>(header, 32)));
  }
  return true;
}

std::vector<std::uint8_t> unpack(Bytes payload, std::uint64_t flags, std::uint64_t size) {
  constexpr std::uint64_t largest = std::uint64_t{1} << 31;
  if (size > largest) return {};
  std::vector<std::uint8_t> out(size);
  if ((flags & flag_zstd) != 0) {
    const std::size_t got = ZSTD_decompress(out.data(), out.size(), payload.data(), payload.size());
    if (ZSTD_isError(got) != 0) return {};
    out.resize(got);
  } else {
    const int got = LZ4_decompress_safe(reinterpret_cast<const char*>(payload.data()),
                                        reinterpret_cast<char*>(out.data()), static_cast<int>(payload.size()),
                                        static_cast<int>(out.size()));
    if (got < 0) return {};
    out.resize(static_cast<std::size_t>(got));
  }
  return out;
}

std::size_t visit_fatbin(Bytes body, unsigned wanted, const CodeVisitor& visitor) {
  std::size_t cubins = 0;
  while (body.size() >= 64) {
    const std::uint16_t kind = *read<std::uint16_t>(body, 0);
    const std::uint32_t header = *read<std::uint32_t>(body, 4);
    const std::uint64_t padded = *read<std::uint64_t>(body, 8);
    const std::uint32_t packed = *read<std::uint32_t>(body, 16);
    const std::uint32_t sm = *read<std::uint32_t>(body, 28);
    const std::uint64_t flags = *read<std::uint64_t>(body, 40);
    const std::uint64_t unpacked = *read<std::uint64_t>(body, 56);
    const Bytes payload = slice(body, header, padded);
    if (payload.empty()) break;
    if (kind == kind_elf && (wanted == 0 || sm == wanted)) {
      if ((flags & (flag_lz4 | flag_zstd)) != 0) {
        const auto image = unpack(slice(payload, 0, packed), flags, unpacked);
        cubins += visit_elf(image, wanted, visitor) ? 1 : 0;
      } else {
        cubins += visit_elf(payload, wanted, visitor) ? 1 : 0;
      }
    }
    body = body.subspan(header + padded);
  }
  return cubins;
}

class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file < 0 || ::fstat(file, &status) != 0) {
      if (file >= 0) ::close(file);
      throw std::runtime_error("cannot read " + path);
    }
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ != 0) data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    ::close(file);
    if (data_ == MAP_FAILED) throw std::runtime_error("cannot map " + path);
  }
  ~MappedFile() {
    if (size_ != 0) ::munmap(data_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  [[nodiscard]] Bytes bytes() const { return {static_cast<const std::uint8_t*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

std::size_t visit_code(const std::string& path, unsigned wanted, const CodeVisitor& visitor) {
  const MappedFile file(path);
  const Bytes bytes = file.bytes();
  if (visit_elf(bytes, wanted, visitor)) return 1;
  std::size_t cubins = 0;
  for (std::uint64_t at = 0; at + 16 <= bytes.size();) {
    if (*read<std::uint32_t>(bytes, at) != fatbin_magic || *read<std::uint16_t>(bytes, at + 4) != 1) {
      at += 8;
      continue;
    }
    const std::uint16_t header = *read<std::uint16_t>(bytes, at + 6);
    const std::uint64_t size = *read<std::uint64_t>(bytes, at + 8);
    const Bytes body = slice(bytes, at + header, size);
    if (body.empty()) {
      at += 8;
      continue;
    }
    cubins += visit_fatbin(body, wanted, visitor);
    at += (header + size + 7) / 8 * 8;
  }
  return cubins;
}

}  // namespace warpgauge::sass::tools
