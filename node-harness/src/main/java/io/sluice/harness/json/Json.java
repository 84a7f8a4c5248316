package io.sluice.harness.json;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.TopologyChange;
import io.sluice.streaming.ring.Membership;
import io.sluice.streaming.ring.Replication;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/** JSON mapping of the harness. Stateless. */
public final class Json {
    private static final int MAX_TEXT_LENGTH = 1 << 20;

    /** Thread-safe; its settings never change. */
    public static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(MAX_TEXT_LENGTH)
                            .maxNestingDepth(32)
                            .build())
                    .build())
            .addModule(new Jdk8Module())
            .addModule(times())
            .addMixIn(Membership.class, MembershipJson.class)
            .addMixIn(Replication.class, ReplicationJson.class)
            .addMixIn(TopologyChange.class, TopologyChangeJson.class)
            .addMixIn(TokenRanges.class, TokenRangesJson.class)
            .enable(SerializationFeature.INDENT_OUTPUT)
            // Derived values such as PlanResult.isComplete() are written for readers and computed again when read.
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /**
     * For the bodies of orders. Writes them in one line, as they have a limit, and without derived values. Refuses
     * members that it does not know, and the absence of those that it does, unless they are optional: a misspelt order
     * must not be taken for another. Thread-safe; its settings never change.
     */
    public static final JsonMapper ORDERS = MAPPER.rebuild()
            .disable(SerializationFeature.INDENT_OUTPUT)
            .visibility(PropertyAccessor.GETTER, Visibility.NONE)
            .visibility(PropertyAccessor.IS_GETTER, Visibility.NONE)
            .visibility(PropertyAccessor.FIELD, Visibility.ANY)
            .enable(
                    DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                    DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
                    // Of absent members, too, but not of an Optional, which is empty then.
                    DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .build();

    /** Writes the kind of member by name. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Membership.Normal.class, name = "normal"),
        @JsonSubTypes.Type(value = Membership.Joining.class, name = "joining"),
        @JsonSubTypes.Type(value = Membership.Leaving.class, name = "leaving"),
        @JsonSubTypes.Type(value = Membership.Moving.class, name = "moving"),
        @JsonSubTypes.Type(value = Membership.Replacing.class, name = "replacing")
    })
    private interface MembershipJson {}

    /** Writes the strategy by name. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Replication.Simple.class, name = "simple"),
        @JsonSubTypes.Type(value = Replication.NetworkTopology.class, name = "network-topology"),
        @JsonSubTypes.Type(value = Replication.Tablets.class, name = "tablets")
    })
    private interface ReplicationJson {}

    /** Writes the change by name; reads it by those that it had, too. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = TopologyChange.Bootstrap.class, name = "bootstrap"),
        @JsonSubTypes.Type(
                value = TopologyChange.Replace.class,
                names = {"replace-node", "replace"}),
        @JsonSubTypes.Type(value = TopologyChange.Rebuild.class, name = "rebuild"),
        @JsonSubTypes.Type(value = TopologyChange.Decommission.class, name = "decommission"),
        @JsonSubTypes.Type(value = TopologyChange.RemoveNode.class, name = "removenode"),
        @JsonSubTypes.Type(value = TopologyChange.Move.class, name = "move"),
        @JsonSubTypes.Type(value = TopologyChange.Repair.class, name = "repair"),
        @JsonSubTypes.Type(
                value = TopologyChange.MigrateTablet.class,
                names = {"migrate-tablets", "tablet-migration"})
    })
    private interface TopologyChangeJson {}

    /** Writes ranges as a list. */
    private abstract static class TokenRangesJson {
        @JsonValue
        abstract List<TokenRange> ranges();

        @JsonCreator
        static TokenRanges of(Collection<TokenRange> ranges) {
            return TokenRanges.of(ranges);
        }
    }

    /** Writes times in ISO 8601. */
    private static SimpleModule times() {
        return new SimpleModule()
                .addSerializer(Instant.class, ToStringSerializer.instance)
                .addSerializer(Duration.class, ToStringSerializer.instance)
                .addDeserializer(Instant.class, read(Instant.class, Instant::parse))
                .addDeserializer(Duration.class, read(Duration.class, Duration::parse));
    }

    private static <T> JsonDeserializer<T> read(Class<T> type, Function<String, T> parse) {
        return new StdScalarDeserializer<>(type) {
            private static final long serialVersionUID = 1;

            @Override
            public T deserialize(JsonParser parser, DeserializationContext context) throws IOException {
                try {
                    return parse.apply(parser.getText());
                } catch (DateTimeParseException e) {
                    throw JsonMappingException.from(parser, "not a time: " + e.getMessage(), e);
                }
            }
        };
    }

    private Json() {}
}
