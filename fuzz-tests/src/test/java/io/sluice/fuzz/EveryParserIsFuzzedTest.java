package io.sluice.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Whoever writes a parser writes a target, or says in parsers.txt why not. */
class EveryParserIsFuzzedTest {
    /** What takes values out of bytes or texts, as the name of a class and of a method. */
    private static final Pattern TAKES_VALUES = Pattern.compile("java\\.util\\.UUID\\.fromString"
            + "|java\\.lang\\.(Long|Integer|Double)\\.parse\\w+"
            + "|java\\.nio\\.ByteBuffer\\.get\\w*"
            + "|.*\\.(ComponentInput|ItemWindow|ChannelInput|WireInput|VInts|ByteBuf)\\.read\\w*"
            + "|.*\\.Values\\.(read|take)"
            + "|.*\\.(JsonMapper|ObjectMapper)\\.readValue"
            + "|.*\\.JsonParser\\.nextToken"
            + "|org\\.yaml\\.snakeyaml\\.Yaml\\.(<init>|load|compose)"
            + "|net\\..*\\.decompress"
            + "|java\\.util\\.zip\\.Inflater\\.\\S+"
            + "|java\\.io\\.DataInputStream\\.\\S+");

    /** What measures, and reads only what it wrote itself; the row and tablet streams beside it are parsers. */
    private static final Pattern BENCHMARKS =
            Pattern.compile(".*/io/sluice/bench/(compare/|process/|transfer/|[A-Z]).*");

    private static Map<String, String> listed() throws IOException {
        try (InputStream file = EveryParserIsFuzzedTest.class.getResourceAsStream("/parsers.txt")) {
            return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(": ", 2))
                    .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1], (a, b) -> a, TreeMap::new));
        }
    }

    private static Set<String> parsers() {
        Set<String> parsers = new TreeSet<>();
        for (JavaClass type : new ClassFileImporter()
                .withImportOption(location -> !location.contains("/test-classes/") && !location.contains("simulation"))
                .withImportOption(location -> !location.matches(BENCHMARKS))
                .importPackages("io.sluice")) {
            if (type.getCodeUnitAccessesFromSelf().stream().anyMatch(EveryParserIsFuzzedTest::takesValues)) {
                parsers.add(type.getName().replaceAll("\\$.*", ""));
            }
        }
        return parsers;
    }

    private static boolean takesValues(JavaCodeUnitAccess<?> access) {
        return TAKES_VALUES
                .matcher(access.getTargetOwner().getName() + "."
                        + access.getTarget().getName())
                .matches();
    }

    @Test
    void every_class_that_takes_values_out_of_bytes_has_a_target_or_a_reason() throws IOException {
        assertThat(parsers()).as("classes of parsers.txt").isEqualTo(listed().keySet());
    }

    @Test
    void every_target_is_of_a_parser() throws IOException {
        Set<String> named = listed().values().stream()
                .flatMap(text -> Arrays.stream(text.split("[ ,]+")))
                .filter(word -> word.matches("[A-Z][A-Z_0-9]+"))
                .collect(Collectors.toSet());
        Set<String> targets = Arrays.stream(FuzzTarget.values()).map(Enum::name).collect(Collectors.toSet());

        assertThat(named).isEqualTo(targets);
    }
}
