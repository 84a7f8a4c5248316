package io.sluice.fuzz;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.schema.SchemaException;
import io.sluice.sstable.schema.TableSchema;
import io.sluice.sstable.type.CqlType;
import io.sluice.sstable.type.TypeNames;
import java.nio.charset.StandardCharsets;

/** Names, types and schemas. Stateless. */
final class TextTargets {
    private TextTargets() {}

    static String text(byte[] input) {
        return new String(input, StandardCharsets.UTF_8);
    }

    /** The name of a component's file. */
    static void fileName(byte[] input) {
        Descriptor.parse(text(input)).ifPresent(TextTargets::requireSameName);
    }

    private static void requireSameName(Descriptor.Named named) {
        String name = named.descriptor().fileName(named.component());
        if (!Descriptor.parse(name).orElseThrow().equals(named) || name.contains("/")) {
            throw new AssertionError(name + " is another file than it was read as, or not in the folder");
        }
    }

    /** The name of a type in a serialization header. */
    static void typeName(byte[] input) throws SSTableException {
        CqlType type = TypeNames.parse(text(input));
        type.fixedLength();
        if (!TypeNames.parse(type.className()).equals(type)) {
            throw new AssertionError(type.className() + " is another type than it was read as");
        }
    }

    /** A schema in CQL. */
    static void cql(byte[] input) throws SchemaException {
        TableSchema.parse(text(input)).header(SerializationHeader.Base.EPOCH).toBytes();
    }

    /** The components of a table of contents are names of a closed set. */
    static void component(byte[] input) {
        Component.ofFileName(text(input));
    }
}
