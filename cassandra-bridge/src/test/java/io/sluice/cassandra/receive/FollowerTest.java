package io.sluice.cassandra.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.datastax.oss.driver.api.core.uuid.Uuids;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.sluice.cassandra.load.LoadPlanner;
import io.sluice.cassandra.load.Receiver;
import io.sluice.cassandra.net.CassandraAcceptor;
import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.net.CassandraTls;
import io.sluice.cassandra.net.Clockwork;
import io.sluice.cassandra.net.IncomingLink;
import io.sluice.cassandra.net.Links;
import io.sluice.cassandra.net.OutgoingLink;
import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.cassandra.send.FileSender;
import io.sluice.cassandra.send.OutgoingFile;
import io.sluice.cassandra.send.Push;
import io.sluice.cassandra.send.SSTableTransfer;
import io.sluice.cassandra.send.SharedThrottle;
import io.sluice.cassandra.wire.FileHeader;
import io.sluice.cassandra.wire.MessageWriter;
import io.sluice.cassandra.wire.StreamMessage;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Cassandra's dialect over real sockets, with Sluice at both ends. Long because all need a table and both ends. */
class FollowerTest {
    private static final UUID ID = new UUID(1, 2);
    private static final TableRef TABLE = new TableRef(ID, "shop", "users");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long DATA_BYTES = 2 << 20;
    private static final TokenRange HALF = TokenRange.of(0, Long.MAX_VALUE);

    @TempDir
    private Path work = Path.of("");

    private final BlockingQueue<Follower.Outcome> ended = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> refused = new LinkedBlockingQueue<>();
    private final Sent sent = new Sent();

    /** What a push told. */
    private static final class Sent implements Push.Listener {
        private final AtomicLong bytes = new AtomicLong();
        private final AtomicLong expectedBytes = new AtomicLong();
        private final AtomicInteger slices = new AtomicInteger();

        @Override
        public void sent(long lengthBytes) {
            bytes.addAndGet(lengthBytes);
        }

        @Override
        public void cut() {
            slices.incrementAndGet();
        }

        @Override
        public void prepared(long lengthBytes) {
            expectedBytes.addAndGet(lengthBytes);
        }
    }

    @BeforeEach
    void generate() throws IOException {
        Files.createDirectories(source());
        new DataSetWriter(DataSet.ofBytes(1, DATA_BYTES), Version.NB, WriterOptions.DEFAULTS)
                .write(source(), TokenRanges.FULL.ranges(), 2, 1);
    }

    private Path source() {
        return work.resolve("shop").resolve("users-00000000000000010000000000000002");
    }

