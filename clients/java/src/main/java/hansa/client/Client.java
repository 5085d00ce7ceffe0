package hansa.client;

import hansa.v1.Play.EventDelivery;
import hansa.v1.Play.DecisionRequest;
import hansa.v1.Play.Goodbye;
import hansa.v1.Play.Hello;
import hansa.v1.Play.MatchEnded;
import hansa.v1.Play.PlayRequest;
import hansa.v1.Play.PlayResponse;
import hansa.v1.Play.ViewFormat;
import hansa.v1.Play.Welcome;
import hansa.v1.PlayServiceGrpc;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Connects a bot to a server and keeps it there: one stream for all matches, opened again whenever it breaks.
 *
 * <p>All methods may be called from any thread. Everything inside happens in one thread, the loop, but for the bot, which has
 * another one; so nothing is locked.
 */
public final class Client implements AutoCloseable {
    private static final Logger log = Logger.getLogger("hansa.client");
    private static final Duration KEEPALIVE = Duration.ofSeconds(30); // between pings, unless the server wants more
    private static final long STEADY = TimeUnit.SECONDS.toNanos(1); // after which delays begin anew
    private static final long BURST = TimeUnit.MILLISECONDS.toNanos(500); // worth of messages that may go at once
    private static final int LARGEST_MESSAGE = 64 << 20; // the history of a long match, with texts
    private static final Map<Status.Code, String> HOPELESS = Map.of( // trying again would not help
            Status.Code.INVALID_ARGUMENT, "the server does not accept this bot",
            Status.Code.UNAUTHENTICATED, "the server does not accept the token",
            Status.Code.PERMISSION_DENIED, "the token is not one of a bot",
            Status.Code.UNIMPLEMENTED, "this is no Hansa server");

    /**
     * The newest decision of a match. Streams are numbered, so that nothing is answered twice on one, and what the last one may
     * have lost is sent again on the next.
     */
    private static final class Open {
        int sequence = -1;
        int askedOn;
        PlayRequest answer;
        int sentOn;
    }

    private final Options options;
    private final Profile profile;
    private final ChannelCredentials credentials;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final ScheduledThreadPoolExecutor loop;
    private final ExecutorService botThread;
    private final Table table; // used in the thread of the bot only

    // All of these belong to the loop.
    private final Map<String, Open> matches = new HashMap<>();
    private Set<String> unheard = new TreeSet<>(); // matches the server has not named since the last reconnection
    private int toName; // seats it will still name
    private int waiting; // messages the bot has not taken in yet
    private Stream stream; // null between two of them
    private int streams; // opened so far
    private int attempt;
    private Duration keepalive = KEEPALIVE;
    private boolean started;
    private boolean leaving;

    /** Throws {@link ClientException.BadOption} if a file of the options cannot be read. */
    public Client(Bot bot, Options options) {
        this.options = options;
        profile = bot.profile();
        credentials = credentials(options);
        loop = new ScheduledThreadPoolExecutor(1, daemon("hansa-loop"), new ThreadPoolExecutor.DiscardPolicy());
        loop.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        botThread = Executors.newSingleThreadExecutor(daemon("hansa-bot"));
        table = new Table(bot, botThread);
    }

