// The common parts of this folder's programs: their options, clock, random numbers and last lines.
// A program sets `program_name` first. Threads may call everything here but parse_options.
// NOLINTBEGIN(modernize-use-nullptr, readability-identifier-naming): this is C, too
#ifndef JACKDAW_BENCH_PROGRAMS_PROGRAM_H
#define JACKDAW_BENCH_PROGRAMS_PROGRAM_H

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static const char* program_name;

// An option takes a number from `least` to `most` (none if `most` is 0), or one of `words` (ended by NULL;
// NULL alone: none), and its value is then the word's position. An option without either has the value 1 if
// it is given.
struct Option {
  const char* name;  // with its two dashes
  uint64_t* value;
  uint64_t least;
  uint64_t most;
  const char* const* words;
};

// Prints one line on standard error and ends the program.
__attribute__((noreturn, format(printf, 2, 3))) static inline void end_with(int status, const char* format,
                                                                            ...) {
  va_list arguments;
  fprintf(stderr, "%s: ", program_name);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(status);
}

__attribute__((noreturn)) static inline void refuse_value(const struct Option* option, const char* text) {
  char wanted[256] = "";
  size_t length = 0;
  if (option->most != 0) {
    length += (size_t)snprintf(wanted, sizeof wanted, "a number from %" PRIu64 " to %" PRIu64, option->least,
                               option->most);
  }
  for (const char* const* word = option->words; word != NULL && *word != NULL && length < sizeof wanted;
       ++word) {
    length +=
        (size_t)snprintf(wanted + length, sizeof wanted - length, "%s'%s'", length == 0 ? "" : " or ", *word);
  }
  if (text == NULL) end_with(2, "%s wants %s after it", option->name, wanted);
  end_with(2, "%s wants %s, not '%s'", option->name, wanted, text);
}

static inline bool wants_value(const struct Option* option) {
  return option->most != 0 || option->words != NULL;
}

static inline void parse_value(const struct Option* option, const char* text) {
  if (text == NULL) refuse_value(option, NULL);
  for (size_t i = 0; option->words != NULL && option->words[i] != NULL; ++i) {
    if (strcmp(option->words[i], text) == 0) {
      *option->value = i;
      return;
    }
  }
  char* end = NULL;
  errno = 0;
  const unsigned long long number = strtoull(text, &end, 10);
  const bool whole = text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
  if (!whole || option->most == 0 || number < option->least || number > option->most)
    refuse_value(option, text);
  *option->value = number;
}

// Parses '--name value', '--name=value' and '--name' alone. Prints `help` and ends the program when asked to.
static inline void parse_options(char** arguments, const struct Option* options, size_t count,
                                 const char* help) {
  for (char** argument = arguments + 1; *argument != NULL; ++argument) {
    if (strcmp(*argument, "--help") == 0) {
      fputs(help, stdout);
      exit(0);
    }
    const char* equals = strchr(*argument, '=');
    const size_t length = equals != NULL ? (size_t)(equals - *argument) : strlen(*argument);
    const struct Option* option = options;
    while (option != options + count &&
           (strlen(option->name) != length || strncmp(option->name, *argument, length) != 0)) {
      ++option;
    }
    if (option == options + count) {
      end_with(2, "there is no option '%s'; %s --help lists them", *argument, program_name);
    }
    if (!wants_value(option)) {
      if (equals != NULL) end_with(2, "%s wants nothing after it", option->name);
      *option->value = 1;
      continue;
    }
    parse_value(option, equals != NULL ? equals + 1 : argument[1]);
    if (equals == NULL) ++argument;
  }
}

static inline uint64_t nanoseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static inline double milliseconds(uint64_t nanoseconds) { return (double)nanoseconds / 1e6; }

static inline struct rusage usage_now(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

// Returns the processor time of the whole process so far.
static inline double processor_ms(void) {
  const struct rusage usage = usage_now();
  return 1e3 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

static inline double peak_resident_mib(void) { return (double)usage_now().ru_maxrss / 1024; }

// Prints a member of the JSON line: the version from GC_get_version.
static inline void print_gc_version(unsigned encoded) {
  printf(",\"gc_version\":\"%u.%u.%u\"", encoded >> 16, encoded >> 8 & 0xff, encoded & 0xff);
}

// A small generator of pseudo-random numbers (xorshift), the same in every run. The state must not be 0.
static inline uint64_t next_random(uint64_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

#endif  // JACKDAW_BENCH_PROGRAMS_PROGRAM_H
// NOLINTEND(modernize-use-nullptr, readability-identifier-naming)
