package io.sluice.hook;

import java.io.IOException;

/** What the hook reads in a node. Stateless. */
public final class HookTargets {
    private static final ClassPatch.Call CALL = new ClassPatch.Call("io/sluice/hook/Gate", "waitFor");

    private HookTargets() {}

    /** A class file to patch. */
    public static void classFile(byte[] input) throws IOException {
        ClassPatch.before("get", CALL, input);
    }
}
