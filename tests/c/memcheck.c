// A program without errors, for valgrind: two threads make trees and drop them. Before, objects are kept by
// words that count as unwritten, since their function has returned.
#define GC_THREADS
#include <gc.h>
#include <pthread.h>
#include <stdio.h>

typedef struct Node {
  struct Node *left, *right;
} Node;

static Node* new_tree(int depth) {
  Node* node = GC_MALLOC(sizeof *node);
  if (depth > 0) {
    node->left = new_tree(depth - 1);
    node->right = new_tree(depth - 1);
  }
  return node;
}

static long count(const Node* tree) { return tree == NULL ? 0 : 1 + count(tree->left) + count(tree->right); }

static void* make_trees(void* wrong) {
  for (int i = 0; i < 20; ++i) *(long*)wrong += count(new_tree(10)) != 2047;
  return NULL;
}

__attribute__((noinline)) static int leave_addresses(void) {
  void* volatile words[1024];
  for (int i = 0; i < 1024; ++i) {
    words[i] = GC_MALLOC(sizeof(Node));
    GC_MALLOC(sizeof(Node));
  }
  return words[0] == NULL;
}

__attribute__((noinline)) static int collect_above_what_is_left(void) {
  void* volatile words[1024];
  words[0] = NULL;
  GC_gcollect();
  return words[0] != NULL;
}

int main(void) {
  GC_INIT();
  if (leave_addresses() || collect_above_what_is_left()) return 1;
  Node* kept = new_tree(14);
  long wrong_here = 0;
  long wrong_there = 0;
  pthread_t thread;
  if (pthread_create(&thread, NULL, make_trees, &wrong_there) != 0) return 1;
  make_trees(&wrong_here);
  pthread_join(thread, NULL);
  GC_gcollect();
  return wrong_here + wrong_there != 0 || count(kept) != 32767;
}
