package io.sluice.cassandra.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What several nodes gave becomes one folder, all or nothing. */
class PulledPartsTest {
    private static final Path FIXTURES = Path.of("..", "sstable-format", "src", "test", "resources", "fixtures");
    private static final TokenRanges SOME = TokenRanges.of(TokenRange.of(0, Long.MAX_VALUE));

    @TempDir
    private Path folder = Path.of("");

    private static CassandraNode node(int number) {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7000);
        return new CassandraNode(new UUID(2, number), address, "dc1", "5.0.9");
    }

    private Path target() {
        return folder.resolve("fx").resolve("t-1");
    }

    /** What a node gave: the SSTables of a fixture. */
    private List<SSTable> give(Path part, String fixture) throws IOException {
        Files.createDirectories(part);
        TableDirectory table =
                TableDirectory.find(FIXTURES.resolve(fixture).resolve("nb")).get(0);
        try (Stream<Path> files = Files.list(table.path())) {
            for (Path file : files.toList()) {
                Files.copy(file, part.resolve(file.getFileName()));
            }
        }
        return open(table.path(), table.descriptors());
    }

    private static List<SSTable> open(Path path, Iterable<Descriptor> descriptors) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : descriptors) {
            sstables.add(SSTable.open(path, descriptor));
        }
        return sstables;
    }

    @Test
    void sstables_of_the_same_name_come_together_and_the_parts_go() throws IOException {
        PulledParts parts = PulledParts.at(target());
        Path one = parts.of(node(1), TokenRanges.FULL);
        Path two = parts.of(node(2), TokenRanges.FULL);
        List<SSTable> all = new ArrayList<>(give(one, "multi_sstable"));
        give(two, "multi_sstable");
        int given = all.size();

        List<SSTable> installed = parts.install(List.of(one, two, parts.of(node(3), TokenRanges.FULL)));

        assertThat(installed)
                .hasSize(2 * given)
                .allMatch(sstable -> sstable.directory().equals(target()));
        assertThat(installed.get(0).components()).isEqualTo(all.get(0).components());
        assertThat(ContentDigest.of(installed, TokenRanges.FULL)).isEqualTo(ContentDigest.of(all, TokenRanges.FULL));
        assertThat(folder.resolve("fx")).isDirectoryContaining(path -> path.equals(target()));
        assertThat(one.resolveSibling("")).doesNotExist();
    }

    @Test
    void an_install_that_was_interrupted_is_done_anew() throws IOException {
        PulledParts parts = PulledParts.at(target());
        Path one = parts.of(node(1), TokenRanges.FULL);
        List<SSTable> given = give(one, "many");
        Files.writeString(
                Files.createDirectories(one.resolveSibling("all")).resolve("nb-7-big-Data.db"), "of another attempt");

        List<SSTable> installed = parts.install(List.of(one));

        assertThat(installed).hasSameSizeAs(given);
        assertThat(target().resolve("nb-7-big-Data.db")).doesNotExist();
    }

    @Test
    void what_nobody_has_makes_nothing() throws IOException {
        PulledParts parts = PulledParts.at(target());

        assertThat(parts.install(List.of(parts.of(node(1), TokenRanges.FULL)))).isEmpty();
        assertThat(target()).doesNotExist();
    }

    @Test
    void a_part_belongs_to_a_node_and_its_ranges() throws IOException {
        PulledParts parts = PulledParts.at(target());

        assertThat(parts.of(node(1), SOME)).isEqualTo(PulledParts.at(target()).of(node(1), SOME));
        assertThat(parts.of(node(1), SOME)).isNotEqualTo(parts.of(node(1), TokenRanges.FULL));
        assertThat(parts.of(node(1), SOME)).isNotEqualTo(parts.of(node(2), SOME));
    }

    @Test
    void a_target_that_exists_is_refused() throws IOException {
        Files.createDirectories(target());

        assertThatThrownBy(() -> PulledParts.at(target()))
                .isInstanceOf(FileAlreadyExistsException.class)
                .hasMessageContaining("already exists (remove it, or choose another --to)");
    }
}
