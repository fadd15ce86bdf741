#include "traces/native/record.h"

#include "traces/native/recording.h"

namespace warpgauge::native {
namespace {

ModuleImage image_of(const emulator::Module& module) {
  ModuleImage image;
  image.cubin.assign(module.file().begin(), module.file().end());
  image.code_base = module.loaded().code_base;
  for (const cubin::DataSegment& segment : module.loaded().segments)
    image.segments.push_back(segment.address);
  return image;
}

}  // namespace

void record(Writer& writer, const emulator::Launch& launch, emulator::Emulator& emulator,
            std::uint32_t launch_index, const std::function<void(traces::WarpStream&)>& execute) {
  KernelInfo info;
  info.module = writer.add_module(image_of(*launch.module));
  info.launch_index = launch_index;
  info.shape = emulator.shape();
  info.entry = emulator.entry();
  info.parameters = launch.parameters;
  const std::unique_ptr<KernelWriter> kernel = writer.begin_kernel(std::move(info), emulator.code());
  if (execute) {
    RecordingStream stream(emulator, *kernel);
    execute(stream);
  } else {
    emulator.run(kernel.get());
  }
  kernel->finish();
}

}  // namespace warpgauge::native
