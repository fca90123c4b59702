package io.reactorucx.transport;

/** How much of a message a wiretap shows, and in which form. */
public enum WiretapFormat {
    /** Direction, id and size, and none of the content. */
    SIMPLE,
    /** The bytes in hexadecimal and as ASCII, 16 in a line. */
    HEX,
    /** The bytes as text in UTF-8, control characters as dots. */
    TEXT
}
