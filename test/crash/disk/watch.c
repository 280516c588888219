/* Preloaded into a process, this appends to a log whatever the process does to the files of one directory: what it
 * writes, and what it has made safe. test/crash/disk/log.ts reads it. Linux and glibc only.
 *
 * A record is logged after the call it tells of, and a sync only once it is over: so the log never claims more than
 * was done. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, TRUNCATE = 2, SYNC = 3, MAKE = 4, UNLINK = 5, RENAME = 6, SYNC_DIRECTORY = 7 };

struct record {
  uint32_t what, length;
  uint64_t inode, offset;
  uint32_t name_length, other_length;
};

static const char *directory;
static size_t directory_length;
static int log_fd = -1;

#define REAL(result, name, ...) \
  static result (*real)(__VA_ARGS__); \
  if (!real) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("WATCHED_LOG");
  directory = getenv("WATCHED_DIRECTORY");
  if (!path || !directory) return;
  directory_length = strlen(directory);
  int (*real_open)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  log_fd = real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void append(struct record record, const char *name, const char *other, const void *bytes) {
  static ssize_t (*real)(int, const struct iovec *, int);
  if (!real) real = (ssize_t(*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "writev");
  record.name_length = name ? strlen(name) : 0;
  record.other_length = other ? strlen(other) : 0;
  struct iovec parts[] = {{&record, sizeof record},
                          {(void *)name, record.name_length},
                          {(void *)other, record.other_length},
                          {(void *)bytes, record.length}};
  int kept = errno;
  if (real(log_fd, parts, 4) != (ssize_t)(sizeof record + record.name_length + record.other_length + record.length))
    abort();
  errno = kept;
}

/* The name within the watched directory; NULL for all else. The memory that connections share is in no log: it is made
 * anew after each crash. */
static const char *name_of(const char *path) {
  if (log_fd < 0 || strncmp(path, directory, directory_length) != 0 || path[directory_length] != '/') return NULL;
  const char *name = path + directory_length + 1;
  size_t length = strlen(name);
  return length >= 4 && strcmp(name + length - 4, "-shm") == 0 ? NULL : name;
}

static int path_of(int fd, char *path) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX);
  if (length >= 0) path[length] = 0;
  return length >= 0;
}

/* 'f' for a watched file, 'd' for the watched directory itself, 0 for all else. */
static int kind_of(int fd, struct stat *stat) {
  char path[PATH_MAX + 1];
  int kept = errno, kind = 0;
  if (log_fd >= 0 && fd != log_fd && fstat(fd, stat) == 0) {
    if (S_ISREG(stat->st_mode) && path_of(fd, path) && name_of(path)) kind = 'f';
    if (S_ISDIR(stat->st_mode) && path_of(fd, path) && strcmp(path, directory) == 0) kind = 'd';
  }
  errno = kept;
  return kind;
}

static void wrote(int fd, const void *bytes, ssize_t length, off_t offset) {
  struct stat stat;
  if (length <= 0 || kind_of(fd, &stat) != 'f') return;
  if (offset < 0) offset = lseek(fd, 0, SEEK_CUR) - length;
  append((struct record){.what = WRITE, .inode = stat.st_ino, .offset = offset, .length = length}, NULL, NULL, bytes);
}

ssize_t write(int fd, const void *bytes, size_t length) {
  REAL(ssize_t, write, int, const void *, size_t);
  ssize_t result = real(fd, bytes, length);
  wrote(fd, bytes, result, -1);
  return result;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
  ssize_t result = real(fd, bytes, length, offset);
  wrote(fd, bytes, result, offset);
  return result;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
  ssize_t result = real(fd, bytes, length, offset);
  wrote(fd, bytes, result, offset);
  return result;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(ssize_t, writev, int, const struct iovec *, int);
  ssize_t result = real(fd, parts, count);
  struct stat stat;
  /* Nobody here writes files so: better no test than a wrong one. */
  if (result > 0 && kind_of(fd, &stat) == 'f') abort();
  return result;
}

static int truncated(int fd, int result, off_t length) {
  struct stat stat;
  if (result == 0 && kind_of(fd, &stat) == 'f')
    append((struct record){.what = TRUNCATE, .inode = stat.st_ino, .offset = length}, NULL, NULL, NULL);
  return result;
}

int ftruncate(int fd, off_t length) {
  REAL(int, ftruncate, int, off_t);
  return truncated(fd, real(fd, length), length);
}

int ftruncate64(int fd, off64_t length) {
  REAL(int, ftruncate64, int, off64_t);
  return truncated(fd, real(fd, length), length);
}

static int synced(int fd, int result) {
  struct stat stat;
  int kind = result == 0 ? kind_of(fd, &stat) : 0;
  if (kind == 'f') append((struct record){.what = SYNC, .inode = stat.st_ino}, NULL, NULL, NULL);
  if (kind == 'd') append((struct record){.what = SYNC_DIRECTORY}, NULL, NULL, NULL);
  return result;
}

int fsync(int fd) {
  REAL(int, fsync, int);
  return synced(fd, real(fd));
}

int fdatasync(int fd) {
  REAL(int, fdatasync, int);
  return synced(fd, real(fd));
}

static int opened(const char *name, int flags, int was_there, int fd) {
  struct stat stat;
  if (fd < 0 || !name || fstat(fd, &stat) != 0 || !S_ISREG(stat.st_mode)) return fd;
  if (!was_there) append((struct record){.what = MAKE, .inode = stat.st_ino}, name, NULL, NULL);
  else if (flags & O_TRUNC) append((struct record){.what = TRUNCATE, .inode = stat.st_ino}, NULL, NULL, NULL);
  return fd;
}

#define OPEN(function) \
  int function(const char *path, int flags, ...) { \
    REAL(int, function, const char *, int, ...); \
    va_list more; \
    va_start(more, flags); \
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0; \
    va_end(more); \
    const char *name = flags & (O_CREAT | O_TRUNC) ? name_of(path) : NULL; \
    int kept = errno, was_there = name && access(path, F_OK) == 0; \
    errno = kept; \
    return opened(name, flags, was_there, real(path, flags, mode)); \
  }
OPEN(open)
OPEN(open64)

int rename(const char *from, const char *to) {
  REAL(int, rename, const char *, const char *);
  int result = real(from, to);
  if (result == 0 && name_of(from) && name_of(to))
    append((struct record){.what = RENAME}, name_of(from), name_of(to), NULL);
  return result;
}

static int removed(const char *path, int result) {
  if (result == 0 && name_of(path)) append((struct record){.what = UNLINK}, name_of(path), NULL, NULL);
  return result;
}

int unlink(const char *path) {
  REAL(int, unlink, const char *);
  return removed(path, real(path));
}

int remove(const char *path) {
  REAL(int, remove, const char *);
  return removed(path, real(path));
}

int unlinkat(int at, const char *path, int flags) {
  REAL(int, unlinkat, int, const char *, int);
  char whole[2 * PATH_MAX + 2] = "";
  if (path[0] != '/' && at != AT_FDCWD && path_of(at, whole)) strcat(whole, "/");
  strcat(whole, path);
  return removed(whole, real(at, path, flags));
}
