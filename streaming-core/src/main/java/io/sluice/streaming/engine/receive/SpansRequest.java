package io.sluice.streaming.engine.receive;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.memory.PeerMemory;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.MessageMemory;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.runtime.Network;
import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.runtime.Timer;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Queries one source for its SSTables in some ranges of many tables: on one connection, page by page. Each page of the
 * answer renews the timeout.
 *
 * <p>Not thread-safe: confined to the thread of its channel.
 */
public final class SpansRequest implements PeerChannel.Listener, Network.Answer {
    private static final int MAX_TABLES_PER_PAGE = 500;
    private static final int MAX_RANGES_PER_PAGE = 30_000;
    /** In total over all tables: more SSTables than any node has. */
    private static final int MAX_SPANS = 1_000_000;

    private final Node source;
    private final NodeContext node;
    private final CompletableFuture<Map<TableRef, List<SSTableSpan>>> answer = new CompletableFuture<>();

    private final Timer beforeWelcome;
    private final Queue<Message.SpansQuery> unsent;
    private final Map<UUID, TableRef> tables = new HashMap<>();
    private final Map<TableRef, List<SSTableSpan>> spans = new LinkedHashMap<>();
    private final PeerMemory memory;
    private int count;
    private long keptBytes;
    private @Nullable Timer timeout;

    private SpansRequest(Node source, Map<TableRef, TokenRanges> ranges, NodeContext node) {
        this.source = source;
        this.node = node;
        this.unsent = new ArrayDeque<>(pages(ranges));
        ranges.keySet().forEach(table -> {
            tables.put(table.id(), table);
            spans.put(table, new ArrayList<>());
        });
        this.memory = node.inventory().of(source.id());
        this.beforeWelcome = node.environment()
                .loop()
                .after(node.deadlines().silence().toNanos(), () -> answer.completeExceptionally(tooLate()));
    }

    /** Queries the SSTables of {@code source} in {@code ranges}; fails with a {@link StreamException}. */
    public static CompletableFuture<Map<TableRef, List<SSTableSpan>>> send(
            Node source, Map<TableRef, TokenRanges> ranges, NodeContext node) {
        if (ranges.isEmpty()) {
            return CompletableFuture.completedFuture(Map.of());
        }
        SpansRequest request = new SpansRequest(source, ranges, node);
        UUID query = node.environment().ids().get();
        Network.Purpose purpose = new Network.Purpose(Message.Role.QUERY, query, Message.SessionNumber.FIRST);
        node.environment().network().dial(source, purpose, request, request);
        return request.answer;
    }

    /** Divides the tables, in order, into pages that fit in a message. */
    public static List<Message.SpansQuery> pages(Map<TableRef, TokenRanges> ranges) {
        List<Message.SpansQuery> pages = new ArrayList<>();
        List<Message.TableRanges> page = new ArrayList<>();
        int rangesOfPage = 0;
        for (Map.Entry<TableRef, TokenRanges> table : ranges.entrySet()) {
            int count = table.getValue().ranges().size();
            if (count > MAX_RANGES_PER_PAGE) {
                throw new IllegalArgumentException(table.getKey() + ": " + count + " ranges (expected: at most "
                        + MAX_RANGES_PER_PAGE + " of a table); split the query");
            }
            if (page.size() == MAX_TABLES_PER_PAGE || rangesOfPage + count > MAX_RANGES_PER_PAGE) {
                pages.add(new Message.SpansQuery(page));
                page = new ArrayList<>();
                rangesOfPage = 0;
            }
            page.add(new Message.TableRanges(table.getKey().id(), table.getValue()));
            rangesOfPage += count;
        }
        pages.add(new Message.SpansQuery(page));
        return pages;
    }

    @Override
    public void connected(PeerChannel open) {
        beforeWelcome.cancel();
        open.charge(memory);
        if (answer.isDone()) {
            open.close();
        } else {
            sendNext(open);
        }
    }

    @Override
    public void failed(StreamException reason) {
        beforeWelcome.cancel();
        answer.completeExceptionally(reason);
    }

    private void sendNext(PeerChannel open) {
        Message.SpansQuery next = unsent.poll();
        if (next == null) {
            open.close();
            answer.complete(spans);
        } else {
            open.send(next);
            renewTimeout(open);
        }
    }

    @Override
    public void onMessage(PeerChannel open, Message message) {
        if (answer.isDone()) {
            return;
        }
        if (message instanceof Message.Spans page) {
            try {
                add(page);
            } catch (StreamException e) {
                fail(open, e);
                return;
            }
            if (page.last()) {
                sendNext(open);
            } else {
                renewTimeout(open);
            }
        } else if (message instanceof Message.SessionFailed failure) {
            fail(open, new StreamException(failure.code(), source + " refused the query: " + failure.reason()));
        } else {
            String kind = message.getClass().getSimpleName();
            fail(
                    open,
                    new StreamException(
                            ErrorCode.PROTOCOL, source + " answered a query with a message of type " + kind));
        }
    }

    private void add(Message.Spans page) {
        long bytes = MessageMemory.bytes(page);
        if (!memory.tryTake(bytes)) {
            throw new StreamException(ErrorCode.LIMIT, "the answer of " + source + ": " + memory.shortage(bytes));
        }
        keptBytes += bytes;
        for (Message.TableSpans held : page.tables()) {
            TableRef table = tables.get(held.tableId());
            if (table == null) {
                throw new StreamException(
                        ErrorCode.PROTOCOL,
                        source + " answered for table " + held.tableId() + ", which was not requested");
            }
            count += 1 + held.spans().size(); // counts empty answers, too, so that they are bounded
            if (count > MAX_SPANS) {
                throw new StreamException(
                        ErrorCode.PROTOCOL, source + " answered with more than " + MAX_SPANS + " tables and SSTables");
            }
            spans.computeIfAbsent(table, known -> new ArrayList<>()).addAll(held.spans());
        }
    }

    @Override
    public void onError(PeerChannel open, Throwable cause) {
        Failure failure = Failure.of(cause);
        fail(open, new StreamException(failure.code(), "query to " + source + ": " + failure.reason(), cause));
    }

    private void renewTimeout(PeerChannel open) {
        stopWaiting();
        timeout = open.after(node.deadlines().silence().toNanos(), () -> fail(open, tooLate()));
    }

    private StreamException tooLate() {
        long seconds = node.deadlines().silence().toSeconds();
        return new StreamException(
                ErrorCode.TIMEOUT,
                source + " did not answer a query within " + seconds + " s (is it overloaded or stopped?)");
    }

    private void fail(PeerChannel open, StreamException why) {
        open.close();
        answer.completeExceptionally(why);
    }

    private void stopWaiting() {
        if (timeout != null) {
            timeout.cancel();
        }
    }

    @Override
    public void onEnd(PeerChannel ended, String reason) {
        stopWaiting();
        memory.release(keptBytes); // from now on the caller charges it
        keptBytes = 0;
        answer.completeExceptionally(new StreamException(ErrorCode.PEER_LOST, "query to " + source + ": " + reason));
    }
}
