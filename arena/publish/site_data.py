"""Data files of a site, and all files that ratings alone decide."""

from collections.abc import Iterator

from arena.game.records import LeagueInfo
from arena.publish.data import result_tables
from arena.publish.data.schema import DataTable, LeagueHead, to_csv, to_json
from arena.publish.links import links
from arena.publish.output.site_folder import File
from arena.publish.pages import leaderboard
from arena.publish.pages.heatmap import heatmaps
from arena.ratings.league_ratings import Ratings


def files_of_ratings(league: LeagueInfo, ratings: Ratings) -> Iterator[File]:
    """Yield data and pictures of leaderboards: what a site shows of them has no links to games."""
    head, of, alpha = LeagueHead(league.name), links(league, ratings.boards), ratings.options.alpha
    yield from table_files(result_tables.suspicions(head, alpha, ratings.suspicions))
    if overall := ratings.overall:
        yield from table_files(result_tables.overall(overall))
    for board in ratings.boards:
        if len(board.rows) > leaderboard.TOP:
            for scheme, picture in heatmaps(leaderboard.matrix(board), len(board.rows)).items():
                yield File(of.picture(board, scheme), picture)
        for make in (result_tables.leaderboard, result_tables.head_to_head, result_tables.better):
            table = make(board)
            yield from table_files(table, of.data_stem(board, table.type.name))


def table_files(table: DataTable, stem: str = "") -> Iterator[File]:
    """Yield a table as CSV and as JSON; by default they are called as its type."""
    stem = stem or f"data/{table.type.name}"
    yield File(f"{stem}.csv", to_csv(table))
    yield File(f"{stem}.json", to_json(table))
