package io.reactorucx.core;

/**
 * How threads may use a library, a context or a worker ({@code ucs_thread_mode_t}), each allowing what the one before
 * allows.
 */
public enum UcxThreadMode {
    /** One thread, always the same. */
    SINGLE(0),
    /** Any thread, one at a time; the application sees to that. */
    SERIALIZED(1),
    /** Any thread at any time. */
    MULTI(2);

    private static final UcxThreadMode[] BY_CODE = values();

    private final int code;

    UcxThreadMode(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    static UcxThreadMode of(int code) {
        return BY_CODE[code];
    }
}
