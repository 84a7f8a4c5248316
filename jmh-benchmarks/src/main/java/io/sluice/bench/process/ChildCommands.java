package io.sluice.bench.process;

import com.fasterxml.jackson.databind.SerializationFeature;
import io.sluice.harness.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** What a child does: it answers each line of its input by a line of JSON. Stateless. */
public final class ChildCommands {
    private ChildCommands() {}

    /** Gives the answer to a line. */
    public interface Answer {
        Object to(String line) throws Exception;
    }

    /** Says that it is ready, then answers until its input ends. */
    public static void untilEnd(Answer answer) throws Exception {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(line(answer.to(line)));
        }
    }

    private static String line(Object answer) throws IOException {
        return Json.MAPPER.writer().without(SerializationFeature.INDENT_OUTPUT).writeValueAsString(answer);
    }
}
