package io.reactorucx.examples.dashboard;

import java.io.IOException;
import java.io.OutputStream;

/** Ends this process with the one that has started it: the standard input ends then, even after SIGKILL. */
final class Lifeline {

    private Lifeline() {
    }

    static void watch() {
        Thread.ofPlatform().daemon().name("lifeline").start(() -> {
            try {
                System.in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                System.err.println("standard input: " + e);
            }
            Runtime.getRuntime().halt(0);
        });
    }
}
