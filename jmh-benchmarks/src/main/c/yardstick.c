// The yardstick: what this kernel can do, without Java. Moves files over loopback, one process that sends, one that
// receives, and prints one line of JSON: seconds until all is written, seconds until all is durable, CPU of each side,
// and the bytes that came over each connection.
//
//   yardstick RECEIVER CONNECTIONS DURABLE TARGET_DIR FILE...
//
//   RECEIVER     rw      recv into 1 MiB, write
//                splice  socket to pipe to file
//   DURABLE      0, or 1: write-back is started every 8 MiB, and each file is synced before the end
//
// Each connection moves an equal share of all bytes, in the order of the files. So two of them are hardly ever in one
// file, where writes wait for each other on the lock of its inode.
//
// A frame is 24 bytes (number of the file, offset, length), then the bytes. The receiver answers one byte when done.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PIECE (64L << 20)
#define BUFFER (1L << 20)
#define STEP (8L << 20)
#define MAX_CONNECTIONS 64

static char **files, *target, *receiver;
static int file_count, connections, durable;
static struct frame { int64_t file, offset, length; } *frames;
static int first_frame[MAX_CONNECTIONS + 1]; // of each connection, and behind the last one
static int64_t received[MAX_CONNECTIONS];
static int sockets[MAX_CONNECTIONS];

static void die(const char *what) {
    fprintf(stderr, "yardstick: %s: %s\n", what, strerror(errno));
    _exit(1);
}

static long check(long result, const char *what) {
    if (result < 0) die(what);
    return result;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static double cpu(void) {
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return r.ru_utime.tv_sec + r.ru_utime.tv_usec / 1e6 + r.ru_stime.tv_sec + r.ru_stime.tv_usec / 1e6;
}

static void tune(int fd) {
    int one = 1, buffer = 4 << 20;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5);
}

static void read_fully(int fd, void *to, long length) {
    for (char *at = to; length > 0;) {
        long n = check(read(fd, at, length), "read");
        if (n == 0) die("the peer ended early");
        at += n;
        length -= n;
    }
}

static void *send_all(void *argument) {
    long connection = (long) argument;
    for (int i = first_frame[connection]; i < first_frame[connection + 1]; i++) {
        struct frame *f = &frames[i];
        int in = check(open(files[f->file], O_RDONLY), files[f->file]);
        check(send(sockets[connection], f, sizeof *f, MSG_MORE), "send");
        off_t at = f->offset;
        while (at < f->offset + f->length)
            if (check(sendfile(sockets[connection], in, &at, f->offset + f->length - at), "sendfile") == 0)
                die("a source became shorter");
        close(in);
    }
    char done;
    shutdown(sockets[connection], SHUT_WR);
    read_fully(sockets[connection], &done, 1);
    return 0;
}

static void land(int from, int to, struct frame *f, char *buffer, int *pipe_) {
    long left = f->length, behind = 0;
    loff_t at = f->offset;
    while (left > 0) {
        long n;
        if (buffer) {
            n = check(read(from, buffer, left < BUFFER ? left : BUFFER), "recv");
            if (n == 0) die("the peer ended early");
            for (long w = 0; w < n;) w += check(pwrite(to, buffer + w, n - w, at + w), "write");
            at += n;
        } else {
            n = check(splice(from, 0, pipe_[1], 0, left < BUFFER ? left : BUFFER, SPLICE_F_MOVE), "splice in");
            if (n == 0) die("the peer ended early");
            for (long w = n; w > 0;) w -= check(splice(pipe_[0], 0, to, &at, w, SPLICE_F_MOVE), "splice out");
        }
        left -= n;
        behind += n;
        if (durable && behind >= STEP) {
            sync_file_range(to, at - behind, behind, SYNC_FILE_RANGE_WRITE);
            behind = 0;
        }
    }
}

static int *opened;

static void *receive_all(void *argument) {
    long connection = (long) argument;
    int from = sockets[connection], pipe_[2];
    char *buffer = strcmp(receiver, "rw") ? NULL : aligned_alloc(4096, BUFFER);
    check(pipe(pipe_), "pipe");
    fcntl(pipe_[1], F_SETPIPE_SZ, BUFFER);
    for (int i = first_frame[connection]; i < first_frame[connection + 1]; i++) {
        struct frame f;
        read_fully(from, &f, sizeof f);
        land(from, opened[f.file], &f, buffer, pipe_);
        received[connection] += f.length;
    }
    return 0;
}

