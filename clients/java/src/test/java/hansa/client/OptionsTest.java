package hansa.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hansa.client.ClientException.BadOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    private static final Map<String, String> TOKEN = Map.of("HANSA_TOKEN", "secret");

    private static Options parse(Map<String, String> environment, String... arguments) {
        return Options.fromArguments(new ArrayList<>(List.of(arguments)), environment);
    }

    private static String problem(Map<String, String> environment, String... arguments) {
        return assertThrows(BadOption.class, () -> parse(environment, arguments)).getMessage();
    }

    @Test
    void hasDefaults() {
        Options options = parse(Map.of());
        assertEquals("127.0.0.1:7717", options.server());
        assertFalse(options.usesTls());
        assertEquals(options, Options.builder().build());
    }

    @Test
    void prefersTheCommandLineToTheEnvironment() {
        Map<String, String> environment = Map.of("HANSA_SERVER", "[::1]:1", "HANSA_TOKEN", "secret");
        assertEquals("[::1]:1", parse(environment).server());
        assertEquals("secret", parse(environment).token());
        assertEquals("localhost:2", parse(environment, "--server", "localhost:2").server());
        assertEquals("localhost:3", parse(environment, "--server=localhost:3").server());
    }

    @Test
    void leavesWhatItDoesNotKnow() {
        List<String> arguments = new ArrayList<>(List.of("--bot", "random", "--name", "anna", "--max-matches", "3", "x"));
        Options options = Options.fromArguments(arguments, Map.of());
        assertEquals(List.of("--bot", "random", "x"), arguments);
        assertEquals("anna", options.name());
        assertEquals(3, options.maxMatches());
    }

    @Test
    void readsTheTokenOfAFile(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("token");
        assertEquals(file + " cannot be read", problem(Map.of(), "--token-file", file.toString()));
        Files.writeString(file, "secret\n");
        assertEquals("secret", parse(Map.of(), "--token-file", file.toString()).token());
        Files.writeString(file, "two words\n");
        assertEquals(file + " must hold a token and nothing else", problem(Map.of(), "--token-file", file.toString()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost:1"})
    void sendsATokenWithinThisMachine(String server) {
        assertTrue(parse(TOKEN, "--server", server).isLoopback());
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1:1", "[2001:db8::1]:1", "example.org:1", "127.0.0.1.example.org:1"})
    void sendsNoTokenInTheOpen(String server) {
        assertTrue(problem(TOKEN, "--server", server).contains("in the open"));
        assertTrue(parse(TOKEN, "--server", server, "--tls").usesTls());
        assertEquals(server, parse(Map.of(), "--server", server).server());
    }

    @Test
    void namesWhatIsWrong() {
        assertEquals("--server must be HOST:PORT, not 'nowhere'", problem(Map.of(), "--server", "nowhere"));
        assertEquals("--max-matches must be a number from 1 on, not 'many'", problem(Map.of(), "--max-matches", "many"));
        assertEquals("--tls-cert and --tls-key come together", problem(Map.of(), "--tls-cert", "file"));
        assertEquals("--name needs a value", problem(Map.of(), "--name"));
    }
}
