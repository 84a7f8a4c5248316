package io.sluice.harness.config;

import io.sluice.harness.report.ExpectedEnd;
import io.sluice.netty.options.ValueType;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/** Types of values for the harness's own keys and options. Stateless. */
final class ValueTypes {
    /** A UUID, or the word {@code auto} for none. */
    static final ValueType<Optional<UUID>> UUID_OR_AUTO = ValueType.ID.orAuto();

    /** Tokens separated by commas. */
    static final ValueType<List<Long>> TOKENS = ValueType.parsed("a token", Long::parseLong)
            .list("tokens from -2^63 to 2^63-1, with commas between if several");

    /** A share from 0 to 1, written as {@code 50%}. */
    static final ValueType<Double> SHARE = new ValueType<>(
            ValueType.percent(0, 100).expected(),
            text -> ValueType.percent(0, 100).reader().apply(text).map(percent -> percent / 100.0),
            share -> Math.round(100 * share) + "%");

    /** Words separated by commas. */
    static final ValueType<List<String>> WORDS = ValueType.WORD.list("names with commas between");

    /** Whom a fault is about. */
    static final ValueType<String> NODE_OF_FAULT = new ValueType<>(
            "source, receiver, or a name as node2",
            text -> Optional.of(text).filter(name -> name.matches("source|receiver|node[1-9][0-9]{0,5}")),
            name -> name);

    /** Separates the entries of a list in a file's text: any other character may be part of a path. */
    static final String LINE = "\n";

    /** One or more paths, one per line. */
    static final ValueType<List<Path>> PATHS = new ValueType<>(
            "a path, or a list of paths",
            text -> {
                List<Optional<Path>> paths =
                        text.lines().map(ValueType.PATH.reader()).toList();
                return paths.isEmpty() || paths.contains(Optional.<Path>empty())
                        ? Optional.empty()
                        : Optional.of(paths.stream().map(Optional::orElseThrow).toList());
            },
            paths -> paths.stream().map(Path::toString).collect(Collectors.joining(LINE)));

    /** The expected outcome of a run. */
    static final ValueType<ExpectedEnd> END = new ValueType<>(
            "installed, failed, or failed and an error code, as failed PEER_LOST",
            ExpectedEnd::read,
            ExpectedEnd::toString);

    /** An operation by its name, or one that it had; its value is the constant's name. */
    static final ValueType<String> OPERATION = new ValueType<>(
            "one of "
                    + Arrays.stream(ScenarioFile.Operation.values())
                            .map(ScenarioFile.Operation::command)
                            .collect(Collectors.joining(", ")),
            text -> Arrays.stream(ScenarioFile.Operation.values())
                    .filter(operation -> operation.isMeantBy(text))
                    .map(Enum::name)
                    .findFirst(),
            name -> ScenarioFile.Operation.valueOf(name).command());

    private ValueTypes() {}

    /** A name among these constants, written in lower case; its value is the constant's name. */
    static ValueType<String> oneOf(Enum<?>... constants) {
        List<String> words = Arrays.stream(constants)
                .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                .toList();
        return new ValueType<>(
                "one of " + String.join(", ", words),
                text -> Optional.of(text.toUpperCase(Locale.ROOT)).filter(any -> words.contains(text)),
                name -> name.toLowerCase(Locale.ROOT));
    }

    /** A period in whole seconds within bounds. */
    static ValueType<Integer> seconds(String min, String max) {
        ValueType<java.time.Duration> period = ValueType.period(min, max);
        return new ValueType<>(
                period.expected(),
                text -> period.reader()
                        .apply(text)
                        .filter(whole -> whole.toNanosPart() == 0)
                        .map(whole -> (int) whole.toSeconds()),
                seconds -> seconds + "s");
    }
}
