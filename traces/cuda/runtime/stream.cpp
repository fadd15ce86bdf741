// Streams and events, on the time line of the context.
#include <limits>

#include "traces/cuda/abi.h"
#include "traces/cuda/guard.h"

using warpgauge::cuda::Context;
using warpgauge::cuda::Error;
using warpgauge::cuda::Event;
using warpgauge::cuda::Graph;
using warpgauge::cuda::guarded;
using warpgauge::cuda::require;
using warpgauge::cuda::Stream;
namespace abi = warpgauge::cuda::abi;

namespace {

int create_stream(void** stream, unsigned flags, int priority) {
  return guarded([&](Context& context) { *stream = context.create_stream(flags, priority); });
}

int check_stream(void* stream) {
  return guarded([&](Context& context) { context.stream(stream); });
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
  return check_stream(stream);
}
int cudaStreamQuery(void* stream) {
  return check_stream(stream);
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
  return guarded([&](Context& context) {
    Event* const event = &context.event(event_handle);
    Stream& waiting = context.stream(stream_handle);
    // A stream that waits for a capturing one joins in.
    if (event->capture && !waiting.capture) waiting.capture = event->capture;
    context.submit(waiting, abi::node_wait_event, [event](Stream& stream) {
      if (event->recorded && event->time_ns > stream.ready_ns) stream.ready_ns = event->time_ns;
    });
  });
}
int cudaLaunchHostFunc(void* stream_handle, abi::HostFunction function, void* data) {
  return guarded([&](Context& context) {
    context.submit(context.stream(stream_handle), abi::node_host, [=](Stream&) { function(data); });
  });
}
int cudaStreamAddCallback(void* stream_handle, void (*callback)(void*, int, void*), void* data, unsigned) {
  return guarded([&](Context& context) {
    context.submit(context.stream(stream_handle), abi::node_host,
                   [=](Stream&) { callback(stream_handle, 0, data); });
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
  return guarded([&](Context& context) {
    Event* const event = &context.event(event_handle);
    event->capture = context.stream(stream_handle).capture;
    context.submit(context.stream(stream_handle), abi::node_event_record,
                   [event, &context, stream_handle](Stream& on) {
                     event->recorded = true;
                     // The default stream waits for all others.
                     event->time_ns = stream_handle == nullptr ? context.latest_ns() : on.ready_ns;
                   });
  });
}
int cudaEventRecord(void* event, void* stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
int cudaEventSynchronize(void* event) {
  return guarded([&](Context& context) { context.event(event); });
}
int cudaEventQuery(void* event) {
  return guarded([&](Context& context) { context.event(event); });
}
int cudaEventElapsedTime(float* milliseconds, void* start, void* end) {
  return guarded([&](Context& context) {
    const Event& first = context.event(start);
    const Event& last = context.event(end);
    constexpr unsigned disable_timing = 2;
    require(first.recorded && last.recorded, Error::invalid_resource_handle);
    require(((first.flags | last.flags) & disable_timing) == 0, Error::invalid_resource_handle);
    *milliseconds = static_cast<float>((last.time_ns - first.time_ns) * 1e-6);
  });
}
int cudaEventElapsedTime_v2(float* milliseconds, void* start, void* end) {
  return cudaEventElapsedTime(milliseconds, start, end);
}

}  // extern "C"
