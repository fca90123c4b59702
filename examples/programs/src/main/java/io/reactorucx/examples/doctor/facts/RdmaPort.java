package io.reactorucx.examples.doctor.facts;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * A port of an RDMA device.
 *
 * @param name name of its device and its number, as UCX has it: {@code mlx5_0:1}
 * @param state {@code ACTIVE}, {@code DOWN}, ...
 * @param linkLayer {@code Ethernet} or {@code InfiniBand}
 * @param rate its speed; empty if it says none
 * @param netDevice the network device of its first address; empty for InfiniBand
 * @param netMtu the largest packet of that network device, 0 if unknown
 * @param gids its addresses with their kinds, without those that are zero
 */
public record RdmaPort(String name, String state, String linkLayer, String rate, String netDevice, int netMtu,
        List<String> gids) {

    private static final String ETHERNET = "Ethernet";
    private static final String ZERO = "0".repeat(32);
    /** The most that headers of RDMA take of a packet on Ethernet (the kernel's iboe_get_mtu). */
    private static final int HEADERS = 96;
    private static final int LARGEST = 4096;
    private static final int SMALLEST = 256;

    public static RdmaPort of(Path sys, Path device, String deviceName, String port) {
        Path folder = device.resolve("ports").resolve(port);
        List<String> gids = new ArrayList<>();
        String netDevice = "";
        for (String index : RdmaDevice.names(folder.resolve("gids"))) {
            String digits = RdmaDevice.text(folder.resolve("gids").resolve(index)).replace(":", "");
            if (!digits.isEmpty() && !digits.equals(ZERO)) {
                String kind = RdmaDevice.text(folder.resolve("gid_attrs/types").resolve(index));
                gids.add(index + ": " + address(digits) + (kind.isEmpty() ? "" : " " + kind));
                netDevice = netDevice.isEmpty() ? RdmaDevice.text(folder.resolve("gid_attrs/ndevs").resolve(index))
                        : netDevice;
            }
        }
        String mtu = netDevice.isEmpty() ? "" : RdmaDevice.text(sys.resolve("class/net").resolve(netDevice)
                .resolve("mtu"));
        return new RdmaPort(deviceName + ":" + port,
                RdmaDevice.text(folder.resolve("state")).replaceFirst("\\d+: *", ""),
                RdmaDevice.text(folder.resolve("link_layer")), RdmaDevice.text(folder.resolve("rate")), netDevice,
                mtu.isEmpty() ? 0 : Integer.parseInt(mtu), gids);
    }

    /** An address of IPv4 stands in the last four bytes. */
    private static String address(String digits) {
        try {
            return InetAddress.getByAddress(HexFormat.of().parseHex(digits)).getHostAddress();
        } catch (UnknownHostException | IllegalArgumentException e) {
            return digits;
        }
    }

    public boolean isActive() {
        return state.equals("ACTIVE");
    }

    public boolean isEthernet() {
        return linkLayer.equals(ETHERNET);
    }

    /** Returns the most data of one packet on Ethernet, 0 if unknown: the kernel says it of no port. */
    public int mtu() {
        int room = netMtu - HEADERS;
        return room < SMALLEST ? 0 : Math.min(LARGEST, Integer.highestOneBit(room));
    }

    @Override
    public String toString() {
        return name + " is " + (state.isEmpty() ? "of unknown state" : state) + ", "
                + (linkLayer.isEmpty() ? "link layer unknown" : linkLayer) + (rate.isEmpty() ? "" : ", " + rate)
                + (mtu() == 0 ? "" : ", MTU " + mtu() + " (" + netDevice + ": " + netMtu + ")")
                + ", GIDs " + (gids.isEmpty() ? "none" : String.join(", ", gids));
    }
}
