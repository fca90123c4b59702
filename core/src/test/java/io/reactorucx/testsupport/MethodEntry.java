package io.reactorucx.testsupport;

/**
 * A method that was entered.
 *
 * @param type the top-level type in whose file it stands, with its package
 * @param method the method
 * @param counted whether it is long enough to count as a part of a walk
 */
public record MethodEntry(String type, String method, boolean counted) {

    /** Returns the name of the file, without its ending. */
    String file() {
        return type.substring(type.lastIndexOf('.') + 1);
    }

    /** Returns the method as pages name it: {@code File.method}. */
    @Override
    public String toString() {
        return file() + '.' + method;
    }
}
