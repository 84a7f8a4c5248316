package io.sluice.harness.http;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.ScheduledFuture;
import io.sluice.harness.json.Json;
import io.sluice.sstable.component.Printable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection, with one request after another. Whether the body is read depends on the head alone; each request has
 * a deadline for its arrival. Not thread-safe: confined to its event loop, except the answer, which a thread of
 * {@code workers} computes.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what cannot be written or closed ends with the connection
final class HttpConnection extends SimpleChannelInboundHandler<HttpObject> {
    private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

    private final HttpLimits limits;
    private final RequestCheck check;
    private final Connections connections;
    private final HttpEndpoint.Handler handler;
    private final Executor workers;

    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private @Nullable ChannelHandlerContext context;
    private @Nullable ScheduledFuture<?> deadline;
    private @Nullable HttpRequest head;
    private boolean isRefused;
    private boolean isBusy;
    private boolean hasAsked;

    HttpConnection(
            HttpLimits limits,
            RequestCheck check,
            Connections connections,
            HttpEndpoint.Handler handler,
            Executor workers) {
        this.limits = limits;
        this.check = check;
        this.connections = connections;
        this.handler = handler;
        this.workers = workers;
    }

    /** Whether it has sent a request with the token. */
    boolean hasAsked() {
        return hasAsked;
    }

    /** Whether one of its requests is being answered. */
    boolean isBusy() {
        return isBusy;
    }

    void close() {
        if (context != null) {
            context.close();
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        context = ctx;
        await(ctx, limits.request());
        connections.opened(this);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        stopWaiting();
        connections.closed(this);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
        if (isBusy) {
            ctx.close(); // one request at a time
        } else if (isRefused) {
            closeAtTheEndOf(ctx, message);
        } else if (message.decoderResult().isFailure()) {
            refuse(ctx, Answer.refused(400, "not an HTTP/1.1 request"));
            closeAtTheEndOf(ctx, LastHttpContent.EMPTY_LAST_CONTENT);
        } else if (message instanceof HttpRequest request) {
            begin(ctx, request);
        } else if (message instanceof HttpContent content) {
            add(ctx, content);
        }
    }

    private void begin(ChannelHandlerContext ctx, HttpRequest request) {
        await(ctx, limits.request());
        Optional<Answer> refusal = check.refusal(request);
        if (refusal.isPresent()) {
            refuse(ctx, refusal.get());
        } else if (HttpUtil.getContentLength(request, 0L) > limits.bodyBytes()) {
            refuse(ctx, tooLarge());
        } else {
            hasAsked = true;
            head = request;
            body.reset();
            if (HttpUtil.is100ContinueExpected(request)) {
                ctx.writeAndFlush(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
            }
        }
    }

    private Answer tooLarge() {
        return Answer.refused(413, "the request has more than " + limits.bodyBytes() + " bytes");
    }

    private void add(ChannelHandlerContext ctx, HttpContent content) {
        ByteBuf bytes = content.content();
        if (body.size() + bytes.readableBytes() > limits.bodyBytes()) {
            refuse(ctx, tooLarge());
            closeAtTheEndOf(ctx, content);
            return;
        }
        try {
            bytes.readBytes(body, bytes.readableBytes());
        } catch (IOException e) {
            throw new AssertionError("memory does not fail to write", e);
        }
        if (content instanceof LastHttpContent) {
            answer(ctx);
        }
    }

    private void answer(ChannelHandlerContext ctx) {
        HttpRequest request = head;
        if (request == null) {
            throw new IllegalStateException("a body without a head");
        }
        stopWaiting();
        isBusy = true;
        ctx.channel().config().setAutoRead(false);
        byte[] content = body.toByteArray();
        body.reset();
        String verb = request.method() + " " + request.uri();
        boolean staysOpen = HttpUtil.isKeepAlive(request);
        workers.execute(() -> {
            FullHttpResponse answer;
            try {
                answer = response(handler.answer(verb, content), staysOpen);
            } catch (Throwable defect) {
                LOG.error("admin request {}: internal error", Printable.text(verb), defect);
                ctx.executor().execute(ctx::close);
                throw defect;
            }
            ctx.executor().execute(() -> respond(ctx, answer, staysOpen));
        });
    }

    private static ByteBuf bytes(Answer answer) {
        try {
            return answer.body() instanceof Answer.Text body
                    ? Unpooled.copiedBuffer(body.text(), StandardCharsets.UTF_8)
                    : Unpooled.wrappedBuffer(Json.MAPPER.writeValueAsBytes(answer.body()));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write an answer as JSON", e);
        }
    }

    private void respond(ChannelHandlerContext ctx, FullHttpResponse answer, boolean staysOpen) {
        await(ctx, limits.idle()); // also bounds a client that does not read its answer
        ctx.writeAndFlush(answer)
                .addListener(
                        staysOpen
                                ? written -> {
                                    isBusy = false;
                                    ctx.channel().config().setAutoRead(true);
                                }
                                : ChannelFutureListener.CLOSE);
    }

    private static FullHttpResponse response(Answer answer, boolean staysOpen) {
        ByteBuf bytes = bytes(answer);
        FullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(answer.status()), bytes);
        response.headers()
                .set(
                        HttpHeaderNames.CONTENT_TYPE,
                        answer.body() instanceof Answer.Text body
                                ? body.contentType()
                                : HttpHeaderValues.APPLICATION_JSON)
                .set(HttpHeaderNames.CONTENT_LENGTH, bytes.readableBytes());
        if (!staysOpen) {
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        }
        return response;
    }

    /**
     * Refuses a request. For a while it reads and drops what is still sent: a client cut off earlier would not see the
     * answer.
     */
    private void refuse(ChannelHandlerContext ctx, Answer answer) {
        isRefused = true;
        await(ctx, limits.request());
        ctx.writeAndFlush(response(answer, false));
    }

    private static void closeAtTheEndOf(ChannelHandlerContext ctx, HttpObject message) {
        if (message instanceof LastHttpContent) {
            ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }

    private void await(ChannelHandlerContext ctx, Duration time) {
        stopWaiting();
        deadline = ctx.executor().schedule(this::close, time.toNanos(), NANOSECONDS);
    }

    private void stopWaiting() {
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("admin connection ended: {}", cause.toString());
        ctx.close();
    }
}
