package io.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.process.Program;
import io.sluice.bench.transfer.LinkBench;
import io.sluice.bench.transfer.TransferBench;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TargetTest {
    @TempDir
    private Path temporary = Path.of("");

    @Test
    void a_target_that_cannot_be_made_is_refused_in_one_sentence_before_any_work() throws IOException {
        Path below = Files.writeString(temporary.resolve("file"), "mine").resolve("below");

        for (Callable<Integer> bench : List.of(new TransferBench(), new LinkBench(), new ReceiveBench())) {
            StringWriter err = new StringWriter();
            int code = Program.commandLine(bench).setErr(new PrintWriter(err)).execute("--target", below.toString());

            assertThat(err.toString().lines())
                    .as(bench.getClass().getSimpleName())
                    .singleElement()
                    .asString()
                    .startsWith("sluice: --target " + below + ": cannot be made: ");
            assertThat(code).isEqualTo(2);
        }
    }

    @Test
    void a_target_that_is_missing_is_made() throws IOException {
        Path target = temporary.resolve("new").resolve("target");
        Path notWork = Files.writeString(temporary.resolve("file"), "mine");

        int code = Program.commandLine(new TransferBench())
                .setErr(new PrintWriter(new StringWriter()))
                .execute("--target", target.toString(), "--work-dir", notWork.toString());

        assertThat(code).isEqualTo(2);
        assertThat(target).isDirectory();
    }
}
