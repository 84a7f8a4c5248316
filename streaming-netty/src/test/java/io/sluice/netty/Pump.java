package io.sluice.netty;

import java.io.IOException;

/** What a thread of a proxy does until a socket is closed. */
interface Pump {
    void run() throws IOException;

    /** Runs it on a thread of its own, which keeps no process alive. */
    static void start(Pump pump) {
        Thread thread = new Thread(
                () -> {
                    try {
                        pump.run();
                    } catch (IOException e) {
                        // One end has gone: whoever owns the socket closes both.
                    }
                },
                "proxy");
        thread.setDaemon(true);
        thread.start();
    }
}
