package io.sluice.bench;

import io.sluice.sstable.encoding.PageAligned;
import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Ways to move bytes from a socket to a new file while computing their CRC-32: the alternatives of decision 4. The
 * sender uses {@code transferTo} in its own thread. {@code :megabytes} is in MB/s; {@code :cpuSeconds} are those of the
 * receiving threads per second; their quotient is the cost of a megabyte. The file is removed between operations, which
 * is not measured.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 4)
@Measurement(iterations = 5, time = 4)
@Fork(1)
public class ReceiverBenchmark {
    private static final int LENGTH_BYTES = 512 << 20;
    private static final int BUFFER_BYTES = 1 << 20;
    private static final int SMALL_BUFFER_BYTES = 128 << 10;
    private static final int SMALL_BUFFERS = 8;
    private static final int SOCKET_BUFFER_BYTES = 4 << 20;

    /** Bytes moved, and their cost. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Cost {
        /** Millions of bytes. */
        public double megabytes;
        /** CPU seconds of the receiving threads. */
        public double cpuSeconds;

        void add(long cpuNanos) {
            megabytes += LENGTH_BYTES / 1e6;
            cpuSeconds += cpuNanos / 1e9;
        }
    }

    /** A file, and a thread that sends it on each connection. */
    @State(Scope.Benchmark)
    public static class Sender {
        private @Nullable Path scratch;
        private @Nullable ServerSocketChannel server;
        private final ExecutorService threads = Executors.newCachedThreadPool();

        @Setup(Level.Trial)
        public void start() throws IOException {
            scratch = Scratch.directory();
            byte[] bytes = new byte[LENGTH_BYTES];
            new SplittableRandom(1).nextBytes(bytes);
            Path source = Files.write(scratch.resolve("source"), bytes);
            ServerSocketChannel listening =
                    ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            server = listening;
            Future<?> sending = threads.submit(() -> {
                while (true) {
                    send(source, listening.accept());
                }
            });
            Objects.requireNonNull(sending);
        }

        private static void send(Path source, SocketChannel to) throws IOException {
            try (to;
                    FileChannel file = FileChannel.open(source)) {
                to.setOption(StandardSocketOptions.SO_SNDBUF, SOCKET_BUFFER_BYTES);
                for (long at = 0; at < LENGTH_BYTES; ) {
                    at += file.transferTo(at, LENGTH_BYTES - at, to);
                }
            }
        }

        SocketChannel connect() throws IOException {
            SocketChannel socket = SocketChannel.open();
            socket.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER_BYTES);
            socket.connect(Objects.requireNonNull(server).getLocalAddress());
            return socket;
        }

        FileChannel newFile() throws IOException {
            return FileChannel.open(
                    target(), StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        }

        private Path target() {
            return Objects.requireNonNull(scratch).resolve("target");
        }

        @TearDown(Level.Invocation)
        public void removeFile() throws IOException {
            Files.deleteIfExists(target());
        }

        @TearDown(Level.Trial)
        public void stop() throws IOException {
            threads.shutdownNow();
            Objects.requireNonNull(server).close();
            Scratch.delete(Objects.requireNonNull(scratch));
        }
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static void require(int count) throws EOFException {
        if (count < 0) {
            throw new EOFException("the sender has closed the connection");
        }
    }

    private static void write(ByteBuffer bytes, FileChannel file) throws IOException {
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
    }

    /** As in production: one thread, one buffer. */
    @Benchmark
    public long oneBuffer(Sender sender, Cost cost) throws IOException {
        long before = cpuNanos();
        CRC32 crc = new CRC32();
        ByteBuffer buffer = PageAligned.allocate(BUFFER_BYTES);
        try (SocketChannel socket = sender.connect();
                FileChannel file = sender.newFile()) {
            for (long at = 0; at < LENGTH_BYTES; at += buffer.position()) {
                require(socket.read(buffer.clear()));
                crc.update(buffer.flip());
                write(buffer.rewind(), file);
            }
        }
        cost.add(cpuNanos() - before);
        return crc.getValue();
    }

    /** From the socket directly into the mapped pages of the file. */
    @Benchmark
    public long mappedFile(Sender sender, Cost cost) throws IOException {
        long before = cpuNanos();
        CRC32 crc = new CRC32();
        try (SocketChannel socket = sender.connect();
                FileChannel file = sender.newFile()) {
            MappedByteBuffer pages = file.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH_BYTES);
            for (int at = 0; at < LENGTH_BYTES; at = pages.position()) {
                pages.limit(Math.min(LENGTH_BYTES, at + BUFFER_BYTES));
                require(socket.read(pages));
                crc.update(pages.slice(at, pages.position() - at));
            }
        }
        cost.add(cpuNanos() - before);
        return crc.getValue();
    }

    /** One thread reads, another one checksums and writes. */
    @Benchmark
    public long twoThreads(Sender sender, Cost cost) throws IOException, InterruptedException, ExecutionException {
        long before = cpuNanos();
        BlockingQueue<ByteBuffer> empty = new ArrayBlockingQueue<>(SMALL_BUFFERS);
        BlockingQueue<ByteBuffer> full = new ArrayBlockingQueue<>(SMALL_BUFFERS);
        for (int i = 0; i < SMALL_BUFFERS; i++) {
            empty.put(PageAligned.allocate(SMALL_BUFFER_BYTES));
        }
        CRC32 crc = new CRC32();
        try (SocketChannel socket = sender.connect();
                FileChannel file = sender.newFile()) {
            Future<Long> writing = sender.threads.submit(() -> {
                long began = cpuNanos();
                for (long left = LENGTH_BYTES; left > 0; ) {
                    ByteBuffer buffer = full.take();
                    left -= buffer.remaining();
                    crc.update(buffer);
                    write(buffer.rewind(), file);
                    empty.put(buffer);
                }
                return cpuNanos() - began;
            });
            long at = 0;
            while (at < LENGTH_BYTES) {
                ByteBuffer buffer = empty.take();
                require(socket.read(buffer.clear()));
                at += buffer.position();
                full.put(buffer.flip());
            }
            cost.add(cpuNanos() - before + writing.get());
        }
        return crc.getValue();
    }
}
