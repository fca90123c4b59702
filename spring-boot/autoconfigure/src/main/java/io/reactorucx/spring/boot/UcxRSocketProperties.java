package io.reactorucx.spring.boot;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of RSocket over connections of UCX.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> none. <b>Errors:</b> none.
 *
 * @param server The server of the methods with 'MessageMapping'.
 */
@ConfigurationProperties("reactor.ucx.rsocket")
public record UcxRSocketProperties(@DefaultValue Server server) {

    /**
     * The server of the methods with 'MessageMapping'.
     *
     * @param enabled Whether RSocket is served over UCX.
     * @param port Port of a server over UCX beside that of 'spring.rsocket.server.port'; 0 for one that the system
     *     chooses. Without it the server of 'spring.rsocket.server.port' runs over UCX.
     * @param address Address to listen at. Without it, that of 'spring.rsocket.server.address', or all addresses.
     * @param fragmentSize Size above which frames are cut. Without it, that of 'spring.rsocket.server.fragment-size'.
     */
    public record Server(@DefaultValue("false") boolean enabled, @Nullable Integer port, @Nullable InetAddress address,
            @Nullable DataSize fragmentSize) {
    }
}
