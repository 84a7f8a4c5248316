package io.sluice.harness.plan;

import io.sluice.harness.config.ConfigException;
import io.sluice.streaming.ring.Replication;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.resolver.Resolver;

/** Reads what a ring file says; what that means is not its business. Stateless. */
final class RingFileReader {
    private static final int MAX_LENGTH = 1 << 26;

    private RingFileReader() {}

    /**
     * Reads a file.
     *
     * @throws ConfigException with file and line, if it is not YAML, or not of this form
     */
    static RingForm read(Path path) {
        RingNode.Keys file = new RingNode(path, composed(path), "").keys("nodes", "keyspaces", "receive_rate");
        return new RingForm(
                named(file.required("nodes"), RingFileReader::member, RingForm.Member::name),
                named(file.required("keyspaces"), RingFileReader::keyspace, RingForm.Keyspace::name),
                file.text("receive_rate"));
    }

    /** Entries, no two of the same name. */
    private static <T> List<T> named(RingNode list, Function<RingNode, T> read, Function<T, String> name) {
        Map<String, Integer> lines = new LinkedHashMap<>();
        List<T> all = new ArrayList<>();
        for (RingNode entry : list.entries()) {
            T one = read.apply(entry);
            Integer earlier = lines.put(name.apply(one), entry.line());
            if (earlier != null) {
                throw entry.wrong(
                        entry.place() + ".name",
                        name.apply(one) + " is already in line " + earlier + " (expected: once)");
            }
            all.add(one);
        }
        return all;
    }

    private static Node composed(Path path) {
        if (Files.isDirectory(path)) {
            throw new ConfigException(path + ": is a folder (expected: a YAML file as conf/rings/example.yaml)");
        }
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(MAX_LENGTH);
        options.setMaxAliasesForCollections(0);
        try (var reader = Files.newBufferedReader(path, StandardCharsets.UTF_8)) {
            // Without the library's front, whose logger looks for its like in all jars.
            Node root = new Composer(new ParserImpl(new StreamReader(reader), options), new Resolver(), options)
                    .getSingleNode();
            if (root == null) {
                throw new ConfigException(path + ": nodes: missing");
            }
            return root;
        } catch (MarkedYAMLException e) {
            throw new ConfigException(
                    path + ":" + (e.getProblemMark().getLine() + 1) + ": not YAML: " + e.getProblem() + " (column "
                            + (e.getProblemMark().getColumn() + 1) + ")",
                    e);
        } catch (YAMLException | IllegalArgumentException e) { // the second of a tag that the library cannot name
            // A cause is Java's, of bytes that are no text.
            String problem = e.getCause() == null ? e.getMessage() : "it is not text in UTF-8";
            throw new ConfigException(
                    path + ": not YAML: " + problem + " (expected: a YAML file as conf/rings/example.yaml)", e);
        } catch (IOException e) {
            throw new ConfigException(path + ": cannot be read (expected: a YAML file as conf/rings/example.yaml)", e);
        }
    }

    private static RingForm.Member member(RingNode node) {
        RingNode.Keys keys = node.keys("name", "dc", "rack", "tokens", "vnodes", "state", "address", "rate");
        String name = keys.required("name").text();
        Optional<RingNode> vnodes = keys.optional("vnodes");
        return new RingForm.Member(
                name,
                keys.text("dc"),
                keys.text("rack"),
                keys.optional("tokens")
                        .map(list ->
                                list.entries().stream().map(RingNode::token).toList()),
                vnodes.isPresent()
                        ? OptionalInt.of(vnodes.get().count("vnodes of " + name, "a whole number"))
                        : OptionalInt.empty(),
                keys.text("state"),
                keys.text("address"),
                keys.text("rate"));
    }

    private static RingForm.Keyspace keyspace(RingNode node) {
        RingNode.Keys keys = node.keys("name", "replication", "tables");
        String name = keys.required("name").text();
        return new RingForm.Keyspace(
                name,
                replication(name, keys.required("replication")),
                named(keys.required("tables"), RingFileReader::table, RingForm.Table::name));
    }

    private static Replication replication(String keyspace, RingNode node) {
        String what = "replication of " + keyspace;
        try {
            if (node.isScalar()) {
                return new Replication.Simple(factor(what, node));
            }
            Map<String, Integer> factors = new LinkedHashMap<>();
            node.named().forEach((dc, factor) -> factors.put(dc, factor(what + ": " + dc, factor)));
            return new Replication.NetworkTopology(factors);
        } catch (IllegalArgumentException e) { // a factor that nobody can have
            throw node.wrong(what, String.valueOf(e.getMessage()));
        }
    }

    private static int factor(String what, RingNode node) {
        return node.count(what, "a number of replicas, or one for each data centre, as {dc1: 3}");
    }

    private static RingForm.Table table(RingNode node) {
        RingNode.Keys keys = node.keys("name", "size", "hot", "compaction", "sstable_size", "chunk_length");
        return new RingForm.Table(
                keys.required("name").text(),
                keys.required("size").text(),
                keys.optional("hot").stream()
                        .flatMap(list -> list.entries().stream())
                        .map(RingFileReader::hot)
                        .toList(),
                keys.text("compaction"),
                keys.text("sstable_size"),
                keys.text("chunk_length"));
    }

    private static RingForm.Hot hot(RingNode node) {
        RingNode.Keys keys = node.keys("start", "end", "size");
        long start = keys.required("start").token();
        RingNode end = keys.required("end");
        if (end.token() == start) {
            throw end.wrong(
                    end.place(),
                    start + " as start (expected: another token; bytes of the whole ring belong to the table's size)");
        }
        return new RingForm.Hot(start, end.token(), keys.required("size").text());
    }
}
