package io.reactorucx.netty.internal;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.engine.Command;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.engine.Timeout;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.counter.LoopCount;
import io.reactorucx.netty.counter.LoopCounters;
import io.reactorucx.transport.command.EngineFuture;
import io.reactorucx.transport.config.AuthenticationConfig;
import io.reactorucx.transport.config.ConnectionConfig;
import io.reactorucx.transport.config.ProtocolConfig;
import io.reactorucx.transport.connect.ConnectCallback;
import io.reactorucx.transport.connect.EndpointAcceptor;
import io.reactorucx.transport.connect.EngineResources;
import io.reactorucx.transport.connect.Established;
import io.reactorucx.transport.connect.HandledConnection;
import io.reactorucx.transport.connect.ServerConnections;
import io.reactorucx.transport.connect.SocketConnector;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.socket.BoundListener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The links of one loop to others: a connection of this library for each pair of loops, over which all their channels
 * go. A loop accepts links at a port of its own, of which its peers learn over the sockets of channels.
 *
 * <p>Thread: loop.
 */
public final class LoopLinks {

    private static final Logger LOG = LoggerFactory.getLogger(LoopLinks.class);
    /** The address on which links are accepted for channels that no other host can reach. */
    public static final InetAddress LOOPBACK = loopback();

    private final EngineResources resources;
    private final ProgressEngine engine;
    private final LoopRounds rounds;
    private final LoopCounters counters;
    private final UcxNettyConfig settings;
    private final ConnectionConfig config;
    private final Name name;
    private final Map<Target, Connecting> made = new HashMap<>();
    private final Map<InetAddress, Listening> listening = new HashMap<>();
    /** Of all ports. */
    private final FairLimit limit;
    private final ServerConnections accepted;
    private boolean closed;

    /** A number that no other loop has. */
    public record Name(long high, long low) {
    }

    private record Target(InetSocketAddress address, Name name) {
    }

    LoopLinks(EngineResources resources, LoopRounds rounds, LoopCounters counters, UcxNettyConfig settings) {
        this.resources = resources;
        this.engine = resources.engines().getFirst().engine();
        this.rounds = rounds;
        this.counters = counters;
        this.settings = settings;
        this.limit = new FairLimit(settings.maxLinks(),
                FairLimit.share(settings.maxLinks(), settings.clientShare()));
        this.accepted = new ServerConnections(limit, "maxLinks",
                "share of maxLinks for each client (clientShare)", this::accepted,
                counters::linkRefused);
        SecureRandom random = new SecureRandom();
        this.name = new Name(random.nextLong(), random.nextLong());
        ProtocolConfig protocol = ProtocolConfig.DEFAULT.withHeartbeatInterval(settings.heartbeatInterval());
        if (settings.authenticator() != null) {
            protocol = protocol.withAuthentication(AuthenticationConfig.of(settings.authenticator()));
        }
        if (settings.tls() != null) {
            protocol = protocol.withTls(settings.tls());
        }
        this.config = ConnectionConfig.DEFAULT.withHandshakeTimeout(settings.handshakeTimeout())
                .withCloseTimeout(settings.closeTimeout()).withProtocol(protocol)
                .withRequirement(settings.requiredTransports().toArray(UcxTransportKind[]::new));
    }

