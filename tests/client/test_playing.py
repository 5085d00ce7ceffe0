"""Bots on a real server."""

from __future__ import annotations

import asyncio
import logging
import threading
from pathlib import Path
from typing import Any

import pytest

from hansa_client import Action, Bot, Choice, Match, OptionError, Options, Played, RefusedError, ReplacedError, View
from hansa_client.bots import EngineBot, GreedyBot, RandomBot
from hansa_client.pb.hansa.v1 import game_pb2, play_pb2, watch_pb2, watch_pb2_grpc
from hansa_fast import Rules
from hansa_fast.bots import make_bot, version_of
from hansa_server.auth import Role, create_token
from hansa_server.errors import Stopping
from hansa_server.serve import Server
from tests.client.arena import Arena, Noting, arena, playing, run, settings_for, until

GAMES = [
    {"game": "teutonica", "players": 2, "turn_limit": 30},
    {"game": "teutonica", "players": 3, "turn_limit": 30},
    {"game": "teutonica", "players": 4, "board": "east", "turn_limit": 30},
    {"game": "teutonica", "players": 5, "missions": True, "favours": True, "turn_limit": 30},
    {"game": "hansa", "players": 2},
    {"game": "hansa", "players": 4},
]


class Named(Noting):
    """A noting bot under a name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: f"{rules['game']}-{rules['players']}")
def test_full_games(tmp_path: Path, rules: dict[str, Any]) -> None:
    async def main() -> None:
        bots = ["greedy", "random", "noting", "builtin:random", "builtin:greedy"][: rules["players"]]
        noting = Named("noting")
        async with (
            arena(tmp_path) as there,
            playing("greedy", there.address),
            playing("random", there.address),
            playing(noting, there.address),
        ):
            await there.connected("greedy", "random", "noting")
            match_id = await there.begin(*bots, **rules)
            match = await there.finished(match_id)
            assert not any(seat.forfeit for seat in match.result.seats)
            if "noting" in bots:
                await until(lambda: bool(noting.ended))
                known, result = noting.ended[0]
                assert noting.started == [known]
                assert result is not None
                assert (known.id, known.seat, known.players) == (match_id, 2, tuple(bots))
                assert (known.rules.game, known.rules.players) == (rules["game"], rules["players"])
                assert [played.sequence for played in known.history] == list(range(match.actions))
                assert result.actions == match.actions
                assert result.totals == tuple(seat.total for seat in match.result.seats)
                assert result.ranks == tuple(seat.rank for seat in match.result.seats)
                assert sum(result.seats[0].scores.values()) == result.totals[0]

    run(main())


@pytest.mark.parametrize(
    "rules", [GAMES[0], GAMES[3], GAMES[5]], ids=lambda rules: f"{rules['game']}-{rules['players']}"
)
def test_the_planner_plays_over_the_wire_as_in_process(tmp_path: Path, rules: dict[str, Any]) -> None:
    async def main() -> None:
        bots = ["planner", "random", "builtin:planner", "builtin:greedy", "builtin:random"][: rules["players"]]
        async with arena(tmp_path) as there, playing("planner", there.address), playing("random", there.address):
            await there.connected("planner", "random")
            assert there.server.arena.sessions["planner"].version == version_of("planner")
            match_id = await there.begin(*bots, **rules)
            await there.finished(match_id)
            played = there.server.store.load_match(match_id).actions
        state = Rules(**rules).new(1)
        remote = EngineBot("planner")
        known = Match(match_id, 0)
        decided = 0
        for action in played:
            if action.seat == 0 and len(state.legal_actions()) > 1:
                assert make_bot("planner").choose(state, remote.seed_of(known)) == action.action
                decided += 1
            known.history.append(Played(action.sequence, action.seat, action.action))
            state.apply(action.action)
        assert decided > 10
        assert state.is_over

    run(main())


def test_many_matches_at_once(tmp_path: Path) -> None:
    async def main() -> None:
        counted = _Counting()
        async with arena(tmp_path) as there, playing(counted, there.address), playing("random", there.address):
            await there.connected("counting", "random")
            begun = [
                await there.begin("random", "counting", game="hansa", seed=seed, turn_limit=20) for seed in range(24)
            ]
            for match_id in begun:
                match = await there.finished(match_id)
                assert not any(seat.forfeit for seat in match.result.seats)
            await until(lambda: len(counted.ended) == 24)
        assert counted.most_open > 1
        assert counted.most_inside == 1  # a plain choose() is never called while another one runs

    run(main())


class _Counting(Noting):
    name = "counting"
    max_matches = 24

    def __init__(self) -> None:
        super().__init__()
        self.inside = self.most_inside = self.most_open = 0
        self.threads: set[int] = set()

    def choose(self, view: View, legal: list[Action]) -> Action:
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        self.most_open = max(self.most_open, len(self.started) - len(self.ended))
        self.threads.add(threading.get_ident())
        assert view.match.seat == view.seat == view.player == 1
        self.inside -= 1
        return legal[-1]


class _Asynchronous(Noting):
    """Waits in every decision until both matches have asked."""

    name = "asynchronous"

    def __init__(self) -> None:
        super().__init__()
        self.open: set[str] = set()

    async def choose(self, view: View, legal: list[Action]) -> str:
        self.open.add(view.match.id)
        while len(self.open) < 2:
            await asyncio.sleep(0)
        return legal[0].text


def test_async_choose_thinks_about_all_matches_at_once(tmp_path: Path) -> None:
    async def main() -> None:
        bot = _Asynchronous()
        async with arena(tmp_path) as there, playing(bot, there.address):
            await there.connected(bot.name)
            begun = [await there.begin(bot.name, "builtin:random", game="hansa", seed=seed) for seed in range(2)]
            for match_id in begun:
                assert not any(seat.forfeit for seat in (await there.finished(match_id)).result.seats)

    run(main())


class _InProcess(Bot):
    """Says in which process it thinks."""

    name = "in-process"

    def choose(self, view: View, legal: list[Action]) -> Choice:
        import os

        self.matches = {*getattr(self, "matches", set()), view.match.id}
        return Choice(legal[0], comment=f"{os.getpid()} {len(view.match.history)}")


def test_a_pool_of_processes_behind_one_stream(tmp_path: Path) -> None:
    """Each match stays in one process, the matches are spread, and the server sees one bot."""

    async def main() -> None:
        import os

        async with arena(tmp_path) as there, playing(_InProcess(), there.address, processes=2):
            await there.connected("in-process")
            assert len(there.server.arena.sessions) == 1
            begun = [
                await there.begin("in-process", "builtin:random", game="hansa", seed=seed, turn_limit=10)
                for seed in range(4)
            ]
            places = []
            for match_id in begun:
                match = await there.finished(match_id)
                assert not any(seat.forfeit for seat in match.result.seats)
                comments = [words.split() for words in await comments_of(there, match_id)]
                assert [int(history) for _, history in comments] == sorted({int(history) for _, history in comments})
                pids = {int(pid) for pid, _ in comments}
                assert len(pids) == 1
                places.append(pids.pop())
            assert len(set(places)) == 2
            assert os.getpid() not in places

    run(main())


async def comments_of(there: Arena, match_id: str) -> list[str]:
    """What bots said to spectators in a match that is over."""
    watch = watch_pb2_grpc.WatchServiceStub(there.channel).WatchMatch(watch_pb2.WatchMatchRequest(match_id=match_id))
    return [action.comment async for part in watch for action in part.actions if action.comment]


class _Dying(Bot):
    """Its process dies once in each match, by its own hand."""

    name = "dying"

    def choose(self, view: View, legal: list[Action]) -> Action:
        import os

        mark = Path(self.folder) / view.match.id
        if len(view.match.history) > 20 and not mark.exists():
            mark.touch()
            os._exit(3)
        return legal[0]

    def __init__(self, folder: str) -> None:
        self.folder = folder


def test_a_process_that_dies_is_replaced(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        marks = tmp_path / "marks"
        marks.mkdir()
        async with arena(tmp_path) as there, playing(_Dying(str(marks)), there.address, processes=1):
            await there.connected("dying")
            match_id = await there.begin("dying", "builtin:random", game="hansa")
            match = await there.finished(match_id)
            assert not any(seat.forfeit for seat in match.result.seats)
            assert (marks / match_id).exists()

    run(main())
    assert "exit code 3" in caplog.text


class _DyingAlone(Bot):
    """Thinks in its tenth decision until a file says that it shall die."""

    name = "dying-alone"

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def choose(self, view: View, legal: list[Action]) -> Action:
        import os
        import time

        thinks, dies = Path(self.folder) / "thinks", Path(self.folder) / "dies"
        if len(view.match.history) > 20 and not dies.exists():
            thinks.touch()
            while not dies.exists():
                time.sleep(0.01)
            os._exit(4)
        return legal[0]


def test_a_process_that_dies_while_the_server_is_away(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        first = Server(settings_for(tmp_path))
        await first.start()
        async with playing(_DyingAlone(str(tmp_path)), first.address, processes=1):
            there = Arena(first)
            await there.connected("dying-alone")
            match_id = await there.begin("dying-alone", "builtin:random", game="hansa")
            await there.channel.close()
            await until((tmp_path / "thinks").exists)
            await first.stop()
            await until(lambda: "UNAVAILABLE" in caplog.text)
            (tmp_path / "dies").touch()
            await until(lambda: "exit code 4" in caplog.text)
            async with arena(tmp_path, address=first.address) as again:
                match = await again.finished(match_id)
                assert not any(seat.forfeit for seat in match.result.seats)

    run(main())


class _Failing(Noting):
    """Fails in one match, or wherever it is told."""

    def __init__(self, on_error: Any, wrong: Any) -> None:
        super().__init__()
        self.name = f"failing-{on_error}"
        self.on_error = on_error
        self.wrong = wrong

    def choose(self, view: View, legal: list[Action]) -> Any:
        if view.match.rules.game == "hansa":
            return legal[0]
        return self.wrong(legal)

    def match_started(self, match: Match) -> None:
        super().match_started(match)
        raise RuntimeError("this hook fails too")


def _raise(_legal: object) -> None:
    raise ValueError("out of ideas")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (_raise, "out of ideas"),
        (lambda legal: max(legal).id + 1, "none of the"),
        (lambda _: None, "choose() returned None"),
        (lambda _: "fly to the moon", "'fly to the moon'"),
    ],
    ids=["raises", "illegal", "nothing", "nonsense"],
)
@pytest.mark.parametrize("on_error", ["any", "resign"])
def test_a_failing_choose_costs_no_other_match(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, on_error: str, wrong: Any, told: str
) -> None:
    async def main() -> None:
        bot = _Failing(on_error, wrong)
        async with arena(tmp_path) as there, playing(bot, there.address):
            await there.connected(bot.name)
            bad = await there.begin(bot.name, "builtin:random", game="teutonica", turn_limit=6)
            good = await there.begin(bot.name, "builtin:random", game="hansa")
            assert not any(seat.forfeit for seat in (await there.finished(good)).result.seats)
            resigned = game_pb2.FORFEIT_REASON_RESIGNED if on_error == "resign" else 0
            assert (await there.finished(bad)).result.seats[0].forfeit == resigned

    run(main())
    assert told in caplog.text
    assert "this hook fails too" in caplog.text


class _Listening(Noting):
    name = "listening"

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[Played] = []
        self.clocks: list[tuple[float | None, float | None, float]] = []

    def choose(self, view: View, legal: list[Action]) -> Choice:
        self.clocks.append((view.clock.decision, view.clock.bank, view.clock.left()))
        assert self.heard == view.match.history
        return Choice(legal[0].id, evaluation=[1.5, 2.5], comment="x" * 300)

    def actions_played(self, match: Match, actions: list[Played]) -> None:
        assert match in self.started
        self.heard.extend(actions)


def test_events_clock_and_words_for_spectators(tmp_path: Path) -> None:
    async def main() -> None:
        bot = _Listening()
        async with arena(tmp_path, per_decision=50.0, bank=1000.0) as there, playing(bot, there.address):
            await there.connected(bot.name)
            match_id = await there.begin(bot.name, "builtin:random", game="hansa", turn_limit=8)
            match = await there.finished(match_id)
            await until(lambda: bool(bot.ended))
            assert [played.sequence for played in bot.heard] == list(range(match.actions))
            assert all(played.text for played in bot.heard)
            assert all(decision and bank and 0 < left <= decision <= 50 for decision, bank, left in bot.clocks)
            assert bot.started[0].clock.bank == 1000
            assert set(await comments_of(there, match_id)) == {"x" * 280}

    run(main())


def test_a_bot_against_itself(tmp_path: Path) -> None:
    """It sits at every seat of the same match, and each seat knows which one it is."""

    class Both(Noting):
        name = "both"

        def choose(self, view: View, legal: list[Action]) -> Action:
            assert view.match.seat == view.player
            assert view.me is view.players[view.player]
            return legal[0]

    async def main() -> None:
        bot = Both()
        async with arena(tmp_path) as there, playing(bot, there.address):
            await there.connected("both")
            match_id = await there.begin("both", "both", game="hansa", turn_limit=8)
            match = await there.finished(match_id)
            await until(lambda: bool(bot.ended))
            assert not any(seat.forfeit for seat in match.result.seats)
            assert [known.seat for known in bot.started] == [known.seat for known, _ in bot.ended] == [0, 1]
            assert len(bot.started[0].history) == match.actions

    run(main())


# -- Losing the connection ---------------------------------------------------------------------------------------------


class _Slow(Noting):
    """Stops in its tenth decision until it may go on."""

    name = "slow"

    def __init__(self) -> None:
        super().__init__()
        self.thinks = threading.Event()
        self.may_go_on = threading.Event()
        self.decided: list[int] = []

    def choose(self, view: View, legal: list[Action]) -> Action:
        self.decided.append(len(view.match.history))
        if len(self.decided) == 10:
            self.thinks.set()
            assert self.may_go_on.wait(100)
        return legal[0]


def test_a_cut_stream_while_thinking(tmp_path: Path) -> None:
    """The thought goes on, its answer goes to the new stream, and no decision is thought about twice."""

    async def main() -> None:
        bot = _Slow()
        async with arena(tmp_path) as there, playing(bot, there.address):
            await there.connected("slow")
            match_id = await there.begin("slow", "builtin:random", game="hansa")
            await asyncio.to_thread(bot.thinks.wait, 100)
            first = there.server.arena.sessions["slow"]
            there.server.arena.disconnect(first)
            first.close(_cut())
            await until(lambda: there.server.arena.sessions.get("slow", first) is not first)
            bot.may_go_on.set()
            match = await there.finished(match_id)
            await until(lambda: bool(bot.ended))
            assert not any(seat.forfeit for seat in match.result.seats)
            assert len(set(bot.decided)) == len(bot.decided)
            assert len(bot.started) == 1
            assert len(bot.started[0].history) == match.actions

    run(main())


def _cut() -> Stopping:
    return Stopping("cut by the test")


def test_streams_that_are_cut_all_the_time(tmp_path: Path) -> None:
    async def main() -> None:
        async with arena(tmp_path) as there, playing("greedy", there.address), playing("random", there.address):
            await there.connected("greedy", "random")
            begun = [await there.begin("greedy", "random", game="hansa", seed=seed) for seed in range(3)]
            cuts = 0
            while any(match_id in there.server.arena.live for match_id in begun) and cuts < 15:
                for session in list(there.server.arena.sessions.values()):
                    session.close(_cut())
                    cuts += 1
                await asyncio.sleep(0.05)
            for match_id in begun:
                assert not any(seat.forfeit for seat in (await there.finished(match_id)).result.seats)
            assert cuts >= 2

    run(main())


def test_a_server_that_restarts(tmp_path: Path) -> None:
    async def main() -> None:
        bot = _Slow()
        first = Server(settings_for(tmp_path))
        await first.start()
        async with playing(bot, first.address):
            there = Arena(first)
            await there.connected("slow")
            match_id = await there.begin("slow", "builtin:random", game="hansa")
            await there.channel.close()
            await asyncio.to_thread(bot.thinks.wait, 100)
            await first.stop()
            bot.may_go_on.set()
            async with arena(tmp_path, address=first.address) as again:
                match = await again.finished(match_id)
                await until(lambda: bool(bot.ended))
                assert not any(seat.forfeit for seat in match.result.seats)
                assert len(bot.started[0].history) == match.actions

    run(main())


def test_a_match_that_ends_while_the_bot_is_away(tmp_path: Path) -> None:
    async def main() -> None:
        bot = _Slow()
        async with arena(tmp_path) as there, playing(bot, there.address) as client:
            await there.connected("slow")
            match_id = await there.begin("slow", "builtin:random", game="hansa")
            await asyncio.to_thread(bot.thinks.wait, 100)
            session = there.server.arena.sessions["slow"]
            there.server.arena.disconnect(session)
            there.server.arena.abort(match_id)
            session.close(_cut())
            bot.may_go_on.set()
            await until(lambda: bool(bot.ended))
            assert [(match.id, result) for match, result in bot.ended] == [(match_id, None)]
            assert client.running_matches == 0

    run(main())


def test_a_bot_with_two_seats_knows_which_is_asked_without_a_view(tmp_path: Path) -> None:
    asked: set[int] = set()

    class Twice(Bot):
        name = "twice"
        views = False

        def choose(self, view: View, legal: list[Action]) -> Action:
            asked.add(view.match.seat)
            return legal[len(view.match.history) % len(legal)]

    async def main() -> None:
        async with arena(tmp_path) as there, playing(Twice(), there.address):
            await there.connected("twice")
            await there.finished(await there.begin("twice", "twice", game="hansa"))

    run(main())
    assert asked == {0, 1}


def test_a_match_given_with_the_welcome_is_played_though_the_bot_wants_to_leave(tmp_path: Path) -> None:
    """The bot is told to go between its hello and the server's welcome, which brings a match."""

    async def main() -> None:
        async with arena(tmp_path) as there:
            place = there.server.arena
            clients: list[Any] = []
            begun: list[str] = []
            connect = place.connect

            def connect_and_begin(hello: play_pb2.Hello, principal: Any) -> Any:
                session = connect(hello, principal)
                begun.append(place.create_match(Rules(game="hansa", players=2), ("random", "builtin:random")))
                clients[0].leave()
                return session

            place.connect = connect_and_begin  # type: ignore[method-assign]
            async with playing(RandomBot(), there.address) as client:
                clients.append(client)
                await until(lambda: bool(begun))
                match = await there.finished(begun[0])
                assert not any(seat.forfeit for seat in match.result.seats)

    run(main())


