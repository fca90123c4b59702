package io.reactorucx.core;

/** Advice to UCX on the use of memory ({@code ucp_mem_advice_t}). */
public enum MemoryAdvice {
    /** Nothing special. */
    NORMAL(0),
    /** The memory is about to be used: its pages should be there. */
    WILLNEED(1);

    private final int code;

    MemoryAdvice(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
