#include "cli/run_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cli/failure.h"
#include "cli/run_settings.h"
#include "cli/shipped.h"

namespace warpgauge::cli {
namespace {

// The folder with the stand-ins for libcudart and libcuda.
std::filesystem::path library_folder() {
  std::error_code ignored;
  const std::filesystem::path binary = std::filesystem::read_symlink("/proc/self/exe", ignored);
  for (const std::filesystem::path& folder :
       {binary.parent_path() / "cuda", binary.parent_path().parent_path() / "lib/warpgauge/cuda"}) {
    if (std::filesystem::exists(folder / "libcuda.so.1", ignored)) return folder;
  }
  throw Failure(ExitCode::internal, "the shared libraries that stand in for CUDA are not beside the program");
}

[[noreturn]] void start(const RunSettings& settings, const std::vector<std::string>& program) {
  settings.export_to_environment();
  std::string search = library_folder().string();
  if (const char* already = std::getenv("LD_LIBRARY_PATH")) search += std::string(":") + already;
  setenv("LD_LIBRARY_PATH", search.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& argument : program) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  throw Failure(ExitCode::bad_file, fmt::format("{}: {}", program[0], std::strerror(errno)));
}

}  // namespace

void start_program(RunSettings settings, const std::vector<std::string>& program) {
  read_calibration(settings.gpu,
                   settings.changes);  // what is wrong with it is said before the program starts
  settings.make_independent_of_place();
  start(settings, program);
}

void add_run_command(CLI::App& app) {
  auto settings = std::make_shared<RunSettings>();
  auto program = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand(
      "run",
      "Run a CUDA program without a GPU and predict its kernels (built with nvcc -cudart shared, or on the "
      "driver API)");
  command->add_option("--gpu", settings->gpu, "v100, t4, h200, or the path of a calibration")
      ->capture_default_str();
  command->add_option("--set", settings->changes, "What if: KEY=VALUE changes the calibration");
  command->add_flag("--functional", settings->functional, "Execute without timing");
  command->add_flag(
      "--first-touch", settings->first_touch,
      "The program's first access to a page waits for its translation, as in a program's first run of a "
      "kernel; a profiler that replays kernels does not see that");
  command->add_flag(
      "--check-bounds", settings->check_bounds,
      "An access beyond an allocation stops the program; without, it passes as on a card where the same "
      "page of 2 MiB holds some of an allocation, and the first one is said");
  command->add_option("--kernel-name,-k", settings->kernel_name,
                      "Time these kernels only: NAME or regex:EXPRESSION");
  command->add_option("--launch-skip,-s", settings->launch_skip,
                      "Matching launches to pass over before timing");
  command->add_option("--launch-count,-c", settings->launch_count, "Matching launches to time");
  CLI::Option* kill =
      command->add_flag("--kill", settings->kill,
                        "End the program, with code 0, as soon as --launch-count launches are timed");
  command
      ->add_flag("--concurrent", settings->concurrent,
                 "Launches that nothing orders run beside each other; without, each runs alone, as a profiler "
                 "has it. Streams do their work when the program waits for it")
      ->excludes(kill);
  command->add_option("--json", settings->json_path, "Write the report as JSON to this file");
  command->add_flag("--csv", settings->csv, "Print comma-separated values");
  command
      ->add_option_function<std::string>(
          "--page", [settings](const std::string& page) { settings->source = page == "source"; },
          "details, or source for the annotated machine code; --json then has every instruction, too")
      ->check(CLI::IsMember({"details", "source"}))
      ->default_str("details");
  command->add_flag("--quiet", settings->quiet, "Print no report");
  command->add_option("--threads", settings->threads, "Threads that share the SMs; the report stays the same")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("program", *program, "The program and its arguments, after --")->required();
  command->callback([settings, program] { start_program(*settings, *program); });
}

}  // namespace warpgauge::cli
