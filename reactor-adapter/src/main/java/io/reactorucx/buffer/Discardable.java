package io.reactorucx.buffer;

import reactor.core.Disposable;

/**
 * A value that holds native memory and that an operator or a cancelled subscriber may drop on its way:
 * {@link UcxBuffer#discard(Object)} disposes of it.
 *
 * <p>Leases, tagged messages in leases and active messages are such values. A type of the application that carries a
 * lease may implement it, too.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> {@link #dispose()} gives the memory back, and does nothing when
 * that has happened before. <b>Errors:</b> none.
 */
public interface Discardable extends Disposable {
}
