package io.sluice.sstable.schema;

import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.data.Column;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.type.CqlType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Parses the statements of a schema, one after another. Used once. */
final class SchemaParser {
    private static final int MAX_COLUMNS = 1 << 16;

    private final CqlTokens tokens;
    private final CqlTypeParser types;
    private final Map<String, CqlType> columns = new LinkedHashMap<>();
    private final List<String> partitionKey = new ArrayList<>();
    private final List<String> clustering = new ArrayList<>();
    private final List<String> statics = new ArrayList<>();
    private final List<String> descending = new ArrayList<>();
    private WriterOptions options = WriterOptions.DEFAULTS.withCompression(CompressionParameters.lz4());
    private int gcGraceSeconds = TableSchema.DEFAULT_GC_GRACE_SECONDS;

    SchemaParser(String cql) throws SchemaException {
        this.tokens = new CqlTokens(cql);
        this.types = new CqlTypeParser(tokens);
    }

    TableSchema parse() throws SchemaException {
        while (!tokens.isAtEnd()) {
            if (tokens.skip("create", "type")) {
                types.declare();
            } else if (tokens.skip("create", "table")) {
                return table();
            } else {
                tokens.skipStatement();
            }
        }
        throw tokens.unexpected("CREATE TABLE");
    }

    private TableSchema table() throws SchemaException {
        tokens.skip("if", "not", "exists");
        String keyspace = tokens.name();
        tokens.expect(".");
        String name = tokens.name();
        tokens.expect("(");
        do {
            column();
        } while (tokens.skip(","));
        tokens.expect(")");
        if (tokens.skip("with")) {
            do {
                option();
            } while (tokens.skip("and"));
        }
        tokens.expect(";");
        return schema(keyspace, name);
    }

    private void column() throws SchemaException {
        if (tokens.skip("primary", "key")) {
            primaryKey();
            return;
        }
        String column = tokens.name();
        if (columns.put(column, types.parse()) != null || columns.size() > MAX_COLUMNS) {
            throw new SchemaException(
                    "column " + column + " (expected: each name once, at most " + MAX_COLUMNS + " of them)");
        }
        if (tokens.skip("static")) {
            statics.add(column);
        }
        if (tokens.skip("primary", "key")) {
            partitionKey.add(column);
        }
    }

    private void primaryKey() throws SchemaException {
        tokens.expect("(");
        if (tokens.skip("(")) {
            names(partitionKey);
        } else {
            partitionKey.add(tokens.name());
        }
        if (tokens.skip(",")) {
            names(clustering);
        } else {
            tokens.expect(")");
        }
    }

    private void names(List<String> names) throws SchemaException {
        do {
            names.add(tokens.name());
        } while (tokens.skip(","));
        tokens.expect(")");
    }

    private void option() throws SchemaException {
        if (tokens.skip("clustering", "order", "by")) {
            clusteringOrder();
            return;
        }
        if (tokens.skip("compact", "storage")) {
            throw tokens.unexpected("no COMPACT STORAGE");
        }
        String option = tokens.name();
        tokens.expect("=");
        try {
            option(option);
        } catch (IllegalArgumentException refused) {
            throw new SchemaException(option + ": " + refused.getMessage(), refused);
        }
    }

    private void option(String option) throws SchemaException {
        switch (option) {
            case "compression" -> options = CompressionOption.apply(map(), options);
            case "bloom_filter_fp_chance" -> options = options.withFilterChance(Double.parseDouble(tokens.literal()));
            case "min_index_interval" -> options = options.withMinIndexInterval(Integer.parseInt(tokens.literal()));
            case "gc_grace_seconds" -> gcGraceSeconds = gcGrace(tokens.literal());
            default -> skipValue();
        }
    }

    private static int gcGrace(String seconds) {
        int grace = Integer.parseInt(seconds);
        if (grace < 0) {
            throw new IllegalArgumentException(seconds + " (expected: 0 or more seconds)");
        }
        return grace;
    }

    private void skipValue() throws SchemaException {
        if (tokens.peek().equals("{")) {
            map();
        } else {
            tokens.literal();
        }
    }

    private Map<String, String> map() throws SchemaException {
        Map<String, String> map = new LinkedHashMap<>();
        tokens.expect("{");
        while (!tokens.skip("}")) {
            String key = tokens.literal();
            tokens.expect(":");
            map.put(key, tokens.literal());
            tokens.skip(",");
        }
        return map;
    }

    private void clusteringOrder() throws SchemaException {
        tokens.expect("(");
        do {
            String column = tokens.name();
            if (tokens.skip("desc")) {
                descending.add(column);
            } else {
                tokens.skip("asc");
            }
        } while (tokens.skip(","));
        tokens.expect(")");
    }

    private TableSchema schema(String keyspace, String name) throws SchemaException {
        if (partitionKey.isEmpty()) {
            throw new SchemaException("table " + name + " (expected: a PRIMARY KEY)");
        }
        List<String> regulars = new ArrayList<>(columns.keySet());
        List.of(partitionKey, clustering, statics).forEach(names -> regulars.removeAll(Set.copyOf(names)));
        var roles = new TableSchema.Columns(
                columns(partitionKey, Set.of()),
                columns(clustering, Set.copyOf(descending)),
                columns(statics, Set.of()),
                columns(regulars, Set.of()));
        return new TableSchema(keyspace, name, roles, options, gcGraceSeconds);
    }

    private List<Column> columns(List<String> names, Set<String> reversed) throws SchemaException {
        List<Column> result = new ArrayList<>();
        for (String name : names) {
            CqlType type = Optional.ofNullable(columns.get(name))
                    .orElseThrow(() -> new SchemaException("column " + name + " (expected: a type for it)"));
            result.add(Column.of(name, reversed.contains(name) ? new CqlType.Reversed(type) : type));
        }
        return result;
    }
}
