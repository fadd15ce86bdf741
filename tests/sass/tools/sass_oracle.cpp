// Compares the tables with NVIDIA's disassembler over code that is at hand: what the tests cannot do where it
// is not installed. docs/sass.md says how the corpus is made and what the comparison showed.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <unordered_map>

#include "tests/sass/tools/code_reader.h"
#include "tests/sass/tools/oracle.h"
#include "traces/sass/decode.h"
#include "traces/sass/print.h"
#include "traces/sass/table.h"

namespace warpgauge::sass::tools {
namespace {

struct WordHash {
  std::size_t operator()(const Word& w) const {
    return (w.low * 0x9e3779b97f4a7c15) ^ (w.high * 0xc2b2ae3d27d4eb4f >> 7);
  }
};

using Counts = std::unordered_map<Word, std::uint64_t, WordHash>;

// The text without its numbers; for a word without text its opcode.
std::string form_of(const Word& word, Architecture architecture) {
  const Instruction instruction = decode(word, architecture);
  if (instruction.opcode == Opcode::unknown)
    return std::to_string((word.low & 0xfff) | (word.high >> 15 & 0x1000));
  std::string form;
  for (const char c : print(instruction)) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0 || form.empty() || form.back() != '0') {
      form += std::isdigit(static_cast<unsigned char>(c)) != 0 ? '0' : c;
    }
  }
  return form;
}

void collect(unsigned sm, Architecture architecture, const std::vector<std::string>& files, std::size_t limit,
             const std::string& out) {
  Counts counts;
  std::uint64_t total = 0;
  for (const std::string& file : files) {
    const std::size_t cubins = visit_code(file, sm, [&](unsigned, std::span<const std::uint8_t> code) {
      for (std::size_t at = 0; at + instruction_bytes <= code.size(); at += instruction_bytes) {
        Word word;
        std::memcpy(&word.low, code.data() + at, 8);
        std::memcpy(&word.high, code.data() + at + 8, 8);
        ++counts[safe(word)];
        ++total;
      }
    });
    std::fprintf(stderr, "%s: %zu cubins, %" PRIu64 " instructions so far, %zu different\n", file.c_str(),
                 cubins, total, counts.size());
  }
  std::vector<std::pair<Word, std::uint64_t>> words(counts.begin(), counts.end());
  std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) {
    if (a.second != b.second) return a.second > b.second;
    return a.first.low != b.first.low ? a.first.low < b.first.low : a.first.high < b.first.high;
  });
  if (limit != 0 && words.size() > limit) {
    // The most frequent half as it is, then some of every form, the rest drawn evenly from what is left.
    constexpr unsigned of_each_form = 3;
    std::mt19937_64 random(1);
    const auto rest = words.begin() + static_cast<std::ptrdiff_t>(limit / 2);
    std::shuffle(rest, words.end(), random);
    std::map<std::string, unsigned> forms;
    std::stable_partition(rest, words.end(), [&](const auto& word) {
      return ++forms[form_of(word.first, architecture)] <= of_each_form;
    });
    words.resize(limit);
  }
  std::ofstream file(out);
  for (const auto& [word, count] : words) {
    file << std::hex << word.low << ' ' << word.high << ' ' << std::dec << count << '\n';
  }
}

std::vector<Question> read_questions(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Question> questions;
  std::string line;
  while (std::getline(file, line)) {
    Question q;
    std::istringstream in(line);
    if (in >> std::hex >> q.word.low >> q.word.high >> std::dec >> q.count) {
      in >> q.group;
      questions.push_back(q);
    }
  }
  return questions;
}

