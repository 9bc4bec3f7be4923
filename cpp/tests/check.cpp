#include "check.hpp"

#include <cstdio>
#include <cstring>
#include <exception>

namespace check {
namespace {
struct Case {
  const char* name;
  void (*body)();
};

// Made at first use: tests of other files register before the variables of this file are there.
std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

// A broken loop fails a million times; the first failures tell what is wrong.
constexpr long kShown = 8;
const char* running = "";
long failures = 0;
std::vector<std::string> notes;

bool succeeds(const Case& test) {
  running = test.name;
  checks = failures = 0;
  notes.clear();
  try {
    test.body();
  } catch (const std::exception& error) {
    failed("exception", 0, error.what());
  }
  // A test without a check cannot fail, so it proves nothing.
  if (checks == 0) failed("check", 0, "the test checks nothing");
  if (failures > kShown) std::printf("%s: %ld failures in all\n", running, failures);
  return failures == 0;
}
}  // namespace

Registered::Registered(const char* name, void (*body)()) { cases().push_back({name, body}); }

void failed(const char* file, int line, const std::string& what) {
  ++checks;
  if (++failures > kShown) return;
  std::string where;
  for (const std::string& note : notes) where += " [" + note + "]";
  std::printf("%s:%d: %s%s: %s\n", file, line, running, where.c_str(), what.c_str());
  std::fflush(stdout);
}

void not_close(const char* file, int line, const char* what, long double x, long double y,
               long double room) {
  const long double apart = x > y ? x - y : y - x;
  failed(file, line,
         std::string(what) + ": " + show(x) + " and " + show(y) + " differ by " + show(apart) +
             " > " + show(room));
}

void not_at_most(const char* file, int line, const char* what, long double x, long double y) {
  failed(file, line, std::string(what) + ": " + show(x) + " > " + show(y));
}

std::string show(long double x) {
  char text[64];
  std::snprintf(text, sizeof text, "%.17Lg", x);
  return text;
}

Note::Note(std::string text) { notes.push_back(std::move(text)); }
Note::~Note() { notes.pop_back(); }

int run(int argc, char** argv) {
  const char* wanted = argc > 1 ? argv[1] : "";
  long good = 0, bad = 0;
  for (const Case& test : cases()) {
    if (std::strstr(test.name, wanted) == nullptr) continue;
    ++(succeeds(test) ? good : bad);
  }
  if (good + bad == 0) std::printf("no test has a name that contains \"%s\"\n", wanted);
  std::printf("%ld passed, %ld failed\n", good, bad);
  return good + bad == 0 || bad > 0 ? 1 : 0;
}

}  // namespace check

int main(int argc, char** argv) { return check::run(argc, argv); }
