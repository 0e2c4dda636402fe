/*
 * Counts words with the collector: reads the files that are named, or standard input, and prints the
 * commonest words. Nothing is freed: old tables are garbage, and files are closed by finalizers.
 *
 * Usage: words [FILE]... Exit status: 0, 1 when a file cannot be read or memory is out.
 *
 * With CMake, see CMakeLists.txt. With pkg-config:
 *   gcc -O2 words.c -o words $(pkg-config --cflags --libs jackdaw)
 */
#include <ctype.h>
#include <gc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kLongestWord = 63, kFirstSlots = 1024, kLines = 10 };

struct Word {
  const char* text;
  unsigned long count;
  struct Word* next; /* in the same slot of the table */
};

struct Table {
  struct Word** slots;
  size_t slot_count; /* a power of two */
  size_t word_count;
};

static void end_with_error(const char* what) {
  fprintf(stderr, "words: %s\n", what);
  exit(1);
}

static void* or_end(void* object) {
  if (object == NULL) end_with_error("out of memory");
  return object;
}

static size_t hash_of(const char* text) {
  size_t hash = 1469598103934665603U;
  for (; *text != '\0'; ++text) hash = (hash ^ (unsigned char)*text) * 1099511628211U;
  return hash;
}

static struct Word** slot_of(const struct Table* table, const char* text) {
  return &table->slots[hash_of(text) & (table->slot_count - 1)];
}

/* Makes the table larger. The old slots become garbage. */
static void grow(struct Table* table) {
  const struct Table old = *table;
  table->slot_count = old.slot_count == 0 ? kFirstSlots : 2 * old.slot_count;
  table->slots = or_end(GC_MALLOC(table->slot_count * sizeof *table->slots));
  for (size_t n = 0; n < old.slot_count; ++n) {
    for (struct Word *word = old.slots[n], *next; word != NULL; word = next) {
      struct Word** const slot = slot_of(table, word->text);
      next = word->next;
      word->next = *slot;
      *slot = word;
    }
  }
}

static void count_word(struct Table* table, const char* text) {
  if (table->word_count == table->slot_count) grow(table);
  struct Word** const slot = slot_of(table, text);
  for (struct Word* word = *slot; word != NULL; word = word->next) {
    if (strcmp(word->text, text) == 0) {
      ++word->count;
      return;
    }
  }
  struct Word* const word = or_end(GC_MALLOC(sizeof *word));
  *word = (struct Word){or_end(GC_STRDUP(text)), 1, *slot};
  *slot = word;
  ++table->word_count;
}

/* Words are runs of letters, in lower case; the rest of one that is too long is a word of its own. */
static void count_words(struct Table* table, FILE* file) {
  char text[kLongestWord + 1];
  size_t length = 0;
  int character;
  do {
    character = getc(file);
    if (character != EOF && isalpha(character)) text[length++] = (char)tolower(character);
    if (length == kLongestWord || (length != 0 && !isalpha(character))) {
      text[length] = '\0';
      count_word(table, text);
      length = 0;
    }
  } while (character != EOF);
  if (ferror(file)) end_with_error("cannot read");
}

/* An open file, closed when nothing leads to this any more. */
struct Source {
  FILE* file;
};

static void GC_CALLBACK close_source(void* object, void* data) {
  (void)data;
  fclose(((struct Source*)object)->file);
}

static struct Source* open_source(const char* name) {
  FILE* const file = fopen(name, "r");
  if (file == NULL) {
    perror(name);
    exit(1);
  }
  struct Source* const source = or_end(GC_MALLOC_ATOMIC(sizeof *source));
  source->file = file;
  GC_REGISTER_FINALIZER(source, close_source, NULL, NULL, NULL);
  return source;
}

/* The commonest first; among equals, in the order of the alphabet. */
static int compare_words(const void* left, const void* right) {
  const struct Word* const a = *(struct Word* const*)left;
  const struct Word* const b = *(struct Word* const*)right;
  if (a->count != b->count) return a->count < b->count ? 1 : -1;
  return strcmp(a->text, b->text);
}

static void print_commonest(const struct Table* table) {
  struct Word** const words = or_end(GC_MALLOC((table->word_count + 1) * sizeof *words));
  size_t found = 0;
  for (size_t n = 0; n < table->slot_count; ++n) {
    for (struct Word* word = table->slots[n]; word != NULL; word = word->next) words[found++] = word;
  }
  qsort(words, found, sizeof *words, compare_words);
  for (size_t n = 0; n < found && n < kLines; ++n) printf("%7lu %s\n", words[n]->count, words[n]->text);
}

int main(int count, char** arguments) {
  GC_INIT();
  struct Table table = {NULL, 0, 0};
  if (count == 1) count_words(&table, stdin);
  for (int n = 1; n < count; ++n) {
    struct Source* const source = open_source(arguments[n]);
    count_words(&table, source->file);
    GC_reachable_here(source); /* not closed before this */
  }
  print_commonest(&table);
  return 0;
}