// Flips bits outside the opcode and the control word; keeps what the tables know.
void mutate(Architecture architecture, const std::string& words, std::size_t count, std::uint64_t seed,
            const std::string& out) {
  const std::vector<Question> originals = read_questions(words);
  if (originals.empty()) throw std::runtime_error(words + " holds no words");
  std::map<std::uint16_t, std::vector<std::size_t>> by_row;
  for (std::size_t i = 0; i < originals.size(); ++i) {
    const Instruction instruction = decode(originals[i].word, architecture);
    if (instruction.opcode != Opcode::unknown) by_row[instruction.row].push_back(i);
  }
  std::vector<std::uint16_t> rows;
  for (const auto& [row, indices] : by_row) rows.push_back(row);
  std::mt19937_64 random(seed);
  std::unordered_map<Word, int, WordHash> seen;
  std::ofstream file(out);
  for (std::size_t made = 0, tried = 0; made < count && tried < 100 * count; ++tried) {
    // Every row of the table gets its share, however rare its opcode is.
    const auto& indices = by_row[rows[random() % rows.size()]];
    Word word = originals[indices[random() % indices.size()]].word;
    const unsigned bit = 12 + static_cast<unsigned>(random() % 79);
    (bit < 64 ? word.low : word.high) ^= std::uint64_t{1} << (bit % 64);
    if (random() % 2 == 0) {
      const unsigned second = 16 + static_cast<unsigned>(random() % 56);
      (second < 64 ? word.low : word.high) ^= std::uint64_t{1} << (second % 64);
    }
    const Instruction instruction = decode(word, architecture);
    if (instruction.opcode == Opcode::unknown || !seen.emplace(word, 0).second) continue;
    const std::uint32_t group = 1 + instruction.row * 128U + bit;
    file << std::hex << word.low << ' ' << word.high << ' ' << std::dec << 1 << ' ' << group << '\n';
    ++made;
  }
}

// Words of every row of the table with its free bits drawn at random, half of them with few bits set.
void sample_rows(Architecture architecture, std::size_t count, std::uint64_t seed, const std::string& out) {
  const unsigned index = table::architecture_index(architecture);
  std::mt19937_64 random(seed);
  std::ofstream file(out);
  for (const table::Row& row : table::rows()) {
    if ((row.architectures >> index & 1U) == 0) continue;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t low = i % 2 == 0 ? random() : random() & random();
      const std::uint64_t high = i % 2 == 0 ? random() : random() & random();
      constexpr std::uint64_t always = 0x7000;
      const Word word = safe({row.value.low | (low & ~row.mask.low & ~table::frame_mask.low) | always,
                              row.value.high | (high & ~row.mask.high & ~table::frame_mask.high)});
      if (decode(word, architecture).opcode == row.opcode) {
        file << std::hex << word.low << ' ' << word.high << ' ' << std::dec << 1 << '\n';
      }
    }
  }
}

// Asks for every opcode, and for those that the tables do not have what the other bits do: every run of three
// bits takes every value.
std::vector<Answer> explore(Architecture architecture, unsigned sm, const std::string& nvdisasm,
                            const std::string& folder) {
  constexpr std::uint64_t guard = 0x7000;
  constexpr std::uint64_t predicates =
      (std::uint64_t{7} << 17) | (std::uint64_t{7} << 20) | (std::uint64_t{7} << 23);
  constexpr std::array<Word, 3> bases{{{guard | 0x0000000604020000, 8 | predicates},
                                       {guard | 0x000000ffffff0000, 0xff | predicates},
                                       {guard, 0}}};
  constexpr std::uint64_t codes = 1 << 13;
  std::vector<Question> questions;
  for (std::uint64_t code = 0; code < codes; ++code) {
    for (const Word& base : bases) {
      questions.push_back({safe({base.low | (code & 0xfff), base.high | (code >> 12 << 27)}), 1, 0});
    }
  }
  std::vector<Answer> answers = ask(nvdisasm, sm, questions, folder);
  std::vector<Question> more;
  for (std::uint64_t code = 0; code < codes; ++code) {
    if (!table::candidates(architecture, static_cast<unsigned>(code)).empty()) continue;
    const auto first = answers.begin() + static_cast<std::ptrdiff_t>(code * bases.size());
    const auto printed = std::find_if(first, first + bases.size(),
                                      [](const Answer& a) { return !a.refused && !a.text.empty(); });
    if (printed == first + bases.size()) continue;
    for (unsigned bit = 16; bit + 3 <= 91; ++bit) {
      for (std::uint64_t flips = 1; flips < 8; ++flips) {
        Word word = printed->word;
        if (bit < 64) word.low ^= flips << bit;
        if (bit >= 64) word.high ^= flips << (bit - 64);
        if (bit < 64 && bit + 3 > 64) word.high ^= flips >> (64 - bit);
        more.push_back({word, 1, 0});
      }
    }
  }
  for (Answer& answer : ask(nvdisasm, sm, more, folder)) answers.push_back(std::move(answer));
  return answers;
}

