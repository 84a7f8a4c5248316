package io.sluice.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

class JavaCommandTest {
    /** Prints the command of a virtual machine that this one would start. */
    static final class Printer {
        private Printer() {}

        public static void main(String[] arguments) {
            System.out.println(JavaCommand.words(List.of("-Xmx64m"), "Main", 1));
        }
    }

    private static String wordsOfOneStartedWith(String option) throws Exception {
        return String.join("\n", StartedProcess.run(JavaCommand.words(List.of(option), Printer.class.getName())));
    }

    @Test
    void one_that_stops_compiling_early_hands_that_on() throws Exception {
        assertThat(wordsOfOneStartedWith("-XX:TieredStopAtLevel=3"))
                .contains("-XX:TieredStopAtLevel=3, -Xmx64m, -cp, ")
                .endsWith("Main, 1]");
    }

    @Test
    void one_with_an_archive_of_classes_hands_that_on() throws Exception {
        assertThat(wordsOfOneStartedWith("-XX:SharedArchiveFile=none")).contains("-XX:SharedArchiveFile=none, -Xmx64m");
    }

    @Test
    void one_without_netty_s_events_hands_that_on() throws Exception {
        assertThat(wordsOfOneStartedWith("-Dio.netty.jfr.enabled=false"))
                .contains("-Dio.netty.jfr.enabled=false, -Xmx64m");
    }

    @Test
    void one_that_lets_libraries_use_native_code_hands_that_on() throws Exception {
        assertThat(wordsOfOneStartedWith("--enable-native-access=ALL-UNNAMED"))
                .contains("--enable-native-access=ALL-UNNAMED, -Xmx64m");
    }

    @Test
    @EnabledForJreRange(minVersion = 23)
    void one_that_lets_libraries_use_unsafe_hands_that_on() throws Exception {
        assertThat(wordsOfOneStartedWith("--sun-misc-unsafe-memory-access=allow"))
                .contains("--sun-misc-unsafe-memory-access=allow, -Xmx64m");
    }
}
