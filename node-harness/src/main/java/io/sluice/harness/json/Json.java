package io.sluice.harness.json;

import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;

/** JSON as the harness reads and writes it. Stateless. */
public final class Json {
    private static final int MAX_TEXT_LENGTH = 1 << 20;

    /** Thread-safe; its settings never change. */
    public static final JsonMapper MAPPER = JsonMapper.builder()
            .addModule(new Jdk8Module())
            .enable(SerializationFeature.INDENT_OUTPUT)
            // Derived values such as PlanResult.isComplete() are written for readers and computed again when read.
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    static {
        MAPPER.getFactory()
                .setStreamReadConstraints(StreamReadConstraints.builder()
                        .maxStringLength(MAX_TEXT_LENGTH)
                        .maxNestingDepth(32)
                        .build());
    }

    private Json() {}
}
