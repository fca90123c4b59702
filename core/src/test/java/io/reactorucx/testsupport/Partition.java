package io.reactorucx.testsupport;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Two network namespaces with a router between them, in a third, that can drop what comes through. Removed with all
 * their interfaces.
 */
public final class Partition implements AutoCloseable {

    private static final Path IP = Path.of("/usr/sbin/ip");

    private final String left;
    private final String router;
    private final String right;

    private Partition(String name) {
        left = name + "l";
        router = name + "m";
        right = name + "r";
    }

    /**
     * Two hosts that reach each other. Skips the test where that cannot be made.
     *
     * @return the hosts, to be closed by the caller
     */
    public static Partition create() {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root may make network namespaces");
        assumeTrue(Files.isExecutable(IP), IP + " (package iproute2) is not installed");
        Partition made = new Partition("rucx" + ProcessHandle.current().pid());
        String refusal = failure("netns", "add", made.router);
        assumeTrue(refusal == null, () -> "no network namespace can be made here: " + refusal);
        try {
            made.connect(made.left, "10.201.1");
            made.connect(made.right, "10.201.2");
            run("netns", "exec", made.router, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward");
        } catch (RuntimeException e) {
            made.close();
            assumeTrue(false, "network namespaces cannot be connected here: " + e.getMessage());
        }
        return made;
    }

    private void connect(String host, String network) {
        run("netns", "add", host);
        run("link", "add", "eth0", "netns", host, "type", "veth", "peer", "name", host, "netns", router);
        run("-n", host, "address", "add", network + ".1/24", "dev", "eth0");
        run("-n", router, "address", "add", network + ".2/24", "dev", host);
        run("-n", host, "link", "set", "lo", "up");
        run("-n", host, "link", "set", "eth0", "up");
        run("-n", router, "link", "set", host, "up");
        run("-n", host, "route", "add", "default", "via", network + ".2");
    }

    /** {@return the command that starts another command on the left host} */
    public String[] onLeft() {
        return new String[] {IP.toString(), "netns", "exec", left};
    }

    /** {@return the command that starts another command on the right host} */
    public String[] onRight() {
        return new String[] {IP.toString(), "netns", "exec", right};
    }

    /** {@return the address of the right host} */
    public String rightAddress() {
        return "10.201.2.1";
    }

    /** From now on the router drops what comes from one host for the other, and says nothing. */
    public void drop() {
        run("-n", router, "route", "replace", "blackhole", "10.201.1.1/32");
        run("-n", router, "route", "replace", "blackhole", "10.201.2.1/32");
    }

    /** The router lets everything through again. */
    public void heal() {
        run("-n", router, "route", "delete", "blackhole", "10.201.1.1/32");
        run("-n", router, "route", "delete", "blackhole", "10.201.2.1/32");
    }

    private static void run(String... arguments) {
        String failure = failure(arguments);
        if (failure != null) {
            throw new IllegalStateException("ip " + String.join(" ", arguments) + ": " + failure);
        }
    }

    private static @Nullable String failure(String... arguments) {
        List<String> command = new ArrayList<>(List.of(IP.toString()));
        command.addAll(List.of(arguments));
        try (ChildProcess child = ChildProcess.start(new ProcessBuilder(command))) {
            ChildProcess.Result result = child.result();
            return result.exitCode() == 0 ? null : result.output();
        }
    }

    @Override
    public void close() {
        // The interfaces go with their namespaces.
        Stream.of(left, right, router).forEach(name -> failure("netns", "delete", name));
    }
}
