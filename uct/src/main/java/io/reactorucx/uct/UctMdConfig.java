package io.reactorucx.uct;

import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.NativeEnvironment;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.uct.internal.SettingNames;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Settings that a memory domain is opened with ({@code uct_md_config_t}): the library's defaults, then the environment,
 * then {@link #with}.
 *
 * <p>The native form is read ({@code uct_md_config_read}), changed ({@code uct_config_modify}) and released
 * ({@code uct_config_release}) within each call that needs it, so there is nothing to close.
 *
 * <p><b>Threading:</b> immutable. <b>Errors:</b> {@link IllegalArgumentException} for a setting or value that the
 * component does not know.
 */
public final class UctMdConfig {

    /**
     * UCX keeps the value that it replaces in as many bytes, and aborts the process where a longer one does not parse
     * again.
     */
    private static final int MAX_VALUE_LENGTH = 255;
    private static final int VALUE_BYTES = 4096;

    private final UctComponent component;
    private final @Nullable String environmentPrefix;
    private final @Nullable Path file;
    private final Map<String, String> changes;

    UctMdConfig(UctComponent component, @Nullable String environmentPrefix, @Nullable Path file,
            Map<String, String> changes) {
        this.component = component;
        this.environmentPrefix = environmentPrefix;
        this.file = file;
        this.changes = changes;
    }

    /** {@return the component whose memory domains take these settings} */
    public UctComponent component() {
        return component;
    }

    /**
     * Reads the environment with a prefix: {@code <prefix>_UCX_*} instead of {@code UCX_*}.
     *
     * @param prefix the prefix, without underscore; letters, digits and underscores
     * @return settings from there
     */
    public UctMdConfig withEnvironmentPrefix(String prefix) {
        if (!Objects.requireNonNull(prefix, "prefix").matches("[A-Za-z][A-Za-z0-9_]{0,63}")) {
            throw new IllegalArgumentException("prefix " + prefix + ": a letter, then at most 63 letters, digits and"
                    + " underscores");
        }
        return new UctMdConfig(component, prefix, file, changes);
    }

    /**
     * Names a file with settings. UCX ignores a file that does not exist, and so far it also ignores one that does.
     *
     * @param path the file
     * @return settings from there
     */
    public UctMdConfig withFile(Path path) {
        return new UctMdConfig(component, environmentPrefix, Objects.requireNonNull(path, "path"), changes);
    }

    /**
     * Changes a setting ({@code uct_config_modify}).
     *
     * @param name its name within the component, such as {@code AF_PRIO} for {@code UCX_TCP_AF_PRIO}
     * @param value its value, at most 255 bytes
     * @return settings with the change
     */
    public UctMdConfig with(String name, String value) {
        checkText(name, "name");
        checkText(value, "value");
        Map<String, String> more = new TreeMap<>(changes);
        more.put(name, value);
        UctMdConfig changed = new UctMdConfig(component, environmentPrefix, file, Collections.unmodifiableMap(more));
        changed.call(config -> config);
        return changed;
    }

    private static void checkText(String text, String argument) {
        if (Objects.requireNonNull(text, argument).getBytes(StandardCharsets.UTF_8).length > MAX_VALUE_LENGTH
                || text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(argument + " of " + text.length() + " characters: at most "
                    + MAX_VALUE_LENGTH + " bytes, none of them zero");
        }
    }

    /**
     * The value of a setting ({@code uct_config_get}).
     *
     * @param name its name within the component, or the beginning of one
     * @return its value in UCX's words
     */
    public String get(String name) {
        checkText(name, "name");
        if (name.isEmpty()) {
            throw new IllegalArgumentException("name: it is empty");
        }
        return call(config -> {
            String value = read(config, name);
            if (value == null) {
                throw unknown(name);
            }
            return value;
        });
    }

    /** {@return all settings with their values} */
    public SortedMap<String, String> toMap() {
        return call(config -> SettingNames.values(name -> read(config, name), name -> exists(config, name)));
    }

    private @Nullable String read(MemorySegment config, String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(VALUE_BYTES);
            int status = ucx_h.uct_config_get(config, arena.allocateFrom(name), value, VALUE_BYTES - 1L);
            if (status == UcxStatus.NO_ELEM.code()) {
                return null;
            }
            NativeStatus.check(status, "uct_config_get");
            return value.getString(0);
        }
    }

    /**
     * Changes a setting; newer versions of UCX expect the component's prefix before the name, which is not documented.
     */
    private int modify(MemorySegment config, String name, String value) {
        if (name.isEmpty() || read(config, name) == null) {
            return UcxStatus.NO_ELEM.code();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment cValue = arena.allocateFrom(value);
            int status = ucx_h.uct_config_modify(config, arena.allocateFrom(name), cValue);
            for (Iterator<String> full = SettingNames.endingWith(name).iterator();
                    status == UcxStatus.NO_ELEM.code() && full.hasNext();) {
                status = ucx_h.uct_config_modify(config, arena.allocateFrom(full.next()), cValue);
            }
            return status;
        }
    }

    /** Returns whether a name is complete, by setting it to the value that it has. */
    private boolean exists(MemorySegment config, String name) {
        return modify(config, name, Objects.requireNonNull(read(config, name))) == 0;
    }

    private IllegalArgumentException unknown(String name) {
        return new IllegalArgumentException("setting " + name + ": memory domains of " + component
                + " have no such setting");
    }

    private void checkKnown(int status, String name, String value) {
        if (status == UcxStatus.NO_ELEM.code()) {
            throw unknown(name);
        }
        if (status == UcxStatus.INVALID_PARAM.code()) {
            throw new IllegalArgumentException("setting " + name + "=" + value + ": not a value that " + component
                    + " understands");
        }
        NativeStatus.check(status, "setting " + name + "=" + value);
    }

    /**
     * Runs native calls with the settings in C's form, which ends with the call. One at a time, for it reads the
     * environment.
     */
    <T> T call(Function<MemorySegment, T> nativeCalls) {
        return NativeEnvironment.with(Map.of(), () -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment pointer = arena.allocate(ValueLayout.ADDRESS);
                NativeStatus.check(ucx_h.uct_md_config_read(component.handle(), text(environmentPrefix, arena),
                        text(file, arena), pointer),
                        "uct_md_config_read of " + component);
                MemorySegment config = pointer.get(ValueLayout.ADDRESS, 0);
                try {
                    changes.forEach((name, value) -> checkKnown(modify(config, name, value), name, value));
                    return nativeCalls.apply(config);
                } finally {
                    ucx_h.uct_config_release(config);
                }
            }
        });
    }

    private static MemorySegment text(@Nullable Object text, Arena arena) {
        return text == null ? MemorySegment.NULL : arena.allocateFrom(text.toString());
    }

    @Override
    public String toString() {
        return component + " " + changes;
    }
}
