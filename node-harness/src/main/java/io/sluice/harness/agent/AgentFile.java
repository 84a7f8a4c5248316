package io.sluice.harness.agent;

import com.fasterxml.jackson.core.JacksonException;
import io.sluice.harness.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** Files in which an agent keeps what it must know when it starts again. */
final class AgentFile {
    private AgentFile() {}

    /**
     * What a file has; empty if there is none.
     *
     * @param remedy what an operator does with one that nobody can read
     */
    static <T> Optional<T> read(Path file, Class<T> type, String remedy) throws IOException {
        try {
            return Optional.of(Json.MAPPER.readValue(Files.readAllBytes(file), type));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (JacksonException e) {
            throw new IOException(
                    file + ": malformed (expected: a file written by an agent; " + remedy + "): " + e.getMessage(), e);
        }
    }
}
