package io.reactorucx.internal.ucp;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Checks of the arguments of a send of an active message. */
public final class ActiveMessageArguments {

    private ActiveMessageArguments() {
    }

    /** Checks all arguments but the payload. */
    public static void check(ConnectionCore connection, int id, MemorySegment header, AmProtocol protocol) {
        ReservedMessageIds.checkFree(id);
        Objects.requireNonNull(header, "header");
        if (header.byteSize() > connection.maxHeaderBytes()) {
            throw new IllegalArgumentException("header of " + header.byteSize() + " bytes: at most "
                    + connection.maxHeaderBytes());
        }
        Objects.requireNonNull(protocol, "protocol");
    }
}
