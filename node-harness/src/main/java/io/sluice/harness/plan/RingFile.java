package io.sluice.harness.plan;

import io.sluice.harness.config.ByteAmounts;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.plan.ModelledSSTables.Strategy;
import io.sluice.netty.options.NearestKey;
import io.sluice.sstable.key.Murmur3;
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
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/** A ring and its data, described in YAML; {@code conf/rings/example.yaml} shows every key. Immutable. */
public final class RingFile {
    private static final int MAX_VNODES = 4096;

    /** Of all nodes together: 1,024 nodes of 256. Each takes about 1 KiB while the ring is built. */
    private static final int MAX_VNODES_OF_ALL = 1 << 18;

    private final List<Node> members;
    private final Map<TableRef, Ring> rings;
    private final DescribedSizes sizes;
    private final Map<TableRef, ModeForecast.Layout> layouts;
    private final PlannerOptions options;

    private RingFile(RingForm form) {
        long vnodes = form.nodes().stream()
                .mapToLong(member -> member.vnodes().orElse(0))
                .sum();
        if (vnodes > MAX_VNODES_OF_ALL) {
            throw new ConfigException(
                    "vnodes of all nodes: " + vnodes + " (expected: at most " + MAX_VNODES_OF_ALL + ")");
        }
        this.members = members(form);
        form.keyspaces().forEach(this::requireDcs);
        this.rings = rings(form, members);
        this.sizes = sizes(form);
        this.layouts = layouts(form);
        this.options = options(form, members);
    }

    /**
     * Reads a file.
     *
     * @throws ConfigException if it is not YAML, not of this form, or contradicts itself
     */
    public static RingFile read(Path path) {
        RingForm form = RingFileReader.read(path);
        try {
            return new RingFile(form);
        } catch (IllegalArgumentException | ArithmeticException | ConfigException e) {
            throw new ConfigException(path + ": " + e.getMessage(), e);
        }
    }

