package io.sluice.harness.plan;

import io.sluice.harness.config.ConfigException;
import io.sluice.harness.config.ValueTypes;
import io.sluice.harness.plan.ModelledSSTables.Strategy;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.planner.PlannerOptions;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Membership;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Node.Location;
import io.sluice.streaming.ring.Replication;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * A ring and its data, described in YAML; {@code conf/rings/example.yaml} shows every key. Immutable.
 *
 * @param nodes members, and nodes that are going to join
 * @param keyspaces with their tables
 * @param receiveRate bytes that each node can receive per second
 */
public record RingFile(List<Member> nodes, List<Keyspace> keyspaces, Optional<String> receiveRate) {
    private static final int MAX_VNODES = 4096;

    /** Of all nodes together: 1,024 nodes of 256. Each takes about 1 KiB while the ring is built. */
    private static final int MAX_VNODES_OF_ALL = 1 << 18;

    /**
     * A node.
     *
     * @param state {@code up} (default), {@code down}, or {@code joining}: not a member yet
     * @param rate bytes that it can send per second, as {@code 200MiB/s}
     */
    record Member(
            String name,
            Optional<String> dc,
            Optional<String> rack,
            Optional<List<Long>> tokens,
            OptionalInt vnodes,
            Optional<String> state,
            Optional<String> address,
            Optional<String> rate) {}

    /** A keyspace. */
    record Keyspace(String name, Replication replication, List<Table> tables) {}

    /**
     * A table.
     *
     * @param size bytes of one copy of all rows, spread evenly over the ring, as {@code 1TiB}
     * @param hot ranges that hold additional bytes
     * @param compaction {@code size_tiered} (default) or {@code leveled}
     * @param sstableSize of a leveled table, as {@code 160MiB} (default)
     * @param chunkLength of compressed chunks, as {@code 16KiB} (default), or {@code none}
     */
    record Table(
            String name,
            String size,
            List<Hot> hot,
            Optional<String> compaction,
            Optional<String> sstableSize,
            Optional<String> chunkLength) {}

    /** Additional bytes of the tokens after {@code start} up to {@code end}. */
    record Hot(long start, long end, String size) {}

    public RingFile {
        nodes = List.copyOf(nodes);
        keyspaces = List.copyOf(keyspaces);
    }

    /**
     * Reads a file, and builds all that is derived from it, so that mistakes are reported here.
     *
     * @throws ConfigException if it is not YAML, not of this form, or contradicts itself
     */
    public static RingFile read(Path path) {
        RingFile ring = RingFileReader.read(path);
        try {
            ring.requireSound();
        } catch (IllegalArgumentException | ArithmeticException | ConfigException e) {
            throw new ConfigException(path + ": " + e.getMessage(), e);
        }
        return ring;
    }

    /** Builds everything that is derived from the file, so that mistakes are reported here and not later. */
    private void requireSound() {
        long vnodes =
                nodes.stream().mapToLong(member -> member.vnodes().orElse(0)).sum();
        if (vnodes > MAX_VNODES_OF_ALL) {
            throw new ConfigException(
                    "vnodes of all nodes: " + vnodes + " (expected: at most " + MAX_VNODES_OF_ALL + ")");
        }
        rings();
        sizes();
        layouts();
        options();
    }