    private static List<SSTable> open(Path folder) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (TableDirectory table : TableDirectory.find(folder)) {
            for (Descriptor descriptor : table.descriptors()) {
                sstables.add(SSTable.open(table.path(), descriptor));
            }
        }
        return sstables;
    }

    private Optional<Failure> send(List<SSTableTransfer> transfers, Function<UUID, Optional<TableRef>> tables)
            throws IOException, InterruptedException {
        return send(transfers, tables, Optional.empty(), Optional.empty());
    }

    private Optional<Failure> send(
            List<SSTableTransfer> transfers,
            Function<UUID, Optional<TableRef>> tables,
            Optional<CassandraTls> ours,
            Optional<CassandraTls> senders)
            throws IOException, InterruptedException {
        try (CassandraLinks links = CassandraLinks.create(ours, 1, PATIENCE);
                CassandraLinks sending = CassandraLinks.create(senders, 1, PATIENCE);
                Follower follower = follower(links, tables)) {
            return push(follower, transfers, sending);
        }
    }

    private Follower follower(Links links, Function<UUID, Optional<TableRef>> tables) throws IOException {
        return Follower.start(order(work.resolve("to"), tables), links);
    }

    private Follower.Order order(Path target) {
        return order(target, id -> Optional.of(TABLE));
    }

    private Follower.Order order(Path target, Function<UUID, Optional<TableRef>> tables) {
        return new Follower.Order(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                target,
                tables,
                PATIENCE,
                ended::add,
                refused::add);
    }

    private Optional<Failure> push(Follower follower, List<SSTableTransfer> transfers, CassandraLinks sending)
            throws InterruptedException {
        var order = new Push.Order(follower.address(), Uuids.timeBased(), 0, ID, transfers, 2, PATIENCE);
        return new Push(order, sending, new SharedThrottle(0), sent).run();
    }

    private static List<SSTableTransfer> whole(List<SSTable> sstables) throws IOException {
        var node = new CassandraNode(ID, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), "dc1", "5.0.9");
        var table = new LiveTable("shop", "users", ID, "", List.of());
        return LoadPlanner.plan(table, sstables, List.of(new Receiver(node, TokenRanges.FULL, 12)))
                .get(0)
                .transfers();
    }

    private Follower.Outcome outcome() throws InterruptedException {
        Follower.Outcome outcome = ended.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (outcome == null) {
            throw new AssertionError("no session ended");
        }
        return outcome;
    }

    private void assertArrived(TokenRanges ranges, int unverified) throws IOException, InterruptedException {
        Follower.Outcome outcome = outcome();
        assertThat(outcome.failure()).isEmpty();
        assertThat(outcome.unverified()).isEqualTo(unverified);
        assertThat(ContentDigest.of(open(outcome.folder().orElseThrow()), TokenRanges.FULL))
                .isEqualTo(ContentDigest.of(open(source()), ranges));
    }

    private void assertNothingWasKept(ErrorCode reason, boolean isSenderNotified) throws Exception {
        Follower.Outcome outcome = outcome();
        assertThat(outcome.failure().map(Failure::code)).contains(reason);
        assertThat(outcome.isSenderNotified()).isEqualTo(isSenderNotified);
        assertThat(outcome.folder()).isEmpty();
        try (Stream<Path> left = Files.list(work.resolve("to"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void whole_sstables_lie_there_as_they_were() throws Exception {
        assertThat(send(whole(open(source())), id -> Optional.of(TABLE))).isEmpty();

        assertArrived(TokenRanges.FULL, 0);
    }

    private static CassandraTls trusted(X509Bundle authority) throws Exception {
        return trusted(authority, "127.0.0.1", false);
    }

    private static CassandraTls trusted(X509Bundle authority, String host, boolean verifiesHost) throws Exception {
        X509Bundle own = new CertificateBuilder()
                .subject("CN=node")
                .ecp256()
                .addSanIpAddress(host)
                .buildIssuedBy(authority);
        return new CassandraTls(
                authority.toTrustManagerFactory(), Optional.of(own.toKeyManagerFactory()), verifiesHost);
    }

    private static X509Bundle authority() throws Exception {
        return new CertificateBuilder()
                .subject("CN=authority")
                .ecp256()
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    @Test
    void encrypted_sstables_lie_there_as_they_were() throws Exception {
        X509Bundle authority = authority();

        assertThat(send(
                        whole(open(source())),
                        id -> Optional.of(TABLE),
                        Optional.of(trusted(authority)),
                        Optional.of(trusted(authority))))
                .isEmpty();

        assertArrived(TokenRanges.FULL, 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_certificate_must_name_the_host_where_that_is_wanted(boolean verifiesHost) throws Exception {
        X509Bundle authority = authority();

        Optional<Failure> failure = send(
                whole(open(source())),
                id -> Optional.of(TABLE),
                Optional.of(trusted(authority, "192.0.2.1", false)),
                Optional.of(trusted(authority, "127.0.0.1", verifiesHost)));

        assertThat(failure.isPresent()).isEqualTo(verifiesHost);
    }

    @Test
    void whoever_shows_another_certificate_is_refused_and_told_of() throws Exception {
        Optional<Failure> failure = send(
                whole(open(source())),
                id -> Optional.of(TABLE),
                Optional.of(trusted(authority())),
                Optional.of(trusted(authority())));

        assertThat(failure.map(Failure::code)).contains(ErrorCode.PEER_LOST);
        assertThat(refused.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).contains("with a certificate that we trust");
    }

    @Test
    void whoever_speaks_plainly_where_tls_is_wanted_is_refused_and_told_of() throws Exception {
        Optional<Failure> failure = send(
                whole(open(source())), id -> Optional.of(TABLE), Optional.of(trusted(authority())), Optional.empty());

        assertThat(failure.map(Failure::code)).contains(ErrorCode.PEER_LOST);
        assertThat(refused.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .contains("expected: TLS, with a certificate that we trust");
    }

    @Test
    void slices_and_parts_bring_their_range_and_nothing_else() throws Exception {
        List<SSTable> sstables = open(source());
        SSTable first = sstables.get(0);
        SSTable second = sstables.get(1);
        List<SSTableTransfer> some = new ArrayList<>();
        some.add(new SSTableTransfer.Slice(first, TokenRanges.of(HALF), 1));
        some.add(new SSTableTransfer.Part(second, TokenRanges.of(HALF), 1));

        assertThat(send(some, id -> Optional.of(TABLE))).isEmpty();

        assertArrived(TokenRanges.of(HALF), 1); // rows in part come without checksums
        assertThat(sent.slices).hasValue(1);
        assertThat(sent.bytes.get()).isPositive().isEqualTo(sent.expectedBytes.get());
    }

    @Test
    void data_that_comes_without_checksums_is_not_called_verified() throws Exception {
        for (SSTable sstable : open(source())) {
            for (Component sums : List.of(Component.DIGEST, Component.CRC)) {
                Files.delete(sstable.path(sums));
            }
        }

        assertThat(send(whole(open(source())), id -> Optional.of(TABLE))).isEmpty();

        assertArrived(TokenRanges.FULL, 2);
    }

    @Test
    void a_connection_that_speaks_something_else_is_told_of() throws Exception {
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                Follower follower = Follower.start(
                        new Follower.Order(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                work.resolve("to"),
                                id -> Optional.of(TABLE),
                                PATIENCE,
                                ended::add,
                                refused::add),
                        links);
                Socket browser = new Socket(
                        follower.address().getAddress(), follower.address().getPort())) {
            browser.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

            assertThat(refused.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .startsWith("connection of /127.0.0.1:")
                    .contains("magic 47455420 (expected: ca552dfa");
        }
    }

    @Test
    void whoever_drips_the_first_message_is_not_waited_for() throws Exception {
        var order = new Follower.Order(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                work.resolve("to"),
                id -> Optional.of(TABLE),
                Duration.ofMillis(200),
                ended::add,
                refused::add);
        var init = new StreamMessage.StreamInit(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 7000),
                0,
                Uuids.timeBased(),
                "Rebuild",
                Optional.empty(),
                0);
        Bytes message = MessageWriter.encode(init);
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                Follower follower = Follower.start(order, links);
                OutgoingLink dripping = links.connect(follower.address(), Optional.empty())) {
            dripping.send(message.slice(0, message.length() - 1));

            assertThat(refused.poll(PATIENCE.toSeconds() / 2, TimeUnit.SECONDS))
                    .contains("has sent no complete message in");
        }
    }

    @Test
    void whoever_has_sent_nothing_when_the_follower_closes_is_told_of() throws Exception {
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE)) {
            OutgoingLink silent;
            try (Follower follower = follower(links, id -> Optional.empty())) {
                silent = links.connect(follower.address(), Optional.empty());
            }
            silent.close();
        }
        assertThat(refused.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).endsWith(": closed before its first message");
    }

    private static void flipABit(Path file) throws IOException {
        try (RandomAccessFile data = new RandomAccessFile(file.toFile(), "rw")) {
            data.seek(data.length() / 2);
            int before = data.read();
            data.seek(data.length() / 2);
            data.write(before ^ 1);
        }
    }

    @Test
    void a_flipped_bit_keeps_everything_away_and_the_sender_is_told() throws Exception {
        List<SSTable> sstables = open(source());
        flipABit(sstables.get(1).path(Component.DATA));
        Optional<Failure> failure = send(whole(sstables), id -> Optional.of(TABLE));

        assertThat(failure.orElseThrow().reason()).contains("the node failed the session");
        assertNothingWasKept(ErrorCode.CORRUPT_IN_FLIGHT, true);
    }

    /** The link leads to itself: nobody can open it, root neither. */
    @Test
    void a_source_that_cannot_be_read_is_a_matter_of_our_disk() throws Exception {
        List<SSTable> sstables = open(source());
        List<SSTableTransfer> transfers = whole(sstables);
        Path data = sstables.get(1).path(Component.DATA);
        Files.delete(data);
        Files.createSymbolicLink(data, data.getFileName());

        assertThat(send(transfers, id -> Optional.of(TABLE)).map(Failure::code)).contains(ErrorCode.DISK);
        assertNothingWasKept(ErrorCode.PEER_LOST, false);
    }

    @Test
    void a_defect_while_a_file_is_sent_fails_the_session_at_once() throws Exception {
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                Follower follower = follower(links, id -> Optional.of(TABLE))) {
            var order = new Push.Order(
                    follower.address(), Uuids.timeBased(), 0, ID, whole(open(source())), 1, Duration.ofHours(1));
            Push push = new Push(order, links, new SharedThrottle(0), bytes -> {
                throw new AssertionError("injected");
            });

            assertThat(push.run().map(Failure::reason).orElseThrow()).contains("injected");
        }
    }

    @Test
    void a_table_that_is_not_known_is_refused() throws Exception {
        Optional<Failure> failure = send(whole(open(source())), id -> Optional.empty());

        assertThat(failure).isPresent();
        assertNothingWasKept(ErrorCode.UNKNOWN_TABLE, true);
    }

    @Test
    void sessions_that_fail_again_and_again_write_a_few_lines() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger("io.sluice.cassandra");
        Level before = logger.getLevel();
        logger.setLevel(Level.INFO); // who sets it to DEBUG gets every line
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                Follower follower = follower(links, id -> Optional.empty())) {
            List<SSTableTransfer> transfers = whole(open(source()));
            for (int i = 0; i < 60; i++) {
                assertThat(push(follower, transfers, links)).isPresent();
                assertThat(outcome().failure().map(Failure::code)).contains(ErrorCode.UNKNOWN_TABLE);
            }
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(before);
        }
        List<ILoggingEvent> written = List.copyOf(lines.list);

        assertThat(written)
                .filteredOn(line -> line.getFormattedMessage().startsWith("follow ")
                        && line.getLevel().isGreaterOrEqual(Level.WARN))
                .hasSizeBetween(1, 40);
    }

    /** At both ends: those of a push, and those of who follows it. */
    @Test
    void each_line_of_a_session_names_plan_and_peer_by_the_same_keys() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger("io.sluice.cassandra");
        ListAppender<ILoggingEvent> lines = new ListAppender<>() {
            @Override
            protected void append(ILoggingEvent event) {
                event.prepareForDeferredProcessing(); // takes the keys
                super.append(event);
            }
        };
        lines.start();
        logger.addAppender(lines);
        List<SSTable> sstables = open(source());
        flipABit(sstables.get(1).path(Component.DATA));
        InetSocketAddress to;
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                Follower follower = follower(links, id -> Optional.of(TABLE))) {
            to = follower.address();
            assertThat(push(follower, whole(sstables), links)).isPresent();
        } finally {
            logger.detachAppender(lines);
        }
        UUID plan = outcome().planId();
        List<ILoggingEvent> written = List.copyOf(lines.list);

        assertThat(written)
                .filteredOn(line -> line.getFormattedMessage().matches("(?s)(push |follow ).*"))
                .hasSizeGreaterThan(4)
                .allSatisfy(line -> assertThat(line.getMDCPropertyMap())
                        .as(line.getFormattedMessage())
                        .containsEntry("plan", plan.toString())
                        .containsKey("peer"));
        assertThat(written)
                .filteredOn(line -> line.getFormattedMessage().startsWith("push "))
                .allSatisfy(line -> assertThat(line.getMDCPropertyMap())
                        .containsEntry("peer", "127.0.0.1:" + to.getPort())
                        .containsEntry("table", ID.toString()));
    }

    @Test
    void what_a_killed_follower_left_is_removed_when_the_next_one_starts() throws Exception {
        Path left = work.resolve("to").resolve(".plan-0.partial").resolve("shop");
        Files.createDirectories(left);

        assertThat(send(whole(open(source())), id -> Optional.of(TABLE))).isEmpty();

        assertThat(left).doesNotExist();
    }

    @Test
    void a_second_follower_leaves_the_files_of_the_first_one_alone() throws Exception {
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                Follower follower = follower(links, id -> Optional.of(TABLE))) {
            Path receiving = Files.createDirectories(
                    work.resolve("to").resolve(".plan-0.partial").resolve("shop"));

            assertThatThrownBy(() -> follower(links, id -> Optional.of(TABLE)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use by another command");

            assertThat(receiving).exists();
            assertThat(push(follower, whole(open(source())), links)).isEmpty();
        }
        assertArrived(TokenRanges.FULL, 0);
    }

    /** It may be where a volume is mounted, in a folder that we may not write; a link to it is no other folder. */
    @Test
    void a_follower_locks_its_folder_by_a_file_within() throws Exception {
        Path target = Files.createDirectory(work.resolve("received"));
        Path link = Files.createSymbolicLink(work.resolve("link"), target);
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                Follower follower = Follower.start(order(link), links)) {
            assertThat(follower.address().getPort()).isPositive();
            assertThat(work.toFile().list()).containsExactlyInAnyOrder("shop", "received", "link");

            assertThatThrownBy(() -> Follower.start(order(target), links)).hasMessageContaining("in use by another");
        }
        assertThat(target).isEmptyDirectory();
    }

    private FileHeader header(UUID plan, InetSocketAddress from, List<SSTable> sstables, int sequence)
            throws IOException {
        var route = new FileHeader.Route(ID, from, plan, false, 0, sequence, 0, Optional.empty());
        return OutgoingFile.of(whole(sstables).get(sequence), route).header();
    }

    @Test
    void a_file_connection_ends_with_its_session() throws Exception {
        UUID plan = Uuids.timeBased();
        List<SSTable> sstables = open(source());
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                Follower follower = follower(links, id -> Optional.of(TABLE));
                OutgoingLink control = links.connect(follower.address(), Optional.empty())) {
            InetSocketAddress from = control.local();
            try (OutgoingLink files = links.connect(follower.address(), Optional.of(from))) {
                control.send(new StreamMessage.StreamInit(from, 0, plan, "Rebuild", Optional.empty(), 0));
                control.send(new StreamMessage.PrepareSyn(
                        List.of(), List.of(new StreamMessage.Summary(ID, 100, DATA_BYTES))));
                control.read();
                files.send(header(plan, from, sstables, 0)); // and none of its bytes
                control.send(new StreamMessage.SessionFailed());

                assertThatThrownBy(files::read).isInstanceOf(IOException.class).hasMessageContaining("closed by");
            }
        }

        assertNothingWasKept(ErrorCode.PEER_LOST, false);
    }

    /** The table is looked up, which takes a while, and the connections are closed meanwhile. */
    @Test
    void a_follower_that_is_closed_while_a_session_is_prepared_is_the_reason_of_its_end() throws Exception {
        var isLookingUp = new CountDownLatch(1);
        var isClosed = new CountDownLatch(1);
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE)) {
            Follower follower = follower(links, id -> {
                isLookingUp.countDown();
                awaitQuietly(isClosed);
                return Optional.of(TABLE);
            });
            try (OutgoingLink control = links.connect(follower.address(), Optional.empty())) {
                control.send(
                        new StreamMessage.StreamInit(control.local(), 0, Uuids.timeBased(), "x", Optional.empty(), 0));
                control.send(new StreamMessage.PrepareSyn(List.of(), List.of(new StreamMessage.Summary(ID, 1, 1))));
                isLookingUp.await();
                Thread closing = new Thread(follower::close);
                closing.start();
                assertThatThrownBy(control::read).isInstanceOf(IOException.class);
                isClosed.countDown();
                closing.join();
            }
        }

        assertNothingWasKept(ErrorCode.CANCELLED, false);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Real connections, of which a reference to each first header of a file is kept that does not keep the header. */
    private record Watched(Links links, BlockingQueue<WeakReference<FileHeader>> headers) implements Links {
        @Override
        public OutgoingLink connect(InetSocketAddress node, Optional<InetSocketAddress> identity) {
            return links.connect(node, identity);
        }

        @Override
        public OpenPort listen(
                InetSocketAddress at, Consumer<IncomingLink> onLink, CassandraAcceptor.Refusals onRefused)
                throws IOException {
            return links.listen(
                    at,
                    link -> {
                        watch(link);
                        onLink.accept(link);
                    },
                    onRefused);
        }

        private void watch(IncomingLink link) {
            try {
                StreamMessage first = link.read();
                link.unread(first);
                if (first instanceof FileHeader header) {
                    headers.add(new WeakReference<>(header));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public Duration timeout() {
            return links.timeout();
        }

        @Override
        public Clockwork clockwork() {
            return links.clockwork();
        }
    }

    private static void awaitCollected(WeakReference<?> reference) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (reference.get() != null && System.nanoTime() < end) {
            System.gc();
        }
        assertThat(reference.get()).isNull();
    }

    @Test
    void a_header_is_not_kept_when_its_file_is_received() throws Exception {
        UUID plan = Uuids.timeBased();
        SSTableTransfer file = whole(open(source())).get(0);
        BlockingQueue<WeakReference<FileHeader>> headers = new LinkedBlockingQueue<>();
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                Follower follower = follower(new Watched(links, headers), id -> Optional.of(TABLE));
                OutgoingLink control = links.connect(follower.address(), Optional.empty())) {
            InetSocketAddress from = control.local();
            try (OutgoingLink files = links.connect(follower.address(), Optional.of(from))) {
                control.send(new StreamMessage.StreamInit(from, 0, plan, "Rebuild", Optional.empty(), 0));
                control.send(new StreamMessage.PrepareSyn(
                        List.of(), List.of(new StreamMessage.Summary(ID, 100, DATA_BYTES))));
                control.read();
                var route = new FileHeader.Route(ID, from, plan, false, 0, 0, 0, Optional.empty());
                new FileSender(files, new SharedThrottle(0), sent::sent).send(OutgoingFile.of(file, route));
                assertThat(control.read()).isInstanceOf(StreamMessage.Received.class);

                awaitCollected(headers.remove());
            }
        }
    }

    /** The same, with another letter in the name of a type. */
    private static OutgoingFile damaged(OutgoingFile file) {
        FileHeader header = file.header();
        byte[] types = header.serializationHeader().toArray();
        String text = new String(types, StandardCharsets.ISO_8859_1);
        types[text.indexOf("cassandra")] = 'k';
        var changed = new FileHeader(
                header.route(),
                header.version(),
                header.format(),
                header.estimatedKeys(),
                header.sections(),
                header.compression(),
                header.level(),
                Bytes.wrap(types),
                header.whole());
        return new OutgoingFile(changed, file.regions(), file.plainSections(), file.sstable());
    }

    /** Sends the file of the session's only summary; returns when the follower has failed the session. */
    private void sendAlone(Function<FileHeader.Route, OutgoingFile> file) throws Exception {
        UUID plan = Uuids.timeBased();
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, PATIENCE);
                Follower follower = follower(links, id -> Optional.of(TABLE));
                OutgoingLink control = links.connect(follower.address(), Optional.empty())) {
            InetSocketAddress from = control.local();
            try (OutgoingLink files = links.connect(follower.address(), Optional.of(from))) {
                control.send(new StreamMessage.StreamInit(from, 0, plan, "Rebuild", Optional.empty(), 0));
                control.send(new StreamMessage.PrepareSyn(List.of(), List.of(new StreamMessage.Summary(ID, 1, 1))));
                control.read();
                var route = new FileHeader.Route(ID, from, plan, false, 0, 0, 0, Optional.empty());
                new FileSender(files, new SharedThrottle(0), sent::sent).send(file.apply(route));
                assertThat(control.read()).isInstanceOf(StreamMessage.SessionFailed.class);
            }
        }
    }

    private static OutgoingFile part(SSTable sstable, TokenRanges ranges, FileHeader.Route route) {
        try {
            return OutgoingFile.of(new SSTableTransfer.Part(sstable, ranges, 1), route);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void a_header_that_was_damaged_on_the_way_is_not_blamed_on_the_disk() throws Exception {
        SSTable sstable = open(source()).get(0);

        sendAlone(route -> damaged(part(sstable, TokenRanges.FULL, route)));

        assertNothingWasKept(ErrorCode.CORRUPT_IN_FLIGHT, true);
    }

    @Test
    void a_part_of_nothing_is_a_violation() throws Exception {
        SSTable sstable = open(source()).get(0);

        sendAlone(route -> part(sstable, TokenRanges.NONE, route));

        assertNothingWasKept(ErrorCode.PROTOCOL, true);
    }
}
