// An array of binary trees of 1023 nodes each. A tree is replaced as a whole.
#ifndef JACKDAW_BENCH_PROGRAMS_LATENCY_TREE_H
#define JACKDAW_BENCH_PROGRAMS_LATENCY_TREE_H

#include "structure.h"

enum { kTreeLevels = 10, kTreeNodes = (1 << kTreeLevels) - 1, kFirstLeaf = 1 << (kTreeLevels - 1) };

struct TreeNode {
  struct TreeNode* left;
  struct TreeNode* right;
  uint64_t place;  // the tree's number and, in the last kTreeLevels bits, the node's: the root is 1, its
                   // children 2, 3
  uint64_t check;  // of the place
};

// Tree number n is at index n mod count.
struct Trees {
  struct TreeNode** roots;
  uint64_t count;
  uint64_t replaced;
};

static uint64_t node_of(uint64_t place) { return place & kTreeNodes; }
static uint64_t tree_of(uint64_t place) { return place >> kTreeLevels; }
static uint64_t place_of(uint64_t tree, uint64_t node) { return tree << kTreeLevels | node; }

// Reads the clock once for each subtree of 31 nodes.
static void watch_node(uint64_t node) {
  if (node / 32 == 1) watch_clock();
}

static struct TreeNode* new_tree(uint64_t tree, uint64_t node) {
  struct TreeNode* tree_node = new_object(sizeof *tree_node);
  watch_node(node);
  tree_node->place = place_of(tree, node);
  tree_node->check = mixed(tree, node);
  if (node >= kFirstLeaf) return tree_node;
  tree_node->left = new_tree(tree, 2 * node);
  tree_node->right = new_tree(tree, 2 * node + 1);
  return tree_node;
}

static void give_back_tree(struct TreeNode* node) {
  if (node == NULL) return;
  watch_node(node_of(node->place));
  give_back_tree(node->left);
  give_back_tree(node->right);
  give_back(node);
}

static void* build_trees(uint64_t bytes, uint64_t* random) {
  (void)random;
  struct Trees* trees = new_object(sizeof *trees);
  trees->count = parts_of(bytes, kTreeNodes * sizeof(struct TreeNode) + sizeof *trees->roots);
  trees->roots = new_object(trees->count * sizeof *trees->roots);
  for (uint64_t i = 0; i < trees->count; ++i) trees->roots[i] = new_tree(i, 1);
  return trees;
}

// Walks from a root to a leaf.
static void read_trees(void* structure, uint64_t* random) {
  const struct Trees* trees = structure;
  uint64_t ways = next_random(random);
  const uint64_t index = ways % trees->count;
  const struct TreeNode* node = trees->roots[index];
  verify("a tree", tree_of(node->place) % trees->count, index);
  for (uint64_t place = node->place;; ways >>= 1) {
    verify("a tree's node", node->place, place);
    verify("a tree's node", node->check, mixed(tree_of(place), node_of(place)));
    if (node_of(place) >= kFirstLeaf) break;
    node = (ways >> 32 & 1) != 0 ? node->right : node->left;
    place = place_of(tree_of(place), 2 * node_of(place) + (ways >> 32 & 1));
  }
}

static void replace_tree(void* structure, uint64_t* random) {
  struct Trees* trees = structure;
  const uint64_t index = next_random(random) % trees->count;
  struct TreeNode* old = trees->roots[index];
  trees->roots[index] = new_tree(++trees->replaced * trees->count + index, 1);
  if (kFreesByHand) give_back_tree(old);
}

static const struct Structure trees = {"tree", build_trees, read_trees, replace_tree};

#endif  // JACKDAW_BENCH_PROGRAMS_LATENCY_TREE_H
