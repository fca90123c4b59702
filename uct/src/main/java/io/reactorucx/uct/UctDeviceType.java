package io.reactorucx.uct;

/** The kind of device that a transport uses ({@code uct_device_type_t}). */
public enum UctDeviceType {
    /** A network interface. */
    NET,
    /** Shared memory. */
    SHM,
    /** An accelerator. */
    ACC,
    /** Loop-back within the process. */
    SELF,
    /** A kind that is newer than this library. */
    UNKNOWN;

    static UctDeviceType of(int code) {
        return code >= 0 && code < UNKNOWN.ordinal() ? values()[code] : UNKNOWN;
    }
}
