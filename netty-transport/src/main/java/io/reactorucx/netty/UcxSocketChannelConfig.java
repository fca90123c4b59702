package io.reactorucx.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
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
public final class UcxSocketChannelConfig extends DefaultChannelConfig implements SocketChannelConfig {

    /** The default of {@code SO_SNDBUF}. */
    static final int SEND_BYTES = 64 << 10;

    private final SocketChannelConfig socket;
    private volatile boolean allowHalfClosure;
    /** 0 while none was set, as with the next. */
    private volatile int sendBytes;
    private volatile int windowBytes;
    private volatile int linger = -1;
    /** Null while none was set. */
    private volatile @Nullable Boolean plainTcp;
    /** Whether the bytes go over the socket, which then has the same options. */
    private volatile boolean isPlain;

    UcxSocketChannelConfig(UcxSocketChannel channel, SocketChannelConfig socket, @Nullable Boolean plainTcp) {
        super(channel);
        this.socket = socket;
        this.plainTcp = plainTcp;
    }

    /** Returns {@link UcxChannelOption#PLAIN_TCP}, null while it was not set. */
    @Nullable Boolean plainTcp() {
        return plainTcp;
    }

    /** The bytes go over the socket from now on: it gets the options, those too that are set later. */
    void becomePlain() {
        isPlain = true;
        socket.setAutoClose(false);
        socket.setAllocator(getAllocator());
        socket.setWriteSpinCount(getWriteSpinCount());
        socket.setAllowHalfClosure(allowHalfClosure);
        socket.setSoLinger(linger);
        if (sendBytes > 0) {
            socket.setSendBufferSize(sendBytes);
        }
        if (windowBytes > 0) {
            socket.setReceiveBufferSize(windowBytes);
        }
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), ChannelOption.SO_RCVBUF, ChannelOption.SO_SNDBUF,
                ChannelOption.TCP_NODELAY, ChannelOption.SO_KEEPALIVE, ChannelOption.SO_REUSEADDR,
                ChannelOption.SO_LINGER, ChannelOption.IP_TOS, ChannelOption.ALLOW_HALF_CLOSURE,
                UcxChannelOption.PLAIN_TCP);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
        if (option == ChannelOption.SO_RCVBUF) {
            return (T) Integer.valueOf(getReceiveBufferSize());
        } else if (option == ChannelOption.SO_SNDBUF) {
            return (T) Integer.valueOf(getSendBufferSize());
        } else if (option == ChannelOption.SO_LINGER) {
            return (T) Integer.valueOf(getSoLinger());
        } else if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            return (T) Boolean.valueOf(isAllowHalfClosure());
        } else if (option == UcxChannelOption.PLAIN_TCP) {
            return (T) Boolean.valueOf(isPlain || Boolean.TRUE.equals(plainTcp));
        } else if (option == ChannelOption.TCP_NODELAY || option == ChannelOption.SO_KEEPALIVE
                || option == ChannelOption.SO_REUSEADDR || option == ChannelOption.IP_TOS) {
            return socket.getOption(option);
        }
        return super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option == ChannelOption.SO_RCVBUF) {
            setReceiveBufferSize((Integer) value);
        } else if (option == ChannelOption.SO_SNDBUF) {
            setSendBufferSize((Integer) value);
        } else if (option == ChannelOption.SO_LINGER) {
            setSoLinger((Integer) value);
        } else if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            setAllowHalfClosure((Boolean) value);
        } else if (option == UcxChannelOption.PLAIN_TCP) {
            plainTcp = (Boolean) value;
        } else if (option == ChannelOption.TCP_NODELAY || option == ChannelOption.SO_KEEPALIVE
                || option == ChannelOption.SO_REUSEADDR || option == ChannelOption.IP_TOS) {
            return socket.setOption(option, value);
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    /** Returns the window, that of the loop unless another was set, which is the channel's from then on. */
    int openWindow(int ofLoop) {
        if (windowBytes == 0) {
            windowBytes = ofLoop;
        }
        return windowBytes;
    }

    @Override
    protected void autoReadCleared() {
        ((UcxSocketChannel) channel).clearReadPending();
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
    public int getSoLinger() {
        return linger;
    }

    @Override
    public UcxSocketChannelConfig setSoLinger(int soLinger) {
        linger = soLinger;
        if (isPlain) {
            socket.setSoLinger(soLinger);
        }
        return this;
    }

    @Override
    public int getSendBufferSize() {
        return isPlain ? socket.getSendBufferSize() : sendBytes == 0 ? SEND_BYTES : sendBytes;
    }

    @Override
    public UcxSocketChannelConfig setSendBufferSize(int sendBufferSize) {
        if (sendBufferSize < 1) {
            throw new IllegalArgumentException("sendBufferSize " + sendBufferSize + ": at least 1");
        }
        sendBytes = sendBufferSize;
        if (isPlain) {
            socket.setSendBufferSize(sendBufferSize);
        }
        return this;
    }

    @Override
    public int getReceiveBufferSize() {
        return isPlain ? socket.getReceiveBufferSize()
                : windowBytes == 0 ? UcxNettyConfig.DEFAULT.windowBytes() : windowBytes;
    }

    /** Sets the window; a smaller value than 4 KiB counts as that, as kernels do it. */
    @Override
    public UcxSocketChannelConfig setReceiveBufferSize(int receiveBufferSize) {
        if (receiveBufferSize < 1) {
            throw new IllegalArgumentException("receiveBufferSize " + receiveBufferSize + ": at least 1");
        }
        windowBytes = UcxNettyConfig.checkWindow(Math.max(UcxNettyConfig.MIN_WINDOW_BYTES,
                Math.min(receiveBufferSize, UcxNettyConfig.MAX_WINDOW_BYTES)));
        if (isPlain) {
            socket.setReceiveBufferSize(receiveBufferSize);
        }
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
    public boolean isAllowHalfClosure() {
        return allowHalfClosure;
    }

    @Override
    public UcxSocketChannelConfig setAllowHalfClosure(boolean value) {
        allowHalfClosure = value;
        if (isPlain) {
            socket.setAllowHalfClosure(value);
        }
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
        if (isPlain) {
            socket.setWriteSpinCount(writeSpinCount);
        }
        return this;
    }

    @Override
    public UcxSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        if (isPlain) {
            socket.setAllocator(allocator);
        }
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
