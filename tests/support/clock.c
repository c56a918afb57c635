/* A clock that jumps, preloaded (LD_PRELOAD): it is ahead by the seconds that stand in the file $TERCET_CLOCK. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long ahead(void) {
    static int file = -2;
    char text[32] = {0};
    if (file == -2) {
        const char *path = getenv("TERCET_CLOCK");
        file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC) : -1;
    }
    if (file < 0 || pread(file, text, sizeof text - 1, 0) <= 0) return 0;
    return atol(text);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int done = (int)syscall(SYS_clock_gettime, clock, now);
    if (done == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += ahead();
    return done;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec read;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &read);
    now->tv_sec = read.tv_sec;
    now->tv_usec = read.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *to) {
    struct timespec read;
    clock_gettime(CLOCK_REALTIME, &read);
    if (to) *to = read.tv_sec;
    return read.tv_sec;
}
