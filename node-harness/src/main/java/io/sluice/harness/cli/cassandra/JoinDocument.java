package io.sluice.harness.cli.cassandra;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.sluice.harness.json.Json;
import io.sluice.harness.replace.JoinReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What a command that brings a node its data says for programs, written by its {@code --json}. Immutable.
 *
 * @param command that ran
 * @param node that receives
 * @param exitCode of the process
 * @param problem why it ended without a report
 * @param report its members stand beside the others; empty if it did not come so far
 */
record JoinDocument(
        String command,
        String node,
        int exitCode,
        Optional<String> problem,
        @JsonUnwrapped Optional<JoinReport> report) {
    /** Writes it where somebody wants it. */
    void write(Path file) throws IOException {
        Files.writeString(file, Json.MAPPER.writeValueAsString(this) + System.lineSeparator());
    }
}
