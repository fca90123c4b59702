package io.reactorucx;

import io.reactorucx.core.error.UcxException;

/** A client in a process of its own, whose resolver the test sets. It connects by a name, and tells what came of it. */
final class NameClient {

    static final String CONNECTED = "connected ";
    static final String FAILED = "failed ";

    private NameClient() {
    }

    /**
     * The process.
     *
     * @param args host and port
     */
    public static void main(String[] args) {
        UcxResources resources = UcxResources.builder().transports("tcp").build();
        try {
            UcxConnection connection = UcxClient.create(resources)
                    .remoteAddress(args[0], Integer.parseInt(args[1])).connectNow();
            System.out.println(CONNECTED + connection.peer());
            connection.disposeNow();
        } catch (UcxException e) {
            System.out.println(FAILED + e.status() + " " + e.isRetryable() + " " + e.getMessage());
        } finally {
            resources.disposeNow();
        }
    }
}
