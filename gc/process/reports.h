// Reports: what a process's collector writes for people: log, metrics, trace and heap dumps.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "gc/process/process_options.h"
#include "gc/process/threads/own_work.h"
#include "gc/report/collection_log.h"
#include "gc/report/dump/heap_dumps.h"
#include "gc/report/metrics_file.h"
#include "gc/report/trace/collection_trace.h"

namespace jackdaw::gc {

/// One for the process. With the collector's lock.
class Reports {
 public:
  explicit Reports(const ProcessOptions& options)
      : trace_(options.trace_path, options.marking.engine.threads), dumps_(options.stop_patience) {
    if (options.log_collections) log_.emplace(options.log_path, options.log_spelling);
    if (!options.metrics_path.empty()) metrics_.emplace(options.metrics_path);
    if (!options.dump_path.empty()) dumps_.set(options.dump_path, options.dump_signal);
  }
  Reports(const Reports&) = delete;
  Reports& operator=(const Reports&) = delete;

  CollectionTrace& trace() { return trace_; }
  HeapDumps& dumps() { return dumps_; }

  [[nodiscard]] bool has_log() const { return log_.has_value(); }
  /// Writes a line to the log, which there is. `processor_time`: the collector's, up to now.
  void log(CollectionRecord record, std::chrono::nanoseconds processor_time) {
    record.processor_time = processor_time - std::exchange(logged_time_, processor_time);
    log_->write(record);
  }
  [[nodiscard]] bool has_metrics() const { return metrics_.has_value(); }
  /// Writes the metrics to their file, which there is.
  void write_metrics(const CollectorMetrics& metrics) { metrics_->write(metrics); }
  /// See CollectionTrace::write.
  void write_trace() {
    if (!trace_.is_on()) return;
    const OwnWork own_work;
    trace_.write();
  }
  void after_fork_in_child() {
    const OwnWork own_work;
    trace_.after_fork_in_child();
    if (metrics_) metrics_->after_fork_in_child();
    logged_time_ = {};
  }

  /// The time in which a collection may write a heap dump: from before the program is stopped until its
  /// threads run again. HeapDumps calls malloc at both ends, which may lead back to the collector.
  class DumpTime {
   public:
    DumpTime(Reports& reports, std::uint64_t collection) : dumps_(reports.dumps_) {
      const OwnWork own_work;
      dumps_.prepare(collection);
    }
    ~DumpTime() {
      const OwnWork own_work;
      dumps_.release();
    }
    DumpTime(const DumpTime&) = delete;
    DumpTime& operator=(const DumpTime&) = delete;

   private:
    HeapDumps& dumps_;
  };

 private:
  CollectionTrace trace_;
  std::optional<CollectionLog> log_;
  std::optional<MetricsFile> metrics_;
  std::chrono::nanoseconds logged_time_{0};  // the processor time that all lines together tell
  HeapDumps dumps_;
};

}  // namespace jackdaw::gc
