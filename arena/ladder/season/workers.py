"""Who plays a ladder's games: processes of this machine, or the workers of a cluster."""

from collections.abc import Callable, Collection

from arena.bots.bot import StagedBot
from arena.bots.models.gateway import Access
from arena.bots.sandboxes.base import Sandbox
from arena.ladder.config import Config
from arena.league.play.process_pool import ProcessEngine
from arena.league.play.workers import Engine, RemoteEngine, RunSpec


class Workers:
    """The workers of a season, ready for the bots that play now."""

    def __init__(
        self,
        config: Config,
        cluster: RemoteEngine | None,
        sandbox: Sandbox,
        say: Callable[[str], None],
        models: Access,
    ) -> None:
        self.sandbox = sandbox
        """In which all of them play."""
        self._config, self._cluster, self._say = config, cluster, say
        self._models = models
        self._offered: set[str] = set()
        """The digests of the bots that the cluster has."""

    def engine(self, bots: Collection[StagedBot]) -> Engine:
        """Return the workers; a cluster gets bots that it does not have.

        Raises ArenaError if no worker of the cluster can play them.
        """
        league = self._config.league
        if self._cluster is None:
            return ProcessEngine(self.sandbox, league.workers, pin=league.pin, models=self._models)
        digests = {bot.info.digest for bot in bots}
        if not digests <= self._offered:
            spec = RunSpec(
                sandbox=self.sandbox.name,
                images=league.images,
                paths=league.sandbox_paths,
                trusted=self._config.file.trust_bots,
                freeze=league.limits.freeze,
                pin=league.pin,
                models=self._models,
            )
            self._cluster.distribute(spec, list(bots), self._say)
            self._offered = digests
        return self._cluster
