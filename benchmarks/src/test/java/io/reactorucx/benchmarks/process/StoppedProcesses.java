package io.reactorucx.benchmarks.process;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Starts a process, stops it, prints its id, and waits to be ended. */
final class StoppedProcesses {

    static final String STOPPED = "stopped ";

    private StoppedProcesses() {
    }

    public static void main(String[] args) throws IOException {
        ChildProcess child = new ChildProcess(List.of("sleep", "1000"), Map.of(), "never");
        child.stop();
        System.out.println(STOPPED + child.pid());
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
    }
}
