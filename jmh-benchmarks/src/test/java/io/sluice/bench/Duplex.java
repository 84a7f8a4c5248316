package io.sluice.bench;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.Pipe;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Two pipes between a sender, on a thread of its own, and a receiver. Not thread-safe. */
public final class Duplex implements Closeable {
    private final Pipe there;
    private final Pipe back;
    private final ExecutorService sender = Executors.newSingleThreadExecutor();
    private @Nullable Future<?> sending;

    public Duplex() throws IOException {
        this.there = Pipe.open();
        this.back = Pipe.open();
    }

    public Pipe.SourceChannel in() {
        return there.source();
    }

    public Pipe.SinkChannel out() {
        return there.sink();
    }

    public Pipe.SourceChannel answersIn() {
        return back.source();
    }

    public Pipe.SinkChannel answersOut() {
        return back.sink();
    }

    /** Begins to send; the receiver sees the end of the stream when it returns. */
    public void send(Callable<?> work) {
        sending = sender.submit(() -> {
            try {
                return work.call();
            } finally {
                there.sink().close();
            }
        });
    }

    /** What became of the sender. */
    public Object sent() throws InterruptedException, ExecutionException {
        if (sending == null) {
            throw new IllegalStateException("nothing is sent");
        }
        return sending.get();
    }

    @Override
    public void close() throws IOException {
        sender.shutdownNow();
        there.source().close();
        there.sink().close();
        back.source().close();
        back.sink().close();
    }
}
