package io.reactorucx.testsupport;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Two network namespaces that one cable connects, each with a device of several addresses. Programs there share neither
 * memory nor process numbers, as on two hosts. Removed with all their interfaces.
 */
public final class TwoHosts implements AutoCloseable {

    /** The device of each host. */
    public static final String DEVICE = "eth0";
    /** The other device of each host, which {@link #connectAgain()} makes. */
    public static final String SECOND_DEVICE = "eth1";

    private static final Path IP = Path.of("/usr/sbin/ip");
    private static final Path UNSHARE = Path.of("/usr/bin/unshare");

    private final String left;
    private final String right;

    private TwoHosts(String name) {
        left = name + "l";
        right = name + "r";
    }

    /** The addresses of each host on {@link #DEVICE}; UCX uses the first one that there is, and never the last one. */
    public enum Address {
        IPV4("10.203.1.%1$s"),
        SECOND_IPV4("10.203.1.%1$s%1$s"),
        IPV6("fd00:203::%1$s"),
        SECOND_IPV6("fd00:203::%1$s%1$s"),
        LINK_LOCAL("fe80::203:%1$s%%" + DEVICE);

        private final String pattern;

        Address(String pattern) {
            this.pattern = pattern;
        }

        /**
         * Returns the addresses that hosts have.
         *
         * @param ipv4 whether they have addresses of IPv4
         * @param ipv6 whether they have global addresses of IPv6
         * @return the addresses
         */
        public static List<Address> of(boolean ipv4, boolean ipv6) {
            return Stream.of(values()).filter(address -> switch (address) {
                case IPV4, SECOND_IPV4 -> ipv4;
                case IPV6, SECOND_IPV6 -> ipv6;
                case LINK_LOCAL -> true;
            }).toList();
        }

        /** {@return the address of the left host, as the right one writes it} */
        public String ofLeft() {
            return String.format(pattern, 1);
        }

        /** {@return the address of the right host, as the left one writes it} */
        public String ofRight() {
            return String.format(pattern, 2);
        }
    }

    /**
     * Two hosts that reach each other. Skips the test where that cannot be made.
     *
     * @param ipv4 whether they have addresses of IPv4
     * @param ipv6 whether they have global addresses of IPv6
     * @return the hosts, to be closed by the caller
     */
    public static TwoHosts create(boolean ipv4, boolean ipv6) {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root may make network namespaces");
        assumeTrue(Files.isExecutable(IP), IP + " (package iproute2) is not installed");
        assumeTrue(Files.isExecutable(UNSHARE), UNSHARE + " (package util-linux) is not installed");
        TwoHosts made = new TwoHosts("rucx" + ProcessHandle.current().pid());
        String refusal = failure("netns", "add", made.left);
        assumeTrue(refusal == null, () -> "no network namespace can be made here: " + refusal);
        try {
            run("netns", "add", made.right);
            made.connect(DEVICE, "203", ipv4, ipv6);
        } catch (RuntimeException e) {
            made.close();
            assumeTrue(false, "network namespaces cannot be connected here: " + e.getMessage());
        }
        return made;
    }

    /** Connects the hosts by another cable, with addresses of IPv4: that of the right host is returned. */
    public String connectAgain() {
        connect(SECOND_DEVICE, "204", true, false);
        return "10.204.1.2";
    }

    /** The left host connects to the first address of the right one from its second address from now on. */
    public void preferSecondAddress() {
        run("-n", left, "route", "replace", Address.IPV4.ofRight(), "dev", DEVICE, "src",
                Address.SECOND_IPV4.ofLeft());
    }

    /** Leaves the left host IPv6 alone. */
    public void removeIpv4OfLeft() {
        run("-4", "-n", left, "address", "flush", "dev", DEVICE);
    }

    private void connect(String device, String network, boolean ipv4, boolean ipv6) {
        run("link", "add", device, "netns", left, "type", "veth", "peer", "name", device, "netns", right);
        int number = 1;
        for (String host : List.of(left, right)) {
            run("-n", host, "link", "set", "lo", "up");
            run("-n", host, "link", "set", device, "addrgenmode", "none");
            run("-n", host, "link", "set", device, "up");
            if (ipv4) {
                run("-n", host, "address", "add", "10." + network + ".1." + number + "/24", "dev", device);
                run("-n", host, "address", "add", "10." + network + ".1." + number + number + "/24", "dev", device);
            }
            if (ipv6) {
                // The kernel lists the last one first.
                run("-n", host, "address", "add", "fd00:" + network + "::" + number + number + "/64", "dev", device,
                        "nodad");
                run("-n", host, "address", "add", "fd00:" + network + "::" + number + "/64", "dev", device, "nodad");
            }
            run("-n", host, "address", "add", "fe80::" + network + ":" + number + "/64", "dev", device, "nodad");
            number++;
        }
    }

    /** {@return the command that starts another command on the left host} */
    public String[] onLeft() {
        return on(left);
    }

    /** {@return the command that starts another command on the right host} */
    public String[] onRight() {
        return on(right);
    }

    private static String[] on(String host) {
        return new String[] {IP.toString(), "netns", "exec", host, UNSHARE.toString(), "--ipc", "--pid", "--fork",
            "--kill-child", "--mount-proc"};
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
        Stream.of(left, right).forEach(name -> failure("netns", "delete", name));
    }
}