void write_answers(const std::vector<Answer>& answers, const std::string& out) {
  std::ofstream file(out);
  for (const Answer& a : answers) {
    if (a.refused) continue;
    file << std::hex << a.word.low << ' ' << a.word.high << ' ' << std::dec << a.count << ' ' << std::hex
         << a.offset << ' ' << a.text << '\n';
  }
}

struct Difference {
  double count = 0;
  std::string ours;
  std::string theirs;
  Word word;
};

int compare(Architecture architecture, const std::string& answers, std::size_t show, double least,
            const std::string& out) {
  std::ifstream file(answers);
  if (!file) throw std::runtime_error("cannot read " + answers);
  std::ofstream different;
  if (!out.empty()) different.open(out);
  std::map<std::string, Difference> differences;
  double total = 0;
  double equal = 0;
  double unprinted = 0;
  double unknown = 0;
  double known = 0;
  double reencoded = 0;
  std::size_t different_words = 0;
  std::string line;
  while (std::getline(file, line)) {
    Answer a;
    std::istringstream in(line);
    if (!(in >> std::hex >> a.word.low >> a.word.high >> std::dec >> a.count >> std::hex >> a.offset))
      continue;
    std::getline(in >> std::ws, a.text);
    a.text = trimmed(a.text);
    const auto count = static_cast<double>(a.count);
    const Instruction instruction = decode(a.word, architecture, a.offset);
    total += count;
    ++different_words;
    if (instruction.opcode == Opcode::unknown) {
      unknown += count;
    } else {
      known += count;
      if (encode(instruction, a.offset) == a.word) reencoded += count;
    }
    const std::string ours = print(instruction);
    if (ours == a.text || (without_descriptors(ours) == a.text && !a.text.empty())) {
      equal += count;
      continue;
    }
    if (different.is_open()) different << line << '\n';
    if (a.text.empty()) {
      unprinted += count;
      continue;
    }
    const auto start = a.text.starts_with('@') ? a.text.find(' ') + 1 : 0;
    const std::string name = a.text.substr(start, a.text.find_first_of(". ", start) - start);
    Difference& d = differences[(instruction.opcode == Opcode::unknown ? "unknown " : "text ") + name];
    d.count += count;
    d.ours = ours;
    d.theirs = a.text;
    d.word = a.word;
  }
  const double comparable = total - unprinted;
  std::printf(
      "%s: %.0f instructions (%zu different words): text equal %.4f%%, re-encoding equal %.4f%% of the "
      "decoded, "
      "unknown %.4f%%, not printed by the oracle %.4f%%\n",
      std::string(name(architecture)).c_str(), total, different_words, 100 * equal / comparable,
      100 * reencoded / known, 100 * unknown / total, 100 * unprinted / total);
  std::vector<std::pair<std::string, Difference>> sorted(differences.begin(), differences.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  for (std::size_t i = 0; i < std::min(show, sorted.size()); ++i) {
    const auto& [name, d] = sorted[i];
    std::printf("  %9.5f%% %-20s %016" PRIx64 "_%016" PRIx64 "\n      ours   %s\n      oracle %s\n",
                100 * d.count / total, name.c_str(), d.word.high, d.word.low, d.ours.c_str(),
                d.theirs.c_str());
  }
  return reencoded == known && 100 * equal / comparable >= least ? 0 : 1;
}

int run(int argc, char** argv) {
  CLI::App app{"Compares the SASS tables with NVIDIA's disassembler"};
  app.require_subcommand(1);
  unsigned sm = 90;
  std::string in;
  std::string out;

  auto* collecting =
      app.add_subcommand("collect", "gather the different words of cubins, libraries and executables");
  std::vector<std::string> files;
  std::size_t limit = 0;
  collecting->add_option("--sm", sm)->required();
  collecting->add_option("--limit", limit,
                         "keep so many words: the most frequent, and a sample of the others");
  collecting->add_option("--out", out)->required();
  collecting->add_option("files", files)->required();

  auto* mutating = app.add_subcommand("mutate", "make new words by flipping bits of others");
  std::size_t count = 40000;
  std::uint64_t seed = 1;
  mutating->add_option("--sm", sm)->required();
  mutating->add_option("--count", count);
  mutating->add_option("--seed", seed);
  mutating->add_option("--words", in)->required();
  mutating->add_option("--out", out)->required();

  auto* sampling = app.add_subcommand("rows", "make words of every row of the tables");
  sampling->add_option("--sm", sm)->required();
  sampling->add_option("--count", count, "of each row");
  sampling->add_option("--seed", seed);
  sampling->add_option("--out", out)->required();

  auto* asking = app.add_subcommand("ask", "let nvdisasm print the words");
  std::string nvdisasm;
  std::string folder = "/tmp";
  asking->add_option("--nvdisasm", nvdisasm, "the program")->envname("NVDISASM")->required();
  asking->add_option("--folder", folder, "for the file that it reads");
  asking->add_option("--sm", sm)->required();
  asking->add_option("--words", in)->required();
  asking->add_option("--out", out)->required();

  auto* exploring = app.add_subcommand("explore", "let nvdisasm print words of every opcode");
  exploring->add_option("--nvdisasm", nvdisasm, "the program")->envname("NVDISASM")->required();
  exploring->add_option("--folder", folder, "for the file that it reads");
  exploring->add_option("--sm", sm)->required();
  exploring->add_option("--out", out)->required();

  auto* questioning =
      app.add_subcommand("questions", "write the file that an nvdisasm elsewhere is to read with -b");
  questioning->add_option("--words", in)->required();
  questioning->add_option("--out", out)->required();

  auto* answering = app.add_subcommand("answers", "read what nvdisasm wrote of that file");
  std::string output;
  answering->add_option("--words", in)->required();
  answering->add_option("--output", output, "what it wrote")->required();
  answering->add_option("--out", out)->required();

  auto* comparing = app.add_subcommand("compare", "compare our text and our re-encoding with the answers");
  std::size_t show = 20;
  double least = 99.9;
  comparing->add_option("--sm", sm)->required();
  comparing->add_option("--answers", in)->required();
  comparing->add_option("--show", show, "so many kinds of difference");
  comparing->add_option("--least", least, "fail when fewer per cent of the texts are equal");
  comparing->add_option("--out", out, "write the answers that differ here");
  CLI11_PARSE(app, argc, argv);

  const auto architecture = architecture_from_number(sm);
  if (!architecture) throw std::runtime_error("sm_" + std::to_string(sm) + " is not read");
  if (*collecting) collect(sm, *architecture, files, limit, out);
  if (*mutating) mutate(*architecture, in, count, seed, out);
  if (*sampling) sample_rows(*architecture, count, seed, out);
  if (*asking) write_answers(ask(nvdisasm, sm, read_questions(in), folder), out);
  if (*exploring) write_answers(explore(*architecture, sm, nvdisasm, folder), out);
  if (*questioning) write_questions(out, read_questions(in));
  if (*answering) {
    std::ifstream file(output);
    if (!file) throw std::runtime_error("cannot read " + output);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    write_answers(read_answers(read_questions(in), text), out);
  }
  if (*comparing) return compare(*architecture, in, show, least, out);
  return 0;
}

}  // namespace
}  // namespace warpgauge::sass::tools

int main(int argc, char** argv) {
  try {
    return warpgauge::sass::tools::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "sass_oracle: " << error.what() << '\n';
    return 1;
  }
}
