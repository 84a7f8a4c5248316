package io.sluice.harness.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.sluice.harness.json.Json;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The audit process: reads an {@link AuditOrder} from a file, writes {@link Findings} to another. Stateless. */
public final class AuditMain {
    private static final ObjectMapper MAPPER = Json.MAPPER;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long LINE_MILLIS = 250;

    private AuditMain() {}

    /**
     * Runs it; a line of JSON on standard output says now and then how far it is.
     *
     * @param args the file of the order, the file of the findings
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        AuditOrder order = MAPPER.readValue(Path.of(args[0]).toFile(), AuditOrder.class);
        AuditProgress progress = AuditProgress.of(order);
        Thread reporter = new Thread(() -> report(progress, System.out), "progress");
        reporter.setDaemon(true);
        reporter.start();
        MAPPER.writeValue(Path.of(args[1]).toFile(), audit(order, progress));
    }

    private static void report(AuditProgress progress, PrintStream out) {
        ObjectWriter line = MAPPER.writer().without(SerializationFeature.INDENT_OUTPUT);
        try {
            while (true) {
                out.println(line.writeValueAsString(progress.step()));
                out.flush();
                TimeUnit.MILLISECONDS.sleep(LINE_MILLIS);
            }
        } catch (InterruptedException | JsonProcessingException nobodyListens) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads all files of all nodes, as many nodes at a time as there are processors. */
    public static Findings audit(AuditOrder order, AuditProgress progress) throws InterruptedException {
        long began = System.nanoTime();
        FileHashes hashes = new FileHashes(progress);
        ExecutorService readers =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        try {
            List<Findings.Holding> holdings = new ArrayList<>();
            List<Future<Findings.Holding>> begun = new ArrayList<>();
            for (AuditOrder.Table table : order.tables()) {
                for (AuditOrder.Disk disk : order.nodes()) {
                    begun.add(readers.submit(() -> holding(disk, table, hashes, progress)));
                }
            }
            for (Future<Findings.Holding> one : begun) {
                holdings.add(one.get());
            }
            return new Findings(holdings, (System.nanoTime() - began) / NANOS_PER_SECOND);
        } catch (ExecutionException e) {
            throw new IllegalStateException("internal error of the audit", e);
        } finally {
            readers.shutdownNow();
        }
    }

    /** Files that cannot be read are reported as a finding. */
    private static Findings.Holding holding(
            AuditOrder.Disk disk, AuditOrder.Table table, FileHashes hashes, AuditProgress progress) {
        try {
            return new NodeAudit(disk.node(), table, progress)
                    .run(disk.data().stream().map(Path::of).toList(), hashes);
        } catch (IOException e) {
            return new Findings.Holding(
                    disk.node(), table.name(), 0, 0, 0, 0, 0, 0, 0, 0, List.of("cannot be read: " + e.getMessage()));
        }
    }
}
