package io.reactorucx;

import java.nio.ByteBuffer;

/**
 * Passes the control socket of one connection on, and gives one field of one byte, in the frames of one side, a number
 * that the other side does not know: as if that side were older than the field.
 */
final class FieldProxy implements AutoCloseable {

    private static final byte UNKNOWN = (byte) 200;

    private final byte[] field;
    private final TamperingProxy proxy;
    private volatile int hidden;

    private FieldProxy(int server, int field, int value, boolean hidesServers) {
        this.field = new byte[] {(byte) field, 0, 1, (byte) value};
        this.proxy = new TamperingProxy(server, (ofServer, before, bytes, out) -> {
            if (ofServer == hidesServers) {
                hide(ByteBuffer.wrap(bytes));
            }
            out.write(bytes);
        });
    }

    /** Hides a field with this value in the frames of the server, or of the client. */
    static FieldProxy hiding(int field, int value, boolean ofServer, int serverPort) {
        return new FieldProxy(serverPort, field, value, ofServer);
    }

    int port() {
        return proxy.port();
    }

    /** Returns how often the field was there. */
    int hidden() {
        return hidden;
    }

    private void hide(ByteBuffer frames) {
        for (int at = 0; at <= frames.limit() - field.length; at++) {
            if (frames.slice(at, field.length).equals(ByteBuffer.wrap(field))) {
                frames.put(at, UNKNOWN);
                hidden++;
            }
        }
    }

    @Override
    public void close() {
        proxy.close();
    }
}
