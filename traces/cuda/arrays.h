// CUDA's arrays, and the texture and surface objects over them or over plain memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "traces/cuda/abi.h"
#include "traces/emulator/memory.h"
#include "traces/emulator/texture.h"

namespace warpgauge::cuda {

struct Operation;

struct Array {
  emulator::Image image;
  abi::ChannelDescriptor channels{};
  abi::Extent extent{};  // as it was asked for, with zeros
  unsigned flags = 0;
};

// Throw Failure for what CUDA's interface does not allow.
class Arrays {
 public:
  explicit Arrays(emulator::DeviceMemory& memory) : memory_(memory) {}

  Array* create(const abi::ChannelDescriptor& channels, const abi::Extent& extent, unsigned flags);
  void destroy(Array* array);
  Array& find(const void* handle);

  std::uint64_t create_texture(const abi::ResourceDescriptor& resource, const abi::TextureDescriptor& texture);
  std::uint64_t create_surface(const abi::ResourceDescriptor& resource);
  void destroy_object(std::uint64_t handle);
  // What a texture or surface was made of.
  struct Object {
    abi::ResourceDescriptor resource{};
    abi::TextureDescriptor texture{};  // of a texture
  };
  [[nodiscard]] const Object& object(std::uint64_t handle) const;

 private:
  emulator::DeviceMemory& memory_;
  std::map<const void*, std::unique_ptr<Array>> arrays_;
  std::map<std::uint64_t, Object> objects_;
};

// One side of a copy: an array from a place on, or rows of plain memory.
struct CopySide {
  const Array* array = nullptr;
  std::size_t x = 0;  // bytes
  std::size_t y = 0;
  std::size_t z = 0;
  std::byte* memory = nullptr;
  std::size_t pitch = 0;
  std::size_t slice = 0;
};

// The extent's width counts bytes.
Operation copy_array(const CopySide& to, const CopySide& from, const abi::Extent& extent);
// As cudaMemcpy3D's parameters have it, with an array at one side or at both.
Operation copy_array_box(Arrays& arrays, const abi::Copy3D& c);

}  // namespace warpgauge::cuda
