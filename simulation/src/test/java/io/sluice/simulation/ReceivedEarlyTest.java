package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.message.ReceiverFeatures;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.runtime.PeerChannel;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What a receiver has received before the session is over. */
class ReceivedEarlyTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    /** After which a page of offers is passed on, however short it is. */
    private static final Duration HEARTBEAT = Simulation.DEADLINES.heartbeat().plusSeconds(1);

    private static final long VOLUME_BYTES = 1_000;
    private static final long TOO_MUCH_BYTES = 501;

    /** The receiver's end of a connection, on which everything comes through. */
    private static final class Receiver extends OpenChannel {
        private final List<Message> messages = new ArrayList<>();

        @Override
        public void send(Message message, Consumer<Boolean> end) {
            messages.add(message);
            end.accept(true);
        }

        List<SSTableOffer> offers() {
            return messages.stream()
                    .filter(Message.PrepareSynAck.class::isInstance)
                    .flatMap(page -> ((Message.PrepareSynAck) page).offers().stream())
                    .toList();
        }
    }

    private final Receiver control = new Receiver();
    private final Receiver data = new Receiver();

    private static PeerChannel.Listener accepted(TwoEngines cluster, Receiver channel, Message.Role role) {
        Message.Hello hello = new Message.Hello(
                Message.Cluster.named("sim"),
                new UUID(1, 1),
                cluster.receiver.node.id(),
                role,
                new UUID(2, 2),
                Message.SessionNumber.FIRST,
                0);
        return cluster.engine(cluster.source).accept(channel, hello, "");
    }

    /** Opens a session that fetches while others are prepared, and asks for these ranges of the first table. */
    private PeerChannel.Listener requested(TwoEngines cluster, TokenRanges ranges) {
        PeerChannel.Listener source = accepted(cluster, control, Message.Role.CONTROL);
        ReceiverFeatures early = new ReceiverFeatures(false, false, true);
        source.onMessage(control, new Message.StreamInit(1, early, Message.StreamInit.ANY_ROOM));
        UUID table = cluster.tables.get(0).id();
        source.onMessage(control, new Message.PrepareSyn(List.of(new Message.TableRequest(table, ranges)), true));
        return source;
    }

    @Test
    void is_not_sent_again_when_its_temporary_files_are_gone() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, 8)) {
            PeerChannel.Listener source = requested(cluster, TokenRanges.of(TokenRange.of(0, 2)));
            cluster.until(() -> !control.offers().isEmpty());
            SSTableOffer slice = control.offers().get(0);
            PeerChannel.Listener fetching = accepted(cluster, data, Message.Role.DATA);
            int length = (int) slice.manifest(Component.DATA).orElseThrow().lengthBytes();
            Message.Fetch fetch = new Message.Fetch(List.of(new Extent(0, Component.DATA, 0, length)));
            source.onMessage(control, new Message.PrepareAck());
            fetching.onMessage(data, fetch);
            cluster.pass(SOON);
            assertThat(data.messages).hasAtLeastOneElementOfType(Message.Stream.class);
            data.messages.clear();

            source.onMessage(control, new Message.Received(0));
            cluster.pass(SOON);
            fetching.onMessage(data, fetch); // which was on its way
            cluster.pass(SOON);

            assertThat(data.messages).doesNotHaveAnyElementsOfTypes(Message.Stream.class);
            assertThat(control.messages).doesNotHaveAnyElementsOfTypes(Message.SessionFailed.class);
            fetching.onEnd(data, "over");
            source.onEnd(control, "over");
            cluster.pass(SOON);
        }
    }

    @Test
    void is_no_reason_to_unpin_a_table_of_which_more_is_prepared() throws IOException {
        try (TwoEngines cluster = new TwoEngines(1, 2)) {
            TableRef table = cluster.tables.get(0);
            for (int i = 0; i < 3; i++) {
                cluster.sourceTables.add(table.id(), List.of(new SimulatedRow(0, 0, 0), new SimulatedRow(1, 1, 1)));
            }
            cluster.disk(cluster.source).volumeBytes = VOLUME_BYTES;
            BooleanSupplier isPreparing = cluster.hangAtCall(cluster.source, "sstables");
            PeerChannel.Listener source = requested(cluster, TokenRanges.FULL);
            while (control.offers().isEmpty()) {
                cluster.until(
                        () -> isPreparing.getAsBoolean() || !control.offers().isEmpty());
                cluster.pass(HEARTBEAT);
                cluster.hangs.release();
            }
            cluster.until(isPreparing);
            for (SSTableOffer offer : control.offers()) {
                source.onMessage(control, new Message.Received(offer.number()));
            }
            cluster.pass(SOON);
            cluster.store(cluster.source).obsoleteBytes = TOO_MUCH_BYTES;

            assertThatThrownBy(() -> cluster.engine(cluster.source)
                            .pins()
                            .pin(new UUID(9, 9), table, TokenRanges.FULL)
                            .close())
                    .as("nothing can be given back for it")
                    .isInstanceOfSatisfying(
                            StreamException.class,
                            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.LIMIT));

            assertThat(cluster.store(cluster.source).calls).doesNotContain("unpin t0");
            cluster.answer(cluster.source);
            source.onEnd(control, "over");
            cluster.pass(SOON);
        }
    }
}
