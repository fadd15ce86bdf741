#include "traces/cuda/arrays.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "traces/cuda/context.h"
#include "traces/cuda/guard.h"
#include "traces/cuda/operations.h"

namespace warpgauge::cuda {
namespace {

using emulator::Image;
using emulator::TexelFormat;

TexelFormat format_of(const abi::ChannelDescriptor& d) {
  const int bits[4] = {d.x, d.y, d.z, d.w};
  unsigned channels = 0;
  while (channels < 4 && bits[channels] != 0) {
    require(bits[channels] == bits[0], Error::invalid_value);
    ++channels;
  }
  require(channels == 1 || channels == 2 || channels == 4, Error::invalid_value);
  require(d.x == 8 || d.x == 16 || d.x == 32, Error::invalid_value);
  require(d.kind >= 0 && d.kind <= 2 && !(d.kind == 2 && d.x == 8), Error::invalid_value);
  return {static_cast<std::uint8_t>(channels), static_cast<std::uint8_t>(d.x / 8), static_cast<TexelFormat::Kind>(d.kind)};
}

Image image_of(const abi::ChannelDescriptor& channels, const abi::Extent& extent, unsigned flags) {
  Image image;
  image.format = format_of(channels);
  image.layout = Image::Layout::blocks;
  image.layered = (flags & abi::array_layered) != 0;
  image.cube = (flags & abi::array_cubemap) != 0;
  const bool planes = extent.depth != 0 && !image.layered && !image.cube;
  image.dimensions = static_cast<std::uint8_t>(planes ? 3 : extent.height != 0 ? 2 : 1);
  image.width = static_cast<std::uint32_t>(extent.width);
  image.height = static_cast<std::uint32_t>(std::max<std::size_t>(extent.height, 1));
  image.depth = static_cast<std::uint32_t>(std::max<std::size_t>(extent.depth, 1));
  return image;
}

std::byte* place(const CopySide& side, std::size_t x, std::size_t y, std::size_t z) {
  if (side.array == nullptr) return side.memory + (side.z + z) * side.slice + (side.y + y) * side.pitch + side.x + x;
  return Context::instance().memory().host(side.array->image.place(side.x + x, static_cast<std::uint32_t>(side.y + y),
                                                                   static_cast<std::uint32_t>(side.z + z)));
}

void check_inside(const CopySide& side, const abi::Extent& extent) {
  if (side.array == nullptr) {
    require(side.memory != nullptr, Error::invalid_value);
    require(side.pitch >= extent.width || extent.height <= 1, Error::invalid_pitch_value);
    return;
  }
  const Image& image = side.array->image;
  require(side.x + extent.width <= std::size_t{image.width} * image.format.bytes() &&
              side.y + extent.height <= image.height && side.z + extent.depth <= image.depth,
          Error::invalid_value);
}

// Bytes from x on that lie together at this side.
std::size_t together(const CopySide& side, std::size_t x) {
  constexpr std::size_t piece_bytes = traces::TexelAccess::piece_bytes;
  return side.array == nullptr ? ~std::size_t{0} : piece_bytes - (side.x + x) % piece_bytes;
}

}  // namespace

Array* Arrays::create(const abi::ChannelDescriptor& channels, const abi::Extent& extent, unsigned flags) {
  require(extent.width != 0, Error::invalid_value);
  auto array = std::make_unique<Array>();
  array->image = image_of(channels, extent, flags);
  array->channels = channels;
  array->extent = extent;
  array->flags = flags;
  const auto address = memory_.allocate(array->image.bytes(), "array");
  require(address.has_value(), Error::memory_allocation);
  array->image.address = *address;
  Array* const handle = array.get();
  arrays_.emplace(handle, std::move(array));
  return handle;
}

void Arrays::destroy(Array* array) {
  if (array == nullptr) return;
  memory_.release(find(array).image.address);
  arrays_.erase(array);
}

Array& Arrays::find(const void* handle) {
  const auto found = arrays_.find(handle);
  require(found != arrays_.end(), Error::invalid_resource_handle);
  return *found->second;
}

std::uint64_t Arrays::create_texture(const abi::ResourceDescriptor& resource, const abi::TextureDescriptor& texture) {
  emulator::Texture made;
  Image& image = made.image;
  switch (resource.type) {
    case abi::resource_array:
      image = find(resource.of.array).image;
      break;
    case abi::resource_linear: {
      const auto& linear = resource.of.linear;
      require(linear.pointer != nullptr, Error::invalid_value);
      image.format = format_of(linear.channels);
      image.address = reinterpret_cast<std::uintptr_t>(linear.pointer) - memory_.host_offset();
      image.width = static_cast<std::uint32_t>(linear.bytes / image.format.bytes());
      break;
    }
    case abi::resource_pitched: {
      const auto& rows = resource.of.pitched;
      require(rows.pointer != nullptr && rows.width != 0 && rows.height != 0, Error::invalid_value);
      image.format = format_of(rows.channels);
      require(rows.pitch >= rows.width * image.format.bytes(), Error::invalid_pitch_value);
      image.layout = Image::Layout::pitched;
      image.dimensions = 2;
      image.address = reinterpret_cast<std::uintptr_t>(rows.pointer) - memory_.host_offset();
      image.width = static_cast<std::uint32_t>(rows.width);
      image.height = static_cast<std::uint32_t>(rows.height);
      image.pitch = rows.pitch;
      break;
    }
    default:
      require(false, Error::not_supported);  // mipmapped arrays
  }
  emulator::Sampler& sampler = made.sampler;
  for (unsigned i = 0; i < 3; ++i) {
    require(texture.address_modes[i] >= 0 && texture.address_modes[i] <= 3, Error::invalid_value);
    sampler.modes[i] = static_cast<emulator::AddressMode>(texture.address_modes[i]);
  }
  const bool floats = image.format.kind == TexelFormat::Kind::float_;
  sampler.linear = texture.filter != 0;
  sampler.normalized_values = texture.normalized_values != 0 && !floats;
  sampler.normalized_coordinates = texture.normalized_coordinates != 0;
  std::copy(std::begin(texture.border), std::end(texture.border), sampler.border.begin());
  require(floats || sampler.normalized_values || !sampler.linear || resource.type == abi::resource_linear,
          Error::invalid_filter_setting);
  require(!sampler.normalized_values || image.format.channel_bytes <= 2, Error::invalid_norm_setting);
  const std::uint64_t handle = memory_.textures().add(made);
  objects_[handle] = {resource, texture};
  return handle;
}

std::uint64_t Arrays::create_surface(const abi::ResourceDescriptor& resource) {
  require(resource.type == abi::resource_array, Error::invalid_value);
  const Array& array = find(resource.of.array);
  require((array.flags & abi::array_surface) != 0, Error::invalid_value);
  const std::uint64_t handle = memory_.textures().add({array.image, {}});
  objects_[handle] = {resource, {}};
  return handle;
}

void Arrays::destroy_object(std::uint64_t handle) {
  if (handle == 0) return;
  require(memory_.textures().remove(handle), Error::invalid_value);
  objects_.erase(handle);
}

const Arrays::Object& Arrays::object(std::uint64_t handle) const {
  const auto found = objects_.find(handle);
  require(found != objects_.end(), Error::invalid_value);
  return found->second;
}

Operation copy_array(const CopySide& to, const CopySide& from, const abi::Extent& extent) {
  check_inside(to, extent);
  check_inside(from, extent);
  Operation operation{abi::node_memcpy, [=](Stream&) {
                        each_row(extent, [&](std::size_t z, std::size_t y) {
                          for (std::size_t x = 0; x < extent.width;) {
                            const std::size_t bytes = std::min({extent.width - x, together(to, x), together(from, x)});
                            std::memmove(place(to, x, y, z), place(from, x, y, z), bytes);
                            x += bytes;
                          }
                        });
                      }};
  operation.destination = place(to, 0, 0, 0);
  operation.source = place(from, 0, 0, 0);
  return operation;
}

Operation copy_array_box(Arrays& arrays, const abi::Copy3D& c) {
  // Where an array takes part, positions in it and the extent count its texels.
  std::size_t texel = 1;
  const auto side = [&](void* array, const abi::Position& at, const abi::PitchedPointer& pitched) {
    CopySide s;
    s.x = at.x;
    s.y = at.y;
    s.z = at.z;
    if (array != nullptr) {
      s.array = &arrays.find(array);
      texel = s.array->image.format.bytes();
      s.x *= texel;
    } else {
      s.memory = static_cast<std::byte*>(pitched.pointer);
      s.pitch = pitched.pitch;
      s.slice = pitched.pitch * pitched.height;
    }
    return s;
  };
  const CopySide from = side(c.source_array, c.source_position, c.source);
  const CopySide to = side(c.destination_array, c.destination_position, c.destination);
  return copy_array(to, from, {c.extent.width * texel, c.extent.height, c.extent.depth});
}

}  // namespace warpgauge::cuda
