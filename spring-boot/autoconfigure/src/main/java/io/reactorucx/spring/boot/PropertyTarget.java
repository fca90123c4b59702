package io.reactorucx.spring.boot;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Hands a property to what checks it, and names the property when that refuses the value.
 *
 * <p><b>Threading:</b> any. <b>Ownership:</b> none. <b>Errors:</b> {@link InvalidConfigurationPropertyValueException},
 * which Spring Boot reports with the property's origin.
 */
public final class PropertyTarget {

    private final String prefix;

    /**
     * Makes a target for the properties with a prefix.
     *
     * @param prefix such as {@code reactor.ucx}
     */
    public PropertyTarget(String prefix) {
        this.prefix = prefix + ".";
    }

    /**
     * Sets a property that has a value.
     *
     * @param <V> type of the value
     * @param name the property's name behind the prefix
     * @param value its value; nothing happens when it is null
     * @param setter checks and takes the value
     * @throws InvalidConfigurationPropertyValueException when the setter throws {@link IllegalArgumentException}
     */
    public <V> void set(String name, @Nullable V value, Consumer<V> setter) {
        if (value == null) {
            return;
        }
        try {
            setter.accept(value);
        } catch (IllegalArgumentException e) {
            String reason = e.getMessage() == null ? e.toString() : e.getMessage();
            throw new InvalidConfigurationPropertyValueException(prefix + name, value, reason, e);
        }
    }
}
