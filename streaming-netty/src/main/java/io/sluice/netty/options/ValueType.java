package io.sluice.netty.options;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The text format of an option's value, and which values are allowed. Immutable; equal only to itself, since functions
 * cannot be compared.
 *
 * @param expected the allowed values, for messages
 * @param reader parses a text; empty if the text is not allowed
 * @param writer formats a value so that {@code reader} can parse it
 */
public record ValueType<T>(String expected, Function<String, Optional<T>> reader, Function<T, String> writer) {
    private static final Pattern AMOUNT = Pattern.compile("(\\d{1,19}(?:\\.\\d{1,3})?) ?([KMGT]iB|[kKMGT]?B)");
    private static final Pattern PERCENT = Pattern.compile("(\\d{1,3}) ?%");
    private static final Pattern PERIOD = Pattern.compile("(\\d{1,18})(ns|us|ms|s|m|h|d)");
    private static final int MAX_NAME_LENGTH = 256;
    private static final String NONE = "none";
    private static final String AUTO = "auto";

    private static final Map<String, Duration> UNITS = Map.of(
            "ns", Duration.ofNanos(1),
            "us", Duration.ofNanos(1_000),
            "ms", Duration.ofMillis(1),
            "s", Duration.ofSeconds(1),
            "m", Duration.ofMinutes(1),
            "h", Duration.ofHours(1),
            "d", Duration.ofDays(1));

    /** Any text that is not blank. */
    public static final ValueType<String> TEXT =
            new ValueType<>("a text", text -> Optional.of(text).filter(any -> !text.isBlank()), text -> text);

    /** A text of 1 to 256 characters, not blank. */
    public static final ValueType<String> NAME =
            TEXT.only("1 to " + MAX_NAME_LENGTH + " characters, not blank", text -> text.length() <= MAX_NAME_LENGTH);

    /** {@code true} or {@code false}. */
    public static final ValueType<Boolean> FLAG = new ValueType<>(
            "true or false",
            text -> switch (text) {
                case "true" -> Optional.of(true);
                case "false" -> Optional.of(false);
                default -> Optional.empty();
            },
            String::valueOf);

    /** An amount of bytes: {@code 1GiB} is 2^30, {@code 1GB} 10^9. */
    public static final ValueType<Long> BYTES =
            new ValueType<>("bytes with a unit, as 512MiB, 1.5GiB or 2GB", ValueType::bytes, ValueType::withUnit);

    /** Bytes per second: {@code 24MiB/s}; {@code 0} for no limit. */
    public static final ValueType<Long> RATE = new ValueType<>(
            "a rate as 24MiB/s, or 0 for no limit",
            text -> {
                if (text.equals("0")) {
                    return Optional.of(0L);
                }
                return text.endsWith("/s") ? bytes(text.substring(0, text.length() - 2)) : Optional.empty();
            },
            rate -> rate == 0 ? "0" : withUnit(rate) + "/s");

    /** A file or folder. */
    public static final ValueType<Path> PATH = new ValueType<>(
            "a path",
            text -> {
                try {
                    return text.isBlank() ? Optional.empty() : Optional.of(Path.of(text));
                } catch (InvalidPathException e) { // a NUL in it
                    return Optional.empty();
                }
            },
            Path::toString);

    /** A UUID. */
    public static final ValueType<UUID> ID = parsed("a UUID", UUID::fromString);

    /** An item of a comma-separated list: any text that is not empty. */
    public static final ValueType<String> WORD =
            new ValueType<>("a name", text -> Optional.of(text).filter(any -> !text.isEmpty()), text -> text);

    /** SHA-256 fingerprints and UUIDs, as {@code 12ab..=uuid}, separated by commas; {@code none} for an empty map. */
    static final ValueType<Map<String, UUID>> FINGERPRINTS = new ValueType<>(
            "fingerprint=UUID with commas between, or none",
            ValueType::fingerprints,
            nodes -> nodes.isEmpty()
                    ? NONE
                    : nodes.entrySet().stream()
                            .map(node -> node.getKey() + "=" + node.getValue())
                            .sorted()
                            .collect(Collectors.joining(",")));

    /**
     * Values that {@code parser} reads; it throws an {@link IllegalArgumentException} for a text that is not allowed.
     */
    public static <T> ValueType<T> parsed(String expected, Function<String, T> parser) {
        return new ValueType<>(
                expected,
                text -> {
                    try {
                        return Optional.of(parser.apply(text));
                    } catch (IllegalArgumentException e) {
                        return Optional.empty();
                    }
                },
                String::valueOf);
    }

    /** A whole number within bounds. */
    public static ValueType<Integer> integer(int min, int max) {
        return parsed("a whole number from " + min + " to " + max, Integer::parseInt)
                .only("a whole number from " + min + " to " + max, number -> number >= min && number <= max);
    }

    /** An integer percentage: {@code 50%}. */
    public static ValueType<Integer> percent(int min, int max) {
        return new ValueType<>(
                "a share from " + min + "% to " + max + "%",
                text -> {
                    Matcher matcher = PERCENT.matcher(text);
                    return matcher.matches()
                            ? Optional.of(Integer.parseInt(matcher.group(1)))
                                    .filter(share -> share >= min && share <= max)
                            : Optional.empty();
                },
                share -> share + "%");
    }

    /** An amount of bytes within bounds, which have the format of {@link #BYTES}. */
    public static ValueType<Long> bytes(String min, String max) {
        long least = BYTES.read("min", min);
        long most = BYTES.read("max", max);
        return BYTES.only("bytes with a unit, from " + min + " to " + max, amount -> amount >= least && amount <= most);
    }

