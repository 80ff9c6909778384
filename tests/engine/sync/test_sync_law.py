"""Replicas converge, whatever network, clocks, disk and mirror do; nothing acknowledged is lost, nothing purged comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tests.engine.service_kit import Kit
from tests.engine.sync.kit import Folder, fetch, memory_file, mirror, over_the_wire
from tests.engine.sync.world import POOL, Replica
from tests.engine.test_live_law import _operations
from tidelore.engine.codec import windowed
from tidelore.engine.model import Commit
from tidelore.engine.ports import Purge
from tidelore.engine.sync.burial import POOL as POOL_MARK
from tidelore.engine.sync.burial import graves_of, mentioned
from tidelore.engine.sync.carry import dead_commits

MAIN, BRANCH = "main", "branch"
DAY = 24 * 3600 * 1000
# Some are beginnings of others, so that messages repeat, windows recur and replies continue.
TEXTS = (
    "My heron is called Oslo.",
    "My heron is called Oslo. It eats eels.",
    "Tobin sold the mill in Saltmarsh.",
    "Tobin sold the mill in Saltmarsh. Then he wept.",
    "The ferry leaves at dawn.",
    "I am glad.",
    # Characters that end a line somewhere, though not in our files.
    "My hound is called\u2028Rex.\u2029Good\x85dog.\x0cYes.",
    "Yes.",
)
NAMES = ("Ann", "Bob", "Ann Lee")
FILE = memory_file("Tobin", ["weeps at night", "owes the miller", "eats eels"], "Saltmarsh", "place", "lives in")

MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(("user", "assistant")), "text": st.sampled_from(TEXTS), "name": st.sampled_from(NAMES)}),
    max_size=6,
)
WHICH = st.integers(0, 2)
CHATS = st.sampled_from((MAIN, BRANCH))


class SyncLaw(RuleBasedStateMachine):
    """Three replicas, a network, a folder. `acknowledged`: every commit, by id and clock, that a store had when a call was answered."""

    @initialize(lists=st.booleans(), messages=MESSAGES, known=st.booleans())
    def begin(self, lists: bool, messages: list[dict[str, Any]], known: bool) -> None:
        """One has a chat with memories; the others may know it, too."""
        self.folder = Folder(lists=lists)
        self.replicas = [Replica(name, self.folder) for name in ("aa", "bb", "cc")]
        self.letters: list[tuple[int, Any]] = []
        self.hidden: dict[str, bytes] = {}
        self.acknowledged: dict[tuple[str, int], Commit] = {}
        first = self.replicas[0]
        first.remember(MAIN, messages, pool=POOL)
        self._did(first)
        for other in self.replicas[1:] if known else ():
            fetch(other, first)
            other.show(MAIN, messages)

    def _did(self, replica: Replica) -> None:
        for commit in replica.commits():
            self.acknowledged[commit.id, commit.clock] = commit

    # ---- what people do ----

    @rule(which=WHICH, chat=CHATS, messages=MESSAGES)
    def show(self, which: int, chat: str, messages: list[dict[str, Any]]) -> None:
        replica = self.replicas[which]
        more = {"branch_of": MAIN} if chat == BRANCH else {}
        replica.attempt(lambda: replica.show(chat, messages, pool=POOL, **more))

    @rule(which=WHICH, chat=CHATS)
    def extract_by_rules(self, which: int, chat: str) -> None:
        replica = self.replicas[which]
        if replica.attempt(lambda: replica.call("extract.run", chat=chat, lag=0)) is not None:
            self._did(replica)

    @rule(data=st.data(), which=WHICH, chat=CHATS)
    def extract_by_model(self, data: Any, which: int, chat: str) -> None:
        replica = self.replicas[which]

        async def commit() -> bool:
            chats = replica.service.chats
            async with chats.lock:
                opened = await chats.open(chat)
                keys = opened.timeline.keys
                if not keys:
                    return False
                first = data.draw(st.integers(0, len(keys) - 1))
                size = data.draw(st.integers(1, min(3, len(keys) - first)))
                made = windowed(
                    "model",
                    _operations(data.draw, size),
                    keys[first : first + size],
                    clock=chats.tick(opened.home),
                    replica=chats.replica,
                    generation=data.draw(st.integers(0, 1)),
                )
                await chats.commit(opened, [made])
                return True

        if replica.attempt(lambda: replica.run_sync(commit())):
            self._did(replica)

    @rule(data=st.data(), which=WHICH, chat=CHATS, action=st.sampled_from(("edit", "retire", "write", "import", "undo", "deliver")))
    def change_by_hand(self, data: Any, which: int, chat: str, action: str) -> None:
        replica = self.replicas[which]
        nodes = replica.attempt(lambda: replica.graph(chat)["nodes"]) or []
        node = data.draw(st.sampled_from(nodes))["id"] if nodes and action in ("edit", "retire", "deliver") else ""
        text = data.draw(st.sampled_from(("edited", "edited again")))
        calls: dict[str, Callable[[], Any]] = {
            "edit": lambda: replica.call("node.edit", chat=chat, node=node, fields={"note": text}),
            "retire": lambda: replica.call("node.retire", chat=chat, node=node),
            "write": lambda: replica.call("node.write", chat=chat, text=text),
            # Into a chat that is there: a new one would lie in a pool of its own.
            "import": lambda: replica.call("stats", chat=chat) and replica.call("import", chat=chat, text=FILE),
            "undo": lambda: replica.call("undo", chat=chat),
            "deliver": lambda: replica.call("recall.delivered", chat=chat, recall=text + node, nodes=[node]),
        }
        if replica.attempt(calls[action]) is not None:
            self._did(replica)

    @rule(data=st.data(), which=WHICH, chat=CHATS, whole=st.sampled_from((False, False, True)))
    def purge(self, data: Any, which: int, chat: str, whole: bool) -> None:
        """A memory, or the whole chat."""
        replica = self.replicas[which]
        if whole:
            replica.attempt(lambda: replica.call("chat.purge", chat=chat))
            return
        nodes = [node for node in replica.attempt(lambda: replica.graph(chat)["nodes"]) or [] if node["kind"] != "entity"]
        if nodes:
            node = data.draw(st.sampled_from(nodes))["id"]
            replica.attempt(lambda: replica.call("node.purge", chat=chat, node=node))

    # ---- the network ----

    @rule(to=WHICH, source=WHICH, limit=st.sampled_from((1, 400, 100_000)))
    def ask(self, to: int, source: int, limit: int) -> None:
        """The answer is on its way."""
        if to != source:
            asking, asked = self.replicas[to], self.replicas[source]
            peer = asked.call("sync.vector")["replica"]
            question = over_the_wire(asking.call("sync.vector", peer=peer))
            answer = asked.attempt(lambda: asked.call("sync.pull", **question, limit_bytes=limit))
            if answer is not None:
                self.letters.append((to, over_the_wire(answer)))

    @rule(data=st.data(), again=st.booleans(), lost=st.integers(0, 4))
    def deliver(self, data: Any, again: bool, lost: int) -> None:
        """Any of those under way, late, twice, without its end, or never."""
        if self.letters:
            at = data.draw(st.integers(0, len(self.letters) - 1))
            to, letter = self.letters[at] if again else self.letters.pop(at)
            if lost:
                kept = letter["records"][: len(letter["records"]) * lost // 4] if lost < 4 else letter["records"]
                self.replicas[to].attempt(lambda: self.replicas[to].call("sync.push", **{**letter, "records": kept}))

    @rule(to=WHICH, source=WHICH)
    def exchange(self, to: int, source: int) -> None:
        """Without loss, for once."""
        if to != source:
            self.replicas[to].attempt(lambda: fetch(self.replicas[to], self.replicas[source]))

    # ---- clocks, crashes, the folder ----

    @rule(which=WHICH, check=st.booleans())
    def round_with_the_mirror(self, which: int, check: bool) -> None:
        self.replicas[which].attempt(lambda: self.replicas[which].call("sync.mirror", check=check))

    @rule(data=st.data(), which=WHICH, what=st.sampled_from(("clock", "crash", "down", "emptied", "back", "torn")))
    def mishap(self, data: Any, which: int, what: str) -> None:
        """A clock is set wrong, a crash comes soon, the folder goes, is emptied, comes back as it was, or a file of it is torn."""
        folder = self.folder
        if what == "clock":
            self.replicas[which].skew = data.draw(st.integers(-9, 9)) * DAY
        elif what == "crash":
            self.replicas[which].fragile.left = data.draw(st.integers(0, 3))
        elif what == "down":
            folder.down = not folder.down
        elif what == "emptied":
            self.hidden, folder.files = folder.files, {}
        elif what == "back":
            folder.files = dict(self.hidden)
        elif folder.files:
            name = data.draw(st.sampled_from(sorted(folder.files)))
            keep = data.draw(st.integers(0, 3))
            if keep:
                folder.files[name] = folder.files[name][: len(folder.files[name]) * (keep - 1) // 3]
            else:
                del folder.files[name]

    # ---- in the end ----

    def _settle(self) -> None:
        self.folder.down = False
        for replica in self.replicas:
            replica.fragile.calm()
            replica.restart()
        pairs = [(one, other) for one in self.replicas for other in self.replicas if one is not other]
        while sum(fetch(one, other) for one, other in pairs):
            pass

    def teardown(self) -> None:
        if not hasattr(self, "replicas"):
            return
        self._settle()
        first = self.replicas[0]
        listed = [sorted(json.dumps(each, sort_keys=True) for each in map(_plain, one.call("chat.list")["chats"])) for one in self.replicas]
        assert listed[0] == listed[1] == listed[2]
        vectors = [replica.call("sync.vector") for replica in self.replicas]
        assert vectors[0]["vector"] == vectors[1]["vector"] == vectors[2]["vector"]
        assert vectors[0]["chains"] == vectors[1]["chains"] == vectors[2]["chains"]
        self._nothing_is_lost()
        self._one_screen_one_graph([each["chat"] for each in first.call("chat.list")["chats"]])
        self._nothing_comes_back()
        self._the_mirror_alone_is_enough()

    def _nothing_is_lost(self) -> None:
        purges = self.replicas[0].purges()
        for replica in self.replicas:
            there = {commit.id for commit in replica.commits()}
            for commit in self.acknowledged.values():
                assert commit.id in there or _is_purged(commit, purges), commit
            stated = {node for commit in replica.commits() if commit.author == "import" for node in mentioned(commit)}
            for commit in self.acknowledged.values():
                for node in mentioned(commit) if commit.author == "import" else ():
                    assert node in stated or _is_buried(node, commit, purges), "what came with a memory that was purged"

    def _one_screen_one_graph(self, chats: list[str]) -> None:
        for chat in chats:
            keys = self.replicas[0].call("chat.keys", chat=chat)["keys"]
            sources = {each.key: each for each in self.replicas[0].run_sync(self.replicas[0].store.pool(POOL, 0)).sources}
            shown = [{"role": sources[key].role, "text": sources[key].text, "name": "Ann"} for key in keys if key in sources]
            for replica in self.replicas:
                replica.show(chat, shown)
                assert replica.shape(chat) == replica.scratch(chat)
            shapes = [replica.shape(chat) for replica in self.replicas]
            assert shapes[0] == shapes[1] == shapes[2]
            for replica in self.replicas:
                replica.call("extract.run", chat=chat, lag=0)
                assert replica.call("extract.plan", chat=chat, by="rules", lag=0)["windows"] == []
            graphs = [replica.graph(chat) for replica in self.replicas]
            assert graphs[0] == graphs[1] == graphs[2]

    def _nothing_comes_back(self) -> None:
        """What was purged is shown once more, as the host's chat file still has it, and extracted; then all meet again."""
        keys = {key for purge in self.replicas[0].purges() for key in purge.keys}
        for replica in self.replicas:
            everything = [{"role": role, "text": text, "name": "Ann"} for text in TEXTS for role in ("user", "assistant")]
            replica.show("other", everything, pool=POOL)
            replica.call("extract.run", chat="other", lag=0)
        self._settle()
        purges = self.replicas[0].purges()
        for replica in self.replicas:
            rows = replica.run_sync(replica.store.pool(POOL, 0))
            assert keys.isdisjoint(each.key for each in rows.sources)
            left = [(purge, commit) for purge in purges for commit in dead_commits(purge, rows.commits)]
            assert not left
            self._holds_no_words(replica.everything(), rows.purged)

    @staticmethod
    def _holds_no_words(text: str, purged: Any) -> None:
        """`text`: records, one a line, among other lines."""
        records = [json.loads(line) for line in text.split("\n") if '"sequence"' in line]
        for record in records:
            if record["body"] is not None and record["kind"] == "source":
                assert record["id"] not in purged
            elif record["body"] is not None and record["kind"] == "commit":
                assert set(json.loads(record["body"]).get("window", ())).isdisjoint(purged)

    def _the_mirror_alone_is_enough(self) -> None:
        for _ in range(2):
            for replica in self.replicas:
                replica.call("sync.mirror", check=True)
        again = [replica.call("sync.mirror") for replica in self.replicas]
        assert all(not done["written_bytes"] and not done["missing"] and not done["damaged"] and not done["held"] for done in again), again
        fresh = Kit("dd")
        done = mirror(fresh, self.folder)
        assert not done["behind"]
        chains = fresh.call("sync.vector")["chains"]
        chains.pop("dd", None)
        assert chains == self.replicas[0].call("sync.vector")["chains"]
        self._holds_no_words(self.folder.text(), self.replicas[0].run_sync(self.replicas[0].store.pool(POOL, 0)).purged)


def _plain(info: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in info.items() if name not in ("messages", "holds")}


def _is_buried(node: str, commit: Commit, purges: list[Purge]) -> bool:
    """Whether a purge takes this node of an import along, or the whole pool."""
    marks = [graves_of(each) for each in purges]
    return any(max(each.get(f"node {node}", -1), each.get(POOL_MARK, -1)) >= commit.clock for each in marks)


def _is_purged(commit: Commit, purges: list[Purge]) -> bool:
    return any(dead_commits(purge, [commit]) or commit.id in purge.commits for purge in purges)


TestSyncLaw = SyncLaw.TestCase
TestSyncLaw.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
