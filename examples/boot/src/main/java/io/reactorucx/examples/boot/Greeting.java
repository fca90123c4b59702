package io.reactorucx.examples.boot;

/**
 * The answer of the application.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> none. <b>Errors:</b> none.
 *
 * @param name who is greeted
 * @param text the greeting
 */
public record Greeting(String name, String text) {

    /**
     * A greeting.
     *
     * @param name who is greeted
     * @return the greeting
     */
    public static Greeting of(String name) {
        return new Greeting(name, "Hello " + name);
    }
}
