package io.sluice.streaming.transfer.partial;

import io.sluice.sstable.index.Section;
import java.util.ArrayList;
import java.util.List;

/** Computes the chunks of sections. Stateless. */
final class ChunkRuns {
    private ChunkRuns() {}

    /** Neighbouring chunks, from {@code first} on, before {@code end}. */
    record Run(long first, long end) {}

    /** The chunks of {@code sections}, which are ascending: each chunk once, ascending. */
    static List<Run> of(List<Section> sections, int chunkLengthBytes) {
        List<Run> runs = new ArrayList<>();
        for (Section section : sections) {
            long first = section.start() / chunkLengthBytes;
            long end = (section.end() - 1) / chunkLengthBytes + 1;
            int last = runs.size() - 1;
            if (last >= 0 && runs.get(last).end() >= first) {
                runs.set(last, new Run(runs.get(last).first(), end));
            } else {
                runs.add(new Run(first, end));
            }
        }
        return runs;
    }
}
