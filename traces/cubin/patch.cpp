#include "traces/cubin/patch.h"

#include <fmt/format.h>

#include "traces/cubin/nv_info.h"

namespace warpgauge::cubin {

namespace {

constexpr std::uint64_t header_flags = 8;  // offsets in a section header
constexpr std::uint64_t header_offset = 24;
constexpr std::uint64_t header_size = 32;
constexpr std::uint64_t header_info = 44;
constexpr unsigned barrier_shift = 20;
constexpr std::uint64_t barrier_mask = std::uint64_t{0x1f} << barrier_shift;

std::uint64_t header_of(const ElfFile& elf, const Section& s) {
  return elf.header().section_table + s.index * elf::section_header_bytes;
}

}  // namespace

Patch::Patch(Bytes file) : bytes_(std::move(file)) {
  const Image image(bytes_);
  architecture_ = image.architecture();
  abi_version_ = image.abi_version();
}

Patch::Place Patch::find(std::string_view kernel) const {
  const Image image(bytes_);
  const ElfFile& elf = image.elf();
  const Kernel& found = image.kernel(kernel);
  const Section& text = *elf.find_section(".text." + found.name);
  Place place;
  place.text_header = header_of(elf, text);
  place.text = text.offset;
  place.text_size = text.size;
  for (const Symbol& s : elf.symbols()) {
    if (is_entry(s) && s.section == text.index && s.name == found.name) place.symbol = s.index;
  }
  return place;
}

void Patch::set_word(std::string_view kernel, std::uint64_t offset, const sass::Word& word) {
  const Place place = find(kernel);
  if (offset % sass::instruction_bytes != 0 || offset >= place.text_size ||
      place.text_size - offset < sass::instruction_bytes) {
    throw Error(fmt::format("{}: no instruction at {:#x}; the code has {:#x} bytes", kernel, offset,
                            place.text_size));
  }
  write_at(bytes_, place.text + offset, word.low, "code");
  write_at(bytes_, place.text + offset + 8, word.high, "code");
}

void Patch::set_code(std::string_view kernel, ByteView code) {
  const Place place = find(kernel);
  if (code.size() > place.text_size) {
    throw Error(fmt::format("{}: {} bytes of code do not fit the section of {}", kernel, code.size(),
                            place.text_size));
  }
  std::copy(code.begin(), code.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(place.text));
}

void Patch::set_registers(std::string_view kernel, std::uint32_t registers) {
  if (registers == 0 || registers > 255)
    throw Error(fmt::format("{}: {} registers; 1 to 255 are possible", kernel, registers));
  const Place place = find(kernel);
  set_function_record(place, static_cast<std::uint8_t>(Attribute::register_count), registers);
  if (architecture_ == sass::Architecture::sm90) return;
  const auto info = read_at<std::uint32_t>(bytes_, place.text_header + header_info, "section header");
  write_at(bytes_, place.text_header + header_info, (info & 0xffffffU) | registers << 24U, "section header");
}

void Patch::set_shared_bytes(std::string_view kernel, std::uint32_t bytes) {
  const Image image(bytes_);
  const Kernel& found = image.kernel(kernel);
  const Section* shared = image.elf().find_section(".nv.shared." + found.name);
  if (shared == nullptr) {
    throw Error(fmt::format("{} has no shared section; give it dynamic shared memory at the launch", kernel));
  }
  write_at(bytes_, header_of(image.elf(), *shared) + header_size,
           std::uint64_t{bytes} + found.reserved_shared_bytes, "section header");
}

void Patch::set_barriers(std::string_view kernel, std::uint32_t barriers) {
  if (barriers > 16) throw Error(fmt::format("{}: {} barriers; 16 is the most", kernel, barriers));
  const Place place = find(kernel);
  if (abi_version_ < 8) {
    const auto flags = read_at<std::uint64_t>(bytes_, place.text_header + header_flags, "section header");
    write_at(bytes_, place.text_header + header_flags,
             (flags & ~barrier_mask) | std::uint64_t{barriers} << barrier_shift, "section header");
    return;
  }
  const Image image(bytes_);
  const std::string section = ".nv.info." + image.kernel(kernel).name;
  if (const Section* info = image.elf().find_section(section)) {
    for (const AttributeRecord& r : read_attributes(info->bytes)) {
      if (r.attribute != Attribute::barrier_count) continue;
      bytes_[static_cast<std::size_t>(info->offset + r.offset + 2)] = static_cast<std::uint8_t>(barriers);
      return;
    }
  }
  if (barriers == 0) return;
  const std::uint8_t record[4] = {2, static_cast<std::uint8_t>(Attribute::barrier_count),
                                  static_cast<std::uint8_t>(barriers), 0};
  add_record(section, record);
}

void Patch::set_frame_bytes(std::string_view kernel, std::uint32_t bytes) {
  const Place place = find(kernel);
  set_function_record(place, static_cast<std::uint8_t>(Attribute::frame_size), bytes);
  set_function_record(place, static_cast<std::uint8_t>(Attribute::min_stack_size), bytes);
}

void Patch::set_max_threads(std::string_view kernel, const std::array<std::uint32_t, 3>& threads) {
  const Image image(bytes_);
  const std::string section = ".nv.info." + image.kernel(kernel).name;
  if (const Section* info = image.elf().find_section(section)) {
    for (const AttributeRecord& r : read_attributes(info->bytes)) {
      if (r.attribute != Attribute::max_threads) continue;
      for (std::size_t i = 0; i < 3; ++i)
        write_at(bytes_, info->offset + r.offset + 4 + 4 * i, threads[i], "attribute");
      return;
    }
  }
  Bytes record = {4, static_cast<std::uint8_t>(Attribute::max_threads), 12, 0};
  for (const std::uint32_t t : threads) append(record, t);
  add_record(section, record);
}

void Patch::set_function_record(const Place& place, std::uint8_t attribute, std::uint32_t value) {
  const ElfFile elf(bytes_);
  if (const Section* info = elf.find_section(".nv.info")) {
    for (const AttributeRecord& r : read_attributes(info->bytes)) {
      if (r.words() < 2 || static_cast<std::uint8_t>(r.attribute) != attribute || r.word(0) != place.symbol)
        continue;
      write_at(bytes_, info->offset + r.offset + 8, value, "attribute");
      return;
    }
  }
  Bytes record = {4, attribute, 8, 0};
  append(record, place.symbol);
  append(record, value);
  add_record(".nv.info", record);
}

void Patch::add_record(std::string_view section, ByteView record) {
  const ElfFile elf(bytes_);
  const Section* info = elf.find_section(section);
  if (info == nullptr) throw Error(fmt::format("the file has no section {}", section));
  const std::uint64_t header = header_of(elf, *info);
  bytes_.resize((bytes_.size() + 7) / 8 * 8);
  const std::uint64_t at = bytes_.size();
  bytes_.insert(bytes_.end(), info->bytes.begin(), info->bytes.end());
  bytes_.insert(bytes_.end(), record.begin(), record.end());
  write_at(bytes_, header + header_offset, at, "section header");
  write_at(bytes_, header + header_size, info->size + record.size(), "section header");
}

}  // namespace warpgauge::cubin
