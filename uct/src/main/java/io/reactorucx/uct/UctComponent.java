package io.reactorucx.uct;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.ffi.uct_component_attr;
import io.reactorucx.core.ffi.uct_md_resource_desc;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.NativeEnvironment;
import io.reactorucx.core.internal.NativeStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A part of UCX that drives one kind of memory domain, such as {@code tcp} or {@code posix} ({@code uct_component_h}).
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> components live as long as the process; nothing has to be closed.
 * <b>Errors:</b> {@link io.reactorucx.core.error.UcxUnavailableException} without a usable library.
 */
public final class UctComponent {

    /** Memory domains that may appear between the query of their number and the query of their names. */
    private static final int SPARE_DOMAINS = 16;

    private final MemorySegment handle;
    private final String name;
    private final Set<UctComponentFlag> flags;

    private UctComponent(MemorySegment handle, String name, Set<UctComponentFlag> flags) {
        this.handle = handle;
        this.name = name;
        this.flags = flags;
    }

    /**
     * Lists the components of the loaded library ({@code uct_query_components}), which loads its modules if that has
     * not happened yet.
     *
     * @return the components, those that find no device on this machine included
     */
    public static List<UctComponent> all() {
        Ucx.ensureAvailable();
        return NativeEnvironment.with(Map.of(), UctComponent::list);
    }

    private static List<UctComponent> list() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment list = arena.allocate(ValueLayout.ADDRESS);
            MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
            NativeStatus.check(ucx_h.uct_query_components(list, count), "uct_query_components");
            MemorySegment components = list.get(ValueLayout.ADDRESS, 0);
            try {
                int size = count.get(ValueLayout.JAVA_INT, 0);
                MemorySegment handles = components.reinterpret(ValueLayout.ADDRESS.byteSize() * size);
                List<UctComponent> all = new ArrayList<>(size);
                for (int i = 0; i < size; i++) {
                    all.add(query(handles.getAtIndex(ValueLayout.ADDRESS, i), arena));
                }
                return List.copyOf(all);
            } finally {
                ucx_h.uct_release_component_list(components);
            }
        }
    }

    /**
     * Finds a component.
     *
     * @param name its name, such as {@code posix}
     * @return the component
     * @throws IllegalArgumentException when the loaded library has none of that name
     */
    public static UctComponent named(String name) {
        Objects.requireNonNull(name, "name");
        List<UctComponent> all = all();
        return all.stream().filter(component -> component.name.equals(name)).findFirst().orElseThrow(
                () -> new IllegalArgumentException("name " + name + ": the loaded library has the components " + all));
    }

    private static UctComponent query(MemorySegment handle, Arena arena) {
        MemorySegment attr = uct_component_attr.allocate(arena);
        uct_component_attr.field_mask(attr, ucx_h.UCT_COMPONENT_ATTR_FIELD_NAME()
                | ucx_h.UCT_COMPONENT_ATTR_FIELD_FLAGS());
        NativeStatus.check(ucx_h.uct_component_query(handle, attr), "uct_component_query");
        return new UctComponent(handle, uct_component_attr.name(attr).getString(0),
                UctComponentFlag.of(uct_component_attr.flags(attr)));
    }

    /** {@return its name} */
    public String name() {
        return name;
    }

    /** {@return what it offers beside memory domains} */
    public Set<UctComponentFlag> flags() {
        return flags;
    }

    /**
     * Lists its memory domains on this machine ({@code uct_component_query}).
     *
     * @return names for {@link #open(String)}, empty when it finds no device or may not use what it needs
     */
    public List<String> memoryDomainNames() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = uct_component_attr.allocate(arena);
            uct_component_attr.field_mask(attr, ucx_h.UCT_COMPONENT_ATTR_FIELD_MD_RESOURCE_COUNT());
            NativeStatus.check(ucx_h.uct_component_query(handle, attr), "uct_component_query");
            int expected = uct_component_attr.md_resource_count(attr);
            MemorySegment resources = uct_md_resource_desc.allocateArray((long) expected + SPARE_DOMAINS, arena);
            uct_component_attr.field_mask(attr,
                    ucx_h.UCT_COMPONENT_ATTR_FIELD_MD_RESOURCE_COUNT() | ucx_h.UCT_COMPONENT_ATTR_FIELD_MD_RESOURCES());
            uct_component_attr.md_resources(attr, resources);
            NativeStatus.check(ucx_h.uct_component_query(handle, attr), "uct_component_query");
            List<String> names = new ArrayList<>();
            for (int i = 0; i < uct_component_attr.md_resource_count(attr); i++) {
                names.add(uct_md_resource_desc.md_name(uct_md_resource_desc.asSlice(resources, i)).getString(0));
            }
            return List.copyOf(names);
        }
    }

    /** {@return the settings of its memory domains, as the environment and the library's defaults have them} */
    public UctMdConfig config() {
        return new UctMdConfig(this, null, null, Map.of());
    }

    /**
     * Opens a memory domain with the settings of the environment ({@code uct_md_open}).
     *
     * @param memoryDomainName one of {@link #memoryDomainNames()}
     * @return the domain, which belongs to the calling thread and is to be closed by it
     */
    public UctMemoryDomain open(String memoryDomainName) {
        return open(memoryDomainName, config());
    }

    /**
     * Opens a memory domain with settings of its own ({@code uct_md_open}).
     *
     * @param memoryDomainName one of {@link #memoryDomainNames()}
     * @param config settings, made from {@link #config()} of this component
     * @return the domain, which belongs to the calling thread and is to be closed by it
     */
    public UctMemoryDomain open(String memoryDomainName, UctMdConfig config) {
        Objects.requireNonNull(memoryDomainName, "memoryDomainName");
        if (!Objects.requireNonNull(config, "config").component().equals(this)) {
            throw new IllegalArgumentException("config: it is one of the component " + config.component() + ", this is "
                    + this);
        }
        // UCX does not check the name.
        List<String> names = memoryDomainNames();
        if (!names.contains(memoryDomainName)) {
            throw new IllegalArgumentException(
                    "memoryDomainName " + memoryDomainName + ": the component " + name + " has the memory domains "
                    + names);
        }
        return UctMemoryDomain.open(this, memoryDomainName, config);
    }

    MemorySegment handle() {
        return handle;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof UctComponent that && handle.address() == that.handle.address();
    }

    @Override
    public int hashCode() {
        return Long.hashCode(handle.address());
    }

    @Override
    public String toString() {
        return name;
    }
}
