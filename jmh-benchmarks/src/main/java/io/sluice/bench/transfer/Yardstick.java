package io.sluice.bench.transfer;

import io.sluice.bench.Scratch;
import io.sluice.harness.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** {@code yardstick.c}, compiled here and now. Immutable. */
record Yardstick(Path program, int connections, Path target, List<Path> files) {
    /**
     * What the program prints.
     *
     * @param connectionBytes that came over each connection
     */
    record Printed(
            long bytes,
            double writtenSeconds,
            double durableSeconds,
            double senderCpuSeconds,
            double receiverCpuSeconds,
            List<Long> connectionBytes) {
        Printed {
            connectionBytes = List.copyOf(connectionBytes);
        }
    }

    /** Compiles it into {@code work}; empty if there is no C compiler. */
    static Optional<Yardstick> compile(Path source, Path work, int connections, Path target, Path table)
            throws IOException, InterruptedException {
        Path program = work.resolve("yardstick");
        Process compiler;
        try {
            compiler = new ProcessBuilder("cc", "-O2", "-o", program.toString(), source.toString(), "-lpthread")
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            return Optional.empty(); // there is no compiler here
        }
        String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (compiler.waitFor() != 0) {
            throw new IOException("compiling " + source + ": " + said.strip());
        }
        try (Stream<Path> files = Files.list(table)) {
            List<Path> all = files.filter(file -> file.toString().endsWith(".db"))
                    .sorted()
                    .toList();
            return Optional.of(new Yardstick(program, connections, target, all));
        }
    }

    /** Moves the files once. */
    Sample move(String receiver, boolean durable) throws IOException, InterruptedException {
        Printed printed = run(receiver, durable);
        return new Sample(
                printed.bytes(),
                durable ? printed.durableSeconds() : printed.writtenSeconds(),
                printed.senderCpuSeconds(),
                printed.receiverCpuSeconds(),
                0,
                0,
                0,
                0,
                0,
                0);
    }

    Printed run(String receiver, boolean durable) throws IOException, InterruptedException {
        Path folder = Scratch.directory(target, "sluice-yardstick");
        List<String> command = new ArrayList<>(List.of(
                program.toString(), receiver, Integer.toString(connections), durable ? "1" : "0", folder.toString()));
        files.forEach(file -> command.add(file.toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("the yardstick failed: " + said.strip());
        }
        Files.delete(folder);
        return Json.MAPPER.readValue(said, Printed.class);
    }
}
