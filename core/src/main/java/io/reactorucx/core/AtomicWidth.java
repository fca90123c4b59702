package io.reactorucx.core;

import io.reactorucx.core.ffi.UcpMacros;

/** Size of the word that an atomic operation works on; UCX knows no others. */
public enum AtomicWidth {
    /** 4 bytes; needs {@link UcpFeature#AMO32}. */
    INT(Integer.BYTES, UcpFeature.AMO32),
    /** 8 bytes; needs {@link UcpFeature#AMO64}. */
    LONG(Long.BYTES, UcpFeature.AMO64);

    private final int bytes;
    private final UcpFeature feature;

    AtomicWidth(int bytes, UcpFeature feature) {
        this.bytes = bytes;
        this.feature = feature;
    }

    /** {@return size in bytes} */
    public int bytes() {
        return bytes;
    }

    UcpFeature feature() {
        return feature;
    }

    long datatype() {
        return UcpMacros.contiguous(bytes);
    }
}
