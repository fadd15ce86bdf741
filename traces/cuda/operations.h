// What the runtime, the driver interface and graphs do in the same way: copies, fills, events, host
// functions, limits. An operation is either submitted to a stream, which may be capturing, or kept as a
// graph's node.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "traces/cuda/abi.h"
#include "traces/cuda/context.h"

namespace warpgauge::cuda {

// Gives the operation to the stream that the handle names. Throws Failure.
void submit(Context& context, const void* stream, Operation operation);

struct Rows {
  std::size_t pitch;  // bytes from one row to the next
  std::size_t slice;  // from one plane to the next
};

// Each row of the box: `visit` gets its plane and its number in it.
template <class Visit>
void each_row(const abi::Extent& extent, Visit visit) {
  for (std::size_t z = 0; z < extent.depth; ++z) {
    for (std::size_t y = 0; y < extent.height; ++y) visit(z, y);
  }
}

Operation copy(void* destination, const void* source, std::size_t bytes);
// Throws Failure when a row is longer than a pitch.
Operation copy_rows(void* destination, Rows to, const void* source, Rows from, abi::Extent extent);
// Of memory with pitches; arrays.h has those with an array.
Operation copy_box(const abi::Copy3D& c);
// The extent's width counts elements.
Operation fill_rows(void* destination, Rows to, unsigned value, std::size_t element_bytes,
                    abi::Extent extent);
Operation fill(void* destination, unsigned value, std::size_t element_bytes, std::size_t count);
Operation host_function(abi::HostFunction function, void* data);
// The event gets the time at which the stream's earlier work has ended; with `after_all` that of all streams.
Operation record(Event& event, bool after_all);
Operation wait_for(Event& event);
// A node that does nothing when it is its turn.
Operation nothing(int node_type);

// Records the event in the stream; the default stream waits for all others. An event of a capturing stream
// takes streams that wait for it into the capture.
void record_event(Context& context, const void* event, const void* stream);
void wait_for_event(Context& context, const void* stream, const void* event);
float elapsed_milliseconds(Context& context, const void* start, const void* end);

// In the order of a stream. What a capturing stream allocates has one address for all launches of its graph:
// it is there at once, and stays.
void* allocate_in_order(Context& context, std::size_t bytes, const void* stream);
void release_in_order(Context& context, void* pointer, const void* stream);

// The bytes from one row to the next that allocations with a pitch have.
std::size_t pitch_of(std::size_t width);
// The address at which kernels see host memory that is pinned or registered.
void* device_address_of_host(Context& context, void* host);
struct MemoryUse {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
};
MemoryUse memory_use(Context& context);

// cudaLimit and CUlimit are the same numbers.
std::size_t limit(Context& context, int number);
void set_limit(Context& context, int number, std::size_t value);
void allow_dynamic_shared(Context& context, Function& function, int bytes);
// What the attributes of cudaLaunchKernelExC and cuLaunchKernelEx ask for.
struct LaunchWishes {
  bool cooperative = false;
  std::optional<traces::Dim3> cluster;
  std::optional<unsigned> carveout_percent;
};
LaunchWishes launch_wishes(std::span<const abi::LaunchAttribute> attributes);
// -1: no wish.
void set_carveout(Function& function, int percent);
// Of one launch of the function, all but `cooperative`.
void set_wishes(Function& function, const LaunchWishes& wishes);
// Attributes of clusters, whose numbers the runtime and the driver interface share; false and 0 for other numbers.
bool set_cluster_attribute(Function& function, int number, int value);
int cluster_attribute(const Function& function, int number);
CacheConfig cache_config(int number);

// Cut off where there is no room, with a zero at its end.
void give_text(char* out, int room, const char* text);

}  // namespace warpgauge::cuda
