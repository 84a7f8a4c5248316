package io.sluice.harness.config;

import io.sluice.streaming.ErrorCode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How the value of a key is written. Immutable.
 *
 * @param expected what is allowed, in words
 * @param reader the value of a text, or empty if the text is not allowed
 */
public record ValueType(String expected, Function<String, Optional<Object>> reader) {
    private static final Pattern AMOUNT = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,3})?) ?([KMGT]iB|[kKMGT]?B)");
    private static final Pattern SHARE_PATTERN = Pattern.compile("(\\d{1,3}) ?%");
    private static final Pattern PERIOD = Pattern.compile("(\\d{1,6})(s|m|h)");

    /** Any text but blank. */
    static final ValueType TEXT =
            new ValueType("a text", text -> Optional.<Object>of(text).filter(any -> !text.isBlank()));

    /** {@code true} or {@code false}. */
    static final ValueType FLAG = new ValueType("true or false", text -> switch (text) {
        case "true" -> Optional.of(true);
        case "false" -> Optional.of(false);
        default -> Optional.empty();
    });

    /** An amount of bytes, as {@link Long}: {@code 1GiB} is 2^30, {@code 1GB} 10^9. */
    public static final ValueType BYTES =
            new ValueType("bytes with a unit, as 512MiB, 1.5GiB or 2GB", ValueType::bytes);

    /** An amount of at least {@code least} bytes, which {@code text} says. */
    static ValueType bytesFrom(long least, String text) {
        return new ValueType(
                "bytes with a unit, from " + text + " on",
                value -> bytes(value).filter(amount -> (Long) amount >= least));
    }

    /** Bytes per second, as {@link Long}: {@code 24MiB/s}; {@code 0} for no limit. */
    public static final ValueType RATE = new ValueType("a rate as 24MiB/s, or 0 for no limit", text -> {
        if (text.equals("0")) {
            return Optional.of(0L);
        }
        return text.endsWith("/s") ? bytes(text.substring(0, text.length() - 2)) : Optional.empty();
    });

    /** A file or folder. */
    static final ValueType PATH = new ValueType("a path", text -> path(text).map(path -> path));

    /** A file or folder; the word {@code none} for none. */
    static final ValueType PATH_OR_NONE = new ValueType(
            "a path, or none",
            text -> text.equals("none")
                    ? Optional.of(Optional.empty())
                    : path(text).map(Optional::of));

    /** UUIDs with commas between; the word {@code none} for none. */
    static final ValueType UUIDS =
            new ValueType("UUIDs with commas between, or none", text -> listOrNone(text, UUID::fromString));

    /** Texts with commas between; the word {@code none} for none. */
    static final ValueType TEXTS =
            new ValueType("texts with commas between, or none", text -> listOrNone(text, ValueType::word));

    /** SHA-256 fingerprints and UUIDs, as {@code 12ab..=uuid}, with commas between; the word {@code none} for none. */
    static final ValueType FINGERPRINTS = new ValueType("fingerprint=UUID with commas between, or none", text -> {
        Map<String, UUID> nodes = new HashMap<>();
        try {
            for (String entry : text.equals("none") ? new String[0] : text.split(",", -1)) {
                String[] pair = entry.strip().split("=", -1);
                String print = pair[0].replace(":", "").toLowerCase(Locale.ROOT);
                if (pair.length != 2 || !print.matches("[0-9a-f]{64}")) {
                    return Optional.empty();
                }
                nodes.put(print, UUID.fromString(pair[1]));
            }
            return Optional.of(nodes);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    });

    /** A UUID; the word {@code auto} for none. */
    static final ValueType UUID_OR_AUTO = new ValueType("a UUID, or auto", text -> {
        try {
            return Optional.of(text.equals("auto") ? Optional.empty() : Optional.of(UUID.fromString(text)));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    });

    /** Tokens with commas between, as {@code List<Long>}. */
    static final ValueType TOKENS = new ValueType(
            "tokens from -2^63 to 2^63-1, with commas between if several", text -> list(text, Long::parseLong));

    /** A share of a whole, as {@link Double} from 0 to 1: {@code 50%}. */
    static final ValueType SHARE = new ValueType(
            "a share from 0% to 100%",
            text -> {
                Matcher matcher = SHARE_PATTERN.matcher(text);
                return matcher.matches() && Integer.parseInt(matcher.group(1)) <= 100
                        ? Optional.of(Integer.parseInt(matcher.group(1)) / 100.0)
                        : Optional.empty();
            });

    /** Words with commas between, as {@code List<String>}. */
    static final ValueType WORDS = new ValueType("names with commas between", text -> list(text, ValueType::word));

    /** How a run is to end. */
    static final ValueType END =
            new ValueType("installed, failed, or failed and an error code, as failed PEER_LOST", text -> {
                boolean isKnown = text.equals("installed")
                        || text.equals("failed")
                        || Arrays.stream(ErrorCode.values()).anyMatch(code -> text.equals("failed " + code));
                return isKnown ? Optional.of(text) : Optional.empty();
            });

    /** The name of one of these, in small letters; its value is the name as it is. */
    static ValueType oneOf(Enum<?>... constants) {
        List<String> words = Arrays.stream(constants)
                .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                .toList();
        return new ValueType(
                "one of " + String.join(", ", words),
                text -> Optional.<Object>of(text.toUpperCase(Locale.ROOT)).filter(any -> words.contains(text)));
    }

    /** A whole number within bounds, as {@link Integer}. */
    static ValueType integer(int min, int max) {
        return new ValueType("a whole number from " + min + " to " + max, text -> {
            try {
                return Optional.<Object>of(Integer.parseInt(text))
                        .filter(any -> (int) any >= min)
                        .filter(any -> (int) any <= max);
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        });
    }

    /** The same, or the word {@code auto}, which is 0. */
    static ValueType autoOrInteger(int min, int max) {
        ValueType number = integer(min, max);
        return new ValueType(
                "auto, or " + number.expected(),
                text -> text.equals("auto") ? Optional.of(0) : number.reader().apply(text));
    }

    /** A period within bounds, as {@link Integer} seconds: {@code 300s}, {@code 5m}. */
    static ValueType seconds(int min, int max) {
        return new ValueType("a period as 30s or 5m, from " + min + "s to " + max + "s", text -> {
            Matcher matcher = PERIOD.matcher(text);
            if (!matcher.matches()) {
                return Optional.empty();
            }
            long seconds = Long.parseLong(matcher.group(1)) * secondsOf(matcher.group(2));
            return seconds < min || seconds > max ? Optional.empty() : Optional.of((int) seconds);
        });
    }

    /** The value that {@code text} stands for. */
    public Object read(String name, String text) {
        return reader.apply(text)
                .orElseThrow(() -> new ConfigException(name + ": '" + text + "' (expected: " + expected + ")"));
    }

    private static Optional<Path> path(String text) {
        try {
            return text.isBlank() ? Optional.empty() : Optional.of(Path.of(text));
        } catch (InvalidPathException e) { // a NUL in it
            return Optional.empty();
        }
    }

    private static Optional<Object> bytes(String text) {
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

    private static long secondsOf(String unit) {
        return switch (unit) {
            case "h" -> 3600;
            case "m" -> 60;
            default -> 1;
        };
    }

    private static Optional<Object> listOrNone(String text, Function<String, ?> item) {
        return text.equals("none") ? Optional.of(List.of()) : list(text, item);
    }

    /** What stands between commas; empty if {@code item} throws, as of something that is none. */
    private static Optional<Object> list(String text, Function<String, ?> item) {
        try {
            return Optional.of(Arrays.stream(text.split(",", -1))
                    .map(String::strip)
                    .map(item)
                    .toList());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static String word(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("nothing between two commas");
        }
        return text;
    }
}
