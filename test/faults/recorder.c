/*
 * Records what a process does to the files below one folder, for power cuts that are made up afterwards (cuts.ts).
 * Loaded with LD_PRELOAD; FAULT_FOLDER is the folder (a real path), FAULT_LOG the file that records are added to.
 * A record is made after its call has been done and before it returns, so whatever was caused by a call comes after its
 * record, also where another process writes it. A sync has two records, for only what was written before it began counts.
 * Calls on names hold a lock, so that their records are in their order. Once the file FAULT_LOG.stop is there, calls do not
 * begin any more, so that a process can be killed between them: none is done without its record.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OPEN = 1, WRITE, TRUNCATE, SYNC_BEGIN, SYNC_END, RENAME, UNLINK, MKDIR, RMDIR, UNKNOWN };

/* As recording.ts reads it. `at` is an offset, a size, open flags or the number of a sync. */
struct record {
  uint32_t kind, names;
  uint64_t inode, at, length;
};

static int record_fd = -1;
static char folder[PATH_MAX], stop_file[PATH_MAX];
static size_t folder_length;
static atomic_ulong syncs;
static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;

/* The inodes below the folder by the descriptors through which they were opened. */
#define MANY 65536
static _Atomic(ino_t) opened[MANY];
static dev_t device;

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static ssize_t real_writev(int fd, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  return real(fd, parts, count);
}

