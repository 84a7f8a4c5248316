package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages.Digests;
import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.harness.replace.SourceFetches.Wanted;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.TableRef;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a source sends of a keyspace. Immutable.
 *
 * @param pinned the tables
 * @param ranges of each of them
 * @param known digests of what is pinned of a table, one for each range, if they have been computed
 */
record Share(Member source, List<Pinned> pinned, TokenRanges ranges, Map<TableRef, Digests> known) {
    Share {
        pinned = List.copyOf(pinned);
        known = Map.copyOf(known);
    }

    Wanted wanted() {
        return new Wanted(source, pinned.stream().map(Pinned::table).toList(), ranges);
    }

    Share but(Set<TableRef> tables) {
        return new Share(
                source,
                pinned.stream().filter(table -> !tables.contains(table.table())).toList(),
                ranges,
                known);
    }

    /** Whether another source sends some range of one of the tables, too. */
    boolean overlaps(Share other) {
        return !other.source().equals(source)
                && !ranges.intersection(other.ranges()).isEmpty()
                && !Collections.disjoint(wanted().tables(), other.wanted().tables());
    }
}
