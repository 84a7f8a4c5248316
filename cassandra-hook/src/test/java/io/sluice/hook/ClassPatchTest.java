package io.sluice.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A call in front of a method leaves the method as it was. */
class ClassPatchTest {
    private static final ClassPatch.Call CALL = new ClassPatch.Call("io/sluice/hook/Recorder", "before");

    private static byte[] classFile(Class<?> type) throws IOException {
        try (InputStream in = type.getResourceAsStream(type.getSimpleName() + ".class")) {
            assertThat(in).isNotNull();
            return in.readAllBytes();
        }
    }

    /** Defines one class again, verified, and leaves all others to its parent. */
    private static final class Loader extends ClassLoader {
        Class<?> define(String name, byte[] classFile) {
            return defineClass(name, classFile, 0, classFile.length);
        }
    }

    private static Class<?> patched() throws IOException {
        byte[] classFile = ClassPatch.before("fetchAsync", CALL, classFile(Streamer.class));
        return new Loader().define(Streamer.class.getName(), classFile);
    }

    @ParameterizedTest
    @CsvSource({"0, 2199023255552", "1, 0.25", "1000000, '[before!, fetchAsync!]'", "7, kind 7"})
    void the_call_comes_first_and_the_method_does_what_it_did(int kind, String answer) throws Exception {
        List<String> calls = new ArrayList<>();
        Object streamer = patched().getConstructor(List.class, int.class).newInstance(calls, kind);

        Object answered = streamer.getClass().getMethod("fetchAsync").invoke(streamer);

        assertThat(calls).containsExactly("before", "fetchAsync");
        assertThat(answered).isEqualTo(answer);
    }

    @Test
    void another_method_of_that_name_is_left_alone() throws Exception {
        List<String> calls = new ArrayList<>();
        Object streamer = patched().getConstructor(List.class, int.class).newInstance(calls, 0);

        streamer.getClass().getMethod("fetchAsync", int.class).invoke(streamer, 3);

        assertThat(calls).containsExactly("fetchAsync 3");
    }

    @Test
    void a_class_without_the_method_is_refused() {
        assertThatThrownBy(() -> ClassPatch.before("fetchAsync", CALL, classFile(Recorder.class)))
                .isInstanceOf(IOException.class)
                .hasMessage("no public method fetchAsync() that returns an object");
    }

    @Test
    void what_is_no_class_or_ends_early_is_refused() throws IOException {
        byte[] whole = classFile(Streamer.class);

        assertThatThrownBy(() -> ClassPatch.before("fetchAsync", CALL, new byte[100]))
                .hasMessage("not a class file");
        for (int length = 0; length < whole.length; length += 7) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> ClassPatch.before("fetchAsync", CALL, cut))
                    .as("cut at %d", length)
                    .isInstanceOf(IOException.class);
        }
    }
}
