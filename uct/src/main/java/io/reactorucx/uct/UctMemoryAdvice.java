package io.reactorucx.uct;

/** Advice on the use of memory ({@code uct_mem_advice_t}). */
public enum UctMemoryAdvice {
    /** Nothing special. */
    NORMAL,
    /** The memory will be used soon: map it now. For memory made with {@link UctMemoryFlag#NONBLOCK}. */
    WILLNEED;

    int code() {
        return ordinal();
    }
}
