#include "traces/cubin/nv_info.h"

#include <fmt/format.h>

namespace warpgauge::cubin {

std::uint32_t AttributeRecord::word(std::size_t i) const {
  return read_at<std::uint32_t>(payload, i * 4, "an attribute's payload");
}

std::vector<AttributeRecord> read_attributes(ByteView section) {
  std::vector<AttributeRecord> records;
  for (std::uint64_t at = 0; at + 4 <= section.size();) {
    AttributeRecord r;
    r.offset = at;
    r.format = section[static_cast<std::size_t>(at)];
    r.attribute = static_cast<Attribute>(section[static_cast<std::size_t>(at + 1)]);
    const auto half = read_at<std::uint16_t>(section, at + 2, "an attribute");
    at += 4;
    switch (r.format) {
      case 1:
        break;
      case 2:
        r.value = half & 0xffU;
        break;
      case 3:
        r.value = half;
        break;
      case 4:
        r.payload = slice(section, at, half, "an attribute's payload");
        at += half;
        break;
      default:
        throw Error(fmt::format("attribute {:#x} has the unknown format {}", section[r.offset + 1], r.format),
                    r.offset);
    }
    records.push_back(r);
  }
  return records;
}

}  // namespace warpgauge::cubin
