package io.sluice.bench.replace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whether what is measured is what {@code ./sluice} starts. */
class AgentsReplaceTest {
    private static final Pattern OPTION = Pattern.compile("-X\\S+?(?=[\\s)])");

    /** Options of the virtual machine in a part of the script, without those of the log. */
    private static List<String> options(String script, String begin, String end) {
        int start = script.indexOf(begin);
        String part = script.substring(start, script.indexOf(end, start));
        return OPTION.matcher(part)
                .results()
                .map(MatchResult::group)
                .filter(option -> !option.startsWith("-Xlog"))
                .toList();
    }

    private static List<String> of(String script, String command) {
        List<String> all = options(script, "options=(\"-Dsluice.home", "\n");
        List<String> own = options(script, "\n    " + command + ")\n", ";;");
        boolean hasHeap = own.stream().anyMatch(option -> option.startsWith("-Xmx"));
        return Stream.concat(all.stream().filter(option -> !hasHeap || !option.startsWith("-Xmx")), own.stream())
                .toList();
    }

    @Test
    void agents_and_their_command_run_with_the_options_of_the_script() throws IOException {
        String script = Files.readString(Path.of("..", "sluice"));

        assertThat(of(script, "agent")).containsExactlyInAnyOrderElementsOf(AgentsReplace.AGENT_OPTIONS);
        assertThat(of(script, "cassandra")).containsExactlyInAnyOrderElementsOf(AgentsReplace.COMMAND_OPTIONS);
    }
}
