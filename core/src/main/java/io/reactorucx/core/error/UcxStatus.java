package io.reactorucx.core.error;

/**
 * The status of an operation ({@code ucs_status_t}).
 *
 * <p>A code that this list does not know maps to {@link #UNKNOWN}; {@link UcxException#rawStatus()} keeps the number.
 */
public enum UcxStatus {
    OK(0, "Success"),
    IN_PROGRESS(1, "Operation in progress"),
    NO_MESSAGE(-1, "No pending message"),
    NO_RESOURCE(-2, "No resources are available to initiate the operation"),
    IO_ERROR(-3, "Input/output error"),
    NO_MEMORY(-4, "Out of memory"),
    INVALID_PARAM(-5, "Invalid parameter"),
    UNREACHABLE(-6, "Destination is unreachable"),
    INVALID_ADDR(-7, "Address not valid"),
    NOT_IMPLEMENTED(-8, "Function not implemented"),
    MESSAGE_TRUNCATED(-9, "Message truncated"),
    NO_PROGRESS(-10, "No progress"),
    BUFFER_TOO_SMALL(-11, "Provided buffer is too small"),
    NO_ELEM(-12, "No such element"),
    SOME_CONNECTS_FAILED(-13, "Failed to connect some of the requested endpoints"),
    NO_DEVICE(-14, "No such device"),
    BUSY(-15, "Device is busy"),
    CANCELED(-16, "Request canceled"),
    SHMEM_SEGMENT(-17, "Shared memory error"),
    ALREADY_EXISTS(-18, "Element already exists"),
    OUT_OF_RANGE(-19, "Index out of range"),
    TIMED_OUT(-20, "Operation timed out"),
    EXCEEDS_LIMIT(-21, "User-defined limit was reached"),
    UNSUPPORTED(-22, "Unsupported operation"),
    REJECTED(-23, "Operation rejected by remote peer"),
    NOT_CONNECTED(-24, "Endpoint is not connected"),
    CONNECTION_RESET(-25, "Connection reset by remote peer"),
    LINK_FAILURE(-40, "Link failure"),
    ENDPOINT_FAILURE(-60, "Endpoint failure"),
    ENDPOINT_TIMEOUT(-80, "Endpoint timeout"),
    UNKNOWN(Integer.MIN_VALUE, "Unknown status");

    private static final UcxStatus[] BY_CODE = byCode();

    private final int code;
    private final String description;

    UcxStatus(int code, String description) {
        this.code = code;
        this.description = description;
    }

    private static UcxStatus[] byCode() {
        UcxStatus[] table = new UcxStatus[102];
        for (UcxStatus status : values()) {
            if (status != UNKNOWN) {
                table[1 - status.code] = status;
            }
        }
        return table;
    }

    /**
     * The status for a code of the C library.
     *
     * @param code value of {@code ucs_status_t}
     * @return its status; a code in the range of link or endpoint failures gives that failure, any other unknown one
     *     {@link #UNKNOWN}
     */
    public static UcxStatus of(int code) {
        if (code > 1 || code < -100) {
            return UNKNOWN;
        }
        UcxStatus status = BY_CODE[1 - code];
        if (status != null) {
            return status;
        }
        if (code <= -40 && code >= -59) {
            return LINK_FAILURE;
        }
        return code <= -60 && code >= -89 ? ENDPOINT_FAILURE : UNKNOWN;
    }

    /** {@return the number that the C library uses, {@code Integer.MIN_VALUE} for {@link #UNKNOWN}} */
    public int code() {
        return code;
    }

    /** {@return a short English description} */
    public String description() {
        return description;
    }

    /** {@return whether the same operation may succeed when it is tried again on the same connection} */
    public boolean isRetryable() {
        return this == NO_RESOURCE || this == BUSY || this == EXCEEDS_LIMIT;
    }

    /** {@return whether the peer or the way to it is gone, so that only a new connection helps} */
    public boolean isConnectionLost() {
        return switch (this) {
            case CONNECTION_RESET, NOT_CONNECTED, UNREACHABLE, ENDPOINT_TIMEOUT, ENDPOINT_FAILURE, LINK_FAILURE -> true;
            default -> false;
        };
    }
}
