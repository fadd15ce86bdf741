// A headless Chromium that is spoken to through two pipes, in the messages of the DevTools protocol
// (https://chromedevtools.github.io/devtools-protocol/): JSON, each message ended by a zero byte.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpgauge::testing {

struct BrowserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One page of a browser of its own, without a network.
class Browser {
 public:
  // Throws BrowserError where there is no Chromium: $WARPGAUGE_BROWSER, or one of its usual names in $PATH.
  Browser();
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  // Returns when the page and what it loads are there.
  void open(const std::string& url);
  // The value of a JavaScript expression. Throws BrowserError with what the script threw.
  nlohmann::json value(const std::string& expression);
  // What the page has said so far: errors and warnings of console and log, exceptions nobody caught.
  [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }
  // The addresses that it has asked for.
  [[nodiscard]] const std::vector<std::string>& requests() const { return requests_; }

 private:
  nlohmann::json call(const std::string& method, nlohmann::json parameters = nlohmann::json::object());
  nlohmann::json next_message();
  void note(const nlohmann::json& message);

  int process_ = -1;
  int to_browser_ = -1;
  int from_browser_ = -1;
  std::string profile_;
  std::string buffer_;
  std::string session_;
  int last_id_ = 0;
  bool loaded_ = false;
  std::vector<std::string> complaints_;
  std::vector<std::string> requests_;
};

}  // namespace warpgauge::testing
