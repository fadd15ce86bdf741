// Streams and events, on the time line of the context.
#include "traces/cuda/abi.h"
#include "traces/cuda/guard.h"
#include "traces/cuda/operations.h"

using warpgauge::cuda::Context;
using warpgauge::cuda::Event;
using warpgauge::cuda::guarded;
using warpgauge::cuda::Stream;
namespace abi = warpgauge::cuda::abi;

namespace {

int create_stream(void** stream, unsigned flags, int priority) {
  return guarded([&](Context& context) { *stream = context.create_stream(flags, priority); });
}

int finish_stream(void* stream) {
  return guarded([&](Context& context) { context.finish_stream(context.stream(stream)); });
}

}  // namespace

extern "C" {

int cudaStreamCreate(void** stream) {
  return create_stream(stream, 0, 0);
}
int cudaStreamCreateWithFlags(void** stream, unsigned flags) {
  return create_stream(stream, flags, 0);
}
int cudaStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
  return create_stream(stream, flags, priority);
}
int cudaStreamDestroy(void* stream) {
  return guarded([&](Context& context) { context.destroy_stream(static_cast<Stream*>(stream)); });
}
int cudaStreamSynchronize(void* stream) {
  return finish_stream(stream);
}
int cudaStreamQuery(void* stream) {
  return finish_stream(stream);
}
int cudaStreamGetFlags(void* stream, unsigned* flags) {
  return guarded([&](Context& context) { *flags = context.stream(stream).flags; });
}
int cudaStreamGetPriority(void* stream, int* priority) {
  return guarded([&](Context& context) { *priority = context.stream(stream).priority; });
}
int cudaStreamGetId(void* stream, unsigned long long* id) {
  *id = reinterpret_cast<std::uintptr_t>(stream);
  return 0;
}
int cudaStreamWaitEvent(void* stream_handle, void* event_handle, unsigned) {
  return guarded(
      [&](Context& context) { warpgauge::cuda::wait_for_event(context, stream_handle, event_handle); });
}
int cudaLaunchHostFunc(void* stream_handle, abi::HostFunction function, void* data) {
  return guarded([&](Context& context) {
    warpgauge::cuda::submit(context, stream_handle, warpgauge::cuda::host_function(function, data));
  });
}
int cudaStreamAddCallback(void* stream_handle, void (*callback)(void*, int, void*), void* data, unsigned) {
  return guarded([&](Context& context) {
    context.submit(context.stream(stream_handle),
                   {abi::node_host, [=](Stream&) { callback(stream_handle, 0, data); }});
  });
}
int cudaStreamSetAttribute(void*, int, const void*) {
  return 0;
}

int cudaEventCreateWithFlags(void** event, unsigned flags) {
  return guarded([&](Context& context) { *event = context.create_event(flags); });
}
int cudaEventCreate(void** event) {
  return cudaEventCreateWithFlags(event, 0);
}
int cudaEventDestroy(void* event) {
  return guarded([&](Context& context) { context.destroy_event(static_cast<Event*>(event)); });
}
int cudaEventRecordWithFlags(void* event_handle, void* stream_handle, unsigned) {
  return guarded(
      [&](Context& context) { warpgauge::cuda::record_event(context, event_handle, stream_handle); });
}
int cudaEventRecord(void* event, void* stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
int cudaEventSynchronize(void* event) {
  return guarded([&](Context& context) { context.finish_event(context.event(event)); });
}
int cudaEventQuery(void* event) {
  return cudaEventSynchronize(event);
}
int cudaEventElapsedTime(float* milliseconds, void* start, void* end) {
  return guarded(
      [&](Context& context) { *milliseconds = warpgauge::cuda::elapsed_milliseconds(context, start, end); });
}
int cudaEventElapsedTime_v2(float* milliseconds, void* start, void* end) {
  return cudaEventElapsedTime(milliseconds, start, end);
}

}  // extern "C"
