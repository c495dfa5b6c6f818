"""Fixtures that are put off: the server of a language model does not answer, and no bot is late."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator

from arena.league.play.workers import Played, PutOff, Task
from arena.league.store.format.rows import PackedFixture


class DownModels:
    """The language models whose servers did not answer in a run; it asks them no more."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._fixtures = Counter[str]()

    def __bool__(self) -> bool:
        return bool(self._fixtures)

    def without_put_off(
        self, played: Iterable[Played], tasks: deque[Task]
    ) -> Iterator[PackedFixture]:
        """Yield the fixtures that were played; put off what failed, and tasks like it."""
        for each in played:
            if isinstance(each, PutOff):
                self._add(each, tasks)
            elif isinstance(each, PackedFixture):
                yield each

    def _add(self, failed: PutOff, tasks: deque[Task]) -> None:
        if failed.model not in self._fixtures:
            self._note(failed.why)
        self._fixtures[failed.model] += 1
        left = [task for task in tasks if not self.put_off(task)]
        tasks.clear()
        tasks.extend(left)

    def put_off(self, task: Task) -> bool:
        """Return whether a task needs one of these models; if so, count it."""
        models = {model for bot in task.bots for model in bot.info.models}
        down = sorted(models & self._fixtures.keys())
        self._fixtures.update(down[:1])
        return bool(down)

    def summary(self) -> None:
        """Say how many fixtures are left to play."""
        for model, count in self._fixtures.items():
            self._note(f"put off until the server of the model '{model}' answers: {count} fixtures")
