package io.sluice.harness.plan;

import io.sluice.harness.plan.ModelledSSTables.Interval;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.planner.DataSizes;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.ModeChooser;
import io.sluice.streaming.transfer.ModeChooser.Decision;
import io.sluice.streaming.transfer.ModeSettings;
import io.sluice.streaming.transfer.RequestedSections;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * Forecasts the modes in which the SSTables of a plan's sources would travel: applies the mode chooser to each SSTable
 * of a node where they are known, otherwise to modelled SSTables. Stateless.
 */
public final class ModeForecast {
    private static final UUID NO_ID = new UUID(0, 0);

    private ModeForecast() {}

    /** Layout of a table's SSTables; {@code totalBytes} are those of one node. */
    interface Layout extends Function<Long, ModelledSSTables> {}

    /**
     * What one source sends of one table to one node in one mode.
     *
     * @param sstables of the source
     * @param bytes of rows, uncompressed
     * @param example reason for the SSTable of which most is wanted
     */
    public record ForecastTransfer(
            String source,
            String destination,
            String table,
            TransferMode mode,
            int sstables,
            long bytes,
            double cpuSeconds,
            String example) {}

    /**
     * The forecast of all streams of a plan: from {@code held} SSTables, otherwise from the model.
     *
     * @throws IOException if files of a node cannot be read
     */
    static List<ForecastTransfer> of(
            TopologyPlan plan,
            Map<TableRef, Ring> rings,
            DataSizes sizes,
            Function<TableRef, Layout> layouts,
            StoredSSTables held,
            ModeSettings settings)
            throws IOException {
        List<ForecastTransfer> transfers = new ArrayList<>();
        for (Node destination : plan.destinations()) {
            StreamPlan streams = plan.streamPlan(NO_ID, destination);
            for (StreamRequest request : streams.requests()) {
                Ring ring = rings.get(request.table());
                Optional<List<RequestedSections>> real = held.wanted(request);
                if (real.isPresent()) {
                    transfers.addAll(transfers(request, destination, real.get(), settings));
                } else if (ring != null
                        && ring.node(request.source().id()).isPresent()) { // otherwise: nothing is known of a loader
                    Positions positions = Positions.of(request, ring, sizes);
                    ModelledSSTables sstables =
                            layouts.apply(request.table()).apply(Math.round(positions.totalBytes()));
                    transfers.addAll(transfers(request, destination, sstables.wanted(positions.wanted()), settings));
                }
            }
        }
        return transfers;
    }

    /** The share of bytes that moves without decoding rows, 0 to 1; 1 if nothing moves. */
    static double undecoded(List<ForecastTransfer> transfers) {
        long all = transfers.stream().mapToLong(ForecastTransfer::bytes).sum();
        return all == 0 ? 1 : 1 - (double) bytes(transfers, TransferMode.ROWS) / all;
    }

    /** Bytes that travel in a mode. */
    static long bytes(List<ForecastTransfer> transfers, TransferMode mode) {
        return transfers.stream()
                .filter(share -> share.mode() == mode)
                .mapToLong(ForecastTransfer::bytes)
                .sum();
    }

    private static List<ForecastTransfer> transfers(
            StreamRequest request, Node destination, List<RequestedSections> sstables, ModeSettings settings) {
        Map<TransferMode, ForecastTransfer> byMode = new EnumMap<>(TransferMode.class);
        Map<TransferMode, Long> most = new EnumMap<>(TransferMode.class);
        for (RequestedSections wanted : sstables) {
            Decision decision = ModeChooser.decide(wanted, settings, Optional.empty());
            TransferMode mode = decision.choice().mode();
            boolean isExample = wanted.wantedBytes() > most.getOrDefault(mode, 0L);
            most.merge(mode, wanted.wantedBytes(), Math::max);
            ForecastTransfer one = new ForecastTransfer(
                    request.source().name(),
                    destination.name(),
                    request.table().toString(),
                    mode,
                    1,
                    wanted.wantedBytes(),
                    ModeChooser.estimateNanos(wanted, decision) / 1e9,
                    decision.choice().reason());
            byMode.merge(mode, one, (sum, next) -> sum(sum, next, isExample));
        }
        return List.copyOf(byMode.values());
    }

    private static ForecastTransfer sum(ForecastTransfer sum, ForecastTransfer next, boolean isExample) {
        return new ForecastTransfer(
                sum.source(),
                sum.destination(),
                sum.table(),
                sum.mode(),
                sum.sstables() + next.sstables(),
                sum.bytes() + next.bytes(),
                sum.cpuSeconds() + next.cpuSeconds(),
                isExample ? next.example() : sum.example());
    }

    /** Positions of the wanted sections among all data of a source, in token order. */
    private record Positions(double totalBytes, List<Interval> wanted) {
        static Positions of(StreamRequest request, Ring ring, DataSizes sizes) {
            Node source = ring.node(request.source().id()).orElseThrow();
            List<Interval> wanted = new ArrayList<>();
            double at = 0;
            for (TokenRange owned : ring.rangesOf(source).ranges()) {
                TokenRanges here = request.ranges().intersection(TokenRanges.of(owned));
                for (TokenRange range : here.ranges()) {
                    double before = first(range) == first(owned)
                            ? 0
                            : sizes.bytes(request.table(), source, first(owned), first(range) - 1);
                    double bytes = sizes.bytes(request.table(), source, first(range), last(range));
                    if (bytes > 0) {
                        wanted.add(new Interval(range, at + before, at + before + bytes));
                    }
                }
                at += sizes.bytes(request.table(), source, first(owned), last(owned));
            }
            wanted.sort(Comparator.comparingDouble(Interval::start));
            return new Positions(at, wanted);
        }

        private static long first(TokenRange range) {
            return range.start().value() + 1;
        }

        private static long last(TokenRange range) {
            return range.end().value() == Long.MIN_VALUE
                    ? Long.MAX_VALUE
                    : range.end().value();
        }
    }
}
