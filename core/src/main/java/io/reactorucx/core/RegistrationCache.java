package io.reactorucx.core;

import io.reactorucx.core.ffi.UcpCompat;
import io.reactorucx.core.internal.config.RdmaDevices;
import io.reactorucx.core.internal.config.UcxSettings;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * UCX's cache of registered memory, where the library has promised UCX to report memory that is unmapped, because UCX
 * itself may not hook the JVM's calls ({@link NativeLibrary}). The JVM does not tell what it unmaps either, so each
 * operation reports its memory when UCX does not use that any more: a registration that stayed would lead a device to
 * pages that the process has given back, once the addresses are used again. Only RDMA registers memory.
 *
 * <p>Thread: any.
 *
 * @param isUsed whether there is something to report
 */
record RegistrationCache(boolean isUsed) {

    /** Nothing is registered, or UCX sees itself what is unmapped. */
    static final RegistrationCache NONE = new RegistrationCache(false);

    static RegistrationCache of(UcxSettings settings) {
        return NativeLibrary.reportsUnmappedMemory() && RdmaDevices.OF_HOST.mayBeUsed(settings)
                ? new RegistrationCache(true) : NONE;
    }

    /**
     * Lets UCX forget what is registered of an operation's memory: a segment, the segments of data, or an array of
     * such.
     */
    void forget(@Nullable Object memory) {
        if (!isUsed) {
            return;
        }
        if (memory instanceof MemorySegment segment && segment.isNative() && segment.byteSize() > 0) {
            UcpCompat.ucm_vm_munmap(segment.address(), segment.byteSize());
        } else if (memory instanceof UcpData data) {
            data.segments().forEach(this::forget);
        } else if (memory instanceof Object[] all) {
            for (Object each : all) {
                forget(each);
            }
        }
    }
}
