package io.reactorucx.examples.doctor.facts;

import io.reactorucx.uct.UctDeviceType;
import java.util.regex.Pattern;

/**
 * A transport of UCX on one device.
 *
 * @param name name of the transport
 * @param device name of the device
 * @param type what kind of device it is
 */
public record Transport(String name, String device, UctDeviceType type) {

    private static final Pattern RDMA = Pattern.compile("(rc|ud|dc)(_|$).*|gga.*|srd");

    public boolean isRdma() {
        return RDMA.matcher(name).matches();
    }

    @Override
    public String toString() {
        return name + "/" + device;
    }
}