def test_goodbye_finishes_what_runs(tmp_path: Path) -> None:
    async def main() -> None:
        bot = _Slow()
        async with arena(tmp_path) as there, playing(bot, there.address) as client:
            await there.connected("slow")
            match_id = await there.begin("slow", "builtin:random", game="hansa")
            await asyncio.to_thread(bot.thinks.wait, 100)
            client.leave()
            await until(lambda: there.server.arena.sessions["slow"].leaving)
            bot.may_go_on.set()
            await there.finished(match_id)
            await until(lambda: "slow" not in there.server.arena.sessions)
            await until(lambda: bool(bot.ended))

    run(main())


# -- Being let in ------------------------------------------------------------------------------------------------------


def test_tokens(tmp_path: Path) -> None:
    """The right one plays under the token's name; for each wrong one the error says what to do."""

    async def main() -> None:
        async with arena(tmp_path, tokens=True) as there:
            store = there.server.store
            _, right = create_token(store, Role.BOT, "anna")
            _, watcher = create_token(store, Role.WATCHER, "wally")
            async with playing(RandomBot(), there.address, token=right):
                await there.connected("anna")
            for options, told in (
                ({"token": ""}, "--token-file"),
                ({"token": "hansa_wrong"}, "not known"),
                ({"token": watcher}, "not one of a bot"),
                ({"token": right, "name": "bert"}, "this token plays as 'anna'"),
            ):
                with pytest.raises(RefusedError, match=told) as caught:
                    await _play_until_refused(there.address, **options)
                assert "hansa_" not in str(caught.value)

    run(main())


