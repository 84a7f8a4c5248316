package io.sluice.harness.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.netty.StreamOptions;
import io.sluice.netty.StreamingNode;
import io.sluice.sstable.encoding.Bytes;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Outside of the bytes of files nodes tell each other no row, no key of a partition and no folder. */
@Timeout(60)
class SecretsOnTheWireTest {
    private static final String ROW = "MARKER-OF-A-ROW-7f3a";
    private static final String KEY = "MARKER-OF-A-KEY-9c1d";
    private static final TokenRanges HALF = TokenRanges.of(new TokenRange(new Token(0), new Token(Long.MAX_VALUE)));

    @TempDir
    private Path temporary = Path.of("");

    private LocalStore open(String name) throws IOException {
        LocalStore store = LocalStore.open(temporary.resolve(name), StoreOptions.DEFAULTS);
        store.load();
        store.createTable(Tables.PLAIN, Tables.PLAIN_CQL);
        return store;
    }

    private static Node node(String name) throws IOException {
        return new Node(
                UUID.nameUUIDFromBytes(Bytes.utf8(name).toArray()),
                name,
                new Address("127.0.0.1", FreePort.onLoopback()),
                List.of(new Token(name.hashCode())));
    }

    private void damage() throws IOException {
        try (Stream<Path> files = Files.walk(temporary.resolve("source"))) {
            for (Path file :
                    files.filter(one -> one.toString().endsWith("-Data.db")).toList()) {
                try (FileChannel data = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    data.write(ByteBuffer.wrap(new byte[64]), data.size() / 2);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "whole SSTables, true, true, false",
        "slices, true, true, false",
        "rows, false, false, false",
        "whole SSTables, true, true, true",
        "slices, true, true, true",
        "rows, false, false, true"
    })
    void nothing_is_told_but_in_files(String what, boolean whole, boolean slices, boolean isDamaged) throws Exception {
        StreamOptions options = StreamOptions.builder()
                .streamEntireSSTables(whole)
                .streamSlices(slices)
                .retries(new RetryPolicy(1, 1, Duration.ofMillis(1), Duration.ofMillis(1)))
                .build();
        Node real = node("source");
        Node target = node("target");
        try (LocalStore from = open("source");
                LocalStore to = open("target")) {
            List<Mutation> mutations = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                mutations.add(Tables.insert(KEY + i, 1, ROW + i));
            }
            from.write(Tables.PLAIN.id(), mutations);
            from.flush();
            if (isDamaged) {
                damage();
            }
            TokenRanges ranges = what.equals("slices") ? HALF : TokenRanges.FULL;
            try (StreamingNode sender = StreamingNode.start(real, options, from.streamed());
                    StreamingNode receiver = StreamingNode.start(target, options, to.streamed());
                    RecordingProxy wire = new RecordingProxy(real.address().port())) {
                Node seen = new Node(real.id(), "source", new Address("127.0.0.1", wire.port()), real.tokens());
                TopologyChange.Repair repair = new TopologyChange.Repair(
                        List.of(new TopologyChange.Difference(target, seen, Tables.PLAIN, ranges)), true);
                receiver.plan(repair, Map.of(Tables.PLAIN, new Ring(List.of(target, seen), 2)))
                        .get(20, TimeUnit.SECONDS);
                PlanResult result = receiver.execute(new StreamPlan(
                                UUID.randomUUID(),
                                Operation.REPLACE,
                                List.of(new StreamRequest(seen, Tables.PLAIN, ranges))))
                        .get(30, TimeUnit.SECONDS);
                assertThat(sender.sending().get(10, TimeUnit.SECONDS)).hasSizeLessThan(2);

                assertThat(result.isComplete()).as("%s", result.tables()).isEqualTo(!isDamaged);
                String said = new String(wire.said(), ISO_8859_1);
                assertThat(said).as("the proxy has kept the hello").contains("sluice");
                if (!isDamaged) { // of which a source may say so before it has sent a byte
                    assertThat(wire.fileBytes()).as("and files went through it").isPositive();
                }
                for (String secret : List.of(ROW, KEY, temporary.toString())) {
                    assertThat(said.contains(secret))
                            .as("%s on the wire", secret)
                            .isFalse();
                }
                if (!isDamaged) {
                    assertThat(hasRow(to)).isTrue();
                }
            }
        }
    }

    private static boolean hasRow(LocalStore store) throws IOException {
        List<PartitionKey> keys = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            keys.add(PartitionKey.of(Bytes.utf8(KEY + i)));
        }
        try (TableView view = store.view(Tables.PLAIN.id())) {
            return view.read(keys).stream().anyMatch(found -> !found.items().isEmpty());
        }
    }
}
