package io.sluice.sstable.type;

import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.encoding.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Parses type names of serialization headers. Stateless. */
public final class TypeNames {
    /** Maximum nesting of types: more than any schema has, few enough for every stack. */
    public static final int MAX_DEPTH = 64;

    private static final int MAX_DIMENSION = 1 << 16;
    private static final Map<String, CqlType> SCALARS = new HashMap<>();

    static {
        for (CqlType scalar : CqlType.Scalar.values()) {
            SCALARS.put(scalar.className(), scalar);
        }
    }

    private static final Set<String> PARAMETRISED = Stream.of(
                    "ListType",
                    "SetType",
                    "FrozenType",
                    "ReversedType",
                    "TupleType",
                    "CompositeType",
                    "UserType",
                    "MapType",
                    "VectorType")
            .map(CqlType.PACKAGE::concat)
            .collect(Collectors.toUnmodifiableSet());

    private static final Pattern CLASS_NAME = Pattern.compile("([A-Za-z_$][A-Za-z0-9_$]*\\.)*[A-Za-z_$][A-Za-z0-9_$]*");

    private final String text;
    private int at;

    private TypeNames(String text) {
        this.text = text;
    }

    /**
     * Parses {@code name}.
     *
     * @throws SSTableException if it is malformed, or nested deeper than {@link #MAX_DEPTH};
     *     {@linkplain SSTableException#isUnsupported unsupported} if it is the name of a type that is unknown here
     */
    public static CqlType parse(String name) throws SSTableException {
        TypeNames names = new TypeNames(name);
        CqlType type = names.type(0);
        names.skipBlanks();
        if (names.at < name.length()) {
            throw names.unexpected("the end");
        }
        return type;
    }

    private CqlType type(int depth) throws SSTableException {
        if (depth > MAX_DEPTH) {
            throw unexpected("at most " + MAX_DEPTH + " types inside each other");
        }
        String word = word();
        String name = word.indexOf('.') < 0 ? CqlType.PACKAGE + word : word;
        CqlType scalar = SCALARS.get(name);
        if (scalar != null) {
            return scalar;
        }
        if (!PARAMETRISED.contains(name)) {
            throw unknown(word);
        }
        expect('(');
        CqlType type = parameters(name.substring(CqlType.PACKAGE.length()), depth + 1);
        expect(')');
        return type;
    }

    private CqlType parameters(String name, int depth) throws SSTableException {
        return switch (name) {
            case "ListType" -> new CqlType.ListOf(type(depth));
            case "SetType" -> new CqlType.SetOf(type(depth));
            case "FrozenType" -> new CqlType.Frozen(type(depth));
            case "ReversedType" -> new CqlType.Reversed(type(depth));
            case "TupleType" -> new CqlType.Tuple(types(depth));
            case "CompositeType" -> new CqlType.Composite(types(depth));
            case "UserType" -> userType(depth);
            case "MapType" -> {
                CqlType key = type(depth);
                expect(',');
                yield new CqlType.MapOf(key, type(depth));
            }
            case "VectorType" -> {
                CqlType element = type(depth);
                expect(',');
                yield vector(element);
            }
            default -> throw new AssertionError(name);
        };
    }

    private CqlType vector(CqlType element) throws SSTableException {
        String number = word();
        if (!number.matches("[1-9][0-9]{0,4}") || Integer.parseInt(number) > MAX_DIMENSION) {
            throw unexpected("a dimension from 1 to " + MAX_DIMENSION + ", not " + number);
        }
        long bytes = (long) element.fixedLength().orElse(1) * Integer.parseInt(number);
        if (bytes < 1 || bytes > Integer.MAX_VALUE / 2) { // any number of empty elements would fit in no bytes
            throw unexpected("elements that have a length, and a vector value below 1 GiB");
        }
        return new CqlType.Vector(element, Integer.parseInt(number));
    }

    private List<CqlType> types(int depth) throws SSTableException {
        List<CqlType> types = new ArrayList<>();
        do {
            types.add(type(depth));
        } while (skip(','));
        return types;
    }

    private CqlType userType(int depth) throws SSTableException {
        String keyspace = word();
        expect(',');
        String name = unhex(word());
        List<CqlType.UserType.Field> fields = new ArrayList<>();
        while (skip(',')) {
            String field = unhex(word());
            expect(':');
            fields.add(new CqlType.UserType.Field(field, type(depth)));
        }
        return new CqlType.UserType(keyspace, name, fields);
    }

    private String unhex(String hex) throws SSTableException {
        if (!hex.matches("([0-9a-fA-F]{2})*")) {
            throw unexpected("hex digits, not " + hex);
        }
        return Bytes.hex(hex).utf8();
    }

    private String word() throws SSTableException {
        skipBlanks();
        int start = at;
        while (at < text.length() && isWordPart(text.charAt(at))) {
            at++;
        }
        if (at == start) {
            throw unexpected("a name");
        }
        return text.substring(start, at);
    }

    private static boolean isWordPart(char c) {
        return c == '.' || c == '_' || c == '$' || (c < 128 && Character.isLetterOrDigit(c));
    }

    private void expect(char wanted) throws SSTableException {
        if (!skip(wanted)) {
            throw unexpected("'" + wanted + "'");
        }
    }

    private boolean skip(char wanted) {
        skipBlanks();
        boolean found = at < text.length() && text.charAt(at) == wanted;
        if (found) {
            at++;
        }
        return found;
    }

    private void skipBlanks() {
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
    }

    /** The SSTable may be valid: Cassandra has more types, and its users may have their own. */
    private SSTableException unknown(String word) {
        return CLASS_NAME.matcher(word).matches()
                ? SSTableException.unsupported("type " + word + " in " + shown() + " (expected: one that Sluice knows)")
                : unexpected("a type, not " + word);
    }

    private String shown() {
        return text.length() <= 200 ? text : text.substring(0, 200) + "…";
    }

    private SSTableException unexpected(String expected) {
        return new SSTableException("type name " + shown() + " at character " + at + ": (expected: " + expected + ")");
    }
}
