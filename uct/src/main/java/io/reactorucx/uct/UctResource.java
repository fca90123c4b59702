package io.reactorucx.uct;

import io.reactorucx.core.ffi.uct_tl_resource_desc;
import io.reactorucx.core.ffi.ucx_h;
import java.lang.foreign.MemorySegment;
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

    static UctResource read(MemorySegment desc) {
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
