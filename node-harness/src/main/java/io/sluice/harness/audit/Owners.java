package io.sluice.harness.audit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who holds a partition, found in the simplest way there is: walk the sorted list of tokens from the first that is not
 * less than the partition's, on from the beginning after the last, and take nodes until there are enough. Not
 * thread-safe: remembers the last answer, as most partitions are asked for in order.
 */
final class Owners {
    private final AuditOrder.Ring ring;
    private final List<Place> places = new ArrayList<>();
    private long lastToken = Long.MIN_VALUE;
    private int reached;
    private int last = -1;
    private Set<String> lastOwners = Set.of();

    private record Place(long token, AuditOrder.Member member) {}

    Owners(AuditOrder.Ring ring) {
        this.ring = ring;
        for (AuditOrder.Member member : ring.members()) {
            for (long token : member.tokens()) {
                places.add(new Place(token, member));
            }
        }
        places.sort(Comparator.comparingLong(Place::token));
    }

    /** Names of the nodes that hold {@code token}. */
    Set<String> of(long token) {
        int first = first(token);
        if (first != last) {
            last = first;
            lastOwners = ring.tablets().isPresent()
                    ? Set.copyOf(ring.tablets().get().get(first).nodes())
                    : walk(first);
        }
        return lastOwners;
    }

    private int first(long token) {
        int at = token >= lastToken ? reached : 0;
        lastToken = token;
        if (ring.tablets().isPresent()) {
            while (ring.tablets().get().get(at).last() < token) {
                at++;
            }
            reached = at;
            return at;
        }
        while (at < places.size() && places.get(at).token() < token) {
            at++;
        }
        reached = at;
        return at == places.size() ? 0 : at;
    }

    private Set<String> walk(int first) {
        if (ring.simple().isPresent()) {
            Set<String> taken = new HashSet<>();
            for (int step = 0;
                    step < places.size() && taken.size() < ring.simple().get();
                    step++) {
                taken.add(at(first + step).node());
            }
            return taken;
        }
        Set<String> taken = new HashSet<>();
        for (Map.Entry<String, Integer> dc : ring.byDc().orElseThrow().entrySet()) {
            taken.addAll(walkIn(dc.getKey(), dc.getValue(), first));
        }
        return taken;
    }

    /** First a node of each rack, then any. */
    private Set<String> walkIn(String dc, int wanted, int first) {
        Set<String> racks = new HashSet<>();
        Set<String> taken = new HashSet<>();
        for (int step = 0; step < places.size() && taken.size() < wanted; step++) {
            AuditOrder.Member member = at(first + step);
            if (member.dc().equals(dc) && racks.add(member.rack())) {
                taken.add(member.node());
            }
        }
        for (int step = 0; step < places.size() && taken.size() < wanted; step++) {
            if (at(first + step).dc().equals(dc)) {
                taken.add(at(first + step).node());
            }
        }
        return taken;
    }

    private AuditOrder.Member at(int place) {
        return places.get(place % places.size()).member();
    }
}
