package io.sluice.bench.mutation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.bench.Duplex;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.Verification;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.transfer.Fixtures;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class MutationTest {
    private static final TokenRanges HALF = TokenRanges.of(TokenRange.of(Long.MIN_VALUE, 0));

    @TempDir
    Path directory;

    private int nextId = 1;

    static Stream<TableDirectory> tables() {
        return Fixtures.tables();
    }

    private Descriptor name(Version version) {
        return new Descriptor(version, new SSTableId.Sequence(nextId++));
    }

    private List<SSTable> direct(List<SSTable> sources, TokenRanges ranges, Encoding encoding, int window)
            throws Exception {
        try (Duplex duplex = new Duplex()) {
            duplex.send(
                    () -> new DirectWriter(duplex.answersIn(), duplex.out(), window).send(sources, ranges, encoding));
            Optional<SSTable> arrived = new DirectReader(duplex.in(), duplex.answersOut(), ranges)
                    .receive(directory, name(versionOf(sources)), WriterOptions.DEFAULTS);
            duplex.sent();
            return arrived.stream().toList();
        }
    }

    private List<SSTable> memtable(List<SSTable> sources, TokenRanges ranges, Encoding encoding, long memtableBytes)
            throws Exception {
        var target = new MemtableReader.Target(
                directory, () -> name(versionOf(sources)), WriterOptions.DEFAULTS, memtableBytes, Runnable::run);
        try (Duplex duplex = new Duplex()) {
            duplex.send(
                    () -> new MemtableWriter(duplex.answersIn(), duplex.out(), 256).send(sources, ranges, encoding));
            List<SSTable> arrived = new MemtableReader(duplex.in(), duplex.answersOut(), ranges, target).receive();
            duplex.sent();
            return arrived;
        }
    }

    /** oa cannot say all that nb can: one fixture has a deletion from before 1970. */
    private static Version versionOf(List<SSTable> sources) {
        return sources.get(0).descriptor().version() == Version.NB ? Version.NB : Version.OA;
    }

    private static void assertSound(List<SSTable> arrived, ContentDigest expected) throws IOException {
        assertThat(ContentDigest.of(arrived, TokenRanges.FULL)).isEqualTo(expected);
        for (SSTable sstable : arrived) {
            assertThat(Verification.verify(sstable).problems()).isEmpty();
        }
    }

    /** Of tables that were generated, {@code ModesTest} shows it in each build. */
    @ParameterizedTest
    @MethodSource("tables")
    @Tag("full")
    void what_arrives_is_what_the_table_holds_in_the_ranges(TableDirectory table) throws Exception {
        List<SSTable> sources = Fixtures.open(table);
        SplittableRandom random = new SplittableRandom(table.path().toString().hashCode());
        for (Encoding encoding : Encoding.values()) {
            for (int i = 0; i < 2; i++) {
                TokenRanges ranges = i == 0 ? TokenRanges.FULL : Fixtures.ranges(sources, random);
                ContentDigest expected = ContentDigest.of(sources, ranges);

                assertSound(direct(sources, ranges, encoding, 1 << 20), expected);
                assertSound(memtable(sources, ranges, encoding, 1 << 20), expected);
            }
        }
    }

    private SSTable generated(DataSet data) throws IOException {
        Path folder = Files.createTempDirectory(directory, "source");
        var written = new DataSetWriter(data, Version.NB, WriterOptions.DEFAULTS).write(folder, 1);
        return SSTable.open(folder, written.get(0));
    }

    @ParameterizedTest
    @EnumSource(Encoding.class)
    void flows_through_a_window_smaller_than_a_row(Encoding encoding) throws Exception {
        SSTable source = generated(new DataSet(3, 50, 10, 300));

        List<SSTable> arrived = direct(List.of(source), HALF, encoding, 1);

        assertSound(arrived, ContentDigest.of(List.of(source), HALF));
    }

    @Test
    void a_full_memory_table_becomes_an_sstable() throws Exception {
        SSTable source = generated(new DataSet(3, 5_000, 2, 100));

        List<SSTable> arrived = memtable(List.of(source), TokenRanges.FULL, Encoding.DELTA, 300_000);

        assertThat(arrived).hasSizeBetween(4, 12);
        assertSound(arrived, ContentDigest.of(List.of(source), TokenRanges.FULL));
    }

    @Test
    void large_partitions_travel_in_pieces_and_arrive_whole() throws Exception {
        SSTable source = generated(new DataSet(3, 3, 20_000, 100)); // 2 MB each

        List<SSTable> arrived = memtable(List.of(source), TokenRanges.FULL, Encoding.FIXED, 500_000);

        assertThat(arrived.size()).isGreaterThan(3);
        assertSound(arrived, ContentDigest.of(List.of(source), TokenRanges.FULL));
    }

    /** What a sender writes if every answer is there already. */
    private byte[] recorded(SSTable source) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var done = new ByteArrayOutputStream();
        FrameOutput answers = new FrameOutput(Channels.newChannel(done));
        answers.add(Frame.Kind.DONE);
        answers.flush();
        var writer = new DirectWriter(
                Channels.newChannel(new ByteArrayInputStream(done.toByteArray())),
                Channels.newChannel(bytes),
                Integer.MAX_VALUE);
        writer.send(List.of(source), HALF, Encoding.DELTA);
        return bytes.toByteArray();
    }

    private Optional<SSTable> replay(byte[] bytes, TokenRanges wanted) throws IOException {
        return new DirectReader(
                        Channels.newChannel(new ByteArrayInputStream(bytes)),
                        Channels.newChannel(new ByteArrayOutputStream()),
                        wanted)
                .receive(directory, name(Version.NB), WriterOptions.DEFAULTS);
    }

    private List<Path> leftBehind() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    @Test
    void refuses_whatever_byte_is_damaged_and_leaves_nothing() throws IOException {
        byte[] bytes = recorded(generated(new DataSet(3, 1_000, 2, 100)));
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 300; i++) {
            byte[] damaged = bytes.clone();
            int at = i < 200 ? i : random.nextInt(bytes.length);
            damaged[at] ^= (byte) (1 << random.nextInt(8));

            assertThatThrownBy(() -> replay(damaged, HALF))
                    .as("byte %d of %d", at, bytes.length)
                    .isInstanceOf(StreamException.class);
            assertThat(leftBehind()).isEmpty();
        }
    }

    @Test
    void an_end_of_the_connection_is_no_end_of_the_stream() throws IOException {
        byte[] bytes = recorded(generated(new DataSet(3, 1_000, 2, 100)));

        for (int length : new int[] {0, 5, 100, bytes.length / 2, bytes.length - 9, bytes.length - 1}) {
            assertThatThrownBy(() -> replay(Arrays.copyOf(bytes, length), HALF))
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PEER_LOST));
        }
        assertThat(leftBehind()).isEmpty();
    }

    @Test
    void decodes_noise_without_harm() throws IOException {
        SSTable source = generated(new DataSet(3, 10, 2, 100));
        Opening opening = Opening.of(Encoding.FIXED, List.of(source), TokenRanges.FULL);
        SplittableRandom random = new SplittableRandom(9);
        for (Encoding encoding : Encoding.values()) {
            FragmentCodec codec = encoding.codec(opening.header());
            for (int i = 0; i < 50_000; i++) {
                byte[] noise = new byte[1 + random.nextInt(60)];
                random.nextBytes(noise);
                noise[0] = (byte) (1 + random.nextInt(5));

                Throwable thrown = catchThrowable(() -> codec.decode(ByteBuffer.wrap(noise)));

                assertThat(thrown == null
                                || thrown instanceof IllegalArgumentException
                                || thrown instanceof BufferUnderflowException)
                        .as("%s", thrown)
                        .isTrue();
            }
        }
    }

    @Test
    void both_ends_give_the_same_reason() throws Exception {
        SSTable source = generated(new DataSet(3, 1_000, 2, 100));
        TokenRanges less = TokenRanges.of(TokenRange.of(Long.MIN_VALUE, -8_000_000_000_000_000_000L));
        try (Duplex duplex = new Duplex()) {
            duplex.send(() -> new DirectWriter(duplex.answersIn(), duplex.out(), 1 << 20)
                    .send(List.of(source), HALF, Encoding.DELTA));

            assertThatThrownBy(() -> new DirectReader(duplex.in(), duplex.answersOut(), less)
                            .receive(directory, name(Version.NB), WriterOptions.DEFAULTS))
                    .hasMessageContaining("was not asked for");
            assertThatThrownBy(duplex::sent)
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("was not asked for");
        }
        assertThat(leftBehind()).isEmpty();
    }
}
