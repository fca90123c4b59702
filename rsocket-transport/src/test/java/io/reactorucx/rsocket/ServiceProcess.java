package io.reactorucx.rsocket;

import java.io.IOException;

/** A process with a {@link TestService}, which prints its port and runs until it is killed. */
final class ServiceProcess {

    /** How the line with its port begins. */
    static final String PORT = "port ";

    private ServiceProcess() {
    }

    public static void main(String[] arguments) throws IOException {
        TestResources resources = new TestResources(arguments[0]);
        System.out.println(PORT + TestService.start(resources).port());
        while (System.in.read() >= 0) {
            // Until the parent has gone.
        }
        System.exit(0);
    }
}
