// Loaded in front of the C library (LD_PRELOAD): the FAULTFS_AT-th call that changes a file whose name contains
// FAULTFS_IN fails with ENOSPC or EIO, or (FAULTFS_HOW=cut) writes half and ends the process, as a power cut would.
// The file FAULTFS_MARK is made when it happens.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long calls;

// Whether the call is the one that fails; ends the process if it is to be cut.
static int fails(int fd, const void *bytes, size_t count, off_t at) {
    const char *in = getenv("FAULTFS_IN"), *which = getenv("FAULTFS_AT"), *how = getenv("FAULTFS_HOW");
    if (!in || !which || !how) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    if (!strstr(path, in) || atomic_fetch_add(&calls, 1) + 1 != atol(which)) return 0;
    close((int)syscall(SYS_open, getenv("FAULTFS_MARK"), O_CREAT | O_WRONLY, 0600));
    if (!strcmp(how, "cut")) {
        if (bytes) syscall(SYS_pwrite64, fd, bytes, count / 2, at);
        _exit(99);
    }
    errno = strcmp(how, "eio") ? ENOSPC : EIO;
    return 1;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t at) {
    return fails(fd, bytes, count, at) ? -1 : syscall(SYS_pwrite64, fd, bytes, count, at);
}
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { return pwrite64(fd, bytes, count, at); }

ssize_t write(int fd, const void *bytes, size_t count) {
    return fails(fd, bytes, count, lseek(fd, 0, SEEK_CUR)) ? -1 : syscall(SYS_write, fd, bytes, count);
}

int fsync(int fd) { return fails(fd, 0, 0, 0) ? -1 : (int)syscall(SYS_fsync, fd); }
int fdatasync(int fd) { return fails(fd, 0, 0, 0) ? -1 : (int)syscall(SYS_fdatasync, fd); }
int ftruncate64(int fd, off_t length) { return fails(fd, 0, 0, 0) ? -1 : (int)syscall(SYS_ftruncate, fd, length); }
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }
