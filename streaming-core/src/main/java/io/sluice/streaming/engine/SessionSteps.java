package io.sluice.streaming.engine;

import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.SessionMachine;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * The steps of one session: each hands an event to the session and performs its actions. An exception in a step ends
 * that session only. Confined to the loop, but for {@link #post}.
 *
 * @param <S> the states of the session
 * @param <E> its events
 * @param <A> its actions
 */
public final class SessionSteps<S extends Enum<S>, E, A> {
    private final Logger logger;
    private final String name;
    private final LogKeys keys;
    private final Supplier<String> peerAddress;
    private final NodeContext node;
    private final VirtualMachineErrors fatal;
    private final SessionMachine<S, E, A> session;
    private final Performer<A> performer;

    /** Performs what the session decides. */
    public interface Performer<A> {
        /** Performs one action. */
        void perform(A action);

        /** Follows each step. */
        void stepped();

        /** Ends the session at once: a failure could not be handled. */
        void end(Failure failure);
    }

    /**
     * Creates the steps of one session.
     *
     * @param logger of the peer
     * @param name of the session, for the log
     * @param peerAddress a peer can cause any number of lines: of each kind, a few are written per minute and address
     * @param fatal notes errors of the virtual machine
     */
    public SessionSteps(
            Logger logger,
            String name,
            LogKeys keys,
            Supplier<String> peerAddress,
            NodeContext node,
            VirtualMachineErrors fatal,
            SessionMachine<S, E, A> session,
            Performer<A> performer) {
        this.logger = logger;
        this.name = name;
        this.keys = keys;
        this.peerAddress = peerAddress;
        this.node = node;
        this.fatal = fatal;
        this.session = session;
        this.performer = performer;
    }

    /** Handles one event later, on the loop. From any thread. */
    public void post(E event) {
        node.onLoop(() -> on(event));
    }

    /** Handles one event. */
    public void on(E event) {
        try {
            step(event);
        } catch (Throwable e) {
            keys.run(() -> defective(e));
        }
    }

    /** Runs {@code work} with the keys of the session. */
    public void guarded(Runnable work) {
        LogKeys.Scope scope = keys.enter();
        try {
            work.run();
        } catch (Throwable e) {
            defective(e);
        } finally {
            scope.leave();
        }
    }

    /** Runs {@code work} later, on the loop, as {@link #guarded}. From any thread. */
    public void postGuarded(Runnable work) {
        node.onLoop(() -> guarded(work));
    }

    /** Writes a line of the session. From any thread. */
    public void log(Level level, String format, Object... arguments) {
        node.log().write(logger, level, peerAddress.get(), format, arguments);
    }

    private void defective(Throwable cause) {
        fatal.note(cause);
        log(Level.ERROR, "{}: a step failed", name, cause);
        Failure failure = Failure.of(cause);
        try {
            step(session.failed(failure));
        } catch (Throwable again) {
            log(Level.ERROR, "{}: ended immediately, because ending it failed", name, again);
            performer.end(failure);
        }
    }

    private void step(E event) {
        S before = session.state();
        List<A> actions = session.on(event, node.nanoTime());
        if (session.state() == before && movesBytesOnly(actions)) {
            actions.forEach(performer::perform);
        } else {
            LogKeys.Scope scope = keys.enter();
            try {
                logChange(before, event);
                actions.forEach(performer::perform);
            } finally {
                scope.leave();
            }
        }
        performer.stepped();
    }

    private boolean movesBytesOnly(List<A> actions) {
        for (A action : actions) {
            if (!session.movesBytes(action)) {
                return false;
            }
        }
        return true;
    }

    private void logChange(S before, E event) {
        S after = session.state();
        if (after != before) {
            String kind = session.kind(event).getSimpleName();
            log(Level.INFO, "{}: {} -> {} by {}: {}", name, before, after, kind, session.because());
        }
    }
}
