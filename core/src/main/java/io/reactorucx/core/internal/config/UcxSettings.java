package io.reactorucx.core.internal.config;

import io.reactorucx.core.internal.NativeEnvironment;
import java.util.Map;
import java.util.Optional;

/**
 * The settings of UCX that hold for a context: those it is made with, else those of the environment.
 *
 * @param given what it is made with, names without the prefix {@code UCX_}
 * @param environmentPrefix prefix of variables that win over {@code UCX_*}; empty for none
 */
public record UcxSettings(Map<String, String> given, String environmentPrefix) {

    /** How the names of UCX's variables start. */
    static final String PREFIX = "UCX_";

    /** Returns the value of a setting; empty where nothing says it, so that it has UCX's default. */
    public Optional<String> value(String key) {
        String set = given.get(key);
        return set != null ? Optional.of(set) : ofEnvironment(key);
    }

    /** Returns whether neither the context nor the environment says what a setting is. */
    boolean isUnset(String key) {
        return value(key).isEmpty();
    }

    private Optional<String> ofEnvironment(String key) {
        return (environmentPrefix.isEmpty() ? Optional.<String>empty()
                : NativeEnvironment.get(environmentPrefix + "_" + PREFIX + key))
                .or(() -> NativeEnvironment.get(PREFIX + key));
    }

    /** Adds the variables by which UCX finds a setting: with a prefix it reads both, and the one with it wins. */
    public void addVariables(String key, String value, Map<String, String> variables) {
        variables.put(PREFIX + key, value);
        if (!environmentPrefix.isEmpty()) {
            variables.put(environmentPrefix + "_" + PREFIX + key, value);
        }
    }
}
