// Streams, events and host functions.
#include "traces/cuda/guard.h"
#include "traces/cuda/operations.h"

using warpgauge::cuda::Context;
using warpgauge::cuda::Event;
using warpgauge::cuda::guarded;
using warpgauge::cuda::Stream;
namespace abi = warpgauge::cuda::abi;

extern "C" {

int cuStreamCreate(void** stream, unsigned flags) {
  return guarded([&](Context& context) { *stream = context.create_stream(flags, 0); });
}
int cuStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
  return guarded([&](Context& context) { *stream = context.create_stream(flags, priority); });
}
int cuStreamDestroy_v2(void* stream) {
  return guarded([&](Context& context) { context.destroy_stream(static_cast<Stream*>(stream)); });
}
int cuStreamSynchronize(void* stream) {
  return guarded([&](Context& context) { context.finish_stream(context.stream(stream)); });
}
int cuStreamQuery(void* stream) {
  return cuStreamSynchronize(stream);
}
int cuStreamWaitEvent(void* stream_handle, void* event_handle, unsigned) {
  return guarded(
      [&](Context& context) { warpgauge::cuda::wait_for_event(context, stream_handle, event_handle); });
}
int cuEventCreate(void** event, unsigned flags) {
  return guarded([&](Context& context) { *event = context.create_event(flags); });
}
int cuEventDestroy_v2(void* event) {
  return guarded([&](Context& context) { context.destroy_event(static_cast<Event*>(event)); });
}
int cuEventRecord(void* event_handle, void* stream_handle) {
  return guarded(
      [&](Context& context) { warpgauge::cuda::record_event(context, event_handle, stream_handle); });
}
int cuEventSynchronize(void* event) {
  return guarded([&](Context& context) { context.finish_event(context.event(event)); });
}
int cuEventQuery(void* event) {
  return cuEventSynchronize(event);
}
int cuEventElapsedTime(float* milliseconds, void* start, void* end) {
  return guarded(
      [&](Context& context) { *milliseconds = warpgauge::cuda::elapsed_milliseconds(context, start, end); });
}
int cuEventElapsedTime_v2(float* milliseconds, void* start, void* end) {
  return cuEventElapsedTime(milliseconds, start, end);
}

int cuLaunchHostFunc(void* stream_handle, abi::HostFunction function, void* data) {
  return guarded([&](Context& context) {
    warpgauge::cuda::submit(context, stream_handle, warpgauge::cuda::host_function(function, data));
  });
}

}  // extern "C"
