package io.reactorucx.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannelConfig;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of a channel: those of Netty, and of its socket. {@code SO_RCVBUF} is the window of the channel's bytes,
 * {@code SO_SNDBUF} how many written bytes wait for the peer; the former has to be set before the channel connects.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the channel's. <b>Errors:</b> {@link IllegalArgumentException}
 * for a value out of range.
 */
public final class UcxSocketChannelConfig extends AbstractUcxChannelConfig implements SocketChannelConfig {

    private final SocketChannelConfig socket;

    UcxSocketChannelConfig(Channel channel, SocketChannelConfig socket, @Nullable Boolean plainTcp,
            Runnable whenNotToRead) {
        super(channel, socket, plainTcp, whenNotToRead);
        this.socket = socket;
    }

    private static boolean isOfSocket(ChannelOption<?> option) {
        return option == ChannelOption.TCP_NODELAY || option == ChannelOption.SO_KEEPALIVE
                || option == ChannelOption.SO_REUSEADDR || option == ChannelOption.IP_TOS;
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), ChannelOption.TCP_NODELAY, ChannelOption.SO_KEEPALIVE,
                ChannelOption.SO_REUSEADDR, ChannelOption.IP_TOS);
    }

    @Override
    public <T> T getOption(ChannelOption<T> option) {
        return isOfSocket(option) ? socket.getOption(option) : super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        return isOfSocket(option) ? socket.setOption(option, value) : super.setOption(option, value);
    }

    @Override
    public boolean isTcpNoDelay() {
        return socket.isTcpNoDelay();
    }

    @Override
    public UcxSocketChannelConfig setTcpNoDelay(boolean tcpNoDelay) {
        socket.setTcpNoDelay(tcpNoDelay);
        return this;
    }

    @Override
    public UcxSocketChannelConfig setSoLinger(int soLinger) {
        super.setSoLinger(soLinger);
        return this;
    }

    @Override
    public UcxSocketChannelConfig setSendBufferSize(int sendBufferSize) {
        super.setSendBufferSize(sendBufferSize);
        return this;
    }

    /** Sets the window; a smaller value than 4 KiB counts as that, as kernels do it. */
    @Override
    public UcxSocketChannelConfig setReceiveBufferSize(int receiveBufferSize) {
        super.setReceiveBufferSize(receiveBufferSize);
        return this;
    }

    @Override
    public boolean isKeepAlive() {
        return socket.isKeepAlive();
    }

    @Override
    public UcxSocketChannelConfig setKeepAlive(boolean keepAlive) {
        socket.setKeepAlive(keepAlive);
        return this;
    }

    @Override
    public int getTrafficClass() {
        return socket.getTrafficClass();
    }

    @Override
    public UcxSocketChannelConfig setTrafficClass(int trafficClass) {
        socket.setTrafficClass(trafficClass);
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return socket.isReuseAddress();
    }

    @Override
    public UcxSocketChannelConfig setReuseAddress(boolean reuseAddress) {
        socket.setReuseAddress(reuseAddress);
        return this;
    }

    @Override
    public UcxSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    public UcxSocketChannelConfig setAllowHalfClosure(boolean value) {
        super.setAllowHalfClosure(value);
        return this;
    }

    @Override
    public UcxSocketChannelConfig setConnectTimeoutMillis(int connectTimeoutMillis) {
        super.setConnectTimeoutMillis(connectTimeoutMillis);
        return this;
    }

    @Override
    @Deprecated
    public UcxSocketChannelConfig setMaxMessagesPerRead(int maxMessagesPerRead) {
        super.setMaxMessagesPerRead(maxMessagesPerRead);
        return this;
    }

    @Override
    public UcxSocketChannelConfig setWriteSpinCount(int writeSpinCount) {
        super.setWriteSpinCount(writeSpinCount);
        return this;
    }

    @Override
    public UcxSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public UcxSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public UcxSocketChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    @Override
    public UcxSocketChannelConfig setAutoClose(boolean autoClose) {
        super.setAutoClose(autoClose);
        return this;
    }

    @Override
    public UcxSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark writeBufferWaterMark) {
        super.setWriteBufferWaterMark(writeBufferWaterMark);
        return this;
    }

    @Override
    public UcxSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }
}
