package io.reactorucx.transport.connection;

/** The phases of a simulated connection, by the table of the real ones. */
public final class SimulatedLifecycle {

    private final ConnectionLifecycle life = new ConnectionLifecycle();

    /** Creates a connection whose handshake is done. */
    public SimulatedLifecycle() {
        life.advance(ConnectionEvent.HANDSHAKE_DONE);
    }

    public boolean advance(ConnectionEvent event) {
        return life.advance(event);
    }

    public ConnectionPhase phase() {
        return life.phase();
    }

    public boolean carriesMessages() {
        return life.phase().carriesMessages();
    }

    public boolean isDraining() {
        return life.phase().isDraining();
    }

    public boolean isEnding() {
        return life.phase().isEnding();
    }

    public boolean isFarewell() {
        return life.phase().isFarewell();
    }
}