    /**
     * The node of this name.
     *
     * @throws ConfigException if there is none
     */
    public Node node(String name) {
        return members.stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new ConfigException("node '" + name + "': not in the ring file (expected: one of "
                        + members.stream().map(Node::name).toList() + ")"));
    }

    /**
     * Refuses a data centre that no node is in, joining ones included.
     *
     * @param what names it
     */
    void requireDc(String what, String dc) {
        Set<String> dcs =
                members.stream().map(node -> node.location().dc()).collect(Collectors.toCollection(TreeSet::new));
        if (!dcs.contains(dc)) {
            throw new ConfigException(
                    what + ": has no nodes " + (dcs.isEmpty() ? "(expected: some)" : NearestKey.hint(dc, dcs)));
        }
    }

    /** Of a misspelled one no node would hold anything, and there were nothing to move. */
    private void requireDcs(RingForm.Keyspace keyspace) {
        if (keyspace.replication() instanceof Replication.NetworkTopology topology) {
            topology.factors().forEach((dc, factor) -> {
                if (factor > 0) {
                    requireDc("replication of " + keyspace.name() + ": " + dc, dc);
                }
            });
        }
    }

    /** All nodes, joining ones included. */
    List<Node> members() {
        return members;
    }

    /** The ring of each table; tables with equal replication share one. */
    Map<TableRef, Ring> rings() {
        return rings;
    }

    /** The estimated size of each node's data. */
    DescribedSizes sizes() {
        return sizes;
    }

    /** The modelled layout of each table's SSTables. */
    Map<TableRef, ModeForecast.Layout> layouts() {
        return layouts;
    }

    /** Planner options with the rates of nodes. SSTables may be cut, as nothing is known of them. */
    PlannerOptions options() {
        return options;
    }

    private static List<Node> members(RingForm form) {
        List<Node> all = new ArrayList<>();
        for (RingForm.Member member : form.nodes()) {
            all.add(node(member, all.size()));
        }
        return List.copyOf(all);
    }

    private static Node node(RingForm.Member member, int number) {
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
        UUID id = id(name);
        return new Node(id, name, address, tokens(member, id), status);
    }

    /** Not with MD5, as {@link UUID#nameUUIDFromBytes}: to find that in Java takes a twelfth of a plan's CPU. */
    private static UUID id(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        Murmur3 hash = Murmur3.of(bytes, 0, bytes.length);
        return new UUID(hash.h1(), hash.h2());
    }

    /** The tokens in the file, or generated ones, always the same for the same name. */
    private static List<Token> tokens(RingForm.Member member, UUID id) {
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

    private static Map<TableRef, Ring> rings(RingForm form, List<Node> members) {
        List<Node> normal = members.stream()
                .filter(node -> node.membership() instanceof Membership.Normal)
                .toList();
        Map<Replication, Ring> known = new LinkedHashMap<>();
        Map<TableRef, Ring> rings = new LinkedHashMap<>();
        for (RingForm.Keyspace keyspace : form.keyspaces()) {
            Ring ring = known.computeIfAbsent(keyspace.replication(), other -> new Ring(normal, other));
            keyspace.tables().forEach(table -> rings.put(ref(keyspace, table), ring));
        }
        return rings;
    }

    private static TableRef ref(RingForm.Keyspace keyspace, RingForm.Table table) {
        return new TableRef(id(keyspace.name() + "." + table.name()), keyspace.name(), table.name());
    }

    private static DescribedSizes sizes(RingForm form) {
        Map<TableRef, DescribedSizes.Density> tables = new LinkedHashMap<>();
        for (RingForm.Keyspace keyspace : form.keyspaces()) {
            for (RingForm.Table table : keyspace.tables()) {
                List<DescribedSizes.HotRange> hot = table.hot().stream()
                        .flatMap(range -> DescribedSizes.HotRange.of(
                                range.start(), range.end(), bytes("hot range of " + table.name(), range.size()))
                                .stream())
                        .toList();
                tables.put(
                        ref(keyspace, table),
                        new DescribedSizes.Density(bytes("size of " + table.name(), table.size()), hot));
            }
        }
        return new DescribedSizes(tables);
    }

    private static long bytes(String what, String text) {
        return ByteAmounts.bytes(what, text);
    }

    private static double rate(String name, String text) {
        if (!text.endsWith("/s")) {
            throw new ConfigException(name + ": '" + text + "' (expected: a rate as 200MiB/s)");
        }
        return Math.max(1, bytes(name, text.substring(0, text.length() - 2)));
    }

    private static Map<TableRef, ModeForecast.Layout> layouts(RingForm form) {
        Map<TableRef, ModeForecast.Layout> layouts = new LinkedHashMap<>();
        for (RingForm.Keyspace keyspace : form.keyspaces()) {
            for (RingForm.Table table : keyspace.tables()) {
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

    private static Strategy strategy(RingForm.Table table) {
        String name = table.compaction().orElse("size_tiered");
        return switch (name) {
            case "size_tiered" -> Strategy.SIZE_TIERED;
            case "leveled" -> Strategy.LEVELED;
            default ->
                throw new ConfigException(
                        "compaction of " + table.name() + ": '" + name + "' (expected: size_tiered or leveled)");
        };
    }

    private static PlannerOptions options(RingForm form, List<Node> members) {
        PlannerOptions options = PlannerOptions.DEFAULTS.cuttingSSTables();
        for (int i = 0; i < members.size(); i++) {
            Optional<String> rate = form.nodes().get(i).rate();
            if (rate.isPresent()) {
                Node member = members.get(i);
                options = options.withRate(member.id(), rate("rate of " + member.name(), rate.get()));
            }
        }
        return form.receiveRate().isPresent()
                ? options.withReceiveRate(
                        rate("receive_rate", form.receiveRate().get()))
                : options;
    }
}