async def _play_until_refused(address: str, **options: Any) -> None:
    from hansa_client import play

    await play(RandomBot(), Options(server=address, **options))


def test_the_same_name_twice(tmp_path: Path) -> None:
    """The newer one plays; the older one ends and says why, instead of fighting for the name."""

    async def main() -> None:
        async with arena(tmp_path) as there:
            older = asyncio.create_task(_play_until_refused(there.address))
            await there.connected("random")
            async with playing(RandomBot(), there.address):
                with pytest.raises(ReplacedError, match="another process"):
                    await older

    run(main())


def test_a_bad_name(tmp_path: Path) -> None:
    async def main() -> None:
        async with arena(tmp_path) as there:
            with pytest.raises(RefusedError, match=r"hello\.name"):
                await _play_until_refused(there.address, name="two words")

    run(main())


def test_a_server_that_is_not_there_yet(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with arena(tmp_path) as there:
            address = there.address
        async with playing(GreedyBot(), address):
            await until(lambda: "no connection to" in caplog.text)
            async with arena(tmp_path, address=address) as there:
                await there.connected("greedy")

    caplog.set_level(logging.INFO)
    run(main())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"server": "example.org"}, "HOST:PORT"),
        ({"server": "example.org:1", "token": "x"}, "must not travel in the open"),
        ({"tls_certificate": "a.pem"}, "come together"),
        ({"processes": -1}, "negative"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        Options(**options)


TLS = Path(__file__).parent / "tls"


def test_tls(tmp_path: Path) -> None:
    """A token over TLS, and a certificate of the bot's own where the server wants one."""

    async def main() -> None:
        files = {"tls_certificate": str(TLS / "server.pem"), "tls_key": str(TLS / "server.key")}
        own = {"tls_certificate": str(TLS / "client.pem"), "tls_key": str(TLS / "client.key")}
        authority = str(TLS / "ca.pem")
        for number, (server_options, bot_options) in enumerate(
            [({}, {"tls_ca": authority}), ({"tls_client_ca": authority}, {"tls_ca": authority, **own})]
        ):
            folder = tmp_path / str(number)
            folder.mkdir()
            async with arena(folder, tokens=True, **files, **server_options) as there:
                _, token = create_token(there.server.store, Role.BOT, "anna")
                async with playing(RandomBot(), there.address, token=token, **bot_options):
                    await there.connected("anna")

    run(main())


def test_a_server_that_cannot_be_trusted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        files = {"tls_certificate": str(TLS / "server.pem"), "tls_key": str(TLS / "server.key")}
        async with (
            arena(tmp_path, **files) as there,
            playing(RandomBot(), there.address, tls_ca=str(TLS / "client.pem")),
        ):
            await until(lambda: "no connection to" in caplog.text)
            assert not there.server.arena.sessions

    run(main())


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="cannot be read: No such file"):
        run(_play_until_refused("127.0.0.1:1", tls_ca=str(tmp_path / "ca.pem")))


def test_a_token_is_not_shown() -> None:
    assert "secret" not in repr(Options(token="secret"))
    assert Options(server="example.org:1", token="x", tls=True).uses_tls
