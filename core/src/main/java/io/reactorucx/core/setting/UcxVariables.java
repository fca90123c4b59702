package io.reactorucx.core.setting;

import io.reactorucx.core.internal.ConfigKeys;
import java.util.Objects;
import java.util.Optional;

/**
 * The variables of the environment that UCX reads.
 *
 * <p><b>Threading:</b> any thread; needs no UCX. <b>Errors:</b> none, because UCX ignores unknown variables.
 */
public final class UcxVariables {

    /** How the names of all of them start. */
    public static final String PREFIX = "UCX_";

    private UcxVariables() {
    }

    /**
     * Returns whether a supported version of UCX reads a variable.
     *
     * @param variable its name, with the prefix
     * @return whether it is one of UCX's
     */
    public static boolean isKnown(String variable) {
        return name(variable).filter(ConfigKeys::isKnown).isPresent();
    }

    /**
     * The known variable with the most similar name.
     *
     * @param variable a name that is not known
     * @return the variable of UCX whose name is nearest
     */
    public static String nearest(String variable) {
        return PREFIX + ConfigKeys.nearestOfAll(name(variable).orElse(variable));
    }

    private static Optional<String> name(String variable) {
        Objects.requireNonNull(variable, "variable");
        return variable.startsWith(PREFIX) ? Optional.of(variable.substring(PREFIX.length())) : Optional.empty();
    }
}
