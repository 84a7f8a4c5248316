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
import io.sluice.streaming.transfer.SourceRegion;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
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
        private final Queue<Consumer<Optional<Throwable>>> regions = new ArrayDeque<>();
        private final List<Throwable> failures = new ArrayList<>();
        /** Whether regions are sent at once; otherwise they wait. */
        private boolean isFast = true;

        @Override
        public void send(Message message, Consumer<Boolean> end) {
            messages.add(message);
            end.accept(true);
        }

        @Override
        public void send(SourceRegion region, Consumer<Optional<Throwable>> end) {
            if (isFast) {
                super.send(region, end);
            } else {
                regions.add(end);
            }
        }

        @Override
        public void fail(Throwable cause) {
            failures.add(cause);
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

    /** Opens a session that fetches while others are prepared, and asks for these ranges of all tables. */
    private PeerChannel.Listener requested(TwoEngines cluster, TokenRanges ranges) {
        PeerChannel.Listener source = accepted(cluster, control, Message.Role.CONTROL);
        ReceiverFeatures early = new ReceiverFeatures(false, false, true);
        source.onMessage(control, new Message.StreamInit(1, early, Message.StreamInit.ANY_ROOM));
        List<Message.TableRequest> requests = cluster.tables.stream()
                .map(table -> new Message.TableRequest(table.id(), ranges))
                .toList();
        source.onMessage(control, new Message.PrepareSyn(requests, true));
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

    /** The database may remove the files of a table that is unpinned while a lost connection sends of them. */
    private void cannotBeRead(Message reason, boolean failsTheSession) throws IOException {
        try (TwoEngines cluster = new TwoEngines(2, 8)) {
            PeerChannel.Listener source = requested(cluster, TokenRanges.FULL);
            cluster.until(() -> control.offers().size() == 4);
            SSTableOffer offer = control.offers().get(0);
            assertThat(offer.tableId()).isEqualTo(cluster.tables.get(0).id());
            PeerChannel.Listener fetching = accepted(cluster, data, Message.Role.DATA);
            data.isFast = false;
            int length = (int) offer.manifest(Component.DATA).orElseThrow().lengthBytes();
            source.onMessage(control, new Message.PrepareAck());
            fetching.onMessage(data, new Message.Fetch(List.of(new Extent(0, Component.DATA, 0, length))));
            cluster.until(() -> !data.regions.isEmpty());

            source.onMessage(control, reason);
            cluster.pass(SOON);
            data.regions.remove().accept(Optional.of(new NoSuchFileException("nb-1-big-Data.db")));
            cluster.pass(SOON);

            if (failsTheSession) {
                assertThat(control.messages).hasAtLeastOneElementOfType(Message.SessionFailed.class);
            } else {
                assertThat(control.messages).doesNotHaveAnyElementsOfTypes(Message.SessionFailed.class);
                assertThat(data.failures).singleElement().asString().contains("nb-1-big-Data.db at offset 0");
            }
            fetching.onEnd(data, "over");
            source.onEnd(control, "over");
            cluster.pass(SOON);
        }
    }

    @Test
    void ends_a_connection_alone_that_cannot_read_what_is_not_needed_any_more() throws IOException {
        UUID table;
        try (TwoEngines cluster = new TwoEngines(2, 8)) {
            table = cluster.tables.get(0).id();
        }
        cannotBeRead(new Message.Received(0), false);
        control.messages.clear();
        data.failures.clear();
        cannotBeRead(new Message.Released(table, ErrorCode.DISK, "full"), false);
    }

    @Test
    void fails_the_session_if_what_is_needed_cannot_be_read() throws IOException {
        cannotBeRead(new Message.Received(1), true);
    }

    /** A connection that the receiver has lost may bring its messages when the table is installed already. */
    @Test
    void ends_a_connection_alone_that_fetches_of_an_installed_table() throws IOException {
        try (TwoEngines cluster = new TwoEngines(2, 8)) {
            PeerChannel.Listener source = requested(cluster, TokenRanges.FULL);
            cluster.until(() -> control.offers().size() == 4);
            PeerChannel.Listener lost = accepted(cluster, data, Message.Role.DATA);
            cluster.pass(SOON);
            source.onMessage(control, new Message.PrepareAck());
            source.onMessage(control, new Message.Received(0));
            source.onMessage(control, new Message.Received(1));
            source.onMessage(
                    control, new Message.Installed(cluster.tables.get(0).id()));
            cluster.pass(SOON);

            lost.onMessage(data, new Message.Fetch(List.of(new Extent(0, Component.DATA, 0, 1))));
            cluster.pass(SOON);

            assertThat(data.messages).doesNotHaveAnyElementsOfTypes(Message.Stream.class);
            assertThat(control.messages).doesNotHaveAnyElementsOfTypes(Message.SessionFailed.class);
            assertThat(data.failures).singleElement().asString().contains("has lost this connection");
            lost.onEnd(data, "over");
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
