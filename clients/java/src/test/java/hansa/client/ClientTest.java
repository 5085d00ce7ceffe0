package hansa.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hansa.v1.Play.DecisionRequest;
import hansa.v1.Play.MatchEnded;
import hansa.v1.Play.MatchStarted;
import hansa.v1.Play.PlayRequest;
import hansa.v1.Play.PlayResponse;
import hansa.v1.Play.Welcome;
import hansa.v1.PlayServiceGrpc;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client on a small server of its own, over a real socket. `hansa bot check` walks through the whole protocol. */
@Timeout(30)
class ClientTest {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger streams = new AtomicInteger();
    private final CompletableFuture<String> authorization = new CompletableFuture<>();
    private Server server;

    private final Bot bot = new Bot() {
        @Override
        public Profile profile() {
            return Profile.named("first").build();
        }

        @Override
        public Choice choose(Decision decision) {
            asked.incrementAndGet();
            return Choice.of(decision.legal().get(0));
        }
    };

    /** What the server does on a message of the bot. */
    private interface Script {
        void take(int stream, PlayRequest request, StreamObserver<PlayResponse> responses);
    }

    private Options.Builder serve(Script script) throws IOException {
        ServerInterceptor listener = new ServerInterceptor() {
            @Override
            public <Q, R> ServerCall.Listener<Q> interceptCall(
                    ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
                authorization.complete(headers.get(AUTHORIZATION));
                return next.startCall(call, headers);
            }
        };
        PlayServiceGrpc.PlayServiceImplBase service = new PlayServiceGrpc.PlayServiceImplBase() {
            @Override
            public StreamObserver<PlayRequest> play(StreamObserver<PlayResponse> responses) {
                int number = streams.incrementAndGet();
                return new StreamObserver<>() {
                    @Override
                    public void onNext(PlayRequest request) {
                        script.take(number, request, responses);
                    }

                    @Override
                    public void onError(Throwable problem) {}

                    @Override
                    public void onCompleted() {
                        responses.onCompleted();
                    }
                };
            }
        };
        server = Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
                .intercept(listener)
                .addService(service)
                .build()
                .start();
        return Options.builder()
                .server("127.0.0.1:" + server.getPort())
                .delays(Duration.ofMillis(10), Duration.ofMillis(100));
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.shutdownNow();
        }
    }

    private static void welcome(StreamObserver<PlayResponse> responses, int openSeats) {
        Welcome.Builder welcome = Welcome.newBuilder().setName("first").setOpenSeats(openSeats);
        responses.onNext(PlayResponse.newBuilder().setWelcome(welcome).build());
    }

    private static void ask(StreamObserver<PlayResponse> responses) {
        MatchStarted.Builder start = MatchStarted.newBuilder().setMatchId("m");
        DecisionRequest.Builder request =
                DecisionRequest.newBuilder().setMatchId("m").setSequence(4).addLegalActions(6).addLegalActions(7);
        responses.onNext(PlayResponse.newBuilder().setMatchStarted(start).build());
        responses.onNext(PlayResponse.newBuilder().setDecisionRequest(request).build());
    }

    @Test
    void sendsALostAnswerAgainWithoutThinkingTwice() throws Exception {
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        Options options = serve((stream, request, responses) -> {
                    switch (request.getMessageCase()) {
                        case HELLO -> {
                            welcome(responses, stream - 1);
                            ask(responses);
                        }
                        case ANSWER -> {
                            if (stream == 1) {
                                responses.onError(Status.UNAVAILABLE.withDescription("lost").asException());
                                return;
                            }
                            answer.complete(request.getAnswer().getAction());
                            MatchEnded.Builder end = MatchEnded.newBuilder().setMatchId("m");
                            responses.onNext(PlayResponse.newBuilder().setMatchEnded(end).build());
                        }
                        default -> responses.onCompleted();
                    }
                })
                .build();
        try (Client client = new Client(bot, options)) {
            CompletableFuture<Void> done = client.start();
            assertEquals(6, answer.get());
            client.leave();
            done.get();
        }
        assertEquals(1, asked.get());
        assertEquals(2, streams.get());
    }

    @Test
    void sendsItsTokenAndGivesUpWhenItIsRefused() throws Exception {
        Options options = serve((stream, request, responses) -> responses.onError(
                        Status.PERMISSION_DENIED.withDescription("a watcher's").asException()))
                .token("secret")
                .build();
        try (Client client = new Client(bot, options)) {
            ExecutionException problem = assertThrows(ExecutionException.class, client.start()::get);
            assertInstanceOf(ClientException.Refused.class, problem.getCause());
            assertTrue(problem.getMessage().contains("a watcher's"));
        }
        assertEquals("Bearer secret", authorization.get());
    }

    @Test
    void doesNotComeBackWhenAnotherTookItsPlace() throws Exception {
        Options options = serve((stream, request, responses) ->
                        responses.onError(Status.ABORTED.withDescription("taken").asException()))
                .build();
        try (Client client = new Client(bot, options)) {
            ExecutionException problem = assertThrows(ExecutionException.class, client.start()::get);
            assertInstanceOf(ClientException.Replaced.class, problem.getCause());
        }
    }

    @Test
    void closesInTheMiddleOfAStream() throws Exception {
        CompletableFuture<Void> greeted = new CompletableFuture<>();
        Options options = serve((stream, request, responses) -> {
                    welcome(responses, 0);
                    greeted.complete(null);
                })
                .build();
        Client client = new Client(bot, options);
        CompletableFuture<Void> done = client.start();
        greeted.get();
        client.close();
        done.get();
    }

    @Test
    void leavesWhileThereIsNoServer() throws Exception {
        Options options = Options.builder()
                .server("127.0.0.1:1")
                .delays(Duration.ofMinutes(10), Duration.ofMinutes(10))
                .build();
        try (Client client = new Client(bot, options)) {
            CompletableFuture<Void> done = client.start();
            assertThrows(java.util.concurrent.TimeoutException.class, () -> done.get(300, TimeUnit.MILLISECONDS));
            client.leave().get();
        }
    }
}
