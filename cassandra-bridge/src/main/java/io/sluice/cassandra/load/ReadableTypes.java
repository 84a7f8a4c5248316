package io.sluice.cassandra.load;

import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.CqlType.Scalar;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which types a column may have so that a node reads what an SSTable has of another one: those to which old releases
 * let a column be altered. Names and keyspaces of user types do not matter. Stateless.
 */
final class ReadableTypes {
    /** By the type of the table: types whose values are values of this type, too. */
    private static final Map<Scalar, Set<Scalar>> SAME_VALUES = Map.of(
            Scalar.TEXT, Set.of(Scalar.ASCII),
            Scalar.TIMESTAMP, Set.of(Scalar.BIGINT, Scalar.OLD_DATE),
            Scalar.OLD_DATE, Set.of(Scalar.BIGINT, Scalar.TIMESTAMP),
            Scalar.BIGINT, Set.of(Scalar.TIMESTAMP, Scalar.OLD_DATE, Scalar.TIME),
            Scalar.TIME, Set.of(Scalar.BIGINT),
            Scalar.DATE, Set.of(Scalar.INT),
            Scalar.UUID, Set.of(Scalar.TIMEUUID, Scalar.LEXICAL_UUID),
            Scalar.VARINT, Set.of(Scalar.TINYINT, Scalar.SMALLINT, Scalar.INT, Scalar.BIGINT, Scalar.TIMESTAMP));

    /** Those of them that are in the same order, too, as nodes take it: dates of old tables from 1970 on. */
    private static final Map<Scalar, Set<Scalar>> SAME_ORDER = Map.of(
            Scalar.TEXT, Set.of(Scalar.ASCII),
            Scalar.BLOB, Set.of(Scalar.ASCII, Scalar.TEXT),
            Scalar.TIMESTAMP, Set.of(Scalar.BIGINT, Scalar.OLD_DATE),
            Scalar.BIGINT, Set.of(Scalar.TIMESTAMP));

    private static final Likeness VALUES = new Likeness(false, false);

    /** What must be the same besides the values. */
    private record Likeness(boolean isOfBytes, boolean isOfOrder) {
        /** What is then required of the elements of a set or the keys of a map, which are in order. */
        Likeness ordered() {
            return new Likeness(isOfBytes, true);
        }
    }

    private ReadableTypes() {}

    /**
     * Whether a part of a partition key of type {@code live} reads one that is {@code stored}: the bytes must be the
     * same, too, since nodes look for a key at the hash of its bytes.
     */
    static boolean isReadableKey(CqlType live, CqlType stored) {
        return isReadable(live, stored, new Likeness(true, false));
    }

    /** Whether a clustering column does: the order must be the same, too. */
    static boolean isReadableClustering(CqlType live, CqlType stored) {
        return live.isReversed() == stored.isReversed() && isReadable(live, stored, new Likeness(false, true));
    }

    /** Whether a static or regular column does. */
    static boolean isReadableColumn(CqlType live, CqlType stored) {
        return live.isMultiCell() == stored.isMultiCell() && isReadable(live, stored, VALUES);
    }

    /** Inside of a type nothing has cells of its own, whether or not it is marked as frozen. */
    private static boolean isReadable(CqlType live, CqlType stored, Likeness likeness) {
        CqlType to = live.plain();
        CqlType from = stored.plain();
        if (to.equals(from)) {
            return true;
        }
        if (to instanceof Scalar scalar) {
            return (from instanceof Scalar other && isReadable(scalar, other, likeness))
                    || (scalar == Scalar.BLOB && !likeness.isOfOrder() && from != Scalar.COUNTER);
        }
        if (to instanceof CqlType.ListOf list && from instanceof CqlType.ListOf other) {
            return isReadable(list.element(), other.element(), likeness);
        }
        if (to instanceof CqlType.SetOf set && from instanceof CqlType.SetOf other) {
            return isReadable(set.element(), other.element(), likeness.ordered());
        }
        if (to instanceof CqlType.MapOf map && from instanceof CqlType.MapOf other) {
            return isReadable(map.key(), other.key(), likeness.ordered())
                    && isReadable(map.value(), other.value(), likeness);
        }
        if (to instanceof CqlType.Vector vector && from instanceof CqlType.Vector other) {
            return vector.dimension() == other.dimension()
                    && vector.element().fixedLength().equals(other.element().fixedLength())
                    && isReadable(vector.element(), other.element(), likeness);
        }
        Optional<List<CqlType>> fields = fields(to);
        Optional<List<CqlType>> others = fields(from);
        return fields.isPresent() && others.isPresent() && areReadable(fields.get(), others.get(), likeness);
    }

    private static boolean isReadable(Scalar live, Scalar stored, Likeness likeness) {
        // A varint has no leading zeros, all others have the same bytes.
        return (live != Scalar.VARINT || !likeness.isOfBytes())
                && (likeness.isOfOrder() ? SAME_ORDER : SAME_VALUES)
                        .getOrDefault(live, Set.of())
                        .contains(stored);
    }

    /** Of a user type or a tuple: with the same fields the values of both have the same bytes. */
    private static Optional<List<CqlType>> fields(CqlType type) {
        if (type instanceof CqlType.UserType user) {
            return Optional.of(
                    user.fields().stream().map(CqlType.UserType.Field::type).toList());
        }
        return type instanceof CqlType.Tuple tuple ? Optional.of(tuple.elements()) : Optional.empty();
    }

    /** Fields may be added at the end: old values lack them, which reads as null. The bytes with a null are others. */
    private static boolean areReadable(List<CqlType> live, List<CqlType> stored, Likeness likeness) {
        if (stored.size() > live.size() || (likeness.isOfBytes() && stored.size() < live.size())) {
            return false;
        }
        for (int i = 0; i < stored.size(); i++) {
            if (!isReadable(live.get(i), stored.get(i), likeness)) {
                return false;
            }
        }
        return true;
    }
}
