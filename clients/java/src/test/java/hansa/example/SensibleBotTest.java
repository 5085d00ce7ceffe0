package hansa.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hansa.client.Action;
import hansa.client.Decision;
import hansa.client.Match;
import hansa.v1.ViewOuterClass.HansaView;
import hansa.v1.ViewOuterClass.KindCount;
import hansa.v1.ViewOuterClass.Piece;
import hansa.v1.ViewOuterClass.PieceCount;
import hansa.v1.ViewOuterClass.TeutonicaView;
import hansa.v1.ViewOuterClass.View;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SensibleBotTest {
    /** What the bot plays, in words. */
    private static String chosen(View.Builder view, String... texts) {
        List<Action> legal = new ArrayList<>();
        for (String text : texts) {
            legal.add(new Action(legal.size(), text));
        }
        Decision decision = new Decision(Match.of("m", 0), 0, 0, "main", legal, Optional.of(view.build()), null);
        return texts[new SensibleBot().choose(decision).action()];
    }

    private static View.Builder teutonica(int pieces, TeutonicaView.Post... posts) {
        TeutonicaView.Builder view = TeutonicaView.newBuilder().addAllPosts(List.of(posts));
        view.addPlayersBuilder().setSupply(PieceCount.newBuilder().setTraders(pieces));
        return View.newBuilder().setTeutonica(view);
    }

    private static TeutonicaView.Post post(String name, int seat) {
        return TeutonicaView.Post.newBuilder()
                .setPost(name)
                .setPiece(Piece.newBuilder().setSeat(seat))
                .build();
    }

    private static View.Builder hansa() {
        HansaView.Builder view = HansaView.newBuilder().setShip("Aalborg");
        view.addPlayersBuilder()
                .setTalers(3)
                .setBooths(5)
                .addUnsold(KindCount.newBuilder().setKind("orange 2").setCount(1));
        view.addPlayersBuilder();
        view.addCitiesBuilder().setCity("Aalborg").addBooths(0).addBooths(1);
        return View.newBuilder().setHansa(view);
    }

    @Test
    void finishesARouteBeforeAnythingElse() {
        assertEquals(
                "route A-B office A",
                chosen(teutonica(5), "end", "place trader A-B 1", "route A-B none", "route A-B office A"));
    }

    @Test
    void goesWhereItStandsAlready() {
        View.Builder view = teutonica(5, post("A-B 1", 0), post("C-D 1", 1));
        assertEquals(
                "place trader A-B 2", chosen(view, "place trader C-D 2", "place trader A-B 2", "place merchant A-B 2", "end"));
    }

    @Test
    void takesIncomeWhenNothingIsLeft() {
        String[] texts = {"end", "place trader A-B 1", "income 3 traders", "income 2 traders"};
        assertEquals("income 3 traders", chosen(teutonica(1), texts));
        assertEquals("place trader A-B 1", chosen(teutonica(5), texts));
    }

    @Test
    void buysWhatMakesAPair() {
        assertEquals("buy orange 1", chosen(hansa(), "buy brown 2", "buy orange 1", "end"));
    }

    @Test
    void sellsBeforeItBuys() {
        assertEquals("sell orange 2", chosen(hansa(), "buy orange 3", "sell orange 1", "sell orange 2", "end"));
    }

    @Test
    void givesAwayTheLeast() {
        assertEquals("give brown 1", chosen(hansa(), "give orange 2", "give brown 1"));
    }

    @Test
    void playsWithoutAPosition() {
        List<Action> legal = List.of(new Action(17, ""), new Action(19, ""));
        Decision decision = new Decision(Match.of("m", 0), 0, 0, "main", legal, Optional.empty(), null);
        assertTrue(List.of(17, 19).contains(new SensibleBot().choose(decision).action()));
    }
}
