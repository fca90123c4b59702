package io.reactorucx.internal.connection;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcxException;
import org.jspecify.annotations.Nullable;

/**
 * One connection's share of a protocol between framework peers that has a reserved id of its own. On the engine's
 * thread.
 */
public interface ProtocolHandler {

    /** A message of the peer has come; data that is not inline is this part's to fetch or to release. */
    void received(UcpActiveMessage message);

    /** The peer sends nothing more. */
    void peerFinished();

    /** This side closes in good order: nothing new is begun, what has been taken is brought to its end. */
    void closing();

    /**
     * Whether nothing is under way that a close in good order waits for. Who makes it so calls
     * {@link ConnectionCore#operationEnded()}.
     */
    boolean isQuiet();

    /**
     * The endpoint closes: all that waits ends now, with the loss, or null when nothing was lost. May be called again.
     */
    void ended(@Nullable UcxException loss);
}
