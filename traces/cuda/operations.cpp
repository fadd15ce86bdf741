#include "traces/cuda/operations.h"

#include <algorithm>
#include <cstring>

#include "traces/cuda/guard.h"
#include "traces/emulator/round_up.h"

namespace warpgauge::cuda {
namespace {

constexpr int limit_stack = 0;
constexpr int limit_heap = 2;
// The driver gives stacks in units of 16 bytes; an H200 takes 8 KiB and refuses 512.
constexpr std::size_t stack_unit = 16;
constexpr std::size_t too_large_stack = std::size_t{512} << 10;
// Those that nobody may have set yet: stack, printf's buffer, heap, synchronising depth, pending launches, L2
// fetch granularity, persisting L2.
constexpr std::size_t default_limits[] = {1024, std::size_t{1} << 20, std::size_t{8} << 20, 2, 2048, 128, 0};

}  // namespace

void submit(Context& context, const void* stream, Operation operation) {
  context.submit(context.stream(stream), std::move(operation));
}

Operation copy(void* destination, const void* source, std::size_t bytes) {
  Operation operation{abi::node_memcpy, [=](Stream& stream) {
                        Context::instance().copy(destination, source, bytes, stream);
                      }};
  operation.destination = destination;
  operation.source = source;
  operation.bytes = bytes;
  return operation;
}

Operation copy_rows(void* destination, Rows to, const void* source, Rows from, abi::Extent extent) {
  require(extent.width <= to.pitch || extent.height <= 1, Error::invalid_pitch_value);
  require(extent.width <= from.pitch || extent.height <= 1, Error::invalid_pitch_value);
  Operation operation{abi::node_memcpy, [=](Stream& stream) {
            each_row(extent, [&](std::size_t z, std::size_t y) {
              Context::instance().copy(
                  static_cast<std::byte*>(destination) + z * to.slice + y * to.pitch,
                  static_cast<const std::byte*>(source) + z * from.slice + y * from.pitch, extent.width,
                  stream);
            });
          }};
  operation.destination = destination;
  operation.source = source;
  return operation;
}

Operation copy_box(const abi::Copy3D& c) {
  const auto slice = [](const abi::PitchedPointer& p) { return p.pitch * p.height; };
  const auto start = [&](const abi::PitchedPointer& p, const abi::Position& at) {
    return static_cast<std::byte*>(p.pointer) + at.z * slice(p) + at.y * p.pitch + at.x;
  };
  return copy_rows(start(c.destination, c.destination_position), {c.destination.pitch, slice(c.destination)},
                   start(c.source, c.source_position), {c.source.pitch, slice(c.source)}, c.extent);
}

Operation fill_rows(void* destination, Rows to, unsigned value, std::size_t element_bytes,
                    abi::Extent extent) {
  return {abi::node_memset, [=](Stream& stream) {
            each_row(extent, [&](std::size_t z, std::size_t y) {
              Context::instance().fill(static_cast<std::byte*>(destination) + z * to.slice + y * to.pitch,
                                       static_cast<int>(value), element_bytes, extent.width, stream);
            });
          }};
}

Operation fill(void* destination, unsigned value, std::size_t element_bytes, std::size_t count) {
  return fill_rows(destination, {}, value, element_bytes, {count, 1, 1});
}

Operation host_function(abi::HostFunction function, void* data) {
  return {abi::node_host, [=](Stream&) { function(data); }};
}

Operation record(Event& event, bool after_all) {
  Operation operation{abi::node_event_record, [after_all, kept = event.shared_from_this()](Stream& stream) {
                        kept->recorded = true;
                        kept->time_ns = after_all ? Context::instance().latest_ns() : stream.ready_ns;
                      }};
  operation.records = event.shared_from_this();
  return operation;
}

Operation wait_for(Event& event) {
  Operation operation{abi::node_wait_event, [kept = event.shared_from_this()](Stream& stream) {
                        if (kept->recorded) stream.ready_ns = std::max(stream.ready_ns, kept->time_ns);
                      }};
  operation.waits_for = event.shared_from_this();
  return operation;
}

Operation nothing(int node_type) {
  return {node_type, [](Stream&) {}};
}

void* allocate_in_order(Context& context, std::size_t bytes, const void* stream) {
  void* const pointer = context.allocate_in_order(bytes);
  if (context.stream(stream).capture) context.keep(pointer);
  submit(context, stream, nothing(abi::node_mem_alloc));
  return pointer;
}

void release_in_order(Context& context, void* pointer, const void* stream) {
  const bool captures = context.stream(stream).capture != nullptr;
  if (captures || pointer != nullptr) require(context.allocation_of(pointer) != nullptr, Error::invalid_value);
  // A graph's memory stays.
  submit(context, stream,
         captures ? nothing(abi::node_mem_free)
                  : Operation{abi::node_mem_free, [pointer](Stream&) { Context::instance().release(pointer); }});
}

void record_event(Context& context, const void* event_handle, const void* stream_handle) {
  Event& event = context.event(event_handle);
  event.capture = context.stream(stream_handle).capture;
  submit(context, stream_handle, record(event, stream_handle == nullptr));
}

void wait_for_event(Context& context, const void* stream_handle, const void* event_handle) {
  Event& event = context.event(event_handle);
  Stream& waiting = context.stream(stream_handle);
  if (event.capture && !waiting.capture) waiting.capture = event.capture;
  submit(context, stream_handle, wait_for(event));
}

float elapsed_milliseconds(Context& context, const void* start, const void* end) {
  Event& first = context.event(start);
  Event& last = context.event(end);
  constexpr unsigned disable_timing = 2;
  require(first.recorded && last.recorded, Error::invalid_resource_handle);
  require(((first.flags | last.flags) & disable_timing) == 0, Error::invalid_resource_handle);
  return static_cast<float>((context.time_ns(last) - context.time_ns(first)) * 1e-6);
}

std::size_t pitch_of(std::size_t width) {
  constexpr std::size_t alignment = 512;
  return (width + alignment - 1) / alignment * alignment;
}

void* device_address_of_host(Context& context, void* host) {
  require(context.allocation_of(host) != nullptr, Error::invalid_value);
  return host;
}

MemoryUse memory_use(Context& context) {
  const std::size_t total = context.memory().capacity();
  return {total - context.memory().used(), total};
}

std::size_t limit(Context& context, int number) {
  require(number >= 0 && number < static_cast<int>(std::size(default_limits)), Error::unsupported_limit);
  if (number == limit_stack) return context.stack_limit;
  return number == limit_heap ? context.heap().limit() : default_limits[number];
}

void set_limit(Context& context, int number, std::size_t value) {
  require(number >= 0 && number < static_cast<int>(std::size(default_limits)), Error::unsupported_limit);
  if (number == limit_stack) {
    require(value < too_large_stack, Error::invalid_value);
    context.stack_limit = static_cast<std::uint32_t>(emulator::round_up(value, stack_unit));
  }
  if (number == limit_heap) require(context.heap().set_limit(value), Error::invalid_value);
}

void allow_dynamic_shared(Context& context, Function& function, int bytes) {
  require(bytes >= 0 && static_cast<std::uint64_t>(bytes) + function.kernel->user_shared_bytes() <=
                            context.device().shared_per_block_optin,
          Error::invalid_value);
  function.max_dynamic_shared_bytes = static_cast<std::uint32_t>(bytes);
}

LaunchWishes launch_wishes(std::span<const abi::LaunchAttribute> attributes) {
  LaunchWishes wishes;
  for (const auto& [id, padding, value] : attributes) {
    if (id == abi::attribute_cooperative) wishes.cooperative = value.cooperative != 0;
    if (id == abi::attribute_carveout) wishes.carveout_percent = value.carveout_percent;
    if (id == abi::attribute_cluster) wishes.cluster = traces::Dim3{value.cluster.x, value.cluster.y, value.cluster.z};
  }
  return wishes;
}

void set_carveout(Function& function, int percent) {
  require(percent >= -1 && percent <= 100, Error::invalid_value);
  function.carveout_percent = percent;
}

void set_wishes(Function& function, const LaunchWishes& wishes) {
  if (wishes.carveout_percent) set_carveout(function, static_cast<int>(*wishes.carveout_percent));
  if (!wishes.cluster) return;
  require(wishes.cluster->count() != 0, Error::invalid_value);
  function.names_clusters = true;
  if (wishes.cluster->count() != 1) function.cluster = *wishes.cluster;
}

namespace {

constexpr int cluster_must_be_set = 10;
constexpr int cluster_width = 11, cluster_height = 12, cluster_depth = 13;
constexpr int wide_clusters_allowed = 14;
constexpr int cluster_policy = 15;

}  // namespace

bool set_cluster_attribute(Function& function, int number, int value) {
  if (number == wide_clusters_allowed) function.wide_clusters = value != 0;
  if (number == cluster_width) function.cluster.x = static_cast<std::uint32_t>(std::max(value, 1));
  if (number == cluster_height) function.cluster.y = static_cast<std::uint32_t>(std::max(value, 1));
  if (number == cluster_depth) function.cluster.z = static_cast<std::uint32_t>(std::max(value, 1));
  return number >= cluster_width && number <= cluster_policy;
}

int cluster_attribute(const Function& function, int number) {
  const auto& own = function.kernel->cluster;
  switch (number) {
    case cluster_must_be_set:
      return own[0] != 0 ? 1 : 0;
    case cluster_width:
    case cluster_height:
    case cluster_depth:
      return static_cast<int>(own[static_cast<std::size_t>(number - cluster_width)]);
    case wide_clusters_allowed:
      return function.wide_clusters ? 1 : 0;
    default:
      return 0;
  }
}

CacheConfig cache_config(int number) {
  require(number >= 0 && number <= static_cast<int>(CacheConfig::prefer_equal), Error::invalid_value);
  return static_cast<CacheConfig>(number);
}

void give_text(char* out, int room, const char* text) {
  require(out != nullptr && room > 0, Error::invalid_value);
  std::strncpy(out, text, static_cast<std::size_t>(room));
  out[room - 1] = '\0';
}

}  // namespace warpgauge::cuda
