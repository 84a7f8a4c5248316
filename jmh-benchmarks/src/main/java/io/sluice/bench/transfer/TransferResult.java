package io.sluice.bench.transfer;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.sluice.bench.process.Dispersion;
import io.sluice.bench.process.Usage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/**
 * What all rounds came to. Immutable.
 *
 * @param ratioToC throughput divided by that of the yardstick's better variant in the same round, nothing synced
 * @param durableRatioToC the same, until everything is durable and installed
 * @param cpuRatioToC CPU of both sides, divided by that of the yardstick's cheaper variant in the same round; empty if
 *     the clock hardly counts that of a side
 * @param senderCpuRatioToC the same of the sender alone
 * @param receiverCpuRatioToC the same of the receiver alone
 * @param checkingCpuSecondsPerGib what the checksums of a GiB cost the receiver
 * @param ratioToTlsAlone throughput divided by that of the TLS library without files, in the same round
 * @param interquartileRangeToMedian of the throughput of each variant
 * @param sliceRatioToWhole throughput of slices divided by that of whole SSTables in the same round, nothing synced
 * @param durableSliceRatioToWhole the same, until everything is durable and installed
 */
record TransferResult(
        long bytes,
        int files,
        int connections,
        int rounds,
        @JsonProperty("ratio_to_c") Optional<Dispersion> ratioToC,
        @JsonProperty("durable_ratio_to_c") Optional<Dispersion> durableRatioToC,
        @JsonProperty("cpu_ratio_to_c") Optional<Dispersion> cpuRatioToC,
        @JsonProperty("sender_cpu_ratio_to_c") Optional<Dispersion> senderCpuRatioToC,
        @JsonProperty("receiver_cpu_ratio_to_c") Optional<Dispersion> receiverCpuRatioToC,
        @JsonProperty("checking_cpu_s_per_gib") double checkingCpuSecondsPerGib,
        @JsonProperty("ratio_to_tls_alone") Optional<Dispersion> ratioToTlsAlone,
        @JsonProperty("iqr_to_median") Map<String, Double> interquartileRangeToMedian,
        @JsonProperty("counts_per_gib") Counts countsPerGib,
        @JsonProperty("slice_ratio_to_whole") Dispersion sliceRatioToWhole,
        @JsonProperty("durable_slice_ratio_to_whole") Dispersion durableSliceRatioToWhole,
        @JsonProperty("cpu_s_per_gib") Cpu cpuSecondsPerGib,
        @JsonProperty("allocated_bytes_per_gib") Sides allocatedBytesPerGib,
        Map<String, Row> variants) {
    /** Medians: calls for each GiB, and syncs of a whole durable run. */
    record Counts(
            double regions,
            @JsonProperty("socket_reads") double socketReads,
            @JsonProperty("file_writes") double fileWrites,
            @JsonProperty("syncs_of_durable_run") double syncsOfDurableRun) {}

    /** Medians at the two ends. */
    record Sides(double sender, double receiver) {}

    /** Medians of CPU seconds for each GiB at the two ends; empty where the clock hardly counts that of a run. */
    record Cpu(Optional<Double> sender, Optional<Double> receiver) {
        private static Cpu of(Variant variant, List<Sample> samples) {
            return new Cpu(
                    counted(variant, samples, Sample::senderCpuSeconds),
                    counted(variant, samples, Sample::receiverCpuSeconds));
        }

        private static Optional<Double> counted(Variant variant, List<Sample> samples, Figure cpu) {
            return Optional.of(median(samples, cpu))
                    .filter(perGib -> variant.isYardstick()
                            || Usage.isCounted(perGib, samples.get(0).gibibytes()));
        }
    }

    /** One variant: bytes of a run, GiB/s, and its CPU. */
    record Row(
            long bytes,
            @JsonProperty("gib_per_s") Dispersion rate,
            @JsonProperty("cpu_s_per_gib") Cpu cpuSecondsPerGib) {}

    /** @param samples of each variant, one for each round; the yardstick's may be missing */
    static TransferResult of(int files, int connections, double checking, Map<Variant, List<Sample>> samples) {
        List<Sample> own = samples.getOrDefault(Variant.SLUICE, List.of());
        List<Sample> durable = samples.getOrDefault(Variant.SLUICE_DURABLE, List.of());
        Map<String, Row> rows = new LinkedHashMap<>();
        samples.forEach((variant, all) -> rows.put(
                variant.label(),
                new Row(
                        all.get(0).bytes(),
                        Dispersion.of(all.stream().map(Sample::gibPerSecond).toList()),
                        Cpu.of(variant, all))));
        Map<String, Double> spread = new LinkedHashMap<>();
        rows.forEach((label, row) ->
                spread.put(label, row.rate().interquartileRange() / row.rate().median()));
        List<Sample> alone = samples.getOrDefault(Variant.TLS_ALONE, List.of());
        boolean hasC = samples.containsKey(Variant.C_SPLICE);
        Cpu cpu = Cpu.of(Variant.SLUICE, own);
        boolean hasSender = hasC && cpu.sender().isPresent();
        boolean hasReceiver = hasC && cpu.receiver().isPresent();
        return new TransferResult(
                own.get(0).bytes(),
                files,
                connections,
                own.size(),
                hasC ? Optional.of(ratios(own, best(samples, Variant.C_RW, Variant.C_SPLICE))) : Optional.empty(),
                hasC
                        ? Optional.of(ratios(durable, best(samples, Variant.C_RW_DURABLE, Variant.C_SPLICE_DURABLE)))
                        : Optional.empty(),
                hasSender && hasReceiver
                        ? Optional.of(leastRatios(
                                own, samples, sample -> sample.senderCpuSeconds() + sample.receiverCpuSeconds()))
                        : Optional.empty(),
                hasSender ? Optional.of(leastRatios(own, samples, Sample::senderCpuSeconds)) : Optional.empty(),
                hasReceiver ? Optional.of(leastRatios(own, samples, Sample::receiverCpuSeconds)) : Optional.empty(),
                checking,
                alone.isEmpty() ? Optional.empty() : Optional.of(ratios(own, alone)),
                spread,
                new Counts(
                        median(own, Sample::regions),
                        median(own, Sample::socketReads),
                        median(own, Sample::fileWrites),
                        Dispersion.of(durable.stream()
                                        .map(sample -> (double) sample.syncs())
                                        .toList())
                                .median()),
                ratios(samples.getOrDefault(Variant.SLICES, List.of()), own),
                ratios(samples.getOrDefault(Variant.SLICES_DURABLE, List.of()), durable),
                cpu,
                new Sides(median(own, Sample::senderAllocatedBytes), median(own, Sample::receiverAllocatedBytes)),
                rows);
    }

    private interface Figure {
        double of(Sample sample);
    }

    private static double median(List<Sample> samples, Figure figure) {
        return Dispersion.of(
                        samples.stream().map(sample -> perGib(sample, figure)).toList())
                .median();
    }

    /** Of each round the faster one. */
    private static List<Sample> best(Map<Variant, List<Sample>> samples, Variant one, Variant other) {
        List<Sample> first = samples.getOrDefault(one, List.of());
        List<Sample> second = samples.getOrDefault(other, List.of());
        return IntStream.range(0, first.size())
                .mapToObj(round ->
                        first.get(round).gibPerSecond() > second.get(round).gibPerSecond()
                                ? first.get(round)
                                : second.get(round))
                .toList();
    }

    /** One figure to another of the same round. */
    private static Dispersion ratios(int rounds, IntToDoubleFunction above, IntToDoubleFunction below) {
        return Dispersion.of(IntStream.range(0, rounds)
                .mapToObj(round -> above.applyAsDouble(round) / below.applyAsDouble(round))
                .toList());
    }

    private static Dispersion ratios(List<Sample> own, List<Sample> c) {
        return ratios(
                own.size(),
                round -> own.get(round).gibPerSecond(),
                round -> c.get(round).gibPerSecond());
    }

    private static Dispersion leastRatios(List<Sample> own, Map<Variant, List<Sample>> samples, Figure cpu) {
        List<Sample> first = samples.getOrDefault(Variant.C_RW, List.of());
        List<Sample> second = samples.getOrDefault(Variant.C_SPLICE, List.of());
        return ratios(
                own.size(),
                round -> perGib(own.get(round), cpu),
                round -> Math.min(perGib(first.get(round), cpu), perGib(second.get(round), cpu)));
    }

    private static double perGib(Sample sample, Figure figure) {
        return sample.perGibibyte(figure.of(sample));
    }
}
