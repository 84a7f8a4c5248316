package io.sluice.harness.plan;

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
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Forecasts the modes in which the SSTables of a plan's sources would travel: applies the mode chooser to each SSTable
 * of a node where they are known, otherwise to modelled SSTables. Stateless.
 */
public final class ModeForecast {
    private static final UUID NO_ID = new UUID(0, 0);

    private ModeForecast() {}

    /** Layout of a table's SSTables; {@code totalBytes} are those of one node. */
    interface Layout extends Function<Long, ModelledSSTables> {}

    /** What a node has of a table. */
    private record DataOf(UUID source, TableRef table) {}

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
        Map<DataOf, Optional<SourcePositions>> sources = new HashMap<>();
        for (Node destination : plan.destinations()) {
            StreamPlan streams = plan.streamPlan(NO_ID, destination);
            for (StreamRequest request : streams.requests()) {
                Optional<List<RequestedSections>> wanted = held.wanted(request);
                if (wanted.isEmpty()) {
                    wanted = sources.computeIfAbsent(
                                    new DataOf(request.source().id(), request.table()),
                                    data -> positions(data, rings.get(data.table()), sizes))
                            .map(positions -> layouts.apply(request.table())
                                    .apply(Math.round(positions.totalBytes()))
                                    .wanted(positions.wanted(request.ranges())));
                }
                if (wanted.isPresent()) {
                    transfers.addAll(transfers(request, destination, wanted.get(), settings));
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

    /** Those of a source in the ring; of another, as a loader, nothing is known. */
    private static Optional<SourcePositions> positions(DataOf data, @Nullable Ring ring, DataSizes sizes) {
        return Optional.ofNullable(ring)
                .flatMap(known -> known.node(data.source())
                        .map(source -> new SourcePositions(data.table(), source, known.rangesOf(source), sizes)));
    }
}
