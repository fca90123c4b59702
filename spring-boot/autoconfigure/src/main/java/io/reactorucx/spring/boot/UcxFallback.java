package io.reactorucx.spring.boot;

/** The replacement for UCX where UCX cannot be used. */
public enum UcxFallback {

    /** Nothing: the application does not start. */
    NONE,

    /** The kernel's TCP, for the web server, its clients and RSocket; the application logs a warning. */
    TCP
}
