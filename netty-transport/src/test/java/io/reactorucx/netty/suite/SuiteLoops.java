package io.reactorucx.netty.suite;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.reactorucx.netty.UcxChannelOption;
import io.reactorucx.netty.UcxDomainSocketChannel;
import io.reactorucx.netty.UcxIoHandler;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.UcxServerChannel;
import io.reactorucx.netty.UcxServerDomainSocketChannel;
import io.reactorucx.netty.UcxSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The loops of a suite. */
final class SuiteLoops {

    private static final int[] COUNTS = {1, 2};

    private final List<EventLoopGroup> groups = new ArrayList<>();

    private synchronized List<EventLoopGroup> groups(String... transports) {
        if (groups.isEmpty()) {
            for (int count : COUNTS) {
                groups.add(new MultiThreadIoEventLoopGroup(count, new DefaultThreadFactory("suite", true),
                        UcxIoHandler.newFactory(UcxNettyConfig.DEFAULT.withTransports(transports))));
            }
        }
        return groups;
    }

    private static ServerBootstrap server(EventLoopGroup group) {
        return new ServerBootstrap().group(group).channel(UcxServerChannel.class);
    }

    private static Bootstrap client(EventLoopGroup group) {
        return new Bootstrap().group(group).channel(UcxSocketChannel.class);
    }

    List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> pairs(String... transports) {
        List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> pairs = new ArrayList<>();
        for (EventLoopGroup group : groups(transports)) {
            pairs.add(new BootstrapComboFactory<>() {
                @Override
                public ServerBootstrap newServerInstance() {
                    return server(group);
                }

                @Override
                public Bootstrap newClientInstance() {
                    return client(group);
                }
            });
        }
        return pairs;
    }

    List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> domainPairs(String... transports) {
        List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> pairs = new ArrayList<>();
        for (EventLoopGroup group : groups(transports)) {
            pairs.add(new BootstrapComboFactory<>() {
                @Override
                public ServerBootstrap newServerInstance() {
                    return new ServerBootstrap().group(group).channel(UcxServerDomainSocketChannel.class);
                }

                @Override
                public Bootstrap newClientInstance() {
                    return new Bootstrap().group(group).channel(UcxDomainSocketChannel.class);
                }
            });
        }
        return pairs;
    }

    List<BootstrapFactory<Bootstrap>> clients(String... transports) {
        List<BootstrapFactory<Bootstrap>> clients = new ArrayList<>();
        groups(transports).forEach(group -> clients.add(() -> client(group)));
        return clients;
    }

    List<BootstrapFactory<ServerBootstrap>> servers(String... transports) {
        List<BootstrapFactory<ServerBootstrap>> servers = new ArrayList<>();
        groups(transports).forEach(group -> servers.add(() -> server(group)));
        return servers;
    }

    List<BootstrapFactory<Bootstrap>> plainClients(String... transports) {
        List<BootstrapFactory<Bootstrap>> clients = new ArrayList<>();
        groups(transports).forEach(
                group -> clients.add(() -> client(group).option(UcxChannelOption.PLAIN_TCP, true)));
        return clients;
    }

    List<BootstrapFactory<ServerBootstrap>> plainServers(String... transports) {
        List<BootstrapFactory<ServerBootstrap>> servers = new ArrayList<>();
        groups(transports).forEach(
                group -> servers.add(() -> server(group).option(UcxChannelOption.PLAIN_TCP, true)));
        return servers;
    }

    synchronized void end() {
        groups.forEach(group -> group.shutdownGracefully(0, 10, TimeUnit.SECONDS));
        groups.forEach(EventLoopGroup::terminationFuture);
        for (EventLoopGroup group : groups) {
            group.terminationFuture().awaitUninterruptibly(30, TimeUnit.SECONDS);
        }
        groups.clear();
    }
}
