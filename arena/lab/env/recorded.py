"""Recorded games in the environment: each recorded action, and its seat's view before it."""

from collections.abc import Iterator

from msgspec.structs import replace

from arena.game.records import Event, Fixture, GameRecord
from arena.game.rules.books import Rules
from arena.game.wire.messages import Answer
from arena.lab.env.aec import PerudoEnv
from arena.lab.env.setting import Setting
from arena.league.table.replay import ReplayError, callers, faults_of, moments, replies


def recorded(fixture: Fixture, rules: Rules, record: GameRecord) -> Iterator[tuple[PerudoEnv, int]]:
    """Yield an environment before each action of a recorded game, and that action.

    The environment takes the action when the iterator goes on. Where calza is played the record
    does not say which seats were offered it: all that did not call it pass. Raises ReplayError if
    the record is no game by these rules on the fixture's dice.
    """
    setting = Setting(rules, len(fixture.seats), fixture.max_rounds)
    env = PerudoEnv(setting, fixture.dice_key)
    env.reset(options={"game": record.game})
    for moment in moments(record.events):
        yield from _moment(env, moment)
    if env.game.seat is not None:
        raise ReplayError(f"game {record.game} has no end")
    _bury(env)
    if env.game.referee.record != replace(record, events=list(record.events)):
        raise ReplayError(f"game {record.game} is another one on these dice")


def _moment(env: PerudoEnv, moment: list[Event]) -> Iterator[tuple[PerudoEnv, int]]:
    referee = env.game.referee
    if faults := faults_of(moment):
        if gone := faults.keys() - referee.alive:
            raise ReplayError(f"game {referee.game}: seat {min(gone)} is not there to fault")
        env.forfeit({env.possible_agents[seat]: fault for seat, fault in faults.items()})
        return
    if referee.offering:
        yield from _answers(env, replies(referee, moment[0]))
    if not callers(moment[0]):
        yield from _answers(env, replies(referee, moment[0]))


def _answers(env: PerudoEnv, answers: dict[int, Answer]) -> Iterator[tuple[PerudoEnv, int]]:
    for seat, answer in answers.items():
        _bury(env)
        if env.game.seat != seat or env.game.referee.illegal(seat, answer):
            raise ReplayError(f"game {env.game.referee.game}: the rules forbid {answer!r}")
        action = env.table.action(answer.action, answer.quantity, answer.face)
        yield env, action
        env.step(action)


def _bury(env: PerudoEnv) -> None:
    """Step the agents that are out."""
    while env.agents and env.terminations[env.agent_selection]:
        env.step(None)
