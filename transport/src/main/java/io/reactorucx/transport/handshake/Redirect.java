package io.reactorucx.transport.handshake;

import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFields.Key;
import io.reactorucx.transport.frame.ControlFrame;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Sends a client to the address that UCX of the server uses.
 *
 * @param address where to connect instead
 */
public record Redirect(InetSocketAddress address) {

    /** Returns the frame that tells the client. */
    public ControlFrame toFrame() {
        byte[] host = address.getAddress().getAddress();
        return ControlFrame.of(ControlFrame.Type.REDIRECT, ControlFields.NONE.with(Key.SOCKET_ADDRESS,
                ByteBuffer.allocate(Short.BYTES + host.length).putShort((short) address.getPort()).put(host).array()));
    }

    /** Returns what a server has sent; null if it is no address of another host. */
    public static @Nullable Redirect of(ControlFrame frame) {
        byte[] value = frame.fields().bytes(Key.SOCKET_ADDRESS);
        if (frame.type() != ControlFrame.Type.REDIRECT || value == null) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(value);
        int port = Short.toUnsignedInt(in.getShort());
        byte[] host = new byte[in.remaining()];
        in.get(host);
        try {
            InetAddress address = InetAddress.getByAddress(host);
            boolean elsewhere = port > 0 && !address.isAnyLocalAddress() && !address.isLoopbackAddress()
                    && !address.isMulticastAddress() && !address.isLinkLocalAddress();
            return elsewhere ? new Redirect(new InetSocketAddress(address, port)) : null;
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
