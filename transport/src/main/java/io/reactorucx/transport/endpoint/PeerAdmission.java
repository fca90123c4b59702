package io.reactorucx.transport.endpoint;

import io.reactorucx.core.UcpTcpListeners;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.transport.command.DelayedAction;
import io.reactorucx.transport.config.NetworkDevices;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The peers whose TCP connections reach the listening sockets of UCX's tcp transport: those whose handshake over the
 * control socket is done. UCX itself accepts a connection from any process, and copies what that one sends to any
 * address of this process. Peers that connect by UCX alone cannot be told from others: while some are expected, all
 * addresses are admitted.
 *
 * <p>Thread: engine.
 */
public final class PeerAdmission {

    private static final Logger LOG = LoggerFactory.getLogger(PeerAdmission.class);
    /** UCX may still wire an endpoint up when its connection has ended, and aborts when that cannot be done. */
    private static final Duration WIRE_UP_TIME = Duration.ofSeconds(3);
    /** The addresses of this host that the filter has room for beside those of peers. */
    private static final int MAX_OWN = 50;
    private static final InetAddress LOOPBACK_IPV4 = InetAddress.ofLiteral("127.0.0.1");
    private static final InetAddress LOOPBACK_IPV6 = InetAddress.ofLiteral("::1");

    private final ProgressEngine engine;
    private final UcpWorker worker;
    private final UcpTcpListeners listeners;
    private final Map<InetAddress, Integer> peers = new HashMap<>();
    private int unknownPeers;
    private boolean addressGivenOut;
    private boolean lost;

    /** The admission of a peer, which ends once. Thread: any. */
    public static final class Admission {

        private final AtomicReference<@Nullable Runnable> end;

        private Admission(Runnable end) {
            this.end = new AtomicReference<>(end);
        }

        /** Ends the admission, some seconds later for a known peer. */
        public void end() {
            Runnable action = end.getAndSet(null);
            if (action != null) {
                action.run();
            }
        }
    }

    public PeerAdmission(ProgressEngine engine, UcpWorker worker) {
        this.engine = engine;
        this.worker = worker;
        this.listeners = worker.tcpListeners();
        apply();
    }

    /**
     * Admits an authenticated peer.
     *
     * @param peer the address of its end of the control socket
     * @param source from where else its UCX connects, null for no other address
     * @return the admission
     */
    public Admission admit(InetAddress peer, @Nullable InetAddress source) {
        Admission ofPeer = admit(peer);
        if (source == null || source.equals(peer)) {
            return ofPeer;
        }
        try {
            Admission ofSource = admit(source);
            return new Admission(() -> {
                ofPeer.end();
                ofSource.end();
            });
        } catch (RuntimeException e) {
            ofPeer.end();
            throw e;
        }
    }

    /** Admits the address of an authenticated peer. */
    public Admission admit(InetAddress peer) {
        if (listeners.addresses().isEmpty()) {
            return new Admission(() -> { });
        }
        if (!peers.containsKey(peer) && peers.size() >= UcpTcpListeners.MAX_SOURCES - MAX_OWN) {
            throw new UcxException(UcxStatus.EXCEEDS_LIMIT, "connect", peer.getHostAddress(), "the filter of UCX's tcp"
                    + " sockets takes peers of " + peers.size() + " addresses: use another engine");
        }
        peers.merge(peer, 1, Integer::sum);
        apply();
        return new Admission(() -> DelayedAction.after(engine, WIRE_UP_TIME, () -> release(peer)));
    }

    private void release(InetAddress peer) {
        peers.computeIfPresent(peer, (address, count) -> count == 1 ? null : count - 1);
        apply();
    }

    /**
     * Admits all addresses, for peers that connect without a control socket.
     *
     * @return the admission
     */
    public Admission admitAll() {
        unknownPeers++;
        apply();
        return new Admission(() -> {
            unknownPeers--;
            apply();
        });
    }

    /** Admits all addresses from now on: the application gives the worker's address to peers. */
    public void admitAllForGood() {
        if (!addressGivenOut) {
            addressGivenOut = true;
            apply();
        }
    }

    private void apply() {
        if (worker.isClosed() || listeners.addresses().isEmpty()) {
            return;
        }
        if (!lost && !listeners.areOpen()) {
            lost = true;
            LOG.error("[{}] UCX has closed a listening socket of {}, as it does when the process has no file descriptor"
                    + " left: peers cannot connect over tcp any more, make new resources", worker.config().name(),
                    listeners.addresses());
        }
        if (unknownPeers > 0 || addressGivenOut) {
            listeners.admitAll();
        } else {
            Set<InetAddress> sources = new HashSet<>(peers.keySet());
            if (peers.keySet().stream().anyMatch(NetworkDevices::isLocal)) {
                // A peer of this host may choose the loopback device, or the address that UCX listens on.
                sources.add(LOOPBACK_IPV4);
                sources.add(LOOPBACK_IPV6);
                sources.addAll(NetworkDevices.addressesOfHost(MAX_OWN - 2));
            }
            listeners.admitOnly(sources);
        }
    }
}
