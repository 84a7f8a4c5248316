package io.sluice.streaming.engine.send;

import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.metrics.TableBytes;
import io.sluice.streaming.transfer.OfferedSSTable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntPredicate;

/**
 * The offers of one session, by their numbers, and how far each is: offered, received, its files checked, its temporary
 * files removed. Decides only; confined to the loop.
 */
final class SentOffers {
    private final List<OfferedSSTable> offered = new ArrayList<>();
    /** The byte counters of the offers, in the same order. */
    private final List<TableBytes.Count> counts = new ArrayList<>();

    private final BitSet received = new BitSet();
    private final BitSet landed = new BitSet();
    /** Offers of each table that are not landed. */
    private final Map<UUID, Integer> notLanded = new HashMap<>();
    /** Landed offers whose temporary files are removed when no connection sends of them any more. */
    private final Set<Integer> withTemporaryFiles = new LinkedHashSet<>();
    /** Landed offers that are not sent again. */
    private final BitSet removed = new BitSet();

    /** Adds the next offer. */
    void add(OfferedSSTable sstable, TableBytes.Count count) {
        offered.add(sstable);
        counts.add(count);
        notLanded.merge(sstable.offer().tableId(), 1, Integer::sum);
    }

    /** The number of offers. */
    int size() {
        return offered.size();
    }

    /** The offers, in order. */
    List<SSTableOffer> offers() {
        return offered.stream().map(OfferedSSTable::offer).toList();
    }

    /** One SSTable. */
    OfferedSSTable get(int offer) {
        return offered.get(offer);
    }

    /** Counts sent bytes of one offer. */
    TableBytes.Count count(int offer) {
        return counts.get(offer);
    }

    /** The receiver has an SSTable; returns whether that is new. */
    boolean received(int offer) {
        boolean isNew = !received.get(offer);
        received.set(offer);
        return isNew;
    }

    /** Whether the receiver has an SSTable. */
    boolean isReceived(int offer) {
        return received.get(offer);
    }

    /** The files of a received SSTable are unchanged; returns whether that is new. */
    boolean landed(SSTableOffer offer) {
        if (landed.get(offer.number())) {
            return false;
        }
        landed.set(offer.number());
        notLanded.merge(offer.tableId(), -1, Integer::sum);
        return true;
    }

    /** Whether all offers of a table are landed; not if it has none. */
    boolean isLanded(UUID tableId) {
        return notLanded.getOrDefault(tableId, 1) == 0;
    }

    /** The temporary files of a landed offer are no longer needed. */
    void removeWhenIdle(int offer) {
        withTemporaryFiles.add(offer);
    }

    /**
     * Takes the landed offers whose temporary files can be removed now.
     *
     * @param isSending whether a connection may still send of an offer: a lost one does not know that it is lost
     */
    List<OfferedSSTable> takeIdle(IntPredicate isSending) {
        List<OfferedSSTable> idle = new ArrayList<>();
        for (int number : List.copyOf(withTemporaryFiles)) {
            if (!isSending.test(number)) {
                withTemporaryFiles.remove(number);
                removed.set(number);
                idle.add(offered.get(number));
            }
        }
        return idle;
    }

    /** Whether the temporary files of an offer are removed: it cannot be sent any more. */
    boolean isRemoved(int offer) {
        return removed.get(offer);
    }
}
