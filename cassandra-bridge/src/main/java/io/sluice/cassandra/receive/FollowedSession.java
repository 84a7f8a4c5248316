package io.sluice.cassandra.receive;

import io.sluice.cassandra.net.Conversation;
import io.sluice.cassandra.net.IncomingLink;
import io.sluice.cassandra.session.FollowSession;
import io.sluice.cassandra.session.SessionAction;
import io.sluice.cassandra.session.SessionEvent;
import io.sluice.cassandra.wire.FileHeader;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.cassandra.wire.StreamMessage.Summary;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One session that a peer started, and the folder that receives its files. Its owner calls {@link #run}; any thread may
 * call the other methods.
 */
final class FollowedSession implements FileConnection.Session {
    private final StreamMessage.StreamInit init;
    private final Follower.Order order;
    private final Conversation conversation;
    private final ConcurrentMap<UUID, ReceivedTable> tables = new ConcurrentHashMap<>();
    private final ConcurrentMap<UUID, TableRef> names = new ConcurrentHashMap<>();
    private final AtomicLong promised = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final long startNanos = System.nanoTime();
    private int installed;
    private int unverified;

    FollowedSession(StreamMessage.StreamInit init, Follower.Order order, Conversation conversation) {
        this.init = init;
        this.order = order;
        this.conversation = conversation;
    }

    private Path folder() {
        return order.target().resolve(init.planId() + "-" + init.sessionIndex());
    }

    /** Fails the session; its connections may be closed at once. */
    void cancel(Failure reason) {
        conversation.cancel(reason);
    }

    /** Runs the session to its end. */
    Follower.Outcome run(IncomingLink control) throws InterruptedException {
        Optional<Failure> failure;
        try (ReceiveDirectory landing = ReceiveDirectory.at(folder())) {
            conversation.post(new SessionEvent.Received(init));
            failure = conversation.run(new FollowSession(), control, action -> perform(action, landing));
            conversation.close(); // before the files that its connections write to are removed
        } catch (IOException e) {
            failure = Optional.of(Failure.of(e));
        }
        return new Follower.Outcome(
                init.planId(),
                init.from(),
                init.operation(),
                List.copyOf(names.values()),
                installed == 0 ? Optional.empty() : Optional.of(folder()),
                installed,
                unverified,
                received.get(),
                (System.nanoTime() - startNanos) / 1e9,
                failure,
                conversation.hasNotified());
    }

    /** Receives files on a connection of the sender, until it ends, or the session does. */
    void receive(IncomingLink link, Duration timeout) {
        conversation.attach(link, () -> FileConnection.receive(link, this, timeout));
    }

    /** Progress of the session so far. */
    Follower.Progress progress() {
        return new Follower.Progress(init.planId(), init.from(), received.get(), promised.get());
    }

    private Optional<SessionEvent> perform(SessionAction action, ReceiveDirectory landing) throws IOException {
        if (action instanceof SessionAction.Prepare prepare) {
            prepare(prepare.promised(), landing);
            return Optional.empty();
        }
        if (action instanceof SessionAction.Install) {
            install(landing);
            return Optional.of(new SessionEvent.Installed());
        }
        throw new AssertionError("no rule for " + action);
    }

    private void prepare(List<Summary> summaries, ReceiveDirectory landing) throws IOException {
        promised.set(summaries.stream().mapToLong(Summary::lengthBytes).sum());
        landing.requireRoom(promised.get());
        for (Summary summary : summaries) {
            if (summary.files() == 0) {
                continue;
            }
            TableRef table = order.tables()
                    .apply(summary.tableId())
                    .orElseThrow(() -> new StreamException(
                            ErrorCode.UNKNOWN_TABLE,
                            "table " + summary.tableId() + " is unknown here (was it created in another cluster?)"));
            names.put(table.id(), table);
            // Only the sender knows who owns a token: we are not part of the ring.
            tables.put(
                    table.id(),
                    landing.table(
                            TableDirectory.in(Path.of(""), table.keyspace(), table.name(), table.id()),
                            TokenRanges.FULL));
        }
    }

    private void install(ReceiveDirectory landing) throws IOException {
        List<ReceivedTable.ReceivedFile> arrived = new ArrayList<>();
        for (ReceivedTable table : tables.values()) {
            arrived.addAll(table.verify());
        }
        if (!arrived.isEmpty()) {
            landing.install();
        }
        installed = arrived.size();
        unverified = (int) arrived.stream().filter(one -> !one.isSummed()).count();
    }

    @Override
    public ReceivedTable tableOf(FileHeader.Route route) {
        ReceivedTable table = tables.get(route.tableId());
        if (table == null || route.sentByFollower()) {
            throw new StreamException(
                    ErrorCode.PROTOCOL,
                    "a file of table " + route.tableId()
                            + " (expected: what PREPARE_SYN announced, from the initiator of the" + " session)");
        }
        return table;
    }

    @Override
    public void received(long bytes) {
        received.addAndGet(bytes);
        conversation.progressed();
    }

    @Override
    public void post(SessionEvent event) {
        conversation.post(event);
    }
}
