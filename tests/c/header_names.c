/*
 * Every function and variable that the headers declare, by its address: what the library lacks fails to link.
 * With GC_THREADS, also those that need it. In alphabetical order, header by header.
 */
#define GC_NO_THREAD_REDIRECTS
#define GC_REQUIRE_WCSDUP
#define GC_ATTR_DEPRECATED
#if defined(GC_THREADS) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "gc.h"
#include "gc_disclaim.h"
#include "gc_gcj.h"
#include "gc_inline.h"
#include "gc_mark.h"
#include "gc_typed.h"
#include "javaxfc.h"

#include <stdio.h>

typedef void (*any_function)(void);

struct function {
  const char* name;
  any_function address;
};

struct variable {
  const char* name;
  const volatile void* address;
};

#define FUNCTION(name) \
  { #name, (any_function)name }
#define VARIABLE(name) \
  { #name, &name }

extern const struct function functions[];
extern const struct variable variables[];

const struct function functions[] = {
    /* gc.h */
    FUNCTION(GC_abort_on_oom),
    FUNCTION(GC_add_roots),
    FUNCTION(GC_atfork_child),
    FUNCTION(GC_atfork_parent),
    FUNCTION(GC_atfork_prepare),
    FUNCTION(GC_base),
    FUNCTION(GC_call_with_alloc_lock),
    FUNCTION(GC_call_with_gc_active),
    FUNCTION(GC_call_with_stack_base),
    FUNCTION(GC_change_stubborn),
    FUNCTION(GC_clear_exclusion_table),
    FUNCTION(GC_clear_roots),
    FUNCTION(GC_collect_a_little),
    FUNCTION(GC_debug_change_stubborn),
    FUNCTION(GC_debug_end_stubborn_change),
    FUNCTION(GC_debug_free),
    FUNCTION(GC_debug_malloc),
    FUNCTION(GC_debug_malloc_atomic),
    FUNCTION(GC_debug_malloc_atomic_ignore_off_page),
    FUNCTION(GC_debug_malloc_atomic_uncollectable),
    FUNCTION(GC_debug_malloc_ignore_off_page),
    FUNCTION(GC_debug_malloc_replacement),
    FUNCTION(GC_debug_malloc_stubborn),
    FUNCTION(GC_debug_malloc_uncollectable),
    FUNCTION(GC_debug_ptr_store_and_dirty),
    FUNCTION(GC_debug_realloc),
    FUNCTION(GC_debug_realloc_replacement),
    FUNCTION(GC_debug_register_displacement),
    FUNCTION(GC_debug_register_finalizer),
    FUNCTION(GC_debug_register_finalizer_ignore_self),
    FUNCTION(GC_debug_register_finalizer_no_order),
    FUNCTION(GC_debug_register_finalizer_unreachable),
    FUNCTION(GC_debug_strdup),
    FUNCTION(GC_debug_strndup),
    FUNCTION(GC_debug_wcsdup),
    FUNCTION(GC_deinit),
    FUNCTION(GC_disable),
    FUNCTION(GC_do_blocking),
    FUNCTION(GC_drop_all_objects),
    FUNCTION(GC_dump),
    FUNCTION(GC_dump_finalization),
    FUNCTION(GC_dump_heap),
    FUNCTION(GC_dump_named),
    FUNCTION(GC_dump_regions),
    FUNCTION(GC_enable),
    FUNCTION(GC_enable_incremental),
    FUNCTION(GC_end_stubborn_change),
    FUNCTION(GC_exclude_static_roots),
    FUNCTION(GC_expand_hp),
    FUNCTION(GC_free),
    FUNCTION(GC_gcollect),
    FUNCTION(GC_gcollect_and_unmap),
    FUNCTION(GC_general_register_disappearing_link),
    FUNCTION(GC_get_abort_func),
    FUNCTION(GC_get_all_interior_pointers),
    FUNCTION(GC_get_allocd_bytes_per_finalizer),
    FUNCTION(GC_get_await_finalize_proc),
    FUNCTION(GC_get_bytes_since_gc),
    FUNCTION(GC_get_disable_automatic_collection),
    FUNCTION(GC_get_dont_expand),
    FUNCTION(GC_get_dont_precollect),
    FUNCTION(GC_get_expl_freed_bytes_since_gc),
    FUNCTION(GC_get_finalize_on_demand),
    FUNCTION(GC_get_finalizer_notifier),
    FUNCTION(GC_get_find_leak),
    FUNCTION(GC_get_force_unmap_on_gcollect),
    FUNCTION(GC_get_free_bytes),
    FUNCTION(GC_get_free_space_divisor),
    FUNCTION(GC_get_full_freq),
    FUNCTION(GC_get_full_gc_total_time),
    FUNCTION(GC_get_gc_no),
    FUNCTION(GC_get_heap_size),
    FUNCTION(GC_get_heap_usage_safe),
    FUNCTION(GC_get_java_finalization),
    FUNCTION(GC_get_manual_vdb_allowed),
    FUNCTION(GC_get_max_prior_attempts),
    FUNCTION(GC_get_max_retries),
    FUNCTION(GC_get_memory_use),
    FUNCTION(GC_get_min_bytes_allocd),
    FUNCTION(GC_get_my_stackbottom),
    FUNCTION(GC_get_no_dls),
    FUNCTION(GC_get_non_gc_bytes),
    FUNCTION(GC_get_obtained_from_os_bytes),
    FUNCTION(GC_get_on_collection_event),
    FUNCTION(GC_get_on_heap_resize),
    FUNCTION(GC_get_oom_fn),
    FUNCTION(GC_get_pages_executable),
    FUNCTION(GC_get_prof_stats),
    FUNCTION(GC_get_rate),
    FUNCTION(GC_get_size_map_at),
    FUNCTION(GC_get_sp_corrector),
    FUNCTION(GC_get_stack_base),
    FUNCTION(GC_get_stop_func),
    FUNCTION(GC_get_time_limit),
    FUNCTION(GC_get_time_limit_tv),
    FUNCTION(GC_get_toggleref_func),
    FUNCTION(GC_get_total_bytes),
    FUNCTION(GC_get_unmapped_bytes),
    FUNCTION(GC_get_version),
    FUNCTION(GC_get_warn_proc),
    FUNCTION(GC_ignore_warn_proc),
    FUNCTION(GC_incremental_protection_needs),
    FUNCTION(GC_init),
    FUNCTION(GC_invoke_finalizers),
    FUNCTION(GC_is_disabled),
    FUNCTION(GC_is_heap_ptr),
    FUNCTION(GC_is_incremental_mode),
    FUNCTION(GC_is_init_called),
    FUNCTION(GC_is_valid_displacement),
    FUNCTION(GC_is_visible),
    FUNCTION(GC_malloc),
    FUNCTION(GC_malloc_atomic),
    FUNCTION(GC_malloc_atomic_ignore_off_page),
    FUNCTION(GC_malloc_atomic_uncollectable),
    FUNCTION(GC_malloc_ignore_off_page),
    FUNCTION(GC_malloc_many),
    FUNCTION(GC_malloc_stubborn),
    FUNCTION(GC_malloc_uncollectable),
    FUNCTION(GC_memalign),
    FUNCTION(GC_move_disappearing_link),
    FUNCTION(GC_move_long_link),
    FUNCTION(GC_posix_memalign),
    FUNCTION(GC_post_incr),
    FUNCTION(GC_pre_incr),
    FUNCTION(GC_ptr_store_and_dirty),
    FUNCTION(GC_realloc),
    FUNCTION(GC_register_disappearing_link),
    FUNCTION(GC_register_displacement),
    FUNCTION(GC_register_finalizer),
    FUNCTION(GC_register_finalizer_ignore_self),
    FUNCTION(GC_register_finalizer_no_order),
    FUNCTION(GC_register_finalizer_unreachable),
    FUNCTION(GC_register_has_static_roots_callback),
    FUNCTION(GC_register_long_link),
    FUNCTION(GC_remove_roots),
    FUNCTION(GC_same_obj),
    FUNCTION(GC_set_abort_func),
    FUNCTION(GC_set_all_interior_pointers),
    FUNCTION(GC_set_allocd_bytes_per_finalizer),
    FUNCTION(GC_set_await_finalize_proc),
    FUNCTION(GC_set_disable_automatic_collection),
    FUNCTION(GC_set_dont_expand),
    FUNCTION(GC_set_dont_precollect),
    FUNCTION(GC_set_finalize_on_demand),
    FUNCTION(GC_set_finalizer_notifier),
    FUNCTION(GC_set_find_leak),
    FUNCTION(GC_set_force_unmap_on_gcollect),
    FUNCTION(GC_set_free_space_divisor),
    FUNCTION(GC_set_full_freq),
    FUNCTION(GC_set_handle_fork),
    FUNCTION(GC_set_java_finalization),
    FUNCTION(GC_set_log_fd),
    FUNCTION(GC_set_manual_vdb_allowed),
    FUNCTION(GC_set_max_heap_size),
    FUNCTION(GC_set_max_prior_attempts),
    FUNCTION(GC_set_max_retries),
    FUNCTION(GC_set_min_bytes_allocd),
    FUNCTION(GC_set_no_dls),
    FUNCTION(GC_set_non_gc_bytes),
    FUNCTION(GC_set_on_collection_event),
    FUNCTION(GC_set_on_heap_resize),
    FUNCTION(GC_set_oom_fn),
    FUNCTION(GC_set_pages_executable),
    FUNCTION(GC_set_rate),
    FUNCTION(GC_set_sp_corrector),
    FUNCTION(GC_set_stackbottom),
    FUNCTION(GC_set_stop_func),
    FUNCTION(GC_set_time_limit),
    FUNCTION(GC_set_time_limit_tv),
    FUNCTION(GC_set_toggleref_func),
    FUNCTION(GC_set_warn_proc),
    FUNCTION(GC_should_invoke_finalizers),
    FUNCTION(GC_size),
    FUNCTION(GC_start_incremental_collection),
    FUNCTION(GC_start_mark_threads),
    FUNCTION(GC_start_performance_measurement),
    FUNCTION(GC_strdup),
    FUNCTION(GC_strndup),
    FUNCTION(GC_toggleref_add),
    FUNCTION(GC_try_to_collect),
    FUNCTION(GC_unregister_disappearing_link),
    FUNCTION(GC_unregister_long_link),
    FUNCTION(GC_wcsdup),
    /* gc_typed.h */
    FUNCTION(GC_calloc_explicitly_typed),
    FUNCTION(GC_make_descriptor),
    FUNCTION(GC_malloc_explicitly_typed),
    FUNCTION(GC_malloc_explicitly_typed_ignore_off_page),
    /* gc_mark.h */
    FUNCTION(GC_clear_mark_bit),
    FUNCTION(GC_clear_stack),
    FUNCTION(GC_debug_generic_or_special_malloc),
    FUNCTION(GC_enumerate_reachable_objects_inner),
    FUNCTION(GC_generic_malloc),
    FUNCTION(GC_generic_malloc_ignore_off_page),
    FUNCTION(GC_generic_malloc_uncollectable),
    FUNCTION(GC_generic_or_special_malloc),
    FUNCTION(GC_get_debug_header_size),
    FUNCTION(GC_get_kind_and_size),
    FUNCTION(GC_get_push_other_roots),
    FUNCTION(GC_get_start_callback),
    FUNCTION(GC_is_marked),
    FUNCTION(GC_is_tmp_root),
    FUNCTION(GC_mark_and_push),
    FUNCTION(GC_new_free_list),
    FUNCTION(GC_new_free_list_inner),
    FUNCTION(GC_new_kind),
    FUNCTION(GC_new_kind_inner),
    FUNCTION(GC_new_proc),
    FUNCTION(GC_new_proc_inner),
    FUNCTION(GC_push_all),
    FUNCTION(GC_push_all_eager),
    FUNCTION(GC_push_conditional),
    FUNCTION(GC_push_finalizer_structures),
    FUNCTION(GC_register_describe_type_fn),
    FUNCTION(GC_set_mark_bit),
    FUNCTION(GC_set_push_other_roots),
    FUNCTION(GC_set_start_callback),
    /* gc_inline.h */
    FUNCTION(GC_generic_malloc_many),
    FUNCTION(GC_malloc_kind),
    FUNCTION(GC_malloc_kind_global),
    FUNCTION(GC_print_free_list),
    /* gc_gcj.h */
    FUNCTION(GC_debug_gcj_malloc),
    FUNCTION(GC_gcj_malloc),
    FUNCTION(GC_gcj_malloc_ignore_off_page),
    FUNCTION(GC_init_gcj_malloc),
    /* gc_disclaim.h */
    FUNCTION(GC_finalized_malloc),
    FUNCTION(GC_init_finalized_malloc),
    FUNCTION(GC_register_disclaim_proc),
    /* javaxfc.h */
    FUNCTION(GC_finalize_all),
#ifdef GC_THREADS
    /* gc.h, with threads */
    FUNCTION(GC_alloc_lock),
    FUNCTION(GC_alloc_unlock),
    FUNCTION(GC_allow_register_threads),
    FUNCTION(GC_dlopen),
    FUNCTION(GC_get_on_thread_event),
    FUNCTION(GC_get_parallel),
    FUNCTION(GC_get_prof_stats_unsafe),
    FUNCTION(GC_get_suspend_signal),
    FUNCTION(GC_get_thr_restart_signal),
    FUNCTION(GC_pthread_cancel),
    FUNCTION(GC_pthread_create),
    FUNCTION(GC_pthread_detach),
    FUNCTION(GC_pthread_exit),
    FUNCTION(GC_pthread_join),
    FUNCTION(GC_pthread_sigmask),
    FUNCTION(GC_register_altstack),
    FUNCTION(GC_register_my_thread),
    FUNCTION(GC_set_markers_count),
    FUNCTION(GC_set_on_thread_event),
    FUNCTION(GC_set_suspend_signal),
    FUNCTION(GC_set_thr_restart_signal),
    FUNCTION(GC_start_world_external),
    FUNCTION(GC_stop_world_external),
    FUNCTION(GC_thread_is_registered),
    FUNCTION(GC_unregister_my_thread),
    /* javaxfc.h, with threads */
    FUNCTION(GC_is_thread_suspended),
    FUNCTION(GC_resume_thread),
    FUNCTION(GC_suspend_thread),
#endif
};

const struct variable variables[] = {
    VARIABLE(GC_all_interior_pointers),
    VARIABLE(GC_debug_header_size),
    VARIABLE(GC_dont_expand),
    VARIABLE(GC_dont_gc),
    VARIABLE(GC_dont_precollect),
    VARIABLE(GC_finalize_on_demand),
    VARIABLE(GC_finalizer_notifier),
    VARIABLE(GC_find_leak),
    VARIABLE(GC_free_space_divisor),
    VARIABLE(GC_full_freq),
    VARIABLE(GC_gc_no),
    VARIABLE(GC_gcj_debug_kind),
    VARIABLE(GC_gcj_kind),
    VARIABLE(GC_greatest_plausible_heap_addr),
    VARIABLE(GC_is_valid_displacement_print_proc),
    VARIABLE(GC_is_visible_print_proc),
    VARIABLE(GC_java_finalization),
    VARIABLE(GC_least_plausible_heap_addr),
    VARIABLE(GC_max_retries),
    VARIABLE(GC_no_dls),
    VARIABLE(GC_non_gc_bytes),
    VARIABLE(GC_on_heap_resize),
    VARIABLE(GC_oom_fn),
    VARIABLE(GC_push_other_roots),
    VARIABLE(GC_same_obj_print_proc),
    VARIABLE(GC_stackbottom),
    VARIABLE(GC_time_limit),
    VARIABLE(GC_use_entire_heap),
#ifdef GC_THREADS
    VARIABLE(GC_parallel),
#endif
};

int main(void) {
  const size_t function_count = sizeof functions / sizeof functions[0];
  const size_t variable_count = sizeof variables / sizeof variables[0];
  size_t missing = 0;
  for (size_t n = 0; n < function_count; ++n) {
    if (functions[n].address == NULL) {
      printf("no function %s\n", functions[n].name);
      ++missing;
    }
  }
  for (size_t n = 0; n < variable_count; ++n) {
    if (variables[n].address == NULL) {
      printf("no variable %s\n", variables[n].name);
      ++missing;
    }
  }
  printf("%zu functions and %zu variables\n", function_count, variable_count);
  return missing == 0 ? 0 : 1;
}
