package io.reactorucx.spring.boot;

/**
 * The shared secret of the properties breaks a rule. Its value is not shown, unlike that of other properties.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> none. <b>Errors:</b> none.
 */
public final class InvalidSecretException extends RuntimeException {

    /** The property with the secret. */
    public static final String PROPERTY = "reactor.ucx.security.shared-secret";

    private static final long serialVersionUID = 1;

    InvalidSecretException(IllegalArgumentException cause) {
        super(PROPERTY + ": " + cause.getMessage(), cause);
    }
}
