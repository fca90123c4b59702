package io.reactorucx.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DuplexChannelConfig;
import io.netty.channel.unix.DomainSocketChannelConfig;
import io.netty.channel.unix.DomainSocketReadMode;
import io.netty.channel.unix.UnixChannelOption;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The options of a channel with a Unix domain socket: those of Netty, and {@code SO_RCVBUF}, {@code SO_SNDBUF} and
 * {@code SO_LINGER} as in {@link UcxSocketChannelConfig}.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the channel's. <b>Errors:</b> {@link IllegalArgumentException}
 * for a value out of range, and for a read mode other than {@link DomainSocketReadMode#BYTES}.
 */
public final class UcxDomainSocketChannelConfig extends AbstractUcxChannelConfig
        implements DomainSocketChannelConfig, DuplexChannelConfig {

    UcxDomainSocketChannelConfig(Channel channel, ChannelConfig socket, @Nullable Boolean plain,
            Runnable whenNotToRead) {
        super(channel, socket, plain, whenNotToRead);
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), UnixChannelOption.DOMAIN_SOCKET_READ_MODE);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
        return option == UnixChannelOption.DOMAIN_SOCKET_READ_MODE ? (T) getReadMode() : super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option == UnixChannelOption.DOMAIN_SOCKET_READ_MODE) {
            setReadMode((DomainSocketReadMode) value);
            return true;
        }
        return super.setOption(option, value);
    }

    @Override
    public DomainSocketReadMode getReadMode() {
        return DomainSocketReadMode.BYTES;
    }

    /** Takes no other mode than that of bytes: file descriptors do not go over UCX. */
    @Override
    public UcxDomainSocketChannelConfig setReadMode(DomainSocketReadMode mode) {
        if (Objects.requireNonNull(mode, "mode") != DomainSocketReadMode.BYTES) {
            throw new IllegalArgumentException("mode " + mode + ": must be BYTES, because bytes go over UCX");
        }
        return this;
    }

    @Override
    public UcxDomainSocketChannelConfig setSoLinger(int soLinger) {
        super.setSoLinger(soLinger);
        return this;
    }

    @Override
    public UcxDomainSocketChannelConfig setSendBufferSize(int sendBufferSize) {
        super.setSendBufferSize(sendBufferSize);
        return this;
    }

    /** Sets the window; a smaller value than 4 KiB counts as that, as kernels do it. */
    @Override
    public UcxDomainSocketChannelConfig setReceiveBufferSize(int receiveBufferSize) {
        super.setReceiveBufferSize(receiveBufferSize);
        return this;
    }

    @Override
    public UcxDomainSocketChannelConfig setAllowHalfClosure(boolean value) {
        super.setAllowHalfClosure(value);
        return this;
    }

    @Override
    public UcxDomainSocketChannelConfig setConnectTimeoutMillis(int connectTimeoutMillis) {
        super.setConnectTimeoutMillis(connectTimeoutMillis);
        return this;
    }

    @Override
    @Deprecated
    public UcxDomainSocketChannelConfig setMaxMessagesPerRead(int maxMessagesPerRead) {
        super.setMaxMessagesPerRead(maxMessagesPerRead);
        return this;
    }

    @Override
    public UcxDomainSocketChannelConfig setWriteSpinCount(int writeSpinCount) {
        super.setWriteSpinCount(writeSpinCount);
        return this;
    }

    @Override
    public UcxDomainSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public UcxDomainSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public UcxDomainSocketChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    @Override
    public UcxDomainSocketChannelConfig setAutoClose(boolean autoClose) {
        super.setAutoClose(autoClose);
        return this;
    }

    @Override
    public UcxDomainSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark writeBufferWaterMark) {
        super.setWriteBufferWaterMark(writeBufferWaterMark);
        return this;
    }

    @Override
    public UcxDomainSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    @Deprecated
    public UcxDomainSocketChannelConfig setWriteBufferHighWaterMark(int writeBufferHighWaterMark) {
        super.setWriteBufferHighWaterMark(writeBufferHighWaterMark);
        return this;
    }

    @Override
    @Deprecated
    public UcxDomainSocketChannelConfig setWriteBufferLowWaterMark(int writeBufferLowWaterMark) {
        super.setWriteBufferLowWaterMark(writeBufferLowWaterMark);
        return this;
    }
}
