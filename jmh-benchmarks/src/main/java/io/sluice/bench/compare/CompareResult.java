package io.sluice.bench.compare;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.sluice.bench.process.Dispersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What all rounds came to. Immutable.
 *
 * @param table what was moved, and {@code ranges} which part of it
 * @param dataBytes uncompressed bytes of the partitions in the ranges: the denominator of all rates
 * @param storedBytes of Data.db that hold them, and their share of the other components
 * @param warmUpSeconds how long each mode moved at least, twice, before the first round
 * @param digest of the content, the same at the source and after every mode
 */
record CompareResult(
        String table,
        String ranges,
        @JsonProperty("data_bytes") long dataBytes,
        @JsonProperty("stored_bytes") long storedBytes,
        @JsonProperty("source_sstables") int sourceSSTables,
        @JsonProperty("warm_up_seconds") int warmUpSeconds,
        int rounds,
        String digest,
        String machine,
        List<Row> modes,
        List<Published> published) {
    private static final double GIBIBYTE = 1L << 30;
    private static final double MEBIBYTE = 1L << 20;

    /**
     * One mode: of each figure all rounds and their spread.
     *
     * @param rate MiB of data a second
     * @param wireRatio bytes on the wire to bytes at rest; absent where nobody counts them
     * @param allocated MiB on both heaps for each GiB; absent in processes that do not say
     */
    record Row(
            String mode,
            String what,
            @JsonProperty("mib_per_s") Dispersion rate,
            @JsonProperty("mib_per_s_all") List<Double> rates,
            @JsonProperty("sender_cpu_s_per_gib") Dispersion senderCpu,
            @JsonProperty("receiver_cpu_s_per_gib") Dispersion receiverCpu,
            @JsonProperty("cpu_s_per_gib_all") List<Double> cpus,
            @JsonProperty("wire_to_rest") @Nullable Dispersion wireRatio,
            @JsonProperty("allocated_mib_per_gib") @Nullable Dispersion allocated,
            @JsonProperty("sstables") int sstables,
            List<Run> runs) {}

    static List<Row> rows(Map<Mode, List<Run>> samples, long dataBytes, long storedBytes) {
        double gibibytes = dataBytes / GIBIBYTE;
        List<Row> rows = new ArrayList<>();
        samples.forEach((mode, runs) -> rows.add(row(
                mode.label(),
                mode.sentence(),
                runs,
                dataBytes,
                Dispersion.of(all(runs, run -> (double) run.wireBytes() / storedBytes)),
                Dispersion.of(all(
                        runs,
                        run -> (run.senderAllocatedBytes() + run.receiverAllocatedBytes()) / MEBIBYTE / gibibytes)))));
        return rows;
    }

    /** The row of a way whose processes may report no more than their CPU. */
    static Row row(
            String mode,
            String what,
            List<Run> runs,
            long dataBytes,
            @Nullable Dispersion wireRatio,
            @Nullable Dispersion allocated) {
        double gibibytes = dataBytes / GIBIBYTE;
        List<Double> rates = all(runs, run -> dataBytes / MEBIBYTE / run.seconds());
        return new Row(
                mode,
                what,
                Dispersion.of(rates),
                rates,
                Dispersion.of(all(runs, run -> run.senderCpuSeconds() / gibibytes)),
                Dispersion.of(all(runs, run -> run.receiverCpuSeconds() / gibibytes)),
                all(runs, run -> (run.senderCpuSeconds() + run.receiverCpuSeconds()) / gibibytes),
                wireRatio,
                allocated,
                runs.get(runs.size() - 1).sstables(),
                runs);
    }

    /** The same with more rows behind its own. */
    CompareResult with(List<Row> more) {
        List<Row> all = new ArrayList<>(modes);
        all.addAll(more);
        return new CompareResult(
                table,
                ranges,
                dataBytes,
                storedBytes,
                sourceSSTables,
                warmUpSeconds,
                rounds,
                digest,
                machine,
                all,
                published);
    }

    private static List<Double> all(List<Run> runs, ToDoubleFunction<Run> figure) {
        return runs.stream().map(figure::applyAsDouble).toList();
    }
}