    private static ThreadFactory daemon(String name) {
        return work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    // -- From outside --

    /**
     * Begin to play. The future completes when {@link #leave} has done its work or after {@link #close}, and fails with a
     * {@link ClientException} if the server does not want this bot.
     */
    public CompletableFuture<Void> start() {
        inLoop(() -> {
            if (!started) {
                started = true;
                connect();
            }
        });
        return done;
    }

    /** Take no new matches, finish those that run, then end; the future completes then. */
    public CompletableFuture<Void> leave() {
        inLoop(() -> {
            if (leaving) {
                return;
            }
            leaving = true;
            log.info(() -> "goodbye: " + matches.size() + " matches to finish");
            if (stream != null && stream.welcomed) {
                stream.send(goodbye());
            } else if (stream == null && matches.isEmpty()) {
                finish(null);
            }
            // Otherwise a hello may be on its way, and may bring a match: the goodbye follows the welcome.
        });
        return done;
    }

    /** End now. Matches that run wait for the bot on the server, as long as its clock allows. */
    @Override
    public void close() {
        inLoop(() -> finish(null));
    }

    private void inLoop(Runnable work) {
        loop.execute(() -> {
            try {
                work.run();
            } catch (RuntimeException | Error problem) {
                finish(problem);
            }
        });
    }

    private void finish(Throwable problem) {
        if (stream != null) {
            stream.end();
            stream = null;
        }
        botThread.shutdown();
        loop.shutdown();
        if (problem == null) {
            done.complete(null);
        } else {
            done.completeExceptionally(problem);
        }
    }

    // -- Connecting --

    private void connect() {
        stream = new Stream(++streams);
        stream.open();
    }

    /** A stream is over: come back, unless that would not help. */
    private void disconnected(Stream ended, Status status) {
        if (ended != stream) {
            return; // it was given up before
        }
        stream.end();
        stream = null;
        if (leaving && matches.isEmpty()) {
            finishWhenTakenIn();
            return;
        }
        String details = Optional.ofNullable(status.getDescription()).orElse("");
        if (status.getCode() == Status.Code.ABORTED) {
            finish(new ClientException.Replaced("another process plays as this bot now: " + details));
            return;
        }
        if (HOPELESS.containsKey(status.getCode())) {
            boolean lacksToken = status.getCode() == Status.Code.UNAUTHENTICATED && options.token().isEmpty();
            String hint = lacksToken ? "; give it with --token-file or HANSA_TOKEN" : "";
            finish(new ClientException.Refused(
                    options.server() + ": " + HOPELESS.get(status.getCode()) + ": " + details + hint));
            return;
        }
        attempt = System.nanoTime() - ended.began > STEADY ? 0 : attempt + 1;
        double longest = Math.min(
                options.longestDelay().toNanos(), options.firstDelay().toNanos() * Math.pow(2, Math.min(attempt, 30)));
        // Not all bots of a server come back in the same moment.
        long delay = (long) (longest * ThreadLocalRandom.current().nextDouble(0.5, 1.0));
        String cause = status.getCause() == null ? "" : ": " + status.getCause().getMessage();
        String problem = status.isOk() ? "the stream was closed" : status.getCode() + ": " + details + cause;
        log.warning(() -> String.format(
                "no connection to %s: %s; next attempt in %.1f s", options.server(), problem, delay / 1e9));
        loop.schedule(() -> inLoop(this::connect), delay, TimeUnit.NANOSECONDS);
    }

    /** Let the bot take in what came: the ends of the last matches. */
    private void finishWhenTakenIn() {
        if (waiting == 0) {
            finish(null);
        } else {
            loop.schedule(() -> inLoop(this::finishWhenTakenIn), 10, TimeUnit.MILLISECONDS);
        }
    }

    private static ChannelCredentials credentials(Options options) {
        if (!options.usesTls()) {
            return InsecureChannelCredentials.create();
        }
        Path reading = null;
        try {
            TlsChannelCredentials.Builder tls = TlsChannelCredentials.newBuilder();
            if (options.tlsCa().isPresent()) {
                reading = options.tlsCa().get();
                tls.trustManager(reading.toFile());
            }
            if (options.tlsCertificate().isPresent()) {
                reading = options.tlsCertificate().get();
                byte[] certificate = Files.readAllBytes(reading);
                reading = options.tlsKey().get();
                byte[] key = Files.readAllBytes(reading);
                tls.keyManager(new ByteArrayInputStream(certificate), new ByteArrayInputStream(key));
            }
            return tls.build();
        } catch (IOException problem) {
            throw new ClientException.BadOption(reading + " cannot be read");
        }
    }

    /** One stream over one connection: a new one for every attempt, so that no delay of an older one is waited for. */
    private final class Stream implements StreamObserver<PlayResponse> {
        final int number;
        final long began = System.nanoTime();
        boolean welcomed;
        private final ManagedChannel channel;
        private StreamObserver<PlayRequest> requests;
        private int rate; // messages a second that the server takes; 0: not said
        private long free = System.nanoTime(); // when the next message may go

        Stream(int number) {
            this.number = number;
            ManagedChannelBuilder<?> builder = Grpc.newChannelBuilder(options.server(), credentials)
                    .executor(loop) // so that all that is heard is heard in the loop
                    .keepAliveTime(keepalive.toMillis(), TimeUnit.MILLISECONDS)
                    .keepAliveTimeout(10, TimeUnit.SECONDS)
                    .maxInboundMessageSize(LARGEST_MESSAGE);
            if (options.isLoopback()) {
                builder.proxyDetector(address -> null);
            }
            channel = builder.build();
        }

        void open() {
            Metadata headers = new Metadata();
            if (!options.token().isEmpty()) {
                Metadata.Key<String> key = Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
                headers.put(key, "Bearer " + options.token());
            }
            requests = PlayServiceGrpc.newStub(channel)
                    .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                    .play(this);
            send(hello());
        }

        /** Sends, but no faster than the server takes it. */
        void send(PlayRequest request) {
            long now = System.nanoTime();
            if (rate > 0) {
                free = Math.max(free, now - BURST) + TimeUnit.SECONDS.toNanos(1) / rate;
            }
            if (free <= now) {
                requests.onNext(request);
                return;
            }
            Runnable later = () -> {
                if (this == stream) {
                    requests.onNext(request);
                }
            };
            loop.schedule(() -> inLoop(later), free - now, TimeUnit.NANOSECONDS);
        }

        void end() {
            channel.shutdownNow();
        }

        @Override
        public void onNext(PlayResponse message) {
            if (this == stream) {
                take(message);
            }
        }

        @Override
        public void onError(Throwable problem) {
            inLoop(() -> disconnected(this, Status.fromThrowable(problem)));
        }

        @Override
        public void onCompleted() {
            inLoop(() -> disconnected(this, Status.OK));
        }
    }

    private PlayRequest hello() {
        // With a token the token's name counts, so the bot's own is sent only if somebody asked for it.
        String name = !options.name().isEmpty() ? options.name() : options.token().isEmpty() ? profile.name() : "";
        Hello.Builder hello = Hello.newBuilder()
                .setName(name)
                .setVersion(profile.version())
                .addAllGames(profile.games())
                .setMaxMatches(options.maxMatches() > 0 ? options.maxMatches() : profile.maxMatches())
                .setViewFormat(profile.views() ? ViewFormat.VIEW_FORMAT_MESSAGE : ViewFormat.VIEW_FORMAT_UNSPECIFIED)
                .setTexts(profile.texts())
                .setEventDelivery(
                        profile.eventsAtOnce()
                                ? EventDelivery.EVENT_DELIVERY_UNSPECIFIED
                                : EventDelivery.EVENT_DELIVERY_WITH_DECISIONS);
        return PlayRequest.newBuilder().setHello(hello).build();
    }

    private static PlayRequest goodbye() {
        return PlayRequest.newBuilder().setGoodbye(Goodbye.getDefaultInstance()).build();
    }

    // -- Messages --

    /** A message came. What a newer server may say beyond what is known here is passed over. */
    private void take(PlayResponse message) {
        switch (message.getMessageCase()) {
            case WELCOME -> welcome(message.getWelcome());
            case NOTICE -> log.warning(() -> "the server says: " + message.getNotice().getText());
            case MESSAGE_NOT_SET -> {}
            default -> takeAboutMatch(message);
        }
    }

    private void welcome(Welcome welcome) {
        stream.welcomed = true;
        stream.rate = welcome.getMaxMessagesPerSecond();
        Duration wanted = Clock.duration(welcome.getMinKeepalive()).multipliedBy(3).dividedBy(2);
        keepalive = wanted.compareTo(KEEPALIVE) > 0 ? wanted : KEEPALIVE;
        log.info(() -> "connected to " + options.server() + " as " + welcome.getName());
        unheard = new TreeSet<>(matches.keySet());
        toName = welcome.getOpenSeats();
        forgetUnheard();
        if (leaving) {
            stream.send(goodbye());
        }
    }

    private void takeAboutMatch(PlayResponse message) {
        String id = matchOf(message);
        switch (message.getMessageCase()) {
            case MATCH_STARTED -> {
                unheard.remove(id);
                matches.computeIfAbsent(id, key -> new Open());
                toName--;
                forgetUnheard();
            }
            case DECISION_REQUEST -> {
                if (!isNew(message.getDecisionRequest(), matches.computeIfAbsent(id, key -> new Open()))) {
                    return;
                }
            }
            default -> {
                if (!matches.containsKey(id)) {
                    log.info(() -> "passing over a message about match " + id + ", which this bot does not play");
                    return;
                }
            }
        }
        hand(message);
        if (message.hasMatchEnded()) {
            matches.remove(id);
        }
    }

    /** Whether a decision has to be thought about. Otherwise the answer is known, or comes as soon as it is. */
    private boolean isNew(DecisionRequest request, Open open) {
        if (request.getSequence() > open.sequence) {
            open.sequence = request.getSequence();
            open.askedOn = stream.number;
            open.answer = null;
            open.sentOn = 0;
            return true;
        }
        if (request.getSequence() == open.sequence) {
            open.askedOn = stream.number;
            sendAnswer(open);
        }
        return false;
    }

    /** Sends an answer, if this stream asked for it and has not got it yet. */
    private void sendAnswer(Open open) {
        if (open.answer != null && stream != null && open.sentOn != stream.number && open.askedOn == stream.number) {
            open.sentOn = stream.number;
            stream.send(open.answer);
        }
    }

    /** Once the server has named all open matches, those it does not know any more ended while the bot was away. */
    private void forgetUnheard() {
        if (toName > 0) {
            return;
        }
        Set<String> gone = unheard;
        unheard = new TreeSet<>();
        for (String id : gone) {
            takeAboutMatch(PlayResponse.newBuilder()
                    .setMatchEnded(MatchEnded.newBuilder().setMatchId(id))
                    .build());
        }
    }

    // -- The bot --

    /** Hands a message to the bot, and its reply to the stream. */
    private void hand(PlayResponse message) {
        long received = System.nanoTime();
        waiting++;
        CompletableFuture.supplyAsync(() -> table.take(message, received), botThread)
                .thenCompose(reply -> reply)
                .whenComplete((reply, problem) -> inLoop(() -> {
                    waiting--;
                    if (problem != null) {
                        log.log(Level.SEVERE, "a message of the server makes no sense", problem);
                    } else {
                        reply.ifPresent(request -> takeReply(message, request));
                    }
                }));
    }

    private void takeReply(PlayResponse message, PlayRequest reply) {
        Open open = matches.get(matchOf(message));
        int sequence = message.hasAnswerRejected()
                ? message.getAnswerRejected().getSequence()
                : message.getDecisionRequest().getSequence();
        if (open == null || open.sequence != sequence) {
            return; // it took too long: the match is over or has gone on
        }
        open.answer = reply;
        if (message.hasAnswerRejected()) {
            open.sentOn = 0; // the decision is still open on this stream
        }
        sendAnswer(open);
    }

    private static String matchOf(PlayResponse message) {
        return switch (message.getMessageCase()) {
            case MATCH_STARTED -> message.getMatchStarted().getMatchId();
            case MATCH_EVENTS -> message.getMatchEvents().getMatchId();
            case DECISION_REQUEST -> message.getDecisionRequest().getMatchId();
            case ANSWER_REJECTED -> message.getAnswerRejected().getMatchId();
            case MATCH_ENDED -> message.getMatchEnded().getMatchId();
            default -> "";
        };
    }
}
