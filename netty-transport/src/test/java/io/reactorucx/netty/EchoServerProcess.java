package io.reactorucx.netty;

import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;

/** A process with an echo server, which prints its port and runs until it is killed. */
final class EchoServerProcess {

    private EchoServerProcess() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        TestLoops loops = new TestLoops("server", 2, UcxNettyConfig.DEFAULT.withTransports(arguments));
        InetSocketAddress address = (InetSocketAddress) EchoChannel.serve(loops).localAddress();
        System.out.println("port " + address.getPort());
        new CountDownLatch(1).await();
    }
}
