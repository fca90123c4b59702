package io.reactorucx.benchmarks.peers;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.CountDownLatch;

/** Ends a server when its standard input ends. */
final class Lifeline {

    private final CountDownLatch end = new CountDownLatch(1);
    private volatile boolean ended;

    private Lifeline() {
    }

    static Lifeline ofStandardInput() {
        Lifeline lifeline = new Lifeline();
        Thread.ofPlatform().daemon().name("lifeline").start(lifeline::watch);
        return lifeline;
    }

    private void watch() {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            System.err.println("standard input: " + e);
        }
        ended = true;
        end.countDown();
    }

    void ready(int port) {
        System.out.println("READY " + port);
    }

    boolean hasEnded() {
        return ended;
    }

    void await() throws InterruptedException {
        end.await();
    }
}
