package io.reactorucx.examples.store.replica;

import io.reactorucx.UcxResources;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A value in registered memory, which never changes. Once it is evicted, no reader gets its bytes. */
final class StoredValue {

    private static final Logger LOG = LoggerFactory.getLogger(StoredValue.class);

    private final long version;
    private final UcxBuffer bytes;
    private @Nullable UcxMemoryWindow window;
    private boolean evicted;

    StoredValue(long version, UcxBuffer bytes) {
        this.version = version;
        this.bytes = bytes;
    }

    long version() {
        return version;
    }

    int length() {
        return Math.toIntExact(bytes.length());
    }

    /** Returns a copy of the bytes; null if the value was evicted. */
    synchronized byte @Nullable [] copy() {
        return evicted ? null : bytes.toByteArray();
    }

    /** Returns what a client needs to read the memory; null if it cannot be had. */
    // snippet: window
    synchronized byte @Nullable [] descriptor(UcxResources resources) {
        if (evicted) {
            return null;
        }
        if (window == null) {
            try {
                window = resources.exportMemory(bytes.segment(), Set.of(MemoryRight.READ));
            } catch (UcxException e) {
                LOG.debug("value of {} bytes is sent, because its memory cannot be exported", length(), e);
                return null;
            }
        }
        return window.descriptor().toBytes();
    }

    /** Clients that read the memory finish or fail before it is used for another value. */
    synchronized void evict() {
        if (evicted) {
            return;
        }
        evicted = true;
        if (window == null) {
            bytes.release();
        } else {
            window.revoke().doFinally(signal -> bytes.release())
                    .subscribe(null, error -> LOG.warn("the window of a value ended with an error", error));
        }
    }
    // end
}
