#include "cli/record/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

namespace warpgauge::cli::record {

ProcessResult run_process(const std::vector<std::string>& command, double limit_seconds) {
  using Clock = std::chrono::steady_clock;
  ProcessResult result;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {127, std::strerror(errno)};
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return {127, std::strerror(errno)};
  }
  if (child == 0) {
    setpgid(0, 0);
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    execvp(arguments[0], arguments.data());
    const char* why = std::strerror(errno);
    (void)!write(2, why, std::strlen(why));
    _exit(127);
  }
  close(ends[1]);
  const auto until = Clock::now() + std::chrono::duration<double>(limit_seconds);
  bool over = false;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd readable{ends[0], POLLIN, 0};
    if (left <= 0 || poll(&readable, 1, static_cast<int>(left)) == 0) {
      over = true;
      kill(-child, SIGKILL);
      break;
    }
    char bytes[65536];
    const ssize_t count = read(ends[0], bytes, sizeof bytes);
    if (count <= 0) break;
    result.output.append(bytes, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  result.status = over ? 124 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  for (std::string rest = path == nullptr ? "" : path; !rest.empty();) {
    const std::string folder = rest.substr(0, rest.find(':'));
    rest.erase(0, folder.size() + 1);
    const std::string candidate = folder + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return "";
}

}  // namespace warpgauge::cli::record
