package io.sluice.harness.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * JSON that is not bound to classes: for short commands, since to start what binds takes as much CPU as all else that
 * they do. Immutable.
 *
 * @param name of the member of an object that it is, or is in; empty for the whole. Not all names on the way to it:
 *     they would take the square of a text's length
 * @param value a {@code Map<String, JsonTree>}, a {@code List<JsonTree>}, a {@code String}, a {@code Long} or a
 *     {@code Boolean}; null for {@code null} and for what is not there
 */
public record JsonTree(String name, @Nullable Object value) {
    private static final int MAX_TEXT_LENGTH = 1 << 20;
    private static final int MAX_DEPTH = 32;

    /**
     * Reads a text.
     *
     * @throws JsonParseException if it is not JSON, is deeper than 32 levels, or has a number that is not a long
     */
    public static JsonTree read(String text) throws IOException {
        JsonFactory factory = JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxStringLength(MAX_TEXT_LENGTH)
                        .maxNestingDepth(MAX_DEPTH)
                        .build())
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .build();
        try (JsonParser parser = factory.createParser(text)) {
            parser.nextToken();
            JsonTree tree = read(parser, "");
            if (parser.nextToken() != null) {
                throw new JsonParseException(parser, "more after the end (expected: one value)");
            }
            return tree;
        }
    }

    private static JsonTree read(JsonParser parser, String name) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == null) {
            throw new JsonParseException(parser, "nothing (expected: a value)");
        }
        return new JsonTree(
                name,
                switch (token) {
                    case START_OBJECT -> members(parser);
                    case START_ARRAY -> elements(parser, name);
                    case VALUE_STRING -> parser.getText();
                    case VALUE_NUMBER_INT -> parser.getLongValue();
                    case VALUE_TRUE, VALUE_FALSE -> parser.getBooleanValue();
                    case VALUE_NULL -> null;
                    default -> throw new JsonParseException(parser, name + ": " + token + " (expected: a value)");
                });
    }

    private static Map<String, JsonTree> members(JsonParser parser) throws IOException {
        Map<String, JsonTree> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            members.put(name, read(parser, name));
        }
        return members;
    }

    private static List<JsonTree> elements(JsonParser parser, String name) throws IOException {
        List<JsonTree> elements = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            elements.add(read(parser, name));
        }
        return elements;
    }

    /** The member of this name; one without a value if it is not there. */
    public JsonTree at(String member) throws JsonParseException {
        JsonTree there = members().get(member);
        return there == null ? new JsonTree(member, null) : there;
    }

    /** The members by name, in the order of the text. */
    @SuppressWarnings("unchecked") // made by members(JsonParser)
    public Map<String, JsonTree> members() throws JsonParseException {
        return (Map<String, JsonTree>) as(Map.class, "an object");
    }

    /** The elements in their order. */
    @SuppressWarnings("unchecked") // made by elements(JsonParser, String)
    public List<JsonTree> elements() throws JsonParseException {
        return (List<JsonTree>) as(List.class, "a list");
    }

    /** The text. */
    public String text() throws JsonParseException {
        return as(String.class, "a text");
    }

    /** The text, if it is there. */
    public Optional<String> textIfAny() throws JsonParseException {
        return value == null ? Optional.empty() : Optional.of(text());
    }

    /** The integer. */
    public long number() throws JsonParseException {
        return as(Long.class, "an integer");
    }

    private <T> T as(Class<T> type, String expected) throws JsonParseException {
        if (!type.isInstance(value)) {
            throw new JsonParseException(null, (name.isEmpty() ? "the whole" : name) + ": not " + expected);
        }
        return type.cast(value);
    }
}
