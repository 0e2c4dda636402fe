/* measured_run RESULT PROGRAM [ARGUMENT...]: runs the program and writes to the file RESULT, on one line,
   what it took: nanoseconds of wall time, microseconds of processor time, KiB of peak resident memory, and
   its exit status as a shell has it. Small on purpose: a child's peak counts from the size of the process
   that made it. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long microseconds(struct timeval time) { return time.tv_sec * 1000000LL + time.tv_usec; }

static int complain(const char* what) {
  fprintf(stderr, "measured_run: %s: %s\n", what, strerror(errno));
  return 125;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: measured_run RESULT PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  FILE* result = fopen(argv[1], "we");
  if (result == NULL) return complain(argv[1]);
  const long long start = now_ns();
  const pid_t child = fork();
  if (child < 0) return complain("fork");
  if (child == 0) {
    execvp(argv[2], argv + 2);
    complain(argv[2]);
    _exit(127);
  }
  int status = 0;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) != child) return complain("wait4");
  const long long wall = now_ns() - start;
  fprintf(result, "%lld %lld %ld %d\n", wall, microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
          usage.ru_maxrss, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  return fclose(result) == 0 ? 0 : complain(argv[1]);
}
