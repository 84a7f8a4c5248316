package io.sluice.streaming.engine.send;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.audit.AuditEvent;
import io.sluice.streaming.guard.VirtualMachineErrors;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageMemory;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.runtime.ChannelTimeout;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.store.Authorizer.Peer;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Answers the queries of one planner sequentially, page by page: it builds the next page when the previous one is sent,
 * so that a planner that does not read occupies one page.
 *
 * <p>Not thread-safe: confined to the thread of its channel, except {@link #answer}, which runs on a disk thread, one
 * call at a time.
 */
final class SpansResponder implements PeerChannel.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(SpansResponder.class);
    private static final long QUERY_TIMEOUT_SECONDS = 10;
    private static final int MAX_TABLES_PER_PAGE = 500;
    private static final int MAX_SPANS_PER_PAGE = 10_000;
    /** Memory of a page in flight. */
    private static final long PAGE_BYTES = 512 << 10;

    private final Peer peer;
    private final UUID planId;
    private final LogKeys keys;
    private final SendingContext sending;
    private final NodeContext node;
    private final PeerMemory memory;
    private final Runnable onEnd;
    private boolean isAnswering;
    private final ChannelTimeout timeout = new ChannelTimeout();

    /**
     * Creates a responder for one planner.
     *
     * @param planId the plan id of its hello
     */
    SpansResponder(Peer peer, UUID planId, SendingContext sending, PeerSlot place) {
        this.peer = peer;
        this.planId = planId;
        this.keys = LogKeys.of(planId, peer.nodeId());
        this.sending = sending;
        this.node = sending.node();
        this.memory = place.memory();
        this.onEnd = place.leave();
    }

    /**
     * The resources of a planner on this node.
     *
     * @param memory charged for data that it makes this node keep
     * @param leave runs when the planner has disconnected
     */
    record PeerSlot(PeerMemory memory, Runnable leave) {}

    /** The unanswered rest of a query: tables, and spans of the first one that did not fit into its page. */
    private record PendingQuery(Queue<Message.TableRanges> tables, Deque<Message.TableSpans> spans, long bytes) {
        boolean isEmpty() {
            return tables.isEmpty() && spans.isEmpty();
        }
    }

    /** Waits for the first query, or the next one. */
    void expectQuery(PeerChannel channel) {
        isAnswering = false;
        timeout.begin(channel, QUERY_TIMEOUT_SECONDS, "query");
    }

    @Override
    public void onMessage(PeerChannel channel, Message message) {
        timeout.end();
        if (message instanceof Message.SpansQuery query && !isAnswering) {
            long bytes = MessageMemory.bytes(query) + PAGE_BYTES;
            if (!memory.tryTake(bytes)) {
                throw new StreamException(ErrorCode.LIMIT, memory.shortage(bytes));
            }
            isAnswering = true;
            PendingQuery all = new PendingQuery(new ArrayDeque<>(query.tables()), new ArrayDeque<>(), bytes);
            node.environment().disk().execute(keys.around(() -> answer(channel, all)));
        } else {
            channel.fail(new StreamException(
                    ErrorCode.PROTOCOL,
                    message.getClass().getSimpleName() + " on a query connection"
                            + (isAnswering ? ", before the previous query was answered" : "")));
        }
    }

    @Override
    public void onEnd(PeerChannel channel, String reason) {
        timeout.end();
        keys.run(() -> {
            LOG.debug("query connection of {} ended: {}", channel.address(), reason);
            if (channel.endCode() == ErrorCode.PROTOCOL) {
                violated(reason);
            }
        });
        onEnd.run();
    }

    @Override
    public void onError(PeerChannel channel, Throwable cause) {
        keys.run(() -> {
            if (cause instanceof StreamException known && known.code() == ErrorCode.PROTOCOL) {
                violated(String.valueOf(known.getMessage()));
            }
            refuse(channel, cause);
        });
    }

    private void violated(String reason) {
        node.access().violated(AuditEvent.Identity.of(peer), reason);
    }

    private void refuse(PeerChannel channel, Throwable cause) {
        String reason = String.valueOf(cause.getMessage());
        if (Preparation.isRefusal(cause)) {
            log("query of {}: {}", peer.address(), reason);
        } else {
            log("query of {}: {}", peer.address(), reason, cause);
        }
        channel.read(false);
        Failure failure = Preparation.ofThisNode(cause);
        channel.send(new Message.SessionFailed(failure.code(), failure.reason()));
        channel.close();
    }

    private void log(String format, Object... arguments) {
        node.log().write(LOG, Level.WARN, peer.address(), format, arguments);
    }

    private void answer(PeerChannel channel, PendingQuery left) {
        try {
            List<Message.TableSpans> page = page(left, channel);
            if (!channel.isOpen()) {
                memory.release(left.bytes()); // the answer is no longer needed
            } else if (left.isEmpty()) {
                channel.send(new Message.Spans(page, true), sent -> {
                    memory.release(left.bytes());
                    if (sent) {
                        expectQuery(channel);
                    }
                });
            } else {
                channel.send(new Message.Spans(page, false), sent -> {
                    if (sent) {
                        node.environment().disk().execute(keys.around(() -> answer(channel, left)));
                    } else {
                        memory.release(left.bytes());
                    }
                });
            }
        } catch (Throwable e) { // any exception: a planner waits for an answer
            memory.release(left.bytes());
            refuse(channel, e);
            VirtualMachineErrors fatal = new VirtualMachineErrors();
            fatal.note(e);
            fatal.handOn();
        }
    }

    /** The next page: as many spans as fit, or as many as are known within a keep-alive period. */
    private List<Message.TableSpans> page(PendingQuery left, PeerChannel channel) throws IOException {
        long endNanos = node.nanoTime() + node.deadlines().heartbeat().toNanos();
        List<Message.TableSpans> page = new ArrayList<>();
        int room = MAX_SPANS_PER_PAGE;
        while (!left.isEmpty() && page.size() < MAX_TABLES_PER_PAGE && room > 0 && channel.isOpen()) {
            Message.TableRanges next = left.tables().peek();
            if (left.spans().isEmpty() && next != null) {
                if (!page.isEmpty() && node.nanoTime() > endNanos) {
                    break;
                }
                left.tables().remove();
                left.spans().add(new Message.TableSpans(next.tableId(), spans(next)));
            }
            Message.TableSpans table = left.spans().remove();
            int fitting = Math.min(room, table.spans().size());
            page.add(new Message.TableSpans(table.tableId(), table.spans().subList(0, fitting)));
            if (fitting < table.spans().size()) {
                left.spans()
                        .add(new Message.TableSpans(
                                table.tableId(),
                                table.spans().subList(fitting, table.spans().size())));
            }
            room -= fitting;
        }
        return page;
    }

    private List<SSTableSpan> spans(Message.TableRanges query) throws IOException {
        TableRef table = node.store()
                .table(query.tableId())
                .orElseThrow(() -> new StreamException(
                        ErrorCode.UNKNOWN_TABLE, "table " + query.tableId() + " is not known here"));
        node.access()
                .require(
                        peer,
                        new AuditEvent.TableAccess(
                                planId,
                                "ask for",
                                table,
                                query.ranges().ranges().size()),
                        authorizer -> authorizer.mayFetch(peer, planId, table, query.ranges()));
        return new HeldSpans(node, sending.pins()).of(table, query.ranges());
    }
}
