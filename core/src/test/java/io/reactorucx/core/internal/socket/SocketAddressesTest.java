package io.reactorucx.core.internal.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.ffi.ucs_sock_addr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SocketAddressesTest {

    private static final int STORAGE_BYTES = 128;

    private static MemorySegment inC(InetSocketAddress address) {
        Arena arena = Arena.ofAuto();
        MemorySegment sockAddr = ucs_sock_addr.allocate(arena);
        SocketAddresses.fill(sockAddr, address, arena);
        MemorySegment filled = ucs_sock_addr.addr(sockAddr).reinterpret(ucs_sock_addr.addrlen(sockAddr));
        return arena.allocate(STORAGE_BYTES).copyFrom(filled);
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 1", "10.1.2.3, 65535", "255.255.255.255, 0", "::1, 13337", "fd00::1:2, 40000",
        "2001:db8::ffff, 80"})
    void survivesFormOfC(String ip, int port) {
        InetSocketAddress address = new InetSocketAddress(InetAddress.ofLiteral(ip), port);
        InetSocketAddress read = SocketAddresses.read(inC(address));
        assertThat(read.getAddress().getAddress()).isEqualTo(address.getAddress().getAddress());
        assertThat(read.getPort()).isEqualTo(port);
    }

    @Test
    void writesFamilyPortAndAddressInNetworkOrder() {
        MemorySegment four = inC(new InetSocketAddress(InetAddress.ofLiteral("10.1.2.3"), 0x1234));
        assertThat(four.asSlice(0, 8).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(new byte[] {2, 0, 0x12, 0x34, 10, 1, 2, 3});
        MemorySegment six = inC(new InetSocketAddress(InetAddress.ofLiteral("::5"), 0x1234));
        assertThat(six.asSlice(0, 4).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(new byte[] {10, 0, 0x12, 0x34});
        assertThat(six.get(ValueLayout.JAVA_BYTE, 23)).isEqualTo((byte) 5);
    }

    @Test
    void keepsScopeOfLinkLocalAddress() throws UnknownHostException {
        byte[] bytes = InetAddress.ofLiteral("fe80::1").getAddress();
        InetSocketAddress read =
                SocketAddresses.read(inC(new InetSocketAddress(Inet6Address.getByAddress(null, bytes, 7), 99)));
        assertThat(read.getAddress()).isInstanceOfSatisfying(Inet6Address.class,
                ip -> assertThat(ip.getScopeId()).isEqualTo(7));
        assertThat(read.getPort()).isEqualTo(99);
    }

    @Test
    void refusesNamesWithoutAddress() {
        assertThatThrownBy(() -> SocketAddresses.checked(InetSocketAddress.createUnresolved("nowhere", 1), "remote"))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("remote")
                .hasMessageContaining("nowhere");
        assertThatThrownBy(() -> SocketAddresses.checked(null, "remote")).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("remote");
    }
}
