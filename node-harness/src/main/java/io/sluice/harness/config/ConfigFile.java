package io.sluice.harness.config;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.google.common.base.Throwables;
import io.sluice.netty.options.NearestKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * A YAML file with declared keys. Unknown, duplicate and invalid keys are refused with file and line. A key has one
 * value or, where declared, a list of groups of keys. Immutable.
 *
 * @param texts values as written in the file, by key
 * @param lists the groups of keys of each list, by its key
 */
record ConfigFile(
        Path path, Map<String, String> texts, Map<String, Integer> lines, Map<String, List<ConfigFile>> lists) {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .addModule(new Jdk8Module())
            .build();
    private static final int MAX_LENGTH = 1 << 20;

    /** Reads a file whose keys must all be among {@code settings}. */
    static ConfigFile read(Path path, List<Setting> settings) {
        return read(path, settings, Map.of());
    }

    /** Like {@link #read(Path, List)}, with lists of groups of keys: the keys allowed in each, by the list's key. */
    static ConfigFile read(Path path, List<Setting> settings, Map<String, List<Setting>> lists) {
        return of(path, entries(path), settings, lists);
    }

    private static ConfigFile of(
            Path path, List<NodeTuple> entries, List<Setting> settings, Map<String, List<Setting>> lists) {
        List<String> known = Stream.concat(settings.stream().map(Setting::key), lists.keySet().stream())
                .toList();
        ConfigFile file = new ConfigFile(path, new LinkedHashMap<>(), new LinkedHashMap<>(), new LinkedHashMap<>());
        for (NodeTuple entry : entries) {
            int line = line(entry.getKeyNode());
            String written = scalar(path, entry.getKeyNode(), "a key");
            Optional<Setting> setting =
                    settings.stream().filter(one -> one.isNamed(written)).findFirst();
            String key = setting.map(Setting::key).orElse(written);
            if (!known.contains(key)) {
                throw new ConfigException(
                        path + ":" + line + ": unknown key '" + key + "' " + NearestKey.hint(key, known));
            }
            Integer earlier = file.lines.put(key, line);
            if (earlier != null) {
                throw new ConfigException(path + ":" + line + ": key '" + written + "' is already in line " + earlier
                        + (written.equals(key) ? "" : ", as '" + key + "' (expected: only one of the two)"));
            }
            List<Setting> group = lists.get(key);
            if (group == null) {
                boolean isList = setting.filter(Setting::isList).isPresent();
                file.texts.put(
                        key,
                        isList && entry.getValueNode() instanceof SequenceNode several
                                ? list(path, several)
                                : scalar(path, entry.getValueNode(), "one value"));
            } else {
                file.lists.put(key, groups(path, key, entry.getValueNode(), group));
            }
        }
        settings.forEach(file::value);
        return file;
    }

    private static String list(Path path, SequenceNode several) {
        List<String> entries = several.getValue().stream()
                .map(entry -> scalar(path, entry, "one value in each entry"))
                .toList();
        if (entries.isEmpty()
                || entries.stream().anyMatch(entry -> entry.lines().count() != 1)) {
            throw new ConfigException(path + ":" + line(several) + ": " + entries + " (expected: one entry or more,"
                    + " none of them empty, or of several lines)");
        }
        return String.join(ValueTypes.LINE, entries);
    }

    private static List<ConfigFile> groups(Path path, String key, Node list, List<Setting> group) {
        if (!(list instanceof SequenceNode sequence)) {
            throw new ConfigException(path + ":" + line(list) + ": " + key + ": a " + list.getNodeId()
                    + " (expected: a list, each entry '- key: value')");
        }
        List<ConfigFile> groups = new ArrayList<>();
        for (Node entry : sequence.getValue()) {
            if (!(entry instanceof MappingNode mapping)) {
                throw new ConfigException(
                        path + ":" + line(entry) + ": " + key + ": not a list of '- key: value' entries");
            }
            groups.add(of(path, mapping.getValue(), group, Map.of()));
        }
        return groups;
    }

    private static int line(Node node) {
        return node.getStartMark().getLine() + 1;
    }

    /** File and line of a key for messages; only the file if the key is absent. */
    String place(String key) {
        Integer line = lines.get(key);
        return line == null ? path.toString() : path + ":" + line;
    }

    /** The value of a key: as written, or its default, or empty. */
    Optional<Object> value(Setting setting) {
        String text = texts.get(setting.key());
        if (text == null) {
            return setting.fallback().map(fallback -> ByteAmounts.read(setting.type(), setting.key(), fallback));
        }
        return Optional.of(ByteAmounts.read(setting.type(), place(setting.key()) + ": " + setting.key(), text));
    }

    /** All values that the file or a default gives. */
    Map<String, Object> values(List<Setting> settings) {
        Map<String, Object> values = new LinkedHashMap<>();
        settings.forEach(setting -> value(setting).ifPresent(value -> values.put(setting.key(), value)));
        return values;
    }

    /** Binds values to a record whose components are the keys in camel case. */
    static <T> T bind(Map<String, Object> values, Class<T> type) {
        try {
            return MAPPER.convertValue(values, type);
        } catch (IllegalArgumentException e) {
            throw Throwables.getRootCause(e) instanceof ConfigException contradiction
                    ? contradiction
                    : new ConfigException(String.valueOf(e.getMessage()), e);
        }
    }

    private static List<NodeTuple> entries(Path path) {
        if (Files.isDirectory(path)) {
            throw new ConfigException(path + ": is a folder (expected: a YAML file)");
        }
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(MAX_LENGTH);
        options.setMaxAliasesForCollections(0);
        try (var reader = Files.newBufferedReader(path, StandardCharsets.UTF_8)) {
            Node root = new Yaml(new SafeConstructor(options)).compose(reader);
            if (root == null) {
                return List.of();
            }
            if (root instanceof MappingNode mapping) {
                return mapping.getValue();
            }
            throw new ConfigException(path + ":" + line(root) + ": not a list of 'key: value'");
        } catch (MarkedYAMLException e) {
            throw new ConfigException(
                    path + ":" + (e.getProblemMark().getLine() + 1) + ": not YAML: " + e.getProblem(), e);
        } catch (YAMLException | IllegalArgumentException e) { // the second of a tag that the library cannot name
            // A cause is Java's, of bytes that are no text.
            String problem = e.getCause() == null ? e.getMessage() : "it is not text in UTF-8";
            throw new ConfigException(path + ": not YAML: " + problem + " (expected: a YAML file)", e);
        } catch (IOException e) {
            throw new ConfigException(path + ": cannot be read (expected: a YAML file)", e);
        }
    }

    private static String scalar(Path path, Node node, String expected) {
        if (node instanceof ScalarNode scalar) {
            return scalar.getValue();
        }
        throw new ConfigException(
                path + ":" + line(node) + ": a " + node.getNodeId() + " (expected: " + expected + ")");
    }
}