    /**
     * The node of this name.
     *
     * @throws ConfigException if there is none
     */
    public Node node(String name) {
        return members().stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new ConfigException("node '" + name + "': not in the ring file (expected: one of "
                        + nodes.stream().map(Member::name).toList() + ")"));
    }

    /** All nodes, joining ones included. */
    List<Node> members() {
        List<Node> all = new ArrayList<>();
        for (Member member : nodes) {
            all.add(node(member, all.size()));
        }
        return all;
    }

    private static Node node(Member member, int number) {
        String name = member.name();
        String state = member.state().orElse("up");
        if (!List.of("up", "down", "joining").contains(state)) {
            throw new ConfigException("state of " + name + ": '" + state + "' (expected: up, down or joining)");
        }
        var status = new Node.Status(
                new Location(
                        member.dc().orElse(Location.UNKNOWN.dc()), member.rack().orElse(Location.UNKNOWN.rack())),
                state.equals("joining") ? new Membership.Joining() : new Membership.Normal(),
                !state.equals("down"));
        Address address = Address.parse(member.address().orElse("127.0.0.1:" + (1 + number % 65_535)));
        UUID id = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        return new Node(id, name, address, tokens(member, id), status);
    }

    /** The tokens in the file, or generated ones, always the same for the same name. */
    private static List<Token> tokens(Member member, UUID id) {
        if (member.tokens().isPresent()) {
            return member.tokens().get().stream().map(Token::new).toList();
        }
        int count = member.vnodes().orElse(0);
        if (count < 0 || count > MAX_VNODES) {
            throw new ConfigException(
                    "vnodes of " + member.name() + ": " + count + " (expected: 0 to " + MAX_VNODES + ")");
        }
        return new SplittableRandom(id.getMostSignificantBits() ^ id.getLeastSignificantBits())
                .longs(count)
                .mapToObj(Token::new)
                .toList();
    }

    /** The ring of each table; tables with equal replication share one. */
    Map<TableRef, Ring> rings() {
        List<Node> members = members().stream()
                .filter(node -> node.membership() instanceof Membership.Normal)
                .toList();
        Map<Replication, Ring> known = new LinkedHashMap<>();
        Map<TableRef, Ring> rings = new LinkedHashMap<>();
        for (Keyspace keyspace : keyspaces) {
            Ring ring = known.computeIfAbsent(keyspace.replication(), other -> new Ring(members, other));
            keyspace.tables().forEach(table -> rings.put(ref(keyspace, table), ring));
        }
        return rings;
    }

    private static TableRef ref(Keyspace keyspace, Table table) {
        String name = keyspace.name() + "." + table.name();
        return new TableRef(
                UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)), keyspace.name(), table.name());
    }

    /** The estimated size of each node's data. */
    DescribedSizes sizes() {
        Map<TableRef, DescribedSizes.Density> tables = new LinkedHashMap<>();
        for (Keyspace keyspace : keyspaces) {
            for (Table table : keyspace.tables()) {
                List<DescribedSizes.HotRange> hot = table.hot().stream()
                        .map(range -> new DescribedSizes.HotRange(
                                range.start() + 1, range.end(), bytes("hot range of " + table.name(), range.size())))
                        .toList();
                tables.put(
                        ref(keyspace, table),
                        new DescribedSizes.Density(bytes("size of " + table.name(), table.size()), hot));
            }
        }
        return new DescribedSizes(tables);
    }

    private static long bytes(String what, String text) {
        return ValueTypes.bytes(what, text);
    }

    private static double rate(String name, String text) {
        if (!text.endsWith("/s")) {
            throw new ConfigException(name + ": '" + text + "' (expected: a rate as 200MiB/s)");
        }
        return Math.max(1, bytes(name, text.substring(0, text.length() - 2)));
    }

    /** The modelled layout of each table's SSTables. */
    Map<TableRef, ModeForecast.Layout> layouts() {
        Map<TableRef, ModeForecast.Layout> layouts = new LinkedHashMap<>();
        for (Keyspace keyspace : keyspaces) {
            for (Table table : keyspace.tables()) {
                Strategy strategy = strategy(table);
                long sstable = bytes(
                        "sstable_size of " + table.name(), table.sstableSize().orElse("160MiB"));
                String chunk = table.chunkLength().orElse("16KiB");
                Optional<Integer> chunkLength = chunk.equals("none")
                        ? Optional.empty()
                        : Optional.of(Math.toIntExact(bytes("chunk_length of " + table.name(), chunk)));
                layouts.put(
                        ref(keyspace, table),
                        total -> ModelledSSTables.of(strategy, total, Math.max(1, sstable), chunkLength));
            }
        }
        return layouts;
    }

    private static Strategy strategy(Table table) {
        String name = table.compaction().orElse("size_tiered");
        return switch (name) {
            case "size_tiered" -> Strategy.SIZE_TIERED;
            case "leveled" -> Strategy.LEVELED;
            default ->
                throw new ConfigException(
                        "compaction of " + table.name() + ": '" + name + "' (expected: size_tiered or leveled)");
        };
    }

    /** Planner options with the rates of nodes. SSTables may be cut, as nothing is known of them. */
    PlannerOptions options() {
        PlannerOptions options = PlannerOptions.DEFAULTS.cuttingSSTables();
        List<Node> members = members();
        for (int i = 0; i < nodes.size(); i++) {
            Optional<String> rate = nodes.get(i).rate();
            if (rate.isPresent()) {
                options = options.withRate(
                        members.get(i).id(), rate("rate of " + nodes.get(i).name(), rate.get()));
            }
        }
        return receiveRate.isPresent() ? options.withReceiveRate(rate("receive_rate", receiveRate.get())) : options;
    }
}
