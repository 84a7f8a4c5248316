package io.sluice.streaming.transfer;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.index.PartitionCursor;
import io.sluice.sstable.index.PartitionEntry;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tables that released Cassandras wrote, and ranges that cut them in all places. Stateless. */
public final class Fixtures {
    private static final Path ROOT = Path.of("../sstable-format/src/test/resources/fixtures");

    private Fixtures() {}

    /** Each table in each version. */
    public static Stream<TableDirectory> tables() {
        return folders(ROOT).flatMap(Fixtures::folders).flatMap(label -> {
            try {
                return TableDirectory.find(label).stream();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** Each table once, its versions in turn. */
    public static Stream<TableDirectory> tableOfEachShape() {
        Map<Path, List<TableDirectory>> versions =
                tables().collect(Collectors.groupingBy(Fixtures::shape, TreeMap::new, Collectors.toUnmodifiableList()));
        AtomicInteger turn = new AtomicInteger();
        return versions.values().stream().map(shape -> shape.get(turn.getAndIncrement() % shape.size()));
    }

    private static Path shape(TableDirectory table) {
        return ROOT.resolve(ROOT.relativize(table.path()).getName(0));
    }

    private static Stream<Path> folders(Path parent) {
        try (Stream<Path> entries = Files.list(parent)) {
            return entries.filter(Files::isDirectory).sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static List<SSTable> open(TableDirectory table) throws IOException {
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : table.descriptors()) {
            sstables.add(SSTable.open(table.path(), descriptor));
        }
        return sstables;
    }

    /** One to four ranges whose ends lie before, at, between and after the tokens of the table. */
    public static TokenRanges ranges(List<SSTable> sstables, RandomGenerator random) throws IOException {
        List<Long> tokens = new ArrayList<>();
        for (SSTable sstable : sstables) {
            try (PartitionCursor cursor = sstable.partitions()) {
                for (Optional<PartitionEntry> next = cursor.next(); next.isPresent(); next = cursor.next()) {
                    tokens.add(next.get().token().value());
                }
            }
        }
        List<TokenRange> ranges = new ArrayList<>();
        for (int left = 1 + random.nextInt(4); left > 0; left--) {
            ranges.add(TokenRange.of(end(tokens, random), end(tokens, random)));
        }
        return TokenRanges.of(ranges);
    }

    private static long end(List<Long> tokens, RandomGenerator random) {
        long token = tokens.get(random.nextInt(tokens.size()));
        return switch (random.nextInt(3)) {
            case 0 -> token;
            case 1 -> Math.max(token, Long.MIN_VALUE + 2) - 1;
            default -> random.nextLong();
        };
    }
}
