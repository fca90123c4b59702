package io.reactorucx.benchmarks.peers;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Runs one side of a peer; {@code bench} starts both. */
@Command(name = "peer", hidden = true, description = "One side of what Reactor UCX is compared with.",
        mixinStandardHelpOptions = true)
public final class PeerCommand implements Callable<Integer> {

    private static final Map<String, Supplier<Peer>> PEERS = Map.of(
            "jucx", JucxPeer::new,
            "aeron-ipc", AeronIpc::new,
            "aeron-udp", AeronUdp::new,
            "rsocket", () -> new RSocketPeer(options -> new RSocketTransports.KernelTcp()),
            "rsocket-ucx", () -> new RSocketPeer(RSocketTransports.Ucx::of),
            "reactor-netty", ReactorNettyPeer::new,
            "grpc", GrpcPeer::new,
            "netty", NettyPeer::new,
            "bare", BarePeer::new);

    @Parameters(index = "0",
            description = "jucx, aeron-ipc, aeron-udp, rsocket, rsocket-ucx, reactor-netty, grpc, netty (as ./run"
            + " netty), bare (UCX's functions in a loop)")
    private String name = "";
    @Parameters(index = "1", description = "server or client")
    private String role = "";
    @Mixin
    private PeerOptions options = new PeerOptions();

    @Override
    public Integer call() throws Exception {
        Supplier<Peer> peer = PEERS.get(name);
        if (peer == null) {
            throw new IllegalArgumentException("'" + name + "' is none of " + PEERS.keySet());
        }
        options.check();
        if (role.equals("server")) {
            peer.get().serve(options, Lifeline.ofStandardInput());
        } else {
            System.out.println(peer.get().measure(options).json(name));
        }
        return 0;
    }
}
