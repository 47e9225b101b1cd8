/*
 * While the file named in FAILING_SYNCS is there, syncs of SQLite's logs fail; one only where it is empty. While that named in
 * FAILING_WRITES is, so do writes into databases. Linux.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fails(const char *variable, int fd, const char *end) {
  const char *name = getenv(variable);
  struct stat found;
  if (!name || stat(name, &found) != 0) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1), size = strlen(end);
  if (length < size || strncmp(path + length - size, end, size) != 0) return 0;
  if (found.st_size == 0) unlink(name);
  errno = EIO;
  return 1;
}

int fsync(int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  return fails("FAILING_SYNCS", fd, "-wal") ? -1 : real(fd);
}

int fdatasync(int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  return fails("FAILING_SYNCS", fd, "-wal") ? -1 : real(fd);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  ssize_t (*real)(int, const void *, size_t) = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  return fails("FAILING_WRITES", fd, ".db") ? -1 : real(fd, bytes, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  ssize_t (*real)(int, const void *, size_t, off_t) = (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
  return fails("FAILING_WRITES", fd, ".db") ? -1 : real(fd, bytes, count, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  ssize_t (*real)(int, const void *, size_t, off64_t) = (ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
  return fails("FAILING_WRITES", fd, ".db") ? -1 : real(fd, bytes, count, at);
}
