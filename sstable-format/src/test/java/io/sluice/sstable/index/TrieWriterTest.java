package io.sluice.sstable.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.encoding.ComponentInput;
import io.sluice.sstable.encoding.ComponentOutput;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.key.TokenKeys;
import io.sluice.sstable.token.Token;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrieWriterTest {
    @TempDir
    Path directory;

    /** A path and what lies there. */
    private record Place(Bytes path, long offset, Bytes open) {}

    static Stream<Arguments> shapes() {
        return LongStream.range(0, 6)
                .boxed()
                .flatMap(seed -> Stream.of(
                        Arguments.of(seed, 2, 3, 256), // few, short
                        Arguments.of(seed, 3_000, 3, 256), // wide nodes over many pages
                        Arguments.of(seed, 3_000, 40, 2), // shared prefixes, one a prefix of the other
                        Arguments.of(seed, 300, 3_000, 1), // a chain longer than a page
                        Arguments.of(seed, 20_000, 5, 30)));
    }

    private static List<Place> places(long seed, int count, int maxLength, int letters) {
        var random = new Random(seed);
        var paths = new TreeSet<Bytes>();
        paths.add(Bytes.EMPTY);
        for (int i = 0; i < count; i++) {
            byte[] path = new byte[random.nextInt(maxLength + 1)];
            for (int j = 0; j < path.length; j++) {
                path[j] = (byte) random.nextInt(letters);
            }
            paths.add(Bytes.wrap(path));
        }
        List<Place> places = new ArrayList<>();
        long offset = random.nextInt(100);
        for (Bytes path : paths) {
            Bytes open = random.nextInt(5) == 0
                    ? Bytes.ofLong(random.nextLong() >>> 1).slice(0, 8)
                    : Bytes.EMPTY;
            byte[] deletion = new byte[12];
            open.copyTo(deletion, 0);
            places.add(new Place(path, offset, open.isEmpty() ? Bytes.EMPTY : Bytes.wrap(deletion)));
            offset += 1 + (long) (random.nextDouble() * (1L << random.nextInt(40)));
        }
        return places;
    }

    private static long write(List<Place> places, Bytes key, RowsWriter writer) throws IOException {
        for (Place place : places) {
            byte[] path = place.path().toArray();
            writer.addBlock(path, path.length, place.offset(), place.open());
        }
        return writer.endPartition(key, 5, Bytes.wrap(new byte[] {(byte) 0x80}));
    }

    private static List<Place> read(RowsReader reader, long entryPosition) throws IOException {
        List<Place> read = new ArrayList<>();
        reader.visitBlocks(
                reader.entry(entryPosition),
                (path, length, offset, open) ->
                        read.add(new Place(Bytes.wrap(Arrays.copyOf(path, length)), offset, open)));
        return read;
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void reads_back_all_paths_of_two_tries_in_one_file(long seed, int count, int maxLength, int letters)
            throws IOException {
        Path file = directory.resolve("Rows.db");
        List<Place> first = places(seed, count, maxLength, letters);
        List<Place> second = places(seed + 100, count, maxLength, letters);
        long firstEntry;
        long secondEntry;
        try (RowsWriter writer = RowsWriter.to(ComponentOutput.create(file))) {
            firstEntry = write(first, Bytes.utf8("one"), writer);
            secondEntry = write(second, Bytes.utf8("two"), writer);
            writer.finish();
        }

        try (RowsReader reader = RowsReader.open(file)) {
            assertThat(reader.entry(secondEntry).key().bytes()).isEqualTo(Bytes.utf8("two"));
            assertThat(reader.entry(secondEntry).position()).isEqualTo(5);
            assertThat(read(reader, firstEntry)).isEqualTo(first);
            assertThat(read(reader, secondEntry)).isEqualTo(second);
            requireWholePages(file, reader.entry(firstEntry).root());
            requireWholePages(file, reader.entry(secondEntry).root());
        }
    }

    /** Readers hold one page at a time. */
    private static void requireWholePages(Path file, long root) throws IOException {
        try (ComponentInput in = ComponentInput.open(file)) {
            List<Long> left = new ArrayList<>(List.of(root));
            while (!left.isEmpty()) {
                long position = left.remove(left.size() - 1);
                TrieNode node = TrieNode.read(in, position);
                long end = node.payloadPosition() + payloadBytes(node.payloadFlags()) - 1;

                assertThat(end / TrieWriter.PAGE_BYTES)
                        .as("node at %d", position)
                        .isEqualTo(position / TrieWriter.PAGE_BYTES);
                for (int child = node.childFrom(0); child < node.children(); child = node.childFrom(child + 1)) {
                    left.add(node.childPosition(child));
                }
            }
        }
    }

    private static int payloadBytes(int flags) {
        return (flags & 7) + ((flags & RowsWriter.DELETION_FLAG) != 0 ? 12 : 0);
    }

    /** A leaf whose payload, of 1 to 7 bytes, depends on its path. */
    private static byte[] leaf(int first, int second) {
        int length = 1 + (31 * first + second) % 7;
        var leaf = new byte[1 + length];
        Arrays.fill(leaf, (byte) second);
        leaf[0] = (byte) length; // a payload alone: type 0
        return leaf;
    }

    @Test
    void branches_that_are_written_at_once_are_where_those_that_are_kept_would_be() throws IOException {
        Path file = directory.resolve("Partitions.db");
        long root;
        try (ComponentOutput out = ComponentOutput.create(file)) {
            var trie = new TrieWriter(out);
            for (int path = 0; path < 1 << 14; path++) {
                int first = path >> 8;
                byte[] leaf = leaf(first, path & 0xff);
                byte[] bytes = {(byte) first, (byte) path};
                if (first % 3 == 0) {
                    trie.addBranch(bytes, 2, leaf, 0);
                } else {
                    trie.writeBranch(bytes, 2, ByteBuffer.wrap(leaf), 0);
                }
            }
            root = trie.finish();
            out.finish();
        }

        requireWholePages(file, root);
        try (ComponentInput in = ComponentInput.open(file)) {
            TrieNode top = TrieNode.read(in, root);
            assertThat(top.children()).isEqualTo(1 << 6);
            for (int first = 0; first < 1 << 6; first++) {
                TrieNode middle = TrieNode.read(in, top.childPosition(first));
                assertThat(middle.children()).isEqualTo(1 << 8);
                for (int second = 0; second < 1 << 8; second++) {
                    byte[] expected = leaf(first, second);
                    in.seek(middle.childPosition(second));
                    assertThat(in.readBytes(expected.length)).isEqualTo(Bytes.wrap(expected));
                }
            }
        }
    }

    @Test
    void refuses_paths_out_of_order() throws IOException {
        try (RowsWriter writer = RowsWriter.to(ComponentOutput.create(directory.resolve("Rows.db")))) {
            writer.addBlock(new byte[] {1, 2}, 2, 1, Bytes.EMPTY);

            assertThatThrownBy(() -> writer.addBlock(new byte[] {1, 2}, 2, 2, Bytes.EMPTY))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> writer.addBlock(new byte[] {1}, 1, 2, Bytes.EMPTY))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> writer.addBlock(new byte[] {0, 5}, 2, 2, Bytes.EMPTY))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> writer.addBlock(new byte[0], 0, 2, Bytes.EMPTY))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void keys_have_the_form_that_the_reference_gives() throws IOException {
        int found = 0;
        for (String line : Files.readAllLines(Path.of("src/test/resources/comparable.tsv"))) {
            String[] fields = line.split("\t", -1);
            if (fields[0].equals("key")) {
                PartitionKey key = PartitionKey.of(Bytes.hex(fields[2]));
                byte[] form = ComparableKey.of(key);
                found++;

                assertThat(Bytes.wrap(form).hex()).isEqualTo(fields[3]);
                for (int length = 0; length <= form.length; length++) {
                    assertThat(ComparableKey.prefix(key, length)).isEqualTo(Arrays.copyOf(form, length));
                }
            }
        }
        assertThat(found).isPositive();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 300})
    void keys_of_one_token_are_told_apart_by_their_bytes(int count) throws IOException {
        Path file = directory.resolve("Partitions.db");
        List<PartitionKey> keys = Stream.iterate(16, length -> length + 1)
                .limit(count) // each ends in up to 15 zeros
                .map(length -> TokenKeys.of(new Token(-7), length))
                .sorted()
                .toList();
        try (PartitionsWriter writer = PartitionsWriter.to(ComponentOutput.create(file))) {
            for (PartitionKey key : keys) {
                writer.add(key, ~(long) keys.indexOf(key));
            }
            writer.finish();
        }

        TrieFooter footer = TrieFooter.read(file);
        assertThat(footer.keyCount()).isEqualTo(count);
        assertThat(footer.firstKey()).isEqualTo(keys.get(0));
        assertThat(footer.lastKey()).isEqualTo(keys.get(count - 1));
        requireWholePages(file, footer.rootPosition());
    }
}
