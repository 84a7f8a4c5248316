package io.sluice.sstable.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.sstable.Fixture;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.PartitionReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class DumpTest {

    private static final int PATCHED_TIMESTAMP = 700;

    private static final Set<String> COUNTERS = Set.of("hits", "misses", "total");

    static Stream<Fixture> fixtures() throws IOException {
        return Fixture.all().filter(fixture -> !fixture.table().name().equals("dense_nulls"));
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void prints_what_the_reference_tool_prints(Fixture fixture) throws IOException {
        StringBuilder printed = new StringBuilder();
        try (PartitionReader reader = PartitionReader.open(fixture.open())) {
            new Dump(reader, fixture.descriptor().version(), 0, printed).print();
        }

        assertThat(comparable(new ObjectMapper().readTree(printed.toString())))
                .isEqualTo(comparable(fixture.expected().orElseThrow()));
    }

    static Stream<Fixture> oldFixtures() {
        return Fixture.old()
                .filter(fixture -> Files.exists(fixture.table().path().resolve("../../expected.json.gz")));
    }

    /** The reference tool of 4.1 is what we follow there; the dumps are of 5.0, which differs in two things. */
    @ParameterizedTest
    @MethodSource("oldFixtures")
    void prints_of_old_versions_what_the_reference_tool_prints(Fixture fixture) throws IOException {
        StringBuilder printed = new StringBuilder();
        try (PartitionReader reader = PartitionReader.open(fixture.open())) {
            new Dump(reader, fixture.descriptor().version(), 0, printed).print();
        }

        JsonNode ours = comparable(new ObjectMapper().readTree(printed.toString()));
        JsonNode theirs = comparable(fixture.expected().orElseThrow());
        for (JsonNode dump : List.of(ours, theirs)) {
            for (JsonNode partition : dump) {
                forget(partition, "table kind");
                forget(partition.get("partition"), "position");
            }
        }
        assertThat(ours).isEqualTo(theirs);
    }

    @ParameterizedTest
    @CsvSource({
        "nb, 0xffffffff, 4294967294",
        "nb, 0x80000001, 4294967294",
        "nb, 0x7ffffffe, 2147483646",
        "oa, 0xfffffffe, 4294967294",
        "oa, 0x80000001, 2147483649"
    })
    void shows_deletion_times_after_2038_as_the_reference_tool_does(
            String label, String stored, String shown, @TempDir Path directory) throws IOException {
        Fixture fixture = Fixture.of("tombstones", label).findFirst().orElseThrow();
        SSTable copy = fixture.copyTo(directory);
        Files.delete(copy.path(Component.CRC));
        writeDeletionTime(copy, Long.decode(stored).intValue());

        StringBuilder printed = new StringBuilder();
        SSTable patched = SSTable.open(directory, copy.descriptor());
        try (PartitionReader reader = PartitionReader.open(patched)) {
            new Dump(reader, patched.descriptor().version(), 0, printed).print();
        }

        assertThat(deletionTime(new ObjectMapper().readTree(printed.toString())))
                .isEqualTo(shown);
    }

    /** In the deletion of the partition that {@link #deletionTime} finds. */
    private static void writeDeletionTime(SSTable sstable, int seconds) throws IOException {
        byte[] data = Files.readAllBytes(sstable.path(Component.DATA));
        ByteBuffer bytes = ByteBuffer.wrap(data);
        boolean isOld = sstable.descriptor().version() == Version.NB;
        for (int at = Integer.BYTES; at < data.length - Long.BYTES - Integer.BYTES; at++) {
            if (bytes.getLong(at) == PATCHED_TIMESTAMP) {
                bytes.putInt(isOld ? at - Integer.BYTES : at + Long.BYTES, seconds);
            }
        }
        Files.write(sstable.path(Component.DATA), data);
    }

    private static String deletionTime(JsonNode dump) {
        for (JsonNode partition : dump) {
            JsonNode deletion = partition.get("partition").path("deletion_info");
            if (deletion.path("marked_deleted").asInt() == PATCHED_TIMESTAMP) {
                return deletion.get("local_delete_time").asText();
            }
        }
        throw new AssertionError("no partition of " + dump + " is deleted");
    }

    /** Takes away what depends on the day, and the counters. */
    private static JsonNode comparable(JsonNode dump) {
        for (JsonNode partition : dump) {
            for (JsonNode row : partition.get("rows")) {
                forget(row.path("liveness_info"), "expired");
                row.path("cells").forEach(cell -> forget(cell, "expired"));
                row.path("cells").forEach(DumpTest::forgetCounter);
            }
        }
        return dump;
    }

    /** The tool shows the first 8 bytes of a counter's value as if they were the count: a number above 2^48. */
    private static void forgetCounter(JsonNode cell) {
        if (COUNTERS.contains(cell.get("name").asText())) {
            forget(cell, "value");
        }
    }

    private static void forget(JsonNode node, String field) {
        if (node instanceof ObjectNode object) {
            object.remove(field);
        }
    }
}
