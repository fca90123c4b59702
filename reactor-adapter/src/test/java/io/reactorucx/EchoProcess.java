package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.MemoryDescriptor;
import io.reactorucx.testsupport.ChildJvm;
import java.nio.file.Path;
import java.util.HexFormat;

/** An {@link EchoServer} in a process of its own. */
final class EchoProcess implements AutoCloseable {

    private final ChildJvm child;
    private final int port;
    private final MemoryDescriptor window;
    private final MemoryDescriptor registered;

    EchoProcess(String... transports) {
        this(0, transports);
    }

    /** One with rings of a size. */
    EchoProcess(int ringBytes, String... transports) {
        child = ChildJvm.of(EchoServer.class).options("-Xmx512m", "-D" + EchoServer.RINGS + "=" + ringBytes)
                .arguments(transports).start();
        try {
            String[] ready = child.awaitLine(EchoServer.READY).split(" ");
            port = Integer.parseInt(ready[1]);
            window = MemoryDescriptor.fromBytes(HexFormat.of().parseHex(ready[2]));
            registered = MemoryDescriptor.fromBytes(HexFormat.of().parseHex(ready[3]));
        } catch (RuntimeException | Error e) {
            child.close();
            throw e;
        }
    }

    UcxClient client(UcxResources resources) {
        return UcxClient.create(resources).remoteAddress("127.0.0.1", port);
    }

    /** Where the system says what it has open. */
    Path process() {
        return Path.of("/proc/" + child.handle().pid());
    }

    String name() {
        return "127.0.0.1:" + port;
    }

    /**
     * Memory that UCX allocated: shared memory where the transport has it, reached without the other process's help.
     */
    MemoryDescriptor window() {
        return window;
    }

    /** Memory of the Java program, reached with the other process's help only. */
    MemoryDescriptor registered() {
        return registered;
    }

    /** Blocks its engine, which has said so when this returns. */
    void stall(UcxConnection connection) {
        connection.activeMessages().send(EchoServer.STALL, new byte[1]).block(Waits.PATIENCE);
        child.awaitLine(EchoServer.STALLED);
    }

    /** Its process does nothing from now on, but stays there. */
    void stop() {
        signal("STOP");
    }

    /** It goes on as if nothing had been. */
    void goOn() {
        signal("CONT");
    }

    private void signal(String name) {
        if (child.handle().isAlive()) {
            child.signal(name);
        }
    }

    void kill() {
        child.handle().destroyForcibly();
    }

    /** Lets it end in good order, and looks at what it left behind. */
    void end() {
        child.send("end");
        ChildJvm.Result result = child.result();
        assertThat(result.output()).contains(EchoServer.ENDED + "leases=0 contexts=0");
        assertThat(result.exitCode()).isZero();
    }

    @Override
    public void close() {
        child.close();
    }
}
