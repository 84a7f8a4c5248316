package io.sluice.netty;

import io.sluice.netty.receive.PlanExecution;
import io.sluice.netty.transport.Connection;
import io.sluice.netty.transport.Dialer;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.plan.SSTableSpan;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The question of a planner for what a source has of some ranges, on a connection of its own. */
@SuppressWarnings("FutureReturnValueIgnored") // what is scheduled does not fail, and ends with the mailbox
final class SpansQuestion {
    private SpansQuestion() {}

    /** As {@link StreamingNode#spans}, of a node that is not closed. */
    static CompletableFuture<List<SSTableSpan>> ask(
            Node source, TableRef table, TokenRanges ranges, PlanExecution.Resources resources) {
        CompletableFuture<List<SSTableSpan>> answer = new CompletableFuture<>();
        long patienceSeconds = resources.deadlines().silence().toSeconds();
        StreamException silence = new StreamException(
                ErrorCode.TIMEOUT,
                "asking " + source + ": no answer within " + patienceSeconds + " s (is it overloaded, or frozen?)");
        CompletableFuture.delayedExecutor(patienceSeconds, TimeUnit.SECONDS, resources.mailbox())
                .execute(() -> answer.completeExceptionally(silence));
        Message hello =
                resources.dialer().hello(source, Message.Role.QUERY, UUID.randomUUID(), Message.SessionNumber.FIRST, 0);
        resources.dialer().dial(source, hello, new Listener(source, answer), new Dialer.Answer() {
            @Override
            public void connected(Connection connection) {
                connection.send(new Message.SpansQuery(table.id(), ranges));
            }

            @Override
            public void failed(StreamException reason) {
                answer.completeExceptionally(reason);
            }
        });
        return answer;
    }

    private record Listener(Node source, CompletableFuture<List<SSTableSpan>> answer) implements Connection.Listener {
        @Override
        public void onMessage(Connection connection, Message message) {
            if (message instanceof Message.Spans spans) {
                answer.complete(spans.spans());
            } else if (message instanceof Message.SessionFailed failure) {
                answer.completeExceptionally(
                        new StreamException(failure.code(), "asking " + source + ": " + failure.reason()));
            }
            connection.close();
        }

        @Override
        public void onEnd(Connection connection, String reason) {
            answer.completeExceptionally(new StreamException(ErrorCode.PEER_LOST, "asking " + source + ": " + reason));
        }
    }
}
