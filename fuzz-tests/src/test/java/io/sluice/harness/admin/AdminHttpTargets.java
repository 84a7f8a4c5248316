package io.sluice.harness.admin;

import java.io.ByteArrayInputStream;
import java.io.IOException;

/** What an admin endpoint answers. Stateless. */
public final class AdminHttpTargets {
    private AdminHttpTargets() {}

    /** A response, head and body. */
    public static void answer(byte[] input) throws IOException {
        AdminHttp.answer(new ByteArrayInputStream(input));
    }
}