__attribute__((constructor)) static void begin(void) {
  const char *log = getenv("FAULT_LOG"), *root = getenv("FAULT_FOLDER");
  struct stat found;
  if (!log || !root || stat(root, &found) || strlen(root) >= sizeof folder) return;
  strcpy(folder, root);
  snprintf(stop_file, sizeof stop_file, "%s.stop", log);
  folder_length = strlen(folder);
  device = found.st_dev;
  REAL(int, "open64", const char *, int, ...);
  record_fd = real(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static void wait_if_stopped(void) {
  int before = errno;
  while (!access(stop_file, F_OK)) usleep(1000);
  errno = before;
}

static void put(uint32_t kind, ino_t inode, uint64_t at, const char *names, uint32_t bytes, const struct iovec *data,
                int count, uint64_t length) {
  int before = errno;
  struct record record = {kind, bytes, inode, at, length};
  struct iovec parts[2 + 64] = {{&record, sizeof record}, {(void *)names, bytes}};
  uint64_t left = length;
  int used = 2;
  for (int i = 0; left > 0 && i < count && used < 66; i++) {
    size_t some = data[i].iov_len < left ? data[i].iov_len : left;
    parts[used++] = (struct iovec){data[i].iov_base, some};
    left -= some;
  }
  if (left > 0 || real_writev(record_fd, parts, used) != (ssize_t)(sizeof record + bytes + length)) {
    fprintf(stderr, "the recorder could not write its record\n");
    abort();
  }
  errno = before;
}

/* The whole path of a name below the folder, or of the folder itself; null for any other. */
static const char *inside(int at, const char *name, char *whole) {
  char link[64];
  ssize_t length = 0;
  if (record_fd < 0 || !name) return NULL;
  if (name[0] != '/') {
    if (at == AT_FDCWD) strcpy(link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    length = readlink(link, whole, PATH_MAX);
    if (length < 0) return NULL;
    whole[length++] = '/';
  }
  if (length + strlen(name) >= PATH_MAX) return NULL;
  strcpy(whole + length, name);
  int below = !strncmp(whole, folder, folder_length) && (whole[folder_length] == '/' || !whole[folder_length]);
  return below ? whole : NULL;
}

/* The inode behind a descriptor that was opened below the folder; 0 for any other. Descriptors are used again for others. */
static ino_t inode_of(int fd) {
  struct stat found;
  if (record_fd < 0 || fd < 0 || fd >= MANY || !opened[fd] || fstat(fd, &found)) return 0;
  return found.st_dev == device && found.st_ino == opened[fd] ? found.st_ino : 0;
}

static int open_named(int at, const char *name, int flags, mode_t mode) {
  REAL(int, "openat64", int, const char *, int, ...);
  char whole[PATH_MAX];
  const char *path = inside(at, name, whole);
  if (!path) return real(at, name, flags, mode);
  wait_if_stopped();
  pthread_mutex_lock(&names_lock);
  int fd = real(at, name, flags, mode);
  struct stat found;
  if (fd >= 0 && fd < MANY && !fstat(fd, &found)) {
    opened[fd] = found.st_ino;
    if (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode))
      put(OPEN, found.st_ino, (flags & O_TRUNC ? 1 : 0) | (S_ISDIR(found.st_mode) ? 2 : 0), path, strlen(path), NULL, 0, 0);
  }
  pthread_mutex_unlock(&names_lock);
  return fd;
}

#define MODE mode_t mode = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); mode = va_arg(more, int); va_end(more); }
int open(const char *name, int flags, ...) { MODE return open_named(AT_FDCWD, name, flags, mode); }
int open64(const char *name, int flags, ...) { MODE return open_named(AT_FDCWD, name, flags, mode); }
int openat(int at, const char *name, int flags, ...) { MODE return open_named(at, name, flags, mode); }
int openat64(int at, const char *name, int flags, ...) { MODE return open_named(at, name, flags, mode); }

/* Called before a file is changed. */
static void changes(int fd) {
  if (inode_of(fd)) wait_if_stopped();
}

static void wrote(int fd, off_t at, const struct iovec *data, int count, ssize_t done) {
  ino_t inode = done > 0 ? inode_of(fd) : 0;
  if (inode) put(WRITE, inode, at >= 0 ? at : lseek(fd, 0, SEEK_CUR) - done, NULL, 0, data, count, done);
}

ssize_t write(int fd, const void *bytes, size_t length) {
  REAL(ssize_t, "write", int, const void *, size_t);
  changes(fd);
  ssize_t done = real(fd, bytes, length);
  wrote(fd, -1, &(struct iovec){(void *)bytes, length}, 1, done);
  return done;
}
ssize_t writev(int fd, const struct iovec *data, int count) {
  changes(fd);
  ssize_t done = real_writev(fd, data, count);
  wrote(fd, -1, data, count, done);
  return done;
}
static ssize_t write_at(int fd, const void *bytes, size_t length, off_t at) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t);
  changes(fd);
  ssize_t done = real(fd, bytes, length, at);
  wrote(fd, at, &(struct iovec){(void *)bytes, length}, 1, done);
  return done;
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return write_at(fd, bytes, length, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) { return write_at(fd, bytes, length, at); }
static ssize_t write_parts_at(int fd, const struct iovec *data, int count, off_t at) {
  REAL(ssize_t, "pwritev64", int, const struct iovec *, int, off_t);
  changes(fd);
  ssize_t done = real(fd, data, count, at);
  wrote(fd, at, data, count, done);
  return done;
}
ssize_t pwritev(int fd, const struct iovec *data, int count, off_t at) { return write_parts_at(fd, data, count, at); }
ssize_t pwritev64(int fd, const struct iovec *data, int count, off_t at) { return write_parts_at(fd, data, count, at); }

static int cut_to(int fd, off_t size) {
  REAL(int, "ftruncate64", int, off_t);
  changes(fd);
  int failed = real(fd, size);
  ino_t inode = failed ? 0 : inode_of(fd);
  if (inode) put(TRUNCATE, inode, size, NULL, 0, NULL, 0, 0);
  return failed;
}
int ftruncate(int fd, off_t size) { return cut_to(fd, size); }
int ftruncate64(int fd, off_t size) { return cut_to(fd, size); }

static int synced(int fd, int (*real)(int)) {
  ino_t inode = inode_of(fd);
  if (!inode) return real(fd);
  wait_if_stopped();
  uint64_t number = ((uint64_t)getpid() << 28) + ++syncs;
  put(SYNC_BEGIN, inode, number, NULL, 0, NULL, 0, 0);
  int failed = real(fd);
  if (!failed) put(SYNC_END, inode, number, NULL, 0, NULL, 0, 0);
  return failed;
}
int fsync(int fd) { REAL(int, "fsync", int); return synced(fd, real); }
int fdatasync(int fd) { REAL(int, "fdatasync", int); return synced(fd, real); }

/* A call on one name, or on two, done under the lock. */
#define NAMED(kind, at, name, at2, name2, call) \
  char whole[2 * PATH_MAX + 1], other[PATH_MAX]; \
  const char *path = inside(at, name, whole), *to = inside(at2, name2, other); \
  if (!path && !to) return call; \
  wait_if_stopped(); \
  pthread_mutex_lock(&names_lock); \
  int failed = call; \
  if (!failed && to && path) { size_t first = strlen(whole); strcpy(whole + first + 1, to); \
    put(kind, 0, 0, whole, first + 1 + strlen(to), NULL, 0, 0); } \
  else if (!failed) put(path && !(name2) ? kind : UNKNOWN, 0, 0, path ? path : to, strlen(path ? path : to), NULL, 0, 0); \
  pthread_mutex_unlock(&names_lock); \
  return failed

int rename(const char *from, const char *to_name) {
  REAL(int, "rename", const char *, const char *);
  NAMED(RENAME, AT_FDCWD, from, AT_FDCWD, to_name, real(from, to_name));
}
int unlink(const char *name) { REAL(int, "unlink", const char *); NAMED(UNLINK, AT_FDCWD, name, 0, NULL, real(name)); }
int rmdir(const char *name) { REAL(int, "rmdir", const char *); NAMED(RMDIR, AT_FDCWD, name, 0, NULL, real(name)); }
int unlinkat(int at, const char *name, int flags) {
  REAL(int, "unlinkat", int, const char *, int);
  NAMED(flags & AT_REMOVEDIR ? RMDIR : UNLINK, at, name, 0, NULL, real(at, name, flags));
}
int remove(const char *name) {
  struct stat found;
  return !lstat(name, &found) && S_ISDIR(found.st_mode) ? rmdir(name) : unlink(name);
}
int mkdir(const char *name, mode_t mode) {
  REAL(int, "mkdir", const char *, mode_t);
  NAMED(MKDIR, AT_FDCWD, name, 0, NULL, real(name, mode));
}
/* The C library makes this folder without mkdir, and its name is known only then. */
char *mkdtemp(char *name) {
  REAL(char *, "mkdtemp", char *);
  char whole[PATH_MAX];
  if (!inside(AT_FDCWD, name, whole)) return real(name);
  wait_if_stopped();
  pthread_mutex_lock(&names_lock);
  char *made = real(name);
  const char *path = made ? inside(AT_FDCWD, made, whole) : NULL;
  if (path) put(MKDIR, 0, 0, path, strlen(path), NULL, 0, 0);
  pthread_mutex_unlock(&names_lock);
  return made;
}

/* What the rebuilder has no picture of: a program that does it cannot be judged, and is told so. */
int link(const char *from, const char *to_name) {
  REAL(int, "link", const char *, const char *);
  NAMED(UNKNOWN, AT_FDCWD, from, AT_FDCWD, to_name, real(from, to_name));
}
int symlink(const char *text, const char *name) {
  REAL(int, "symlink", const char *, const char *);
  NAMED(UNKNOWN, AT_FDCWD, name, 0, NULL, real(text, name));
}
int truncate64(const char *name, off_t size) {
  REAL(int, "truncate64", const char *, off_t);
  NAMED(UNKNOWN, AT_FDCWD, name, 0, NULL, real(name, size));
}
static ssize_t copied(int out, int in, off_t *at, size_t count) {
  REAL(ssize_t, "sendfile64", int, int, off_t *, size_t);
  if (inode_of(out)) put(UNKNOWN, 0, 0, "sendfile", 8, NULL, 0, 0);
  return real(out, in, at, count);
}
ssize_t sendfile(int out, int in, off_t *at, size_t count) { return copied(out, in, at, count); }
ssize_t sendfile64(int out, int in, off_t *at, size_t count) { return copied(out, in, at, count); }
