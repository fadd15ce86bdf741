#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/cubin/fatbin.h"

namespace warpgauge::cubin {

MappedFile::MappedFile(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw Error(fmt::format("{}: cannot be opened", path));
  struct stat status {};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(file);
    throw Error(fmt::format("{}: is not a regular file", path));
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ != 0) {
    void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped == MAP_FAILED) {
      ::close(file);
      throw Error(fmt::format("{}: cannot be read", path));
    }
    data_ = static_cast<const std::uint8_t*>(mapped);
  }
  ::close(file);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::uint8_t*>(data_), size_);
}

}  // namespace warpgauge::cubin
