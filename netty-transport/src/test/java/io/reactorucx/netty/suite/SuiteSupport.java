package io.reactorucx.netty.suite;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import java.util.List;
import org.junit.jupiter.api.AfterAll;

/** What Netty's own tests run with. */
abstract class SuiteSupport {

    private static final SuiteLoops LOOPS = new SuiteLoops();
    /** A port of this host that lets no connection come about. */
    private static final FullListener FULL = new FullListener();

    static {
        // Before a class of Netty's suite reads them; their defaults need a network that drops packets.
        System.setProperty("io.netty.testsuite.badHost", FULL.host());
        System.setProperty("io.netty.testsuite.badPort", String.valueOf(FULL.port()));
    }

    /** Transports of UCX, none for those that fit. */
    abstract String[] transports();

    /** The allocators to run with, of those that Netty's tests use: no transport depends on them. */
    List<ByteBufAllocator> allocators(List<ByteBufAllocator> all) {
        return adaptive(all);
    }

    /**
     * One allocator over each transport: for tests whose time goes into waits of fixed length, and for one that has a
     * hundred combinations of its own, of TLS; its smaller ones run with all.
     */
    static List<ByteBufAllocator> adaptive(List<ByteBufAllocator> all) {
        return all.stream().filter(AdaptiveByteBufAllocator.class::isInstance).toList();
    }

    @AfterAll
    static void endLoops() {
        LOOPS.end();
    }

    final List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> pairs() {
        return LOOPS.pairs(transports());
    }

    final List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> domainPairs() {
        return LOOPS.domainPairs(transports());
    }

    final List<BootstrapFactory<Bootstrap>> clients() {
        return LOOPS.clients(transports());
    }

    final List<BootstrapFactory<ServerBootstrap>> servers() {
        return LOOPS.servers(transports());
    }

    /** For tests whose server is a plain socket. */
    final List<BootstrapFactory<Bootstrap>> plainClients() {
        return LOOPS.plainClients(transports());
    }

    /** For tests whose client is a plain socket. */
    final List<BootstrapFactory<ServerBootstrap>> plainServers() {
        return LOOPS.plainServers(transports());
    }
}