    /** The same in each process, whatever kind of addresses it prefers. */
    private static InetAddress loopback() {
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the limit of the links that this loop has accepted. Thread: any. */
    FairLimit limit() {
        return limit;
    }

    /** Returns the name of this loop. */
    public Name name() {
        return name;
    }

    /** Runs an action on the loop: at once if the caller is on it. Thread: any. */
    private void execute(Runnable action) {
        engine.execute(new Command() {
            @Override
            public void run(UcpWorker worker) {
                action.run();
            }

            @Override
            public void reject(RuntimeException cause) {
                LOG.debug("[{}] the engine takes no commands", engine.name(), cause);
            }
        });
    }

    /** A link that was asked for. */
    private final class Connecting {

        private final Target target;
        private final List<ChannelStream> waiting = new ArrayList<>();
        private @Nullable StreamLink link;
        private @Nullable Timeout idle;

        Connecting(Target target) {
            this.target = target;
        }

        void start() {
            new SocketConnector(resources, resources.next(), config, target.address).connect(new ConnectCallback() {
                @Override
                public void connected(Established established) {
                    execute(() -> Connecting.this.connected(established.connection()));
                }

                @Override
                public void failed(Throwable error) {
                    execute(() -> Connecting.this.failed(error));
                }
            });
        }

        private void connected(ConnectionCore connection) {
            StreamLink over = connection.protocol(StreamLink.class);
            if (over == null || closed) {
                connection.beginClose(CloseMode.FLUSH);
                failed(new IllegalStateException("the loop is closing"));
                return;
            }
            link = over;
            counters.count(LoopCount.CONNECTED_LINKS);
            over.whenIdle(this::startIdleTime);
            connection.end().listen(() -> execute(this::gone));
            List<ChannelStream> all = List.copyOf(waiting);
            waiting.clear();
            for (ChannelStream stream : all) {
                try {
                    stream.openOver(over);
                } catch (Throwable t) {
                    stream.lifecycle().failed(t);
                }
            }
            if (over.streams() == 0) {
                startIdleTime();
            }
        }

        private void failed(Throwable error) {
            made.remove(target, this);
            counters.count(LoopCount.FAILED_LINKS);
            IOException cause = new IOException("no link to the loop at " + target.address + ": "
                    + error.getMessage(), error);
            List.copyOf(waiting).forEach(stream -> stream.lifecycle().fail(cause));
            waiting.clear();
        }

        private void gone() {
            made.remove(target, this);
        }

        void open(ChannelStream stream) {
            StreamLink over = link;
            if (over == null) {
                waiting.add(stream);
                return;
            }
            if (idle != null) {
                idle.cancel();
                idle = null;
            }
            stream.openOver(over);
        }

        private void startIdleTime() {
            if (idle != null) {
                idle.cancel();
            }
            try {
                idle = engine.schedule(settings.linkIdleTimeout().toNanos(), this::closeIdle);
            } catch (UcxException e) {
                LOG.debug("no timer for an idle link, which closes at once", e);
                rounds.later(this::closeIdle);
            }
        }

        private void closeIdle() {
            StreamLink over = link;
            if (over != null && over.streams() == 0) {
                made.remove(target, this);
                over.connection().beginClose(CloseMode.FLUSH);
            }
        }
    }

    /** Opens a stream to a channel of another loop, over the link to that loop. */
    public void open(ChannelStream stream, InetSocketAddress address, Name peer) {
        Target target = new Target(address, peer);
        Connecting link = made.get(target);
        if (link == null || link.link != null && link.link.isEnded()) {
            link = new Connecting(target);
            made.put(target, link);
            link.open(stream);
            link.start();
        } else {
            link.open(stream);
        }
    }

    /** A port at which links are accepted. */
    private final class Listening {

        private final List<Consumer<Integer>> waiting = new ArrayList<>();
        private final EndpointAcceptor acceptor;
        private @Nullable BoundListener listener;

        Listening() {
            acceptor = new EndpointAcceptor(resources, config, LoopCounters.MAX_PENDING_LINKS, false,
                    accepted);
        }

        void start(InetAddress address) {
            acceptor.bind(new InetSocketAddress(address, 0)).whenComplete((bound, error) -> execute(() -> {
                if (error == null) {
                    bound(bound);
                } else {
                    failed(address, EngineFuture.cause(error));
                }
            }));
        }

        private void bound(BoundListener opened) {
            listener = opened;
            List.copyOf(waiting).forEach(each -> each.accept(opened.address().getPort()));
            waiting.clear();
            if (closed) {
                close();
            }
        }

        private void failed(InetAddress address, Throwable error) {
            LOG.warn("no port for links at {}", address, error);
            listening.remove(address, this);
            List.copyOf(waiting).forEach(each -> each.accept(-1));
        }

        void close() {
            BoundListener opened = listener;
            if (opened != null) {
                opened.refuse().thenCompose(refused -> acceptor.close()).thenCompose(ended -> opened.close());
            }
        }
    }

    /** Calls back with the port of this loop at an address of this host, or -1. */
    public void listen(InetAddress address, Consumer<Integer> whenBound) {
        Listening port = listening.get(address);
        if (port != null && port.listener != null) {
            whenBound.accept(port.listener.address().getPort());
        } else if (port != null) {
            port.waiting.add(whenBound);
        } else {
            Listening started = new Listening();
            listening.put(address, started);
            started.waiting.add(whenBound);
            started.start(address);
        }
    }

    private HandledConnection accepted(Established link) {
        counters.count(LoopCount.ACCEPTED_LINKS);
        return new HandledConnection((completed, failed) -> () -> { }, () -> link.connection().execute(worker ->
                link.connection().beginClose(CloseMode.FLUSH)));
    }

    void close() {
        if (!closed) {
            closed = true;
            listening.values().forEach(Listening::close);
        }
    }
}