static void each_connection(void *(*body)(void *)) {
    pthread_t threads[MAX_CONNECTIONS];
    for (long i = 0; i < connections; i++) pthread_create(&threads[i], 0, body, (void *) i);
    for (long i = 0; i < connections; i++) pthread_join(threads[i], 0);
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// Cuts the files into frames: at the end of each PIECE and of each connection's share.
static void share(const int64_t *lengths, int64_t total) {
    int connection = 0, count = 0;
    int64_t shared = 0;
    for (int file = 0; file < file_count; file++)
        for (int64_t at = 0, length; at < lengths[file]; at += length, shared += length) {
            while (shared == total * (connection + 1) / connections) first_frame[++connection] = count;
            int64_t left = total * (connection + 1) / connections - shared;
            length = least(PIECE, least(left, lengths[file] - at));
            frames = realloc(frames, (count + 1) * sizeof *frames);
            frames[count++] = (struct frame){file, at, length};
        }
    while (connection < connections) first_frame[++connection] = count;
}

int main(int argc, char **argv) {
    if (argc < 6) {
        fprintf(stderr, "usage: yardstick rw|splice CONNECTIONS 0|1 TARGET_DIR FILE...\n");
        return 2;
    }
    receiver = argv[1];
    connections = atoi(argv[2]);
    durable = atoi(argv[3]);
    target = argv[4];
    files = argv + 5;
    file_count = argc - 5;
    if (connections < 1 || connections > MAX_CONNECTIONS) {
        fprintf(stderr, "yardstick: 1 to %d connections\n", MAX_CONNECTIONS);
        return 2;
    }
    int64_t total = 0, *lengths = malloc(file_count * sizeof *lengths);
    for (int i = 0; i < file_count; i++) {
        struct stat s;
        check(stat(files[i], &s), files[i]);
        lengths[i] = s.st_size;
        total += s.st_size;
    }
    share(lengths, total);
    int listener = check(socket(AF_INET, SOCK_STREAM, 0), "socket");
    tune(listener);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    check(bind(listener, (struct sockaddr *) &address, size), "bind");
    check(listen(listener, connections), "listen");
    getsockname(listener, (struct sockaddr *) &address, &size);
    int report[2];
    check(pipe(report), "pipe");

    pid_t sender = check(fork(), "fork");
    if (sender == 0) {
        for (int i = 0; i < connections; i++) {
            sockets[i] = check(socket(AF_INET, SOCK_STREAM, 0), "socket");
            tune(sockets[i]);
            check(connect(sockets[i], (struct sockaddr *) &address, size), "connect");
        }
        each_connection(send_all);
        double used = cpu();
        check(write(report[1], &used, sizeof used), "report");
        _exit(0);
    }
    for (int i = 0; i < connections; i++) sockets[i] = check(accept(listener, 0, 0), "accept");
    double started = now(), cpu_before = cpu();
    char path[4096];
    opened = malloc(file_count * sizeof *opened);
    for (int i = 0; i < file_count; i++) {
        snprintf(path, sizeof path, "%s/%d", target, i);
        opened[i] = check(open(path, O_CREAT | O_EXCL | O_WRONLY, 0600), path);
    }
    each_connection(receive_all);
    double written = now();
    for (int i = 0; i < file_count; i++) {
        if (durable) check(fdatasync(opened[i]), "fdatasync");
        close(opened[i]);
    }
    double synced = now(), cpu_receiver = cpu() - cpu_before, cpu_sender;
    for (int i = 0; i < connections; i++) check(write(sockets[i], "", 1), "acknowledge");
    read_fully(report[0], &cpu_sender, sizeof cpu_sender);
    waitpid(sender, 0, 0);
    for (int i = 0; i < file_count; i++) {
        snprintf(path, sizeof path, "%s/%d", target, i);
        unlink(path);
    }
    printf("{\"bytes\":%ld,\"writtenSeconds\":%.6f,\"durableSeconds\":%.6f,\"senderCpuSeconds\":%.6f,"
           "\"receiverCpuSeconds\":%.6f,\"connectionBytes\":[",
           (long) total, written - started, synced - started, cpu_sender, cpu_receiver);
    for (int i = 0; i < connections; i++) printf("%s%ld", i == 0 ? "" : ",", (long) received[i]);
    printf("]}\n");
    return 0;
}
