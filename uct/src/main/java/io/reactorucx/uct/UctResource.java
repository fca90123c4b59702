package io.reactorucx.uct;

import io.reactorucx.core.ffi.uct_tl_resource_desc;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.NativeStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * A transport and a device that it can use through a memory domain ({@code uct_tl_resource_desc_t}).
 *
 * @param transport name of the transport, as in {@code UCX_TLS}
 * @param device name of the device, as in {@code UCX_NET_DEVICES}
 * @param type kind of the device
 * @param systemDevice index of the device on the machine's buses, empty when it is on none
 */
public record UctResource(String transport, String device, UctDeviceType type, OptionalInt systemDevice) {

    /** Returns what a memory domain opens. */
    static List<UctResource> of(MemorySegment domain) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment list = arena.allocate(ValueLayout.ADDRESS);
            MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
            NativeStatus.check(ucx_h.uct_md_query_tl_resources(domain, list, count), "uct_md_query_tl_resources");
            MemorySegment resources = list.get(ValueLayout.ADDRESS, 0);
            try {
                int size = count.get(ValueLayout.JAVA_INT, 0);
                MemorySegment descs = resources.reinterpret(uct_tl_resource_desc.sizeof() * size);
                List<UctResource> all = new ArrayList<>(size);
                for (int i = 0; i < size; i++) {
                    all.add(read(uct_tl_resource_desc.asSlice(descs, i)));
                }
                return List.copyOf(all);
            } finally {
                ucx_h.uct_release_tl_resource_list(resources);
            }
        }
    }

    private static UctResource read(MemorySegment desc) {
        return new UctResource(uct_tl_resource_desc.tl_name(desc).getString(0), uct_tl_resource_desc.dev_name(desc)
                .getString(0), UctDeviceType.of(uct_tl_resource_desc.dev_type(desc)),
                systemDevice(uct_tl_resource_desc.sys_device(desc)));
    }

    static OptionalInt systemDevice(byte index) {
        int unsigned = Byte.toUnsignedInt(index);
        return unsigned == ucx_h.UCS_SYS_DEVICE_ID_UNKNOWN() ? OptionalInt.empty() : OptionalInt.of(unsigned);
    }

    @Override
    public String toString() {
        return transport + "/" + device;
    }
}
