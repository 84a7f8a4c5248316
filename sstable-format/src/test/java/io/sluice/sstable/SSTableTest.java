package io.sluice.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.component.SSTableFormat;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SSTableTest {

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#all")
    void walks_the_partitions_that_the_reference_tool_dumps(Fixture fixture) throws IOException {
        SSTable sstable = fixture.open();

        List<PartitionEntry> entries = walk(sstable);

        Optional<JsonNode> expected = fixture.expected();
        if (expected.isPresent()) {
            assertThat(entries).hasSameSizeAs(expected.get());
            for (int i = 0; i < entries.size(); i++) {
                long printed =
                        expected.get().get(i).path("partition").path("position").asLong();
                assertThat(printed)
                        .as("position of partition %d", i)
                        .isBetween(
                                printedPosition(fixture, entries.get(i)),
                                entries.get(i).end() - 1);
                if (!fixture.descriptor().version().hasUnsignedDeletionTimes()) {
                    assertThat(printed).isEqualTo(entries.get(i).position());
                }
            }
        }
        assertThat(entries).isNotEmpty();
        assertThat(entries.get(0).position()).isZero();
        assertThat(entries.get(entries.size() - 1).end()).isEqualTo(sstable.dataLengthBytes());
        assertThat(entries.get(0).key()).isEqualTo(sstable.firstKey());
        assertThat(entries.get(entries.size() - 1).key()).isEqualTo(sstable.lastKey());
    }

    /** The tool of 5.0 prints the position behind the key, the deletion and the static row. */
    private static long printedPosition(Fixture fixture, PartitionEntry entry) {
        int leastHeader = Short.BYTES + entry.key().bytes().length() + 1;
        return entry.position() + (fixture.descriptor().version().hasUnsignedDeletionTimes() ? leastHeader : 0);
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#all")
    void finds_the_sections_of_any_ranges(Fixture fixture) throws IOException {
        SSTable sstable = fixture.open();
        List<PartitionEntry> entries = walk(sstable);
        var random = new Random(7);

        try (SectionFinder finder = sstable.finder()) {
            for (int round = 0; round < 20; round++) {
                TokenRanges ranges = randomRanges(entries, random);
                if (round % 2 == 0) {
                    finder.lookUp(new TreeSet<>(Stream.generate(() -> randomToken(entries, random))
                            .limit(round)
                            .toList()));
                }
                List<Section> expected = sectionsBySearchingAll(entries, ranges);

                assertThat(sstable.sections(ranges)).as("%s", ranges).isEqualTo(expected);
                assertThat(finder.sections(ranges)).as("%s", ranges).isEqualTo(expected);
                assertThat(sstable.coverage(ranges)).as("%s", ranges).isEqualTo(coverageOf(expected, sstable));
            }
        }
        assertThat(sstable.coverage(TokenRanges.FULL)).isEqualTo(Coverage.WHOLE);
        assertThat(sstable.coverage(TokenRanges.NONE)).isEqualTo(Coverage.NONE);
        assertThat(sstable.sections(TokenRanges.FULL)).containsExactly(new Section(0, sstable.dataLengthBytes()));
    }

    private static TokenRanges randomRanges(List<PartitionEntry> entries, Random random) {
        List<TokenRange> ranges = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            ranges.add(new TokenRange(randomToken(entries, random), randomToken(entries, random)));
        }
        return TokenRanges.of(ranges);
    }

    private static Token randomToken(List<PartitionEntry> entries, Random random) {
        long near = entries.get(random.nextInt(entries.size())).token().value();
        return new Token(random.nextInt(4) == 0 ? random.nextLong() : near + random.nextInt(3) - 1);
    }

    private static List<Section> sectionsBySearchingAll(List<PartitionEntry> entries, TokenRanges ranges) {
        List<Section> sections = new ArrayList<>();
        for (PartitionEntry entry : entries) {
            int last = sections.size() - 1;
            if (!ranges.contains(entry.token())) {
                continue;
            }
            if (last >= 0 && sections.get(last).end() == entry.position()) {
                sections.set(last, new Section(sections.get(last).start(), entry.end()));
            } else {
                sections.add(new Section(entry.position(), entry.end()));
            }
        }
        return sections;
    }

    private static Coverage coverageOf(List<Section> sections, SSTable sstable) {
        if (sections.isEmpty()) {
            return Coverage.NONE;
        }
        return sections.equals(List.of(new Section(0, sstable.dataLengthBytes()))) ? Coverage.WHOLE : Coverage.PART;
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#samples")
    void does_without_a_summary_or_with_a_bad_one(Fixture fixture, @TempDir Path directory) throws IOException {
        SSTable original = fixture.copyTo(directory);
        if (original.descriptor().version().format() == SSTableFormat.BTI) {
            return; // has none
        }
        Files.write(original.path(Component.SUMMARY), new byte[] {1, 2, 3});
        SSTable withBadOne = SSTable.open(directory, fixture.descriptor());
        Files.delete(original.path(Component.SUMMARY));
        SSTable without = SSTable.open(directory, fixture.descriptor());

        for (SSTable sstable : List.of(withBadOne, without)) {
            TokenRanges afterFirst = TokenRanges.of(new TokenRange(original.firstToken(), Token.MINIMUM));
            assertThat(walk(sstable)).isEqualTo(walk(original));
            assertThat(sstable.lastKey()).isEqualTo(original.lastKey());
            assertThat(sstable.sections(afterFirst)).isEqualTo(original.sections(afterFirst));
        }
    }

    /** Where SSTables have their first and last key, in files without a checksum. */
    static Stream<Arguments> ends() {
        return Stream.concat(Fixture.samples(), Fixture.old())
                .filter(fixture -> fixture.descriptor().version() != Version.OA) // its statistics have both
                .flatMap(fixture -> Stream.of(Component.SUMMARY, Component.INDEX, Component.PARTITIONS)
                        .filter(component -> Files.exists(fixture.path(component)))
                        .map(component -> Arguments.of(fixture, component)));
    }

    @ParameterizedTest
    @MethodSource("ends")
    void no_flipped_bit_of_the_first_or_last_key_hides_partitions(
            Fixture fixture, Component component, @TempDir Path directory) throws IOException {
        SSTable original = fixture.copyTo(directory);
        long first = original.firstToken().value();
        long last = original.lastToken().value();
        List<TokenRanges> asked = List.of(
                TokenRanges.of(new TokenRange(Token.MINIMUM, new Token(first))),
                TokenRanges.of(new TokenRange(new Token(last - 1), Token.MINIMUM)));
        List<List<Section>> expected = sectionsOf(original, asked);
        byte[] bytes = Files.readAllBytes(original.path(component));

        for (Bytes key : List.of(original.firstKey().bytes(), original.lastKey().bytes())) {
            int at = lastIndexOf(key.toArray(), bytes);
            for (int bit = 0; bit < Byte.SIZE * key.length(); bit++) {
                byte[] flipped = bytes.clone();
                flipped[at + bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
                Files.write(original.path(component), flipped);

                Optional<List<List<Section>>> found = sectionsIfSound(directory, fixture, asked);

                assertThat(found.orElse(expected)).as("bit %d of %s", bit, key).isEqualTo(expected);
            }
        }
    }

    private static Optional<List<List<Section>>> sectionsIfSound(
            Path directory, Fixture fixture, List<TokenRanges> asked) throws IOException {
        try {
            return Optional.of(sectionsOf(SSTable.open(directory, fixture.descriptor()), asked));
        } catch (SSTableException damaged) {
            assertThat(damaged).hasMessageContaining(directory.toString());
            return Optional.empty();
        }
    }

    private static List<List<Section>> sectionsOf(SSTable sstable, List<TokenRanges> asked) throws IOException {
        List<List<Section>> sections = new ArrayList<>();
        for (TokenRanges ranges : asked) {
            sections.add(sstable.sections(ranges));
        }
        return sections;
    }

    private static int lastIndexOf(byte[] key, byte[] bytes) {
        int at = bytes.length - key.length;
        while (!Arrays.equals(key, 0, key.length, bytes, at, at + key.length)) {
            at--;
        }
        return at;
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#samples")
    void the_sections_of_one_without_data_are_refused_by_name(Fixture fixture, @TempDir Path directory)
            throws IOException {
        SSTable original = fixture.copyTo(directory);
        if (original.isCompressed()) {
            return; // its length is in CompressionInfo.db, which refuses 0
        }
        Files.write(original.path(Component.DATA), new byte[0]);

        SSTable empty = SSTable.open(directory, fixture.descriptor());

        assertThatThrownBy(() -> empty.sections(TokenRanges.FULL))
                .isInstanceOf(SSTableException.class)
                .hasMessageContaining(original.path(Component.DATA).toString());
    }

    @ParameterizedTest
    @MethodSource("io.sluice.sstable.Fixture#samples")
    void a_component_of_another_format_is_not_its_own(Fixture fixture, @TempDir Path directory) throws IOException {
        SSTable original = fixture.copyTo(directory);
        for (Component component : Component.ofSSTables()) {
            if (!Files.exists(original.path(component))) {
                Files.write(original.path(component), new byte[] {1, 2, 3});
            }
        }
        SSTableFormat format = original.descriptor().version().format();
        if (!original.isCompressed()) {
            Files.delete(original.path(Component.COMPRESSION_INFO)); // this one is of each format
        }

        SSTable sstable = SSTable.open(directory, fixture.descriptor());

        assertThat(sstable.components()).isSubsetOf(Component.of(format)).containsAll(SSTable.required(format));
    }

    static List<PartitionEntry> walk(SSTable sstable) throws IOException {
        List<PartitionEntry> entries = new ArrayList<>();
        try (PartitionCursor cursor = sstable.partitions()) {
            for (Optional<PartitionEntry> entry = cursor.next(); entry.isPresent(); entry = cursor.next()) {
                entries.add(entry.get());
            }
        }
        return entries;
    }
}
