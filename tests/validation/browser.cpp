#include "tests/validation/browser.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

namespace warpgauge::testing {
namespace {

using nlohmann::json;

// A page of a few hundred kilobytes takes a second; a loaded machine several.
constexpr std::chrono::seconds patience{60};

std::string find_browser() {
  if (const char* named = std::getenv("WARPGAUGE_BROWSER")) return named;
  const char* path = std::getenv("PATH");
  for (const char* name : {"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}) {
    std::string rest = path == nullptr ? "" : path;
    while (!rest.empty()) {
      const std::string folder = rest.substr(0, rest.find(':'));
      rest = rest.size() > folder.size() ? rest.substr(folder.size() + 1) : "";
      const std::string candidate = folder + "/" + name;
      if (access(candidate.c_str(), X_OK) == 0) return candidate;
    }
  }
  throw BrowserError("no Chromium: install chromium-headless-shell, as `./bootstrap test` does");
}

}  // namespace

Browser::Browser() {
  const std::string program = find_browser();
  std::string folder = (std::filesystem::temp_directory_path() / "warpgauge_browser_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw BrowserError("no folder for the browser's profile");
  profile_ = folder;
  const std::string profile_option = "--user-data-dir=" + profile_;
  int down[2];
  int up[2];
  if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0) throw BrowserError("no pipes");
  process_ = fork();
  if (process_ == 0) {
    // A group of its own: the browser's own children end with it.
    setpgid(0, 0);
    // The browser reads from file 3 and writes to file 4. The ends may have these numbers already.
    const int reads = fcntl(down[0], F_DUPFD, 10);
    const int writes = fcntl(up[1], F_DUPFD, 10);
    dup2(reads, 3);
    dup2(writes, 4);
    const int nowhere = ::open("/dev/null", O_RDWR);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    execl(program.c_str(), program.c_str(), "--headless", "--no-sandbox", "--disable-gpu",
          "--disable-background-networking", "--no-first-run", "--remote-debugging-pipe",
          "--window-size=1280,1000", profile_option.c_str(), "about:blank", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(down[0]);
  close(up[1]);
  to_browser_ = down[1];
  from_browser_ = up[0];
  const json target = call("Target.createTarget", {{"url", "about:blank"}});
  const json attached =
      call("Target.attachToTarget", {{"targetId", target.at("targetId")}, {"flatten", true}});
  session_ = attached.at("sessionId").get<std::string>();
  call("Page.enable");
  call("Runtime.enable");
  call("Log.enable");
  call("Network.enable");
  call("Network.emulateNetworkConditions",
       {{"offline", true}, {"latency", 0}, {"downloadThroughput", 0}, {"uploadThroughput", 0}});
}

Browser::~Browser() {
  close(to_browser_);
  close(from_browser_);
  if (process_ > 0) {
    kill(-process_, SIGKILL);
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(profile_, ignored);
}

json Browser::next_message() {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (true) {
    if (const std::size_t end = buffer_.find('\0'); end != std::string::npos) {
      json message = json::parse(buffer_.substr(0, end));
      buffer_.erase(0, end + 1);
      return message;
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd readable{from_browser_, POLLIN, 0};
    if (left.count() <= 0 || poll(&readable, 1, static_cast<int>(left.count())) == 0) {
      throw BrowserError("the browser does not answer");
    }
    char bytes[65536];
    const ssize_t count = read(from_browser_, bytes, sizeof bytes);
    if (count <= 0) throw BrowserError("the browser has ended");
    buffer_.append(bytes, static_cast<std::size_t>(count));
  }
}

void Browser::note(const json& message) {
  const std::string method = message.value("method", "");
  const json parameters = message.value("params", json::object());
  if (method == "Page.loadEventFired") {
    loaded_ = true;
  } else if (method == "Runtime.exceptionThrown") {
    complaints_.push_back(parameters.dump());
  } else if (method == "Runtime.consoleAPICalled") {
    const std::string type = parameters.value("type", "");
    if (type == "error" || type == "warning" || type == "assert") complaints_.push_back(parameters.dump());
  } else if (method == "Log.entryAdded") {
    const std::string level = parameters.at("entry").value("level", "");
    if (level == "error" || level == "warning") complaints_.push_back(parameters.dump());
  } else if (method == "Network.requestWillBeSent") {
    requests_.push_back(parameters.at("request").at("url").get<std::string>());
  }
}

json Browser::call(const std::string& method, json parameters) {
  json message{{"id", ++last_id_}, {"method", method}, {"params", std::move(parameters)}};
  if (!session_.empty()) message["sessionId"] = session_;
  const std::string text = message.dump() + '\0';
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = write(to_browser_, text.data() + sent, text.size() - sent);
    if (count <= 0) throw BrowserError("the browser does not listen");
    sent += static_cast<std::size_t>(count);
  }
  while (true) {
    const json answer = next_message();
    if (!answer.contains("id")) {
      note(answer);
      continue;
    }
    if (answer.at("id") != last_id_) continue;
    if (answer.contains("error")) throw BrowserError(method + ": " + answer.at("error").dump());
    return answer.value("result", json::object());
  }
}

void Browser::open(const std::string& url) {
  loaded_ = false;
  const json answer = call("Page.navigate", {{"url", url}});
  if (answer.contains("errorText"))
    throw BrowserError(url + ": " + answer.at("errorText").get<std::string>());
  while (!loaded_) note(next_message());
}

json Browser::value(const std::string& expression) {
  const json answer =
      call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
  if (answer.contains("exceptionDetails")) {
    throw BrowserError(expression + ": " + answer.at("exceptionDetails").dump());
  }
  return answer.at("result").value("value", json());
}

}  // namespace warpgauge::testing
