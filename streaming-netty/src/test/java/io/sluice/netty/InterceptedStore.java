package io.sluice.netty;

import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;

/** A database of which each call, also those of its pins and permits, can be made to fail. */
final class InterceptedStore {
    /** Hears of a call before it is made, and may throw instead. */
    interface Before {
        /**
         * A call is about to be made.
         *
         * @param call the method, as {@code activate}, {@code pin.sstables} or {@code permit.release}
         */
        void called(String call) throws Throwable;
    }

    private InterceptedStore() {}

    static TableStore of(TableStore store, Before before) {
        return of(TableStore.class, "", store, before);
    }

    private static <T> T of(Class<T> type, String prefix, T real, Before before) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            if (method.getDeclaringClass() != Object.class) {
                try {
                    before.called(prefix + method.getName());
                } catch (IOException e) {
                    throw List.of(method.getExceptionTypes()).contains(IOException.class)
                            ? e
                            : new UncheckedIOException(e);
                }
            }
            Object answer;
            try {
                answer = method.invoke(real, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (answer instanceof PinnedTable pin) {
                return of(PinnedTable.class, "pin.", pin, before);
            }
            return answer instanceof TableStore.Permit permit
                    ? of(TableStore.Permit.class, "permit.", permit, before)
                    : answer;
        }));
    }
}
