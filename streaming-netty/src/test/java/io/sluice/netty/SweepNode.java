package io.sluice.netty;

import static io.sluice.tools.StartedProcess.TIMEOUT;

import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A {@link SweepProcess}, as the test that commands it sees it. Not thread-safe. */
final class SweepNode {
    final String name;
    final StartedProcess process;

    private SweepNode(String name, StartedProcess process) {
        this.name = name;
        this.process = process;
    }

    /** @param logs the folder for what it logs */
    static SweepNode start(String name, Path logs) throws IOException {
        return start(name, logs, SweepJvm.plain());
    }

    /** The same in a virtual machine of its own kind. */
    static SweepNode start(String name, Path logs, SweepJvm jvm) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(JavaCommand.executable());
        command.addAll(jvm.flags());
        command.addAll(List.of(SweepProcess.class.getName(), name));
        return new SweepNode(
                name,
                StartedProcess.start(new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.appendTo(
                                logs.resolve(name + ".log").toFile()))));
    }

    /** Its answer to a command. */
    String say(String command) throws IOException, InterruptedException {
        send(command);
        return process.nextLine(TIMEOUT).orElse("its process has ended");
    }

    /** A command of which nobody awaits the answer. */
    void send(String command) throws IOException {
        process.say(command);
    }

    /** Has it end by itself: its exit code. */
    int end() throws IOException, InterruptedException {
        process.endInput();
        return process.awaitExit(TIMEOUT);
    }

    void kill() {
        process.close();
    }
}
