package io.reactorucx.benchmarks.process;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Signals that the JDK has no method for. */
public enum ProcessSignal {

    /** Stops all threads of a process until {@link #CONTINUE}. */
    STOP(19),
    /** Continues a process. */
    CONTINUE(18);

    private static final MethodHandle KILL = Linker.nativeLinker().downcallHandle(
            Linker.nativeLinker().defaultLookup().findOrThrow("kill"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    /** The number on Linux for x86-64 and aarch64. */
    private final int number;

    ProcessSignal(int number) {
        this.number = number;
    }

    /**
     * Sends this signal. A process that has ended is left alone.
     *
     * @param process a process that this one started, so that its id is not used again before it is known to have ended
     */
    public void sendTo(Process process) {
        if (process.isAlive()) {
            send(Math.toIntExact(process.pid()));
        }
    }

    private void send(int pid) {
        try {
            // An error says that the process has just ended.
            int ignored = (int) KILL.invokeExact(pid, number);
        } catch (Throwable e) {
            throw new IllegalStateException("kill", e);
        }
    }
}
