// `warpgauge`: one binary, a file a command. Results go to stdout; what is wrong goes to stderr as one line,
// with an exit code of its own (exit_code.h).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/calibrate_command.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/predict_command.h"
#include "cli/probe_command.h"
#include "cli/run_command.h"
#include "cli/sass_command.h"
#include "cli/trace_command.h"
#include "cli/validate_command.h"
#include "cli/whatif_command.h"
#include "traces/accelsim/error.h"
#include "traces/cubin/error.h"
#include "traces/native/error.h"

namespace {

using warpgauge::cli::ExitCode;

int fail(ExitCode code, const char* message) {
  fmt::print(stderr, "warpgauge: {}\n", message);
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Predicts how many cycles a CUDA kernel takes on a GPU that you may not have"};
  app.name("warpgauge");
  app.require_subcommand(1);
  app.set_version_flag("--version", WARPGAUGE_VERSION);
  warpgauge::cli::add_predict_command(app);
  warpgauge::cli::add_run_command(app);
  warpgauge::cli::add_validate_command(app);
  warpgauge::cli::add_calibrate_command(app);
  warpgauge::cli::add_whatif_command(app);
  warpgauge::cli::add_sass_command(app);
  warpgauge::cli::add_trace_command(app);
  warpgauge::cli::add_probe_command(app);
  warpgauge::cli::add_demo_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return fail(ExitCode::usage, e.what());
  } catch (const warpgauge::cli::Failure& e) {
    return fail(e.code(), e.what());
  } catch (const warpgauge::cubin::KernelNotFound& e) {
    return fail(ExitCode::no_such_kernel, e.what());
  } catch (const warpgauge::cubin::Error& e) {
    return fail(ExitCode::bad_file, e.what());
  } catch (const warpgauge::native::Error& e) {
    return fail(ExitCode::bad_file, e.what());
  } catch (const warpgauge::accelsim::Error& e) {
    return fail(ExitCode::bad_file, e.what());
  } catch (const std::exception& e) {
    return fail(ExitCode::internal, e.what());
  }
  return static_cast<int>(ExitCode::ok);
}
