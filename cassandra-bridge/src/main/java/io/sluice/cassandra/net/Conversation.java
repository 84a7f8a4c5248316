package io.sluice.cassandra.net;

import io.sluice.cassandra.session.SessionAction;
import io.sluice.cassandra.session.SessionEvent;
import io.sluice.cassandra.session.StreamSession;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.log.PeerLog;
import io.sluice.streaming.session.Failure;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Runs a session over its control connection: the thread that calls {@link #run} decides, another thread reads, and
 * more can be started. Any thread may call the other methods.
 */
public final class Conversation implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Conversation.class);
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(60);
    private static final Duration FOREVER = Duration.ofDays(365);
    /** A peer that is gone is found sooner, by the keep-alives that it does not acknowledge. */
    private static final Duration LONGEST_WORK = Duration.ofDays(7);

    private static final long JOIN_MILLIS = 5_000;
    /** Bound for messages of a peer that sends faster than its session processes. */
    private static final int MOST_EVENTS = 10_000;

    private final String name;
    private final Duration timeout;
    private final PeerLog log;
    private final BlockingQueue<SessionEvent> events = new LinkedBlockingQueue<>();
    private final Clockwork clockwork;
    private final AtomicLong lastProgressNanos;
    private final List<Link> opened = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private boolean isClosing;
    private volatile Optional<Failure> cancelled = Optional.empty();
    private volatile boolean hasNotified; // written by the thread that runs the session

    /** Carries out the actions that neither send nor finish. */
    public interface Performer {
        /**
         * Carries out {@code action}. Returns its outcome, which the session handles before any waiting event.
         *
         * @throws IOException or an unchecked exception if the action failed; it becomes {@link SessionEvent.Failed}
         */
        Optional<SessionEvent> perform(SessionAction action) throws IOException;
    }

    /**
     * Prepares to run a session.
     *
     * @param name for logs and threads
     * @param timeout a session without progress for this long fails, unless it {@linkplain StreamSession#isLeftToPeer
     *     is left to the peer}: that fails after seven days
     * @param clockwork time and threads of the session
     * @param log for log lines that a peer can trigger at will
     */
    public Conversation(String name, Duration timeout, Clockwork clockwork, PeerLog log) {
        this.name = name;
        this.clockwork = clockwork;
        this.lastProgressNanos = new AtomicLong(clockwork.nanoTime());
        this.timeout = timeout;
        this.log = log;
    }

    /** Queues an event. */
    public void post(SessionEvent event) {
        events.add(event);
    }

    /** Fails the session for {@code reason}, also if its connections are closed before it can say so. */
    public void cancel(Failure reason) {
        cancelled = Optional.of(reason);
        post(new SessionEvent.Failed(reason));
    }

    /** Reports that bytes were transferred: the peer is not silent. */
    public void progressed() {
        lastProgressNanos.set(clockwork.nanoTime());
    }

    /** Registers {@code link} to be closed with the others. */
    public <L extends Link> L keep(L link) {
        synchronized (opened) {
            opened.add(link);
            if (isClosing) {
                link.close();
            }
        }
        return link;
    }

    /**
     * Lets the calling thread work with {@code link}, as one of the threads that {@link #close} ends. Does nothing if
     * it is closed already.
     */
    public void attach(Link link, Runnable work) {
        Thread self = Thread.currentThread();
        synchronized (opened) {
            if (isClosing) {
                return;
            }
            opened.add(link);
            threads.add(self);
        }
        try {
            work.run();
        } finally {
            synchronized (opened) {
                opened.remove(link);
                threads.remove(self);
            }
        }
    }

    /** Starts a thread, which logs with the keys of the caller; its work must end when the connections are closed. */
    public void start(String role, Runnable work) {
        Thread thread = clockwork.start(name + "-" + role, LogKeys.current().around(work));
        synchronized (opened) {
            threads.add(thread);
        }
    }

    /** Runs until the session is over. Returns why it failed, if it did, whatever was thrown on the way. */
    public Optional<Failure> run(StreamSession session, Link control, Performer performer) throws InterruptedException {
        try {
            return talk(session, control, performer);
        } catch (RuntimeException | Error e) {
            warn(control, e);
            return Optional.of(Failure.of(e));
        }
    }

    private Optional<Failure> talk(StreamSession session, Link control, Performer performer)
            throws InterruptedException {
        keep(control);
        progressed();
        start("control", () -> listen(control));
        while (true) {
            SessionEvent event = clockwork.poll(events, KEEP_ALIVE.toMillis());
            // Two ends that only say that they live would keep each other for ever.
            Duration limit = session.isLeftToPeer() ? LONGEST_WORK : timeout;
            if ((event == null || isKeepAlive(event)) && isSilentFor(limit)) {
                event = new SessionEvent.Failed(new Failure(
                        ErrorCode.TIMEOUT,
                        "no progress for " + limit.toSeconds() + " s in state " + session.state() + ", "
                                + session.outstanding() + " files outstanding"));
            }
            if (event == null) {
                act(new SessionAction.Send(new StreamMessage.KeepAlive()), control, performer)
                        .ifPresent(this::post);
                continue;
            }
            Optional<SessionAction.Finish> end = on(event, session, control, performer);
            if (end.isPresent()) {
                return end.get().failure();
            }
        }
    }

    private static boolean isFailure(SessionEvent event) {
        return event instanceof SessionEvent.PeerLost || event instanceof SessionEvent.Failed;
    }

    private static boolean isKeepAlive(SessionEvent event) {
        return event instanceof SessionEvent.Received received && received.message() instanceof StreamMessage.KeepAlive;
    }

    private boolean isSilentFor(Duration limit) {
        return clockwork.nanoTime() - lastProgressNanos.get() > limit.toNanos();
    }

    private Optional<SessionAction.Finish> on(
            SessionEvent event, StreamSession session, Link control, Performer performer) {
        Deque<SessionEvent> results = new ArrayDeque<>(List.of(event));
        while (!results.isEmpty()) {
            Enum<?> before = session.state();
            List<SessionAction> actions = session.on(results.remove());
            if (session.state() != before) {
                log.write(
                        LOG,
                        Level.INFO,
                        address(control),
                        "{}: {} -> {}: {}",
                        name,
                        before,
                        session.state(),
                        session.hasFailed()
                                ? "it fails" // the end gives the reason
                                : session.because());
            }
            boolean hasFailed = false;
            for (SessionAction action : actions) {
                if (action instanceof SessionAction.Finish end) {
                    return Optional.of(end);
                }
                if (!hasFailed) { // what follows a failure, such as an install, must not happen
                    Optional<SessionEvent> result =
                            act(action, control, performer).map(this::orCancelled);
                    result.ifPresent(results::add);
                    hasFailed = result.filter(Conversation::isFailure).isPresent();
                }
            }
        }
        return Optional.empty();
    }

    /** What cannot be sent after a cancel is not sent because we have closed the connection. */
    private SessionEvent orCancelled(SessionEvent result) {
        return result instanceof SessionEvent.PeerLost
                ? cancelled.<SessionEvent>map(SessionEvent.Failed::new).orElse(result)
                : result;
    }

    private Optional<SessionEvent> act(SessionAction action, Link control, Performer performer) {
        if (action instanceof SessionAction.Send message) {
            try {
                control.send(message.message());
                if (message.message() instanceof StreamMessage.SessionFailed) {
                    hasNotified = true;
                }
                return Optional.empty();
            } catch (IOException | StreamException e) {
                return Optional.of(SessionEvent.PeerLost.of("control connection", e));
            }
        }
        try {
            return performer.perform(action);
        } catch (IOException | RuntimeException | Error e) {
            warn(control, e);
            return Optional.of(new SessionEvent.Failed(Failure.of(e)));
        }
    }

    private void warn(Link control, Throwable cause) {
        log.write(LOG, Level.WARN, address(control), "{}: {}", name, String.valueOf(cause.getMessage()), cause);
        VirtualMachineErrors.handOn(cause);
    }

    private static String address(Link control) {
        return control.remote().getAddress().getHostAddress();
    }

    private void listen(Link control) {
        try {
            control.setReadTimeout(FOREVER); // silence is judged by progress, in next
            while (true) {
                if (!(control.read() instanceof StreamMessage.Control message)) {
                    throw new StreamException(ErrorCode.PROTOCOL, "received a file on the control connection");
                }
                SessionEvent event = new SessionEvent.Received(message);
                if (!isKeepAlive(event)) {
                    progressed();
                }
                if (events.size() >= MOST_EVENTS) {
                    throw new StreamException(ErrorCode.LIMIT, MOST_EVENTS + " messages are queued, and more arrived");
                }
                post(event);
            }
        } catch (IOException e) {
            post(SessionEvent.PeerLost.of("control connection", e));
        } catch (RuntimeException | Error e) {
            post(new SessionEvent.Failed(Failure.of(e)));
            VirtualMachineErrors.handOn(e);
        }
    }

    /** Whether SESSION_FAILED was sent: the peer is notified if its end of the connection still stands. */
    public boolean hasNotified() {
        return hasNotified;
    }

    /** Closes all connections and waits for the threads that were started or attached. */
    @Override
    public void close() {
        List<Thread> started;
        synchronized (opened) {
            isClosing = true;
            opened.forEach(Link::close);
            started = List.copyOf(threads);
        }
        try {
            clockwork.stop(started, JOIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
