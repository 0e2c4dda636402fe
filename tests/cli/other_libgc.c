// A libgc that tells another version than the system's and is otherwise the same: what --libgc is tried with.
__attribute__((visibility("default"))) unsigned GC_get_version(void);
unsigned GC_get_version(void) { return 8 << 16 | 2 << 8 | 99; }
