package io.sluice.harness.json;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import io.sluice.streaming.ring.Membership;

/** JSON as the harness reads and writes it. Stateless. */
public final class Json {
    private static final int MAX_TEXT_LENGTH = 1 << 20;

    /** Thread-safe; its settings never change. */
    public static final JsonMapper MAPPER = JsonMapper.builder()
            .addModule(new Jdk8Module())
            .addMixIn(Membership.class, MembershipJson.class)
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

    /** Which kind of member, by name. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Membership.Normal.class, name = "normal"),
        @JsonSubTypes.Type(value = Membership.Joining.class, name = "joining"),
        @JsonSubTypes.Type(value = Membership.Leaving.class, name = "leaving"),
        @JsonSubTypes.Type(value = Membership.Moving.class, name = "moving"),
        @JsonSubTypes.Type(value = Membership.Replacing.class, name = "replacing")
    })
    private interface MembershipJson {}

    private Json() {}
}
