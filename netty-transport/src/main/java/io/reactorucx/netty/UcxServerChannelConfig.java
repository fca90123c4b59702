package io.reactorucx.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ServerSocketChannelConfig;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options of a server channel: those of Netty, and of its socket. */
final class UcxServerChannelConfig extends DefaultChannelConfig implements ServerSocketChannelConfig {

    private final ChannelConfig socket;
    /** Null while none was set. */
    private volatile @Nullable Boolean plainTcp;

    UcxServerChannelConfig(AbstractUcxServerChannel channel, ChannelConfig socket) {
        super(channel, new ServerChannelRecvByteBufAllocator());
        this.socket = socket;
        socket.setAutoRead(false);
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), ChannelOption.SO_RCVBUF, ChannelOption.SO_REUSEADDR,
                ChannelOption.SO_BACKLOG, UcxChannelOption.PLAIN_TCP);
    }

    /** Returns {@link UcxChannelOption#PLAIN_TCP} for accepted channels, null while it was not set. */
    @Nullable Boolean plainTcp() {
        return plainTcp;
    }

    private static boolean isOfSocket(ChannelOption<?> option) {
        return option == ChannelOption.SO_RCVBUF || option == ChannelOption.SO_REUSEADDR
                || option == ChannelOption.SO_BACKLOG;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
        if (option == UcxChannelOption.PLAIN_TCP) {
            return (T) Boolean.valueOf(Boolean.TRUE.equals(plainTcp));
        }
        return isOfSocket(option) ? socket.getOption(option) : super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option == UcxChannelOption.PLAIN_TCP) {
            plainTcp = (Boolean) value;
            return true;
        }
        return isOfSocket(option) ? socket.setOption(option, value) : super.setOption(option, value);
    }

    @Override
    public int getBacklog() {
        return socket.getOption(ChannelOption.SO_BACKLOG);
    }

    @Override
    public UcxServerChannelConfig setBacklog(int backlog) {
        socket.setOption(ChannelOption.SO_BACKLOG, backlog);
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return socket.getOption(ChannelOption.SO_REUSEADDR);
    }

    @Override
    public UcxServerChannelConfig setReuseAddress(boolean reuseAddress) {
        socket.setOption(ChannelOption.SO_REUSEADDR, reuseAddress);
        return this;
    }

    @Override
    public int getReceiveBufferSize() {
        return socket.getOption(ChannelOption.SO_RCVBUF);
    }

    @Override
    public UcxServerChannelConfig setReceiveBufferSize(int receiveBufferSize) {
        socket.setOption(ChannelOption.SO_RCVBUF, receiveBufferSize);
        return this;
    }

    @Override
    public UcxServerChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    public UcxServerChannelConfig setConnectTimeoutMillis(int connectTimeoutMillis) {
        super.setConnectTimeoutMillis(connectTimeoutMillis);
        return this;
    }

    @Override
    @Deprecated
    public UcxServerChannelConfig setMaxMessagesPerRead(int maxMessagesPerRead) {
        super.setMaxMessagesPerRead(maxMessagesPerRead);
        return this;
    }

    @Override
    public UcxServerChannelConfig setWriteSpinCount(int writeSpinCount) {
        super.setWriteSpinCount(writeSpinCount);
        return this;
    }

    @Override
    public UcxServerChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public UcxServerChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    protected void autoReadCleared() {
        ((AbstractUcxServerChannel) channel).clearReadPending();
    }

    @Override
    public UcxServerChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    @Override
    @Deprecated
    public UcxServerChannelConfig setWriteBufferHighWaterMark(int writeBufferHighWaterMark) {
        super.setWriteBufferHighWaterMark(writeBufferHighWaterMark);
        return this;
    }

    @Override
    @Deprecated
    public UcxServerChannelConfig setWriteBufferLowWaterMark(int writeBufferLowWaterMark) {
        super.setWriteBufferLowWaterMark(writeBufferLowWaterMark);
        return this;
    }

    @Override
    public UcxServerChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark writeBufferWaterMark) {
        super.setWriteBufferWaterMark(writeBufferWaterMark);
        return this;
    }

    @Override
    public UcxServerChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }
}
