#include "tests/sass/tools/oracle.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <set>
#include <stdexcept>
#include <string_view>

namespace warpgauge::sass::tools {
namespace {

std::string run(const std::string& command) {
  struct Close {
    void operator()(std::FILE* file) const { ::pclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> pipe(::popen(command.c_str(), "r"));
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string out;
  std::array<char, 65536> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe.get()))
    out.append(buffer.data(), got);
  return out;
}

// "        /*0010*/                   MOV R1, R2 ;" gives 0x10 and the text.
bool parse_line(std::string_view line, std::uint64_t& offset, std::string_view& text) {
  const auto open = line.find("/*");
  const auto close = line.find("*/");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return false;
  offset = std::stoull(std::string(line.substr(open + 2, close - open - 2)), nullptr, 16);
  text = line.substr(close + 2);
  const auto end = text.rfind(';');
  text = text.substr(0, end);
  const auto first = text.find_first_not_of(' ');
  text = first == std::string_view::npos ? std::string_view{} : text.substr(first);
  return true;
}

constexpr std::string_view refusal = "at address 0x";

}  // namespace

Word safe(Word word) {
  constexpr std::uint64_t reuse = std::uint64_t{0xf} << 58;
  constexpr std::uint64_t control = 0x3ffffe0000000000;
  word.high = (word.high & (~control | reuse)) | 0x000fe20000000000;
  return word;
}

void write_questions(const std::string& path, const std::vector<Question>& questions) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  for (const Question& question : questions) {
    file.write(reinterpret_cast<const char*>(&question.word.low), 8);
    file.write(reinterpret_cast<const char*>(&question.word.high), 8);
  }
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

std::vector<Answer> read_answers(const std::vector<Question>& questions, const std::string& output) {
  std::vector<Answer> answers;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    answers.push_back({questions[i].word, questions[i].count, i * instruction_bytes, false, {}});
  }
  for (std::size_t line = 0; line < output.size();) {
    const std::size_t end = std::min(output.find('\n', line), output.size());
    std::uint64_t offset = 0;
    std::string_view text;
    if (parse_line(std::string_view(output).substr(line, end - line), offset, text)) {
      const std::size_t i = offset / instruction_bytes;
      if (i < answers.size()) answers[i].text = trimmed(std::string(text));
    }
    line = end + 1;
  }
  return answers;
}

std::vector<Answer> ask(const std::string& nvdisasm, unsigned sm, const std::vector<Question>& questions,
                        const std::string& folder) {
  constexpr std::size_t piece = 16384;
  constexpr Word nop{0x7918, 0x000fe20000000000};
  std::vector<Answer> answers;
  std::set<std::uint32_t> refused_groups;
  const std::string path = folder + "/question.bin";
  const std::string command = nvdisasm + " -b SM" + std::to_string(sm) + " " + path + " 2>&1";
  for (std::size_t first = 0; first < questions.size(); first += piece) {
    std::vector<Question> asked(
        questions.begin() + static_cast<std::ptrdiff_t>(first),
        questions.begin() + static_cast<std::ptrdiff_t>(std::min(first + piece, questions.size())));
    std::vector<bool> refused(asked.size(), false);
    const auto refuse = [&](std::size_t i) {
      refused[i] = true;
      asked[i].word = nop;
    };
    std::string out;
    for (;;) {
      for (std::size_t i = 0; i < asked.size(); ++i) {
        if (!refused[i] && asked[i].group != 0 && refused_groups.contains(asked[i].group)) refuse(i);
      }
      write_questions(path, asked);
      out = run(command);
      // It names every word that it refuses and prints nothing then; a later run may refuse others.
      std::size_t at = out.find(refusal);
      if (at == std::string::npos) break;
      for (; at != std::string::npos; at = out.find(refusal, at)) {
        at += refusal.size();
        const std::size_t i = std::stoull(out.substr(at, 16), nullptr, 16) / instruction_bytes;
        if (i >= asked.size()) throw std::runtime_error("not an answer of nvdisasm: " + out.substr(0, 200));
        if (asked[i].group != 0) refused_groups.insert(asked[i].group);
        refuse(i);
      }
    }
    if (out.find("headerflags") == std::string::npos) {
      throw std::runtime_error("not an answer of nvdisasm: " + out.substr(0, 200));
    }
    std::vector<Answer> got = read_answers(asked, out);
    for (std::size_t i = 0; i < got.size(); ++i) {
      got[i].word = questions[first + i].word;
      got[i].refused = refused[i];
      answers.push_back(std::move(got[i]));
    }
  }
  return answers;
}

std::string without_descriptors(std::string text) {
  for (std::size_t at = 0; (at = text.find("desc[UR", at)) != std::string::npos;) {
    const std::size_t end = text.find(']', at);
    if (end + 1 < text.size() && text[end + 1] == '[') {
      text.erase(at, end + 1 - at);
    } else {
      at = end;
    }
  }
  return trimmed(std::move(text));
}

std::string as_oracle(std::string text, Architecture architecture) {
  return architecture >= Architecture::sm90 ? trimmed(std::move(text)) : without_descriptors(std::move(text));
}

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace warpgauge::sass::tools