    /**
     * A period within bounds, which have the same format: {@code 500ms}, {@code 30s}, {@code 5m}, {@code 2h},
     * {@code 7d}.
     */
    public static ValueType<Duration> period(String min, String max) {
        Duration least = duration(min).orElseThrow();
        Duration most = duration(max).orElseThrow();
        return new ValueType<>(
                "a period as 30s or 5m, from " + min + " to " + max,
                text -> duration(text)
                        .filter(period -> period.compareTo(least) >= 0)
                        .filter(period -> period.compareTo(most) <= 0),
                ValueType::withUnit);
    }

    /** This type, restricted to some of its values. */
    public ValueType<T> only(String words, Predicate<T> allowed) {
        return new ValueType<>(words, text -> reader.apply(text).filter(allowed), writer);
    }

    /** This type, or {@code auto}, which is read as empty. */
    public ValueType<Optional<T>> orAuto() {
        return or(AUTO);
    }

    /** This type, or {@code none}, which is read as empty. */
    ValueType<Optional<T>> orNone() {
        return or(NONE);
    }

    private ValueType<Optional<T>> or(String word) {
        return new ValueType<>(
                (word.equals(AUTO) ? "auto, or " + expected : expected + ", or " + word),
                text -> {
                    Optional<T> value = text.equals(word) ? Optional.empty() : reader.apply(text);
                    return value.isPresent() || text.equals(word) ? Optional.of(value) : Optional.empty();
                },
                value -> value.map(writer).orElse(word));
    }

    /** A comma-separated list of this type. */
    public ValueType<List<T>> list(String words) {
        return new ValueType<>(
                words,
                text -> {
                    List<Optional<T>> items = Arrays.stream(text.split(",", -1))
                            .map(String::strip)
                            .map(reader)
                            .toList();
                    return items.stream().allMatch(Optional::isPresent)
                            ? Optional.of(
                                    items.stream().map(Optional::orElseThrow).toList())
                            : Optional.empty();
                },
                items -> items.stream().map(writer).collect(Collectors.joining(",")));
    }

    /** A comma-separated list of this type; {@code none} for an empty list. */
    ValueType<List<T>> listOrNone(String words) {
        ValueType<List<T>> some = list(words);
        return new ValueType<>(
                words + ", or none",
                text -> text.equals(NONE) ? Optional.of(List.of()) : some.reader.apply(text),
                items -> items.isEmpty() ? NONE : some.write(items));
    }

    /**
     * Parses {@code text}.
     *
     * @param name of the option, for messages
     * @throws IllegalArgumentException if it is not allowed
     */
    public T read(String name, String text) {
        return reader.apply(text)
                .orElseThrow(
                        () -> new IllegalArgumentException(name + ": '" + text + "' (expected: " + expected + ")"));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    /** Formats {@code value}. */
    public String write(T value) {
        return writer.apply(value);
    }

    private static Optional<Long> bytes(String text) {
        Matcher matcher = AMOUNT.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        BigDecimal bytes = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(bytesOf(matcher.group(2))));
        return bytes.compareTo(BigDecimal.valueOf(1L << 60)) > 0
                ? Optional.empty()
                : Optional.of(bytes.setScale(0, RoundingMode.DOWN).longValueExact());
    }

    private static long bytesOf(String unit) {
        return switch (unit) {
            case "TiB" -> 1L << 40;
            case "GiB" -> 1L << 30;
            case "MiB" -> 1L << 20;
            case "KiB" -> 1L << 10;
            case "TB" -> 1_000_000_000_000L;
            case "GB" -> 1_000_000_000L;
            case "MB" -> 1_000_000L;
            case "KB", "kB" -> 1_000L;
            default -> 1;
        };
    }

    /** In the largest unit in which the amount is an integer. */
    private static String withUnit(long bytes) {
        List<String> units = List.of("B", "KiB", "MiB", "GiB", "TiB");
        int unit = 0;
        long amount = bytes;
        while (amount != 0 && amount % 1024 == 0 && unit + 1 < units.size()) {
            amount /= 1024;
            unit++;
        }
        return amount + units.get(unit);
    }

    private static Optional<Duration> duration(String text) {
        Matcher matcher = PERIOD.matcher(text);
        Duration unit = matcher.matches() ? UNITS.get(matcher.group(2)) : null;
        if (unit == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(unit.multipliedBy(Long.parseLong(matcher.group(1))));
        } catch (ArithmeticException e) { // millions of years
            return Optional.empty();
        }
    }

    private static String withUnit(Duration period) {
        return UNITS.entrySet().stream()
                .filter(unit -> period.equals(unit.getValue().multipliedBy(period.dividedBy(unit.getValue()))))
                .max(Comparator.comparing(Map.Entry::getValue))
                .map(unit -> period.dividedBy(unit.getValue()) + unit.getKey())
                .orElseThrow();
    }

    private static Optional<Map<String, UUID>> fingerprints(String text) {
        Map<String, UUID> nodes = new HashMap<>();
        for (String entry : text.equals(NONE) ? new String[0] : text.split(",", -1)) {
            String[] pair = entry.strip().split("=", -1);
            String print = pair[0].replace(":", "").toLowerCase(Locale.ROOT);
            Optional<UUID> node = pair.length == 2 ? ID.reader.apply(pair[1]) : Optional.empty();
            if (node.isEmpty() || !print.matches("[0-9a-f]{64}")) {
                return Optional.empty();
            }
            nodes.put(print, node.get());
        }
        return Optional.of(Map.copyOf(nodes));
    }
}
