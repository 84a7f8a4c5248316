package io.sluice.streaming.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What events for a recorder that nobody has started cost a process. */
class FlightRecordsTest {
    private static final String EVENT = "jdk.jfr.Event ";
    private static final String CLASSES = "-Xlog:class+load:stdout";

    @TempDir
    Path temp;

    /** What a session and an install do at their ends. */
    static final class Recorded {
        private Recorded() {}

        public static void main(String[] arguments) {
            SessionRecord.begin("plan", "peer", "in").complete(1, "");
            InstallRecord.begin("table").complete(1, 1);
            InstallRecord.begin("table").fail("why");
        }
    }

    private static List<String> classes(String... options) throws Exception {
        List<String> all = new ArrayList<>(List.of(options));
        all.add(CLASSES);
        return StartedProcess.run(JavaCommand.words(all, Recorded.class.getName()));
    }

    @Test
    void a_process_without_a_recording_does_not_load_the_recorder() throws Exception {
        assertThat(classes()).isNotEmpty().noneMatch(line -> line.contains(EVENT) || line.contains("FlightEvent"));
    }

    @Test
    void a_process_with_one_has_events() throws Exception {
        assertThat(classes("-XX:StartFlightRecording=filename=" + temp.resolve("recording.jfr")))
                .anyMatch(line -> line.contains("SessionFlightEvent"))
                .anyMatch(line -> line.contains("InstallFlightEvent"));
    }
}
