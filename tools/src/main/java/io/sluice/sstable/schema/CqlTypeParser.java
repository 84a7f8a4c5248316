package io.sluice.sstable.schema;

import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.CqlType.Scalar;
import io.sluice.sstable.type.TypeNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Parses CQL types, and keeps the user types that are declared. Used by one parser. */
final class CqlTypeParser {
    private static final int MAX_PARTS = 1 << 16;

    private final CqlTokens tokens;
    private final Map<String, Declared> userTypes = new HashMap<>();
    private int parts; // types parsed so far, including the fields of each user type that was named
    private int deepest; // of the current type

    /**
     * A user type. Its size is limited: a few lines of types, each with two fields of the previous one, would exhaust
     * memory.
     */
    private record Declared(CqlType.UserType type, int parts, int depth) {}

    CqlTypeParser(CqlTokens tokens) {
        this.tokens = tokens;
    }

    /** Parses the rest of {@code CREATE TYPE}. */
    void declare() throws SchemaException {
        tokens.skip("if", "not", "exists");
        String keyspace = tokens.name();
        tokens.expect(".");
        String name = tokens.name();
        tokens.expect("(");
        int before = parts;
        deepest = 0;
        List<CqlType.UserType.Field> fields = new ArrayList<>();
        do {
            fields.add(new CqlType.UserType.Field(tokens.name(), parse()));
        } while (tokens.skip(","));
        tokens.expect(")", ";");
        userTypes.put(name, new Declared(new CqlType.UserType(keyspace, name, fields), parts - before, deepest + 1));
    }

    CqlType parse() throws SchemaException {
        return parse(0);
    }

    private CqlType parse(int depth) throws SchemaException {
        count(1, depth);
        String name = tokens.name();
        if (tokens.skip(".")) {
            name = tokens.name();
        }
        if (!tokens.skip("<")) {
            return named(name, depth);
        }
        CqlType type = parametrised(name, depth + 1);
        tokens.expect(">");
        return type;
    }

    private void count(int more, int depth) throws SchemaException {
        if (depth > TypeNames.MAX_DEPTH) {
            throw tokens.unexpected("at most " + TypeNames.MAX_DEPTH + " types inside each other");
        }
        parts += more;
        if (parts > MAX_PARTS) {
            throw tokens.unexpected("at most " + MAX_PARTS + " types, each user type counted with its fields");
        }
        deepest = Math.max(deepest, depth);
    }

    private CqlType named(String name, int depth) throws SchemaException {
        Declared declared = userTypes.get(name);
        if (declared != null) {
            count(declared.parts(), depth + declared.depth());
            return declared.type();
        }
        String scalar = name.equals("varchar") ? "TEXT" : name.toUpperCase(Locale.ROOT);
        try {
            return Scalar.valueOf(scalar);
        } catch (IllegalArgumentException unknown) {
            throw new SchemaException("type " + name + " (expected: a known one)", unknown);
        }
    }

    private CqlType parametrised(String name, int depth) throws SchemaException {
        CqlType first = parse(depth);
        return switch (name) {
            case "frozen" -> freeze(first);
            case "list" -> new CqlType.ListOf(first);
            case "set" -> new CqlType.SetOf(first);
            case "map" -> {
                tokens.expect(",");
                yield new CqlType.MapOf(first, parse(depth));
            }
            case "vector" -> {
                tokens.expect(",");
                yield vector(thawed(first), dimension());
            }
            case "tuple" -> {
                List<CqlType> elements = new ArrayList<>(List.of(thawed(first)));
                while (tokens.skip(",")) {
                    elements.add(thawed(parse(depth)));
                }
                yield new CqlType.Tuple(elements);
            }
            default -> throw tokens.unexpected("a known type, not " + name);
        };
    }

    private static CqlType vector(CqlType element, int dimension) throws SchemaException {
        long bytes = (long) element.fixedLength().orElse(1) * dimension;
        if (bytes < 1 || bytes > Integer.MAX_VALUE / 2) {
            throw new SchemaException("vector of " + dimension
                    + " elements (expected: elements that have a length, and a value below 1 GiB)");
        }
        return new CqlType.Vector(element, dimension);
    }

    private int dimension() throws SchemaException {
        String number = tokens.literal();
        if (!number.matches("[1-9][0-9]{0,4}")) {
            throw new SchemaException("dimension of a vector: " + number + " (expected: 1 to 99999)");
        }
        return Integer.parseInt(number);
    }

    /** A tuple is always frozen; of any other type only the outermost is marked as frozen. */
    private static CqlType freeze(CqlType type) {
        CqlType plain = thawed(type);
        return plain.isMultiCell() ? new CqlType.Frozen(plain) : plain;
    }

    /** Returns the type without its frozen mark, as types are inside a frozen one. */
    private static CqlType thawed(CqlType type) {
        if (type instanceof CqlType.Frozen frozen) {
            return thawed(frozen.inner());
        }
        if (type instanceof CqlType.ListOf list) {
            return new CqlType.ListOf(thawed(list.element()));
        }
        if (type instanceof CqlType.SetOf set) {
            return new CqlType.SetOf(thawed(set.element()));
        }
        if (type instanceof CqlType.MapOf map) {
            return new CqlType.MapOf(thawed(map.key()), thawed(map.value()));
        }
        if (type instanceof CqlType.UserType user) {
            return new CqlType.UserType(
                    user.keyspace(),
                    user.name(),
                    user.fields().stream()
                            .map(field -> new CqlType.UserType.Field(field.name(), thawed(field.type())))
                            .toList());
        }
        return type;
    }
}
