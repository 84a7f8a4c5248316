package io.sluice.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.audit.AuditMain;
import io.sluice.harness.audit.AuditOrder;
import io.sluice.harness.audit.AuditProgress;
import io.sluice.harness.audit.Findings;
import io.sluice.harness.audit.LedgerOfFiles;
import io.sluice.harness.audit.LedgerWriter;
import io.sluice.harness.cluster.NodeHome;
import io.sluice.harness.content.TableFiles;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.Step;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.Partition;
import io.sluice.sstable.data.SliceWriter;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.key.PartitionKey;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.merge.MergedPartitions;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Defects are planted in what nodes hold; the audit finds each, and what digests of replicas do not see. */
class FinalAuditTest {
    private static final long STEP = Long.MAX_VALUE / 2;

    @TempDir
    private Path temporary = Path.of("");

    private Ring ring = ring(-STEP, 0, STEP);
    private WorkDirectory work;
    private GeneratedData data;
    private List<TableFiles> tables = List.of();

    private static Ring ring(long... tokens) {
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < tokens.length; i++) {
            nodes.add(new Node(
                    new UUID(0, i + 1L),
                    "node" + (i + 1),
                    new Address("127.0.0.1", 7000 + i),
                    List.of(new Token(tokens[i]))));
        }
        return new Ring(nodes, 2);
    }

    @BeforeEach
    void generate() throws Exception {
        work = WorkDirectory.open(temporary);
        data = GeneratedData.of(work, 1 << 20, ring.ranges());
        data.generate();
        tables = TableFiles.openAll(data.directory());
    }

    @AfterEach
    void close() throws IOException {
        work.close();
    }

    private void give() throws Exception {
        Distribution.link(tables, ring, temporary, List.of());
    }

    private FinalAudit.Scope scope(Path ledger, Ring now) {
        return scope(ledger, now, List.of(now));
    }

    private FinalAudit.Scope scope(Path ledger, Ring now, List<Ring> ever) {
        TableFiles table = tables.get(0);
        return new FinalAudit.Scope(
                "bench.users",
                table.table().keyspace() + "/" + table.directory().getFileName(),
                ledger,
                now,
                ever,
                false);
    }

    private Findings audited(FinalAudit.Scope scope) throws IOException, InterruptedException {
        AuditOrder order = FinalAudit.order(List.of(scope), List.of(), temporary);
        return AuditMain.audit(order, AuditProgress.of(order));
    }

    private Findings audit() throws IOException, InterruptedException {
        return audit(data.ledger());
    }

    private Findings audit(Path ledger) throws IOException, InterruptedException {
        return audited(scope(ledger, ring));
    }

    private Path folder(int node) {
        return NodeHome.of(temporary, ring.nodes().get(node))
                .data()
                .resolve(tables.get(0).table().keyspace())
                .resolve(tables.get(0).directory().getFileName());
    }

    private static void remove(SSTable sstable) throws IOException {
        for (Component component : sstable.components()) {
            Files.delete(sstable.path(component));
        }
    }

    private SSTable first(int node) throws IOException {
        Descriptor descriptor =
                TableDirectory.of(folder(node)).orElseThrow().descriptors().get(0);
        return SSTable.open(folder(node), descriptor);
    }

    private static Descriptor descriptor(int number) {
        return new Descriptor(Version.NB, new SSTableId.Sequence(number));
    }

    private static Findings.Holding at(Findings findings, String node) {
        return findings.holdings().stream()
                .filter(holding -> holding.node().equals(node))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void what_was_given_as_it_was_written_is_right_and_is_not_even_decoded() throws Exception {
        give();

        Findings findings = audit();

        assertThat(findings.areRight()).as("%s", findings).isTrue();
        assertThat(findings.expected()).isEqualTo(2 * partitions());
        assertThat(findings.holdings()).allSatisfy(holding -> {
            assertThat(holding.wholeFiles()).isPositive();
            assertThat(holding.decodedFiles()).isZero();
        });
    }

    private long partitions() {
        return DataSet.ofBytes(1, 1 << 20).partitions();
    }

    @Test
    void the_ledger_of_files_says_what_the_generator_says() throws Exception {
        give();
        Path ledger = temporary.resolve("from-files");
        LedgerOfFiles.write(data.table(), ledger, read -> {});

        assertThat(ledger.resolve("partitions-0.bin"))
                .hasSameBinaryContentAs(data.ledger().resolve("partitions-0.bin"));
        assertThat(audit(ledger).areRight()).isTrue();
    }

    @Test
    void a_partition_that_is_lost_at_the_end_of_a_range_is_missed() throws Exception {
        give();
        SSTable whole = first(0);
        TokenRange allButLast = TokenRange.of(Long.MIN_VALUE, whole.lastToken().value() - 1);
        SliceWriter.write(whole, allButLast, folder(0), descriptor(500));
        remove(whole);

        Findings findings = audit();

        assertThat(at(findings, "node1").missing()).isEqualTo(1);
        assertThat(at(findings, "node1").examples().get(0))
                .contains("token " + whole.lastToken())
                .contains("is missing");
        assertThat(at(findings, "node1").decodedFiles()).isEqualTo(1);
        assertThat(at(findings, "node2").isRight()).isTrue();
    }

    @Test
    void a_boundary_that_is_off_by_one_in_the_ring_code_is_seen_though_all_replicas_agree() throws Exception {
        // The range of node1 ends at a partition. Who takes its end for excluded sees a ring with a token less by one.
        long boundary = first(tables.get(0).sstables()).value();
        ring = ring(boundary, boundary + STEP / 2, boundary + STEP);
        Ring wrong = ring(boundary - 1, boundary + STEP / 2, boundary + STEP);
        Distribution.link(tables, wrong, temporary, List.of());
        Ring digested = wrong;
        for (TokenRange range : digested.ranges()) {
            assertThat(digested.replicas(range).stream()
                            .map(node -> digest(node, range))
                            .distinct())
                    .as("digests of %s", range)
                    .hasSize(1);
        }

        Findings findings = audit();

        assertThat(at(findings, "node1").missing()).isEqualTo(1);
        assertThat(at(findings, "node3").foreign()).isEqualTo(1);
        assertThat(findings.areRight()).isFalse();
    }

    private static Token first(List<SSTable> sstables) {
        return sstables.stream().map(SSTable::lastToken).sorted().findFirst().orElseThrow();
    }

    private Object digest(Node node, TokenRange range) {
        try {
            Path data = NodeHome.of(temporary, node).data();
            return TableFiles.openAll(data).get(0).digests(List.of(range));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_partition_at_a_node_that_never_owned_it_is_seen() throws Exception {
        give();
        int given = 0;
        for (SSTable sstable : tables.get(0).sstables()) {
            boolean isForeign =
                    !ring.replicas(sstable.lastToken()).contains(ring.nodes().get(0));
            if (isForeign && given == 0) {
                TokenRange last = TokenRange.of(
                        sstable.lastToken().value() - 1, sstable.lastToken().value());
                SliceWriter.write(sstable, last, folder(0), descriptor(500));
                given++;
            }
        }

        Findings findings = audit();

        assertThat(given).isEqualTo(1);
        assertThat(at(findings, "node1").foreign()).isEqualTo(1);
    }

    @Test
    void other_content_and_partitions_that_nobody_wrote_are_seen() throws Exception {
        give();
        DataSet other = new DataSet(77, 3, 1, 10);
        new DataSetWriter(other, Version.NB, WriterOptions.DEFAULTS).write(folder(1), List.of(TokenRange.FULL), 1, 500);
        SSTable whole = first(0);
        remove(whole);

        Findings findings = audit();

        assertThat(at(findings, "node1").missing()).isPositive();
        assertThat(at(findings, "node2").unknown()).isEqualTo(3);
        assertThat(at(findings, "node2").missing()).isZero();
        assertThat(at(findings, "node3").isRight()).isTrue();
    }

    /** A ledger of all that the tables hold, in which the first partition of {@code sstable} was deleted. */
    private Path ledgerWithoutFirstOf(SSTable sstable) throws IOException {
        Path ledger = temporary.resolve("with-a-deletion");
        ContentDigest.Hasher hasher = new ContentDigest.Hasher();
        try (LedgerWriter writer = LedgerWriter.create(ledger, 0);
                MergedPartitions all = MergedPartitions.open(tables.get(0).sstables(), TokenRanges.FULL)) {
            for (Optional<Partition> next = all.next(); next.isPresent(); next = all.next()) {
                PartitionKey key = next.get().header().key();
                ContentDigest content = hasher.hash(next.get());
                writer.add(
                        key.bytes().toArray(),
                        key.bytes().equals(sstable.firstKey().bytes()) ? ContentDigest.EMPTY : content);
            }
        }
        return ledger;
    }

    @Test
    void a_deleted_partition_that_is_alive_at_an_owner_has_come_back() throws Exception {
        give();
        Path ledger = ledgerWithoutFirstOf(first(0));

        Findings findings = audit(ledger);

        assertThat(at(findings, "node1").revived()).isEqualTo(1);
        assertThat(at(findings, "node1").examples())
                .hasSize(1)
                .first()
                .asString()
                .contains("alive, and was deleted");
        assertThat(at(findings, "node1").unknown()).isZero();
        assertThat(findings.expected()).isEqualTo(2 * (partitions() - 1));
    }

    @Test
    void a_deleted_partition_may_lie_on_at_who_owned_it_once_and_at_nobody_else() throws Exception {
        give();
        SSTable lost = first(0); // its partitions move on by a node, away from node1
        Path ledger = ledgerWithoutFirstOf(lost);
        Node node1 = ring.nodes().get(0);
        long first = lost.firstToken().value();
        Ring without = ring(first - 1, first, first + STEP);
        assertThat(without.replicas(lost.firstToken())).doesNotContain(node1);

        FinalAudit.Scope once = scope(ledger, without, List.of(ring, without));
        FinalAudit.Scope never = scope(ledger, without, List.of(without));
        Findings.Holding owned = at(audited(once), "node1");
        Findings.Holding strange = at(audited(never), "node1");

        assertThat(owned.revived() + owned.unknown() + owned.foreign()).isZero();
        assertThat(strange.examples())
                .anySatisfy(why -> assertThat(why).contains("token " + first).contains("belongs to"));
    }

    @Test
    void a_file_that_was_changed_in_place_is_no_whole_file() throws Exception {
        give();
        Path data = first(0).path(Component.DATA);
        byte[] bytes = Files.readAllBytes(data);
        bytes[bytes.length / 2] ^= 1;
        Files.delete(data);
        Files.write(data, bytes);

        Findings.Holding holding = at(audit(), "node1");

        assertThat(holding.isRight()).isFalse();
        assertThat(holding.examples().get(0)).containsAnyOf("cannot be read", "other content");
    }

    @Test
    void the_audit_is_a_process_of_its_own() throws Exception {
        give();

        Findings findings = FinalAudit.run(List.of(scope(data.ledger(), ring)), List.of(), temporary);

        assertThat(findings.areRight()).isTrue();
        assertThat(findings.expected()).isEqualTo(2 * partitions());
    }

    @Test
    void it_says_how_far_it_is() throws Exception {
        give();
        AuditOrder order = FinalAudit.order(List.of(scope(data.ledger(), ring)), List.of(), temporary);
        AuditProgress progress = AuditProgress.of(order);

        String before = progress.step().text(1);
        long perNode = AuditMain.audit(order, progress).expected() / 2; // each partition has two replicas

        assertThat(before).isEqualTo("hashing files, for 1 s");
        assertThat(progress.step().done())
                .isEqualTo(progress.step().total())
                .isEqualTo(perNode * order.nodes().size());
        assertThat(Json.MAPPER.readValue(Json.MAPPER.writeValueAsString(progress.step()), Step.class))
                .isEqualTo(progress.step());
    }

    @Test
    void generated_data_says_how_far_it_is() throws IOException {
        List<Step> told = new ArrayList<>();

        data.generate(told::add);

        assertThat(told).isSortedAccordingTo(Comparator.comparing(Step::done));
        assertThat(told.get(told.size() - 1).text(1)).isEqualTo("generating: 100.0 %, 1.00 MiB of 1.00 MiB");
        assertThat(told.get(0).done()).isLessThan(2000);
    }

    @Test
    void a_warning_of_the_virtual_machine_is_no_progress() throws IOException {
        Step step = Step.ofBytes("hashing files", 1, 2);

        assertThat(FinalAudit.step("[0.005s][error][cds] An error has occurred while processing the archive"))
                .isEmpty();
        assertThat(FinalAudit.step("OpenJDK 64-Bit Server VM warning: Option UseBiasedLocking was deprecated"))
                .isEmpty();
        assertThat(FinalAudit.step(Json.MAPPER.writeValueAsString(step))).contains(step);
    }
}
