// Asks nvdisasm what it calls a word.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "traces/sass/instruction.h"

namespace warpgauge::sass::tools {

struct Question {
  Word word;                // with a control word that no instruction refuses; see safe()
  std::uint64_t count = 1;  // how often the word stands in the corpus
  std::uint32_t group = 0;  // a refused question's whole group is not asked again; 0: none
};

struct Answer {
  Word word;
  std::uint64_t count = 1;
  std::uint64_t offset = 0;  // where nvdisasm saw the word: branch targets depend on it
  bool refused = false;
  std::string text;  // empty where it knows the word and prints nothing
};

// The word with stall 1, no yield and no barriers; reuse flags stay.
Word safe(Word word);

// Runs `nvdisasm -b SM<sm>` on files in `folder`, again without the words that it refuses until it refuses
// none. Throws std::runtime_error when the program cannot be run.
std::vector<Answer> ask(const std::string& nvdisasm, unsigned sm, const std::vector<Question>& questions,
                        const std::string& folder);

// The two halves of ask, for an nvdisasm on another machine: the file that it is to read with -b, and the
// answers in what it wrote. Words that it refuses must not be among them.
void write_questions(const std::string& path, const std::vector<Question>& questions);
std::vector<Answer> read_answers(const std::vector<Question>& questions, const std::string& output);

// Our text without memory descriptors: nvdisasm prints them for Hopper, and there from CUDA 12 on.
std::string without_descriptors(std::string text);

// Our text as CUDA 13's nvdisasm would write it.
std::string as_oracle(std::string text, Architecture architecture);

// Without trailing blanks.
std::string trimmed(std::string text);

}  // namespace warpgauge::sass::tools
