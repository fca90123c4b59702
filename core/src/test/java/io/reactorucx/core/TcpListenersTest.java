package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the tcp transport listens on, and who can connect to it. */
@Tag("slow")
class TcpListenersTest {

    private static final int CONNECT_MILLIS = 1000;

    @Test
    void namesTheSocketOfEachDevice() throws IOException {
        try (UcpContext context = context("lo", "0"); UcpWorker worker = worker(context)) {
            List<InetSocketAddress> addresses = worker.tcpListeners().addresses();

            assertThat(addresses).singleElement().satisfies(address ->
                    assertThat(address.getAddress().isLoopbackAddress()).isTrue());
            assertThat(worker.tcpListeners().areOpen()).isTrue();
            assertThat(connects(null, addresses.getFirst())).isTrue();
        }
    }

    @Test
    void namesNothingWithoutTcp() {
        UcpConfig sharedMemory = UcpConfig.builder().transports("^tcp").build();
        try (UcpContext context = UcpContext.create(sharedMemory); UcpWorker worker = worker(context)) {
            assertThat(worker.tcpListeners().addresses()).isEmpty();
            worker.tcpListeners().admitOnly(Set.of());
            worker.tcpListeners().admitAll();
        }
    }

    @Test
    void listensOnAPortOfTheRangeThatIsSet() {
        try (UcpContext context = context("lo", "41000-41999"); UcpWorker worker = worker(context)) {
            assertThat(worker.tcpListeners().addresses()).singleElement().satisfies(address ->
                    assertThat(address.getPort()).isBetween(41_000, 41_999));
        }
    }

    @Test
    void admitsOnlyTheAddressesOfTheFilter() throws IOException {
        InetAddress first = InetAddress.getByName("127.0.0.1");
        InetAddress second = InetAddress.getByName("127.0.0.2");
        try (UcpContext context = context("lo", "0"); UcpWorker worker = worker(context)) {
            InetSocketAddress address = worker.tcpListeners().addresses().getFirst();

            worker.tcpListeners().admitOnly(Set.of());
            assertThat(connects(first, address)).isFalse();
            worker.tcpListeners().admitOnly(Set.of(second));
            assertThat(connects(first, address)).isFalse();
            assertThat(connects(second, address)).isTrue();
            worker.tcpListeners().admitOnly(Set.of(first, second));
            assertThat(connects(first, address)).isTrue();
            worker.tcpListeners().admitAll();
            assertThat(connects(InetAddress.getByName("127.0.0.3"), address)).isTrue();
        }
    }

    @Test
    void takesAsManyAddressesAsItSays() throws IOException {
        Set<InetAddress> many = new HashSet<>();
        for (int i = 0; i < UcpTcpListeners.MAX_SOURCES; i++) {
            many.add(InetAddress.getByName("10.0." + i / 200 + "." + (i % 200 + 1)));
        }
        try (UcpContext context = context("lo", "0"); UcpWorker worker = worker(context)) {
            InetSocketAddress address = worker.tcpListeners().addresses().getFirst();
            worker.tcpListeners().admitOnly(many);
            assertThat(connects(null, address)).isFalse();

            many.add(InetAddress.getByName("10.1.0.1"));
            assertThatThrownBy(() -> worker.tcpListeners().admitOnly(many))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("sources");
        }
    }

    private static UcpContext context(String device, String range) {
        return UcpContext.create(UcpConfig.builder().transports("tcp").netDevices(device)
                .setting("TCP_PORT_RANGE", range).build());
    }

    private static UcpWorker worker(UcpContext context) {
        return context.createWorker(UcpWorkerConfig.of("listeners"));
    }

    private static boolean connects(InetAddress source, InetSocketAddress address) throws IOException {
        try (Socket socket = new Socket()) {
            if (source != null) {
                socket.bind(new InetSocketAddress(source, 0));
            }
            socket.connect(address, CONNECT_MILLIS);
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }
}
