package io.sluice.simulation.mutation;

import io.sluice.simulation.mutation.SourceMutant.Finder.ByTest;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs one plain unit test of another module by the classes of a loader: a method without parameters, of a class that
 * needs no more than a temporary directory and what is to be done before each test. Stateless.
 */
final class OneTest {
    private OneTest() {}

    /**
     * Why the test fails; empty if it does not.
     *
     * @throws IllegalStateException if there is no such test
     */
    static Optional<String> failure(ClassLoader classes, ByTest test, Path temporary) throws IOException {
        try {
            Class<?> loaded = classes.loadClass(test.testClass());
            Method method = loaded.getDeclaredMethod(test.method());
            Constructor<?> constructor = loaded.getDeclaredConstructor();
            constructor.setAccessible(true);
            method.setAccessible(true);
            Object instance = constructor.newInstance();
            for (Field field : loaded.getDeclaredFields()) {
                if (field.isAnnotationPresent(TempDir.class)) {
                    field.setAccessible(true);
                    field.set(instance, Files.createTempDirectory(temporary, "test"));
                }
            }
            for (Method before : loaded.getDeclaredMethods()) {
                if (before.isAnnotationPresent(BeforeEach.class)) {
                    before.setAccessible(true);
                    before.invoke(instance);
                }
            }
            method.invoke(instance);
            return Optional.empty();
        } catch (InvocationTargetException e) {
            return Optional.of(String.valueOf(e.getCause()));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(test + " (expected: a test whose module is compiled)", e);
        }
    }
}
