/* A disk that can be looked into, preloaded (LD_PRELOAD) into a server: what is written to the files whose path begins
 * with $TERCET_DISK_FILES, and when it was synced, goes to the journal $TERCET_DISK_JOURNAL in that order.
 *
 * $TERCET_DISK_DIE=n kills the process instead of its n-th sync, while writes are open. $TERCET_DISK_FAIL=n has every
 * n-th sync fail with EIO; the kernel then takes the pages for clean, so that no later sync writes them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILES 4096
enum { WRITE = 1, TRUNCATE, SYNC, FAILED, REMOVE };
struct entry { uint32_t op, file, size, unused; uint64_t at; };

static unsigned char known[FILES]; /* by descriptor: 0, or 1 + the number of the path's ending below */
static const char *ENDINGS[] = {"", "-wal", "-heads", "-journal"};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long syncs, die, fail;
static int journal = -1;
static const char *prefix;

__attribute__((constructor)) static void begin(void) {
    const char *value = getenv("TERCET_DISK_JOURNAL");
    prefix = getenv("TERCET_DISK_FILES");
    if (!value || !prefix) return;
    journal = (int)syscall(SYS_openat, AT_FDCWD, value, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    die = (value = getenv("TERCET_DISK_DIE")) ? atol(value) : 0;
    fail = (value = getenv("TERCET_DISK_FAIL")) ? atol(value) : 0;
}

static void note(int op, int file, uint64_t at, const void *data, uint32_t size) {
    struct entry entry = {(uint32_t)op, (uint32_t)file, size, 0, at};
    struct iovec both[2] = {{&entry, sizeof entry}, {(void *)data, size}};
    if (writev(journal, both, size ? 2 : 1) < 0) abort();
}

static int file_at(const char *path) {
    if (path && strncmp(path, prefix, strlen(prefix)) == 0)
        for (int n = 0; n < 4; n++)
            if (strcmp(path + strlen(prefix), ENDINGS[n]) == 0) return n + 1;
    return 0;
}

static int opened(int descriptor, const char *path) {
    if (journal >= 0 && descriptor >= 0 && descriptor < FILES) known[descriptor] = (unsigned char)file_at(path);
    return descriptor;
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FILE_OF(d) (journal >= 0 && (d) >= 0 && (d) < FILES ? known[d] : 0)

#define OPENER(name)                                                                                                   \
    int name(const char *path, int flags, ...) {                                                                       \
        REAL(name);                                                                                                    \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        int mode = va_arg(rest, int);                                                                                  \
        va_end(rest);                                                                                                  \
        return opened(real(path, flags, mode), path);                                                                  \
    }
OPENER(open)
OPENER(open64)

int unlink(const char *path) {
    REAL(unlink);
    int file = journal >= 0 ? file_at(path) : 0, done = real(path);
    if (file && done == 0) note(REMOVE, file, 0, NULL, 0); /* SQLite syncs the folder then */
    return done;
}

int close(int descriptor) {
    REAL(close);
    if (FILE_OF(descriptor)) known[descriptor] = 0;
    return real(descriptor);
}

#define WRITER(name, offset)                                                                                           \
    ssize_t name(int descriptor, const void *data, size_t size, offset at) {                                           \
        REAL(name);                                                                                                    \
        int file = FILE_OF(descriptor);                                                                                \
        if (!file) return real(descriptor, data, size, at);                                                            \
        pthread_mutex_lock(&lock);                                                                                     \
        ssize_t done = real(descriptor, data, size, at);                                                               \
        if (done > 0) note(WRITE, file, (uint64_t)at, data, (uint32_t)done);                                           \
        pthread_mutex_unlock(&lock);                                                                                   \
        return done;                                                                                                   \
    }
WRITER(pwrite, off_t)
WRITER(pwrite64, off64_t)

ssize_t write(int descriptor, const void *data, size_t size) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    int file = FILE_OF(descriptor);
    if (!file) return real(descriptor, data, size);
    pthread_mutex_lock(&lock);
    ssize_t done = real(descriptor, data, size);
    if (done > 0) note(WRITE, file, (uint64_t)(lseek(descriptor, 0, SEEK_CUR) - done), data, (uint32_t)done);
    pthread_mutex_unlock(&lock);
    return done;
}

#define CUTTER(name, offset)                                                                                           \
    int name(int descriptor, offset size) {                                                                            \
        REAL(name);                                                                                                    \
        int file = FILE_OF(descriptor);                                                                                \
        int done = real(descriptor, size);                                                                             \
        if (file && done == 0) note(TRUNCATE, file, (uint64_t)size, NULL, 0);                                          \
        return done;                                                                                                   \
    }
CUTTER(ftruncate, off_t)
CUTTER(ftruncate64, off64_t)

#define SYNCER(name)                                                                                                   \
    int name(int descriptor) {                                                                                         \
        REAL(name);                                                                                                    \
        int file = FILE_OF(descriptor);                                                                                \
        if (!file) return real(descriptor);                                                                            \
        pthread_mutex_lock(&lock);                                                                                     \
        syncs++;                                                                                                       \
        if (die && syncs >= die) kill(getpid(), SIGKILL);                                                              \
        int fails = fail && syncs % fail == 0;                                                                         \
        note(fails ? FAILED : SYNC, file, 0, NULL, 0);                                                                 \
        pthread_mutex_unlock(&lock);                                                                                   \
        if (!fails) return 0; /* the machine goes on: only the journal knows what a power cut would leave */           \
        errno = EIO;                                                                                                   \
        return -1;                                                                                                     \
    }
SYNCER(fsync)
SYNCER(fdatasync)
