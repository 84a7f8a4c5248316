package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages;
import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The tables that are pinned at each source. Immutable.
 *
 * @param operation that they are pinned for
 * @param bySource ascending by endpoint
 */
record PinsOfSources(UUID operation, Map<Member, List<Pinned>> bySource) {
    /** Formats of 5.0 that it writes, and reads, only where its settings say so. */
    private static final Set<String> NEW_FORMATS = Set.of("oa", "da");

    PinsOfSources {
        Map<Member, List<Pinned>> sorted = new TreeMap<>(Comparator.comparing(Member::endpoint));
        sorted.putAll(bySource);
        bySource = Collections.unmodifiableMap(sorted);
    }

    /**
     * Pins all tables of the planned keyspaces, at each source that sends some of them.
     *
     * @param target as it is now, as {@code sources}: a table that was created since would not be pinned
     */
    static PinsOfSources take(
            UUID operation, Member target, List<Member> sources, List<JoinPlan> plans, JoinProgress progress)
            throws IOException, InterruptedException {
        List<Questions.Question<List<Pinned>>> questions = new ArrayList<>();
        UUID fetcher = target.status().agent().id();
        for (Member source : sources) {
            List<TableRef> tables = new ArrayList<>();
            for (JoinPlan plan : plans) {
                if (plan.bySource().containsKey(source.endpoint())) {
                    tables.addAll(tables(target, source, plan.keyspace()));
                }
            }
            questions.add(() -> source.agent().pin(new AgentMessages.Pin(operation, fetcher, tables)));
        }
        progress.waitsFor("snapshots at " + sources.size() + " sources");
        // At the same time: what is written between two of them makes replicas differ, and is brought twice.
        List<List<Pinned>> answers = Questions.all(questions);
        Map<Member, List<Pinned>> pinned = new TreeMap<>(Comparator.comparing(Member::endpoint));
        for (int i = 0; i < answers.size(); i++) {
            pinned.put(sources.get(i), answers.get(i));
        }
        return new PinsOfSources(operation, pinned);
    }

    private static List<TableRef> tables(Member target, Member source, String keyspace) throws IOException {
        List<TableRef> tables = source.tables(keyspace);
        for (TableRef table : tables) {
            if (!target.status().tables().contains(table)) {
                throw new IOException("table " + table + " of " + source + " has another id at " + target
                        + ", or is not there (expected: one schema; wait until the nodes agree, and run again)");
            }
        }
        return tables;
    }

    /** Keyspaces of which a table takes no files at {@code target}, and why. */
    Map<String, String> leftToCassandra(Member target) {
        Map<String, String> left = new TreeMap<>();
        bySource.forEach((source, tables) -> tables.forEach(table -> reason(target, source, table)
                .ifPresent(why -> left.putIfAbsent(table.table().keyspace(), why))));
        return left;
    }

    private static Optional<String> reason(Member target, Member source, Pinned table) {
        if (table.hasPendingRepair()) {
            return Optional.of(
                    table.table() + " at " + source + " has SSTables that wait for the end of a" + " repair");
        }
        return table.versions().stream()
                .filter(NEW_FORMATS::contains)
                .filter(version -> !target.status().readsOa())
                .findFirst()
                .map(version -> table.table() + " at " + source + " has SSTables of " + version + ", with which "
                        + target + " would not start again (expected: storage_compatibility_mode: NONE there, too)");
    }

    /**
     * Which tables of a keyspace were created or dropped since they were pinned, in words; empty if none was. Asks each
     * source, and {@code target}.
     */
    Optional<String> changed(String keyspace, Member target) throws IOException {
        for (Map.Entry<Member, List<Pinned>> source : bySource.entrySet()) {
            List<TableRef> pinned = tables(source.getValue(), keyspace);
            if (!pinned.isEmpty()) {
                Optional<String> changed = difference(
                        source.getKey(), pinned, source.getKey().now().tables(keyspace));
                if (changed.isPresent()) {
                    return changed;
                }
            }
        }
        return difference(target, tables(keyspace), target.now().tables(keyspace));
    }

    /** The tables of a keyspace that are pinned somewhere. */
    Set<TableRef> tables(String keyspace) {
        Set<TableRef> all =
                new TreeSet<>(Comparator.comparing(TableRef::toString).thenComparing(TableRef::id));
        bySource.values().forEach(pinned -> all.addAll(tables(pinned, keyspace)));
        return all;
    }

    private static List<TableRef> tables(List<Pinned> pinned, String keyspace) {
        return pinned.stream()
                .map(Pinned::table)
                .filter(table -> table.keyspace().equals(keyspace))
                .toList();
    }

    private static Optional<String> difference(Member member, Collection<TableRef> pinned, List<TableRef> now) {
        String created = names(now, pinned);
        String dropped = names(pinned, now);
        return created.isEmpty() && dropped.isEmpty()
                ? Optional.empty()
                : Optional.of("its tables have changed at " + member + " since they were pinned:"
                        + (created.isEmpty() ? "" : " " + created + " created")
                        + (dropped.isEmpty() ? "" : " " + dropped + " dropped"));
    }

    private static String names(Collection<TableRef> some, Collection<TableRef> others) {
        return some.stream()
                .filter(table -> !others.contains(table))
                .map(TableRef::toString)
                .sorted()
                .collect(Collectors.joining(", "));
    }

    /** Releases the tables of a keyspace. */
    void release(String keyspace) throws IOException {
        for (Map.Entry<Member, List<Pinned>> source : bySource.entrySet()) {
            source.getKey().agent().unpin(operation, tables(source.getValue(), keyspace));
        }
    }
}
