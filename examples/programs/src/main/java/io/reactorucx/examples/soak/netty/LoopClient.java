package io.reactorucx.examples.soak.netty;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.util.stream.StreamSupport;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.LoopResources;

/**
 * A client whose connections are all on one event loop, with that loop as a scheduler: requests have to be cancelled by
 * the thread of their connection. By another thread, over any transport, Reactor Netty loses what arrives meanwhile now
 * and then.
 *
 * @param http the client
 * @param loop runs on its loop
 */
record LoopClient(HttpClient http, Scheduler loop) {

    /** Makes a client for each loop. */
    static LoopClient[] forEach(HttpClient http, LoopResources resources) {
        return StreamSupport.stream(resources.onClient(true).spliterator(), false).map(EventLoop.class::cast)
                .map(loop -> new LoopClient(http.runOn(new OneLoop(resources, loop)), Schedulers.fromExecutor(loop)))
                .toArray(LoopClient[]::new);
    }

    private record OneLoop(LoopResources resources, EventLoop loop) implements LoopResources {

        @Override
        public EventLoopGroup onServer(boolean useNative) {
            return loop;
        }

        @Override
        public <C extends Channel> C onChannel(Class<C> channelType, EventLoopGroup group) {
            return resources.onChannel(channelType, group);
        }

        @Override
        public <C extends Channel> Class<? extends C> onChannelClass(Class<C> channelType, EventLoopGroup group) {
            return resources.onChannelClass(channelType, group);
        }
    }
}
