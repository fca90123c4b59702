package io.reactorucx;

import static io.reactorucx.BadInput.onError;
import static io.reactorucx.BadInput.thrown;

import io.reactorucx.BadInput.Tried;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.security.Authenticator;
import io.reactorucx.security.TlsConfig;
import io.reactorucx.transport.OverflowPolicy;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.reactivestreams.Publisher;

/** Wrong settings of resources, clients and servers, and wrong waits. */
final class BadSettings {

    private static final Class<IllegalArgumentException> ILLEGAL = IllegalArgumentException.class;
    private static final Class<NullPointerException> MISSING = NullPointerException.class;
    private static final Duration TOO_LONG = Duration.ofHours(1).plusNanos(1);
    private static final InetSocketAddress UNRESOLVED = InetSocketAddress.createUnresolved("no.such.host.invalid", 1);

    private final List<BadInput> cases = new ArrayList<>();

    private BadSettings() {
        client();
        required();
        server();
        limits();
        messageLimits();
        waits();
        resources();
        builder();
    }

    static List<BadInput> all() {
        return new BadSettings().cases;
    }

    private void client() {
        cases.add(thrown("UcxClient.create(UcxResources)", "null", MISSING, tried -> UcxClient.create(null),
                "resources"));
        String byName = "UcxClient.remoteAddress(String,int)";
        cases.add(thrown(byName, "no host", MISSING, tried -> tried.client().remoteAddress(null, 1), "host"));
        for (int port : new int[] {0, -1, 65_536, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            cases.add(thrown(byName, "port " + port, ILLEGAL, tried -> tried.client().remoteAddress("127.0.0.1", port),
                    "port " + port,
                    "1..65535"));
        }
        String byAddress = "UcxClient.remoteAddress(InetSocketAddress)";
        cases.add(thrown(byAddress, "null", MISSING, tried -> tried.client().remoteAddress(null), "address"));
        cases.add(thrown(byAddress, "port 0", ILLEGAL, tried -> tried.client()
                .remoteAddress(new InetSocketAddress("127.0.0.1", 0)),
                "port 0", "1..65535"));
        for (String blank : new String[] {"", " "}) {
            cases.add(thrown(byAddress, "blank host", ILLEGAL, tried -> tried.client().remoteAddress(InetSocketAddress
                    .createUnresolved(blank, 1)), "host \"" + blank + "\"", "not blank"));
            cases.add(thrown("UcxServer.bindAddress(InetSocketAddress)", "blank host", ILLEGAL, tried -> tried.server()
                    .bindAddress(InetSocketAddress.createUnresolved(blank, 1)), "host \"" + blank + "\"", "not blank"));
        }
        cases.add(onError(byAddress, "unknown host", UcxException.class, tried -> tried.client()
                .remoteAddress(UNRESOLVED).connect(), "no.such.host.invalid", "no known address"));
        cases.add(onError(byAddress, "IPv6 of a raw peer", UcxUnsupportedException.class,
                tried -> tried.client().raw(true).remoteAddress(new InetSocketAddress("::1", 1)).connect(), "IPv6"));
        String byWorker = "UcxClient.remoteWorkerAddress(byte[])";
        cases.add(thrown(byWorker, "null", MISSING, tried -> tried.client().remoteWorkerAddress(null), "address"));
        for (int size : new int[] {0, 8, 64 * Bytes.KIB + 1}) {
            cases.add(onError(byWorker, size + " bytes", ILLEGAL, tried -> tried.client()
                    .remoteWorkerAddress(new byte[size]).connect(),
                    "workerAddress of " + size + " bytes", "9..65536"));
        }
        for (int engine : new int[] {-1, 1, Integer.MAX_VALUE}) {
            cases.add(thrown("UcxClient.engine(int)", "engine " + engine, IndexOutOfBoundsException.class,
                    tried -> tried.client().engine(engine), "engine " + engine, "0..0"));
        }
    }

    private void required() {
        UcxTransportKind[] none = {null};
        cases.add(thrown("UcxClient.require(UcxTransportKind[])", "null", MISSING,
                tried -> tried.client().require((UcxTransportKind[]) null), "kinds"));
        cases.add(thrown("UcxClient.require(UcxTransportKind[])", "a kind that is null", MISSING,
                tried -> tried.client().require(none), "kinds: each"));
        cases.add(thrown("UcxServer.require(UcxTransportKind[])", "null", MISSING,
                tried -> tried.server().require((UcxTransportKind[]) null), "kinds"));
    }

    private void server() {
        cases.add(thrown("UcxServer.create(UcxResources)", "null", MISSING, tried -> UcxServer.create(null),
                "resources"));
        String byName = "UcxServer.bindAddress(String,int)";
        cases.add(thrown(byName, "no host", MISSING, tried -> tried.server().bindAddress(null, 1), "host"));
        for (int port : new int[] {-1, 65_536, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            cases.add(thrown(byName, "port " + port, ILLEGAL, tried -> tried.server().bindAddress("127.0.0.1", port),
                    "port " + port,
                    "0..65535"));
        }
        String byAddress = "UcxServer.bindAddress(InetSocketAddress)";
        cases.add(thrown(byAddress, "null", MISSING, tried -> tried.server().bindAddress(null), "address"));
        cases.add(onError(byAddress, "unknown host", ILLEGAL, tried -> tried.server().bindAddress(UNRESOLVED).bind(),
                "bindAddress",
                "no.such.host.invalid", "no known address"));
        cases.add(onError(byAddress, "IPv6 of a raw peer", UcxUnsupportedException.class,
                tried -> tried.server().raw(true).bindAddress(new InetSocketAddress("::1", 0)).bind(), "IPv6"));
        cases.add(onError(byAddress, "of another host", UcxException.class,
                tried -> tried.server().bindAddress(new InetSocketAddress("192.0.2.1", 0)).bind(), "192.0.2.1"));
        cases.add(thrown("UcxServer.handle(Function)", "null", MISSING,
                tried -> tried.server().handle((Function<UcxConnection, Publisher<Void>>) null), "connectionHandler"));
        cases.add(thrown("UcxServer.handle(BiFunction)", "null", MISSING,
                tried -> tried.server().handle((BiFunction<UcxInbound, UcxOutbound, Publisher<Void>>) null),
                "messageHandler"));
    }

    private void limits() {
        duration("UcxClient.connectTimeout(Duration)", "timeout", false,
                TOO_LONG, (tried, value) -> tried.client().connectTimeout(value));
        duration("UcxServer.handshakeTimeout(Duration)", "timeout", false, TOO_LONG,
                (tried, value) -> tried.server().handshakeTimeout(value));
        duration("UcxClient.closeTimeout(Duration)", "closeTimeout", true,
                TOO_LONG, (tried, value) -> tried.client().closeTimeout(value));
        duration("UcxServer.closeTimeout(Duration)", "closeTimeout", true,
                TOO_LONG, (tried, value) -> tried.server().closeTimeout(value));
        duration("UcxClient.heartbeatInterval(Duration)", "heartbeatInterval", true, TOO_LONG,
                (tried, value) -> tried.client().heartbeatInterval(value));
        duration("UcxServer.heartbeatInterval(Duration)", "heartbeatInterval", true, TOO_LONG,
                (tried, value) -> tried.server().heartbeatInterval(value));
        Duration tooShort = Duration.ofMillis(99);
        cases.add(thrown("UcxClient.heartbeatInterval(Duration)", "99 ms",
                ILLEGAL, tried -> tried.client().heartbeatInterval(tooShort),
                "heartbeatInterval PT0.099S", "0 or in PT0.1S"));
        cases.add(thrown("UcxClient.authenticator(Authenticator)", "null",
                MISSING, tried -> tried.client().authenticator(null),
                "authenticator"));
        cases.add(thrown("UcxServer.authenticator(Authenticator)", "null",
                MISSING, tried -> tried.server().authenticator(null),
                "authenticator"));
        cases.add(thrown("UcxClient.secure(TlsConfig)", "null", MISSING, tried -> tried.client().secure(null), "tls"));
        cases.add(thrown("UcxServer.secure(TlsConfig)", "null", MISSING, tried -> tried.server().secure(null), "tls"));
        cases.add(thrown("TlsConfig.of(SSLContext)", "null", MISSING, tried -> TlsConfig.of((SSLContext) null),
                "context"));
        cases.add(thrown("TlsConfig.of(Supplier)", "null", MISSING, tried -> TlsConfig.of((Supplier<SSLContext>) null),
                "contexts"));
        cases.add(thrown("TlsConfig.withServerName(String)", "blank", ILLEGAL,
                tried -> TlsConfig.of(() -> null).withServerName(" "), "serverName \" \"", "must not be blank"));
        cases.add(thrown("Authenticator.sharedSecret(byte[])", "null",
                MISSING, tried -> Authenticator.sharedSecret(null), "secret"));
        cases.add(thrown("Authenticator.sharedSecret(byte[])", "15 bytes",
                ILLEGAL, tried -> Authenticator.sharedSecret(new byte[15]),
                "secret of 15 bytes", "at least 16"));
        String ofClient = "UcxClient.receiveQueue(int,long,OverflowPolicy)";
        String ofServer = "UcxServer.receiveQueue(int,long,OverflowPolicy)";
        for (int bad : new int[] {0, -1, Integer.MIN_VALUE}) {
            cases.add(thrown("UcxServer.maxPendingHandshakes(int)", "" + bad,
                    ILLEGAL, tried -> tried.server().maxPendingHandshakes(bad),
                    "maxPendingHandshakes " + bad, "must be at least 1"));
            String[] messages = {"maxQueuedMessages " + bad, "must be at least 1"};
            String[] bytes = {"maxQueuedBytes " + bad, "must be at least 1"};
            cases.add(thrown(ofClient, bad + " messages", ILLEGAL, tried -> tried.client()
                    .receiveQueue(bad, 1, OverflowPolicy.ERROR),
                    messages));
            cases.add(thrown(ofServer, bad + " messages", ILLEGAL, tried -> tried.server()
                    .receiveQueue(bad, 1, OverflowPolicy.ERROR),
                    messages));
            cases.add(thrown(ofClient, bad + " bytes", ILLEGAL, tried -> tried.client()
                    .receiveQueue(1, bad, OverflowPolicy.ERROR), bytes));
            cases.add(thrown(ofServer, bad + " bytes", ILLEGAL, tried -> tried.server()
                    .receiveQueue(1, bad, OverflowPolicy.ERROR), bytes));
        }
        cases.add(thrown(ofClient, "no policy", MISSING, tried -> tried.client().receiveQueue(1, 1, null), "policy"));
        cases.add(thrown(ofServer, "no policy", MISSING, tried -> tried.server().receiveQueue(1, 1, null), "policy"));
    }

    private void messageLimits() {
        range("messageWindow(int,int)", "windowMessages", 1,
                65_536, (client, value) -> client.messageWindow(Math.toIntExact(value), 1 << 20),
                (server, value) -> server.messageWindow(Math.toIntExact(value), 1 << 20));
        range("messageWindow(int,int)", "windowBytes", 64 << 10,
                1 << 30, (client, value) -> client.messageWindow(1, Math.toIntExact(value)),
                (server, value) -> server.messageWindow(1, Math.toIntExact(value)));
        for (long bad : new long[] {0, 1L << 62, Long.MAX_VALUE}) {
            String[] words = {"maxMessageBytes " + bad, "must be in 1..", "buffer pool, whose maxBufferBytes is "};
            cases.add(thrown("UcxClient.maxMessageBytes(long)", "maxMessageBytes " + bad, ILLEGAL,
                    tried -> tried.client().maxMessageBytes(bad), words));
            cases.add(thrown("UcxServer.maxMessageBytes(long)", "maxMessageBytes " + bad, ILLEGAL,
                    tried -> tried.server().maxMessageBytes(bad), words));
        }
        range("messageSizes(int,int)", "rendezvousBytes", 0,
                32 << 10, (client, value) -> client.messageSizes(Math.toIntExact(value), 256),
                (server, value) -> server.messageSizes(Math.toIntExact(value), 256));
        range("messageSizes(int,int)", "batchBytes", 256, 32 << 10, (client, value) ->
                client.messageSizes(0, Math.toIntExact(value)),
                (server, value) -> server.messageSizes(0, Math.toIntExact(value)));
        range("maxStreams(int)", "maxStreams", 0, 65_536, (client, value) -> client.maxStreams(Math.toIntExact(value)),
                (server, value) -> server.maxStreams(Math.toIntExact(value)));
        range("maxWaitingRequests(int)", "maxWaitingRequests", 0, 1 << 20,
                (client, value) -> client.maxWaitingRequests(Math.toIntExact(value)),
                (server, value) -> server.maxWaitingRequests(Math.toIntExact(value)));
    }

    private void range(String method, String argument, long min, long max, BiFunction<UcxClient, Long, Object> ofClient,
            BiFunction<UcxServer, Long, Object> ofServer) {
        for (long bad : max == Long.MAX_VALUE ? new long[] {min - 1} : new long[] {min - 1, max + 1}) {
            String[] words = {argument + " " + bad, min + ".." + max};
            cases.add(thrown("UcxClient." + method, argument + " " + bad,
                    ILLEGAL, tried -> ofClient.apply(tried.client(), bad), words));
            cases.add(thrown("UcxServer." + method, argument + " " + bad,
                    ILLEGAL, tried -> ofServer.apply(tried.server(), bad), words));
        }
    }

    private void waits() {
        Duration tooLong = Duration.ofSeconds(Long.MAX_VALUE);
        duration("UcxClient.connectNow(Duration)", "timeout", false,
                tooLong, (tried, value) -> tried.client().connectNow(value));
        duration("UcxServer.bindNow(Duration)", "timeout", false,
                tooLong, (tried, value) -> tried.server().bindNow(value));
        duration("UcxConnection.disposeNow(Duration)", "timeout", false, tooLong, (tried, value) -> {
            tried.connection().disposeNow(value);
            return tried;
        });
        duration("UcxBoundServer.disposeNow(Duration)", "timeout", false, tooLong, (tried, value) -> {
            tried.peers.server().disposeNow(value);
            return tried;
        });
        cases.add(thrown("UcxConnection.close(CloseMode)", "null", MISSING, tried -> tried.connection().close(null),
                "mode"));
        cases.add(thrown("UcxConnection.whyNot(UcxTransportKind)", "null", MISSING,
                tried -> tried.connection().whyNot(null), "kind"));
    }

    private void duration(String method, String argument, boolean zeroAllowed, Duration tooLong,
            BiFunction<Tried, Duration, Object> use) {
        cases.add(thrown(method, "null", MISSING, tried -> use.apply(tried, null), argument));
        List<Duration> bad = new ArrayList<>(List.of(Duration.ofNanos(-1), Duration.ofSeconds(Long.MIN_VALUE),
                tooLong));
        if (!zeroAllowed) {
            bad.add(Duration.ZERO);
        }
        for (Duration value : bad) {
            cases.add(thrown(method, value.toString(), ILLEGAL, tried -> use.apply(tried, value),
                    argument + " " + value + ": must be"));
        }
    }

    private void resources() {
        for (int engine : new int[] {-1, 1, Integer.MIN_VALUE}) {
            cases.add(thrown("UcxResources.workerAddress(int)", "engine " + engine, IndexOutOfBoundsException.class,
                    tried -> tried.resources().workerAddress(engine), "engine " + engine, "0..0"));
        }
    }

    private void builder() {
        for (int count : new int[] {0, -1, Integer.MIN_VALUE, 1025, Integer.MAX_VALUE}) {
            cases.add(thrown("UcxResourcesBuilder.engines(int)", "count " + count,
                    ILLEGAL, tried -> UcxResources.builder().engines(count),
                    "engines " + count, "must be in 1..1024"));
        }
        cases.add(thrown("UcxResourcesBuilder.waitStrategy(WaitStrategy)", "null",
                MISSING, tried -> UcxResources.builder().waitStrategy(null),
                "waitStrategy"));
        cases.add(thrown("UcxResourcesBuilder.engineConfig(EngineConfig)", "null", MISSING,
                tried -> UcxResources.builder().engineConfig(null), "value"));
        String devices = "UcxResourcesBuilder.networkDevices(String[])";
        cases.add(thrown(devices, "null", MISSING, tried -> UcxResources.builder().networkDevices((String[]) null),
                "names"));
        cases.add(thrown(devices, "a null", MISSING, tried -> UcxResources.builder().networkDevices("lo", null),
                "names"));
        for (String name : new String[] {"", " ", "eth0,eth1", "mlx5_0:1"}) {
            cases.add(thrown(devices, "name '" + name + "'", ILLEGAL,
                    tried -> UcxResources.builder().networkDevices(name), "'" + name + "'", "no name"));
        }
        String transports = "UcxResourcesBuilder.transports(String[])";
        cases.add(thrown(transports, "null", MISSING, tried -> UcxResources.builder().transports((String[]) null),
                "names"));
        cases.add(thrown(transports, "a null", MISSING, tried -> UcxResources.builder().transports("tcp", null),
                "names"));
        for (String name : new String[] {"", " "}) {
            cases.add(thrown(transports, "name '" + name + "'", ILLEGAL,
                    tried -> UcxResources.builder().transports("tcp", name), "'" + name + "'", "no name"));
        }
        cases.add(thrown(transports, "none there", UcxException.class, tried -> UcxResources.builder()
                .transports("no_such").build(),
                "ucp_init"));
        String setting = "UcxResourcesBuilder.setting(String,String)";
        cases.add(thrown(setting, "no key", MISSING, tried -> UcxResources.builder().setting(null, "y"), "key"));
        cases.add(thrown(setting, "no value", MISSING, tried -> UcxResources.builder().setting("TLS", null), "value"));
        cases.add(thrown(setting, "unknown key", ILLEGAL, tried -> UcxResources.builder().setting("RNDV_TRESH", "1"),
                "RNDV_TRESH",
                "RNDV_THRESH"));
        cases.add(thrown(setting, "bad value", UcxException.class,
                tried -> UcxResources.builder().transports("tcp").setting("RNDV_THRESH", "many").build(), "RNDV_THRESH",
                "many"));
        for (long bytes : new long[] {-1, 0, (4L << 20) - 1, Long.MIN_VALUE}) {
            cases.add(thrown("UcxResourcesBuilder.maxBufferBytes(long)", bytes + " bytes", ILLEGAL,
                    tried -> UcxResources.builder().maxBufferBytes(bytes), "maxBufferBytes " + bytes,
                    Long.toString(4L << 20)));
        }
    }
}
