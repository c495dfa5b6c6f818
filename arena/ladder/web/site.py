"""The published site, as the door serves it: compressed, and kept by browsers that ask again."""

from os import PathLike, stat_result
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Scope

from arena.ladder.web.problems import RequestError

_FONT = "font.css"
_ASK_AGAIN = "no-cache"
_FOR_EVER = "public, max-age=31536000, immutable"
_LEVEL = 5
"""Of gzip: higher ones take twice the time for a hundredth less."""


def published(site: Path) -> ASGIApp:
    """Return the application that serves the site in a folder, which need not be there yet."""
    # A site has links to those of closed seasons beside it.
    files = _Site(directory=site, html=True, check_dir=False, follow_symlink=True)
    return GZipMiddleware(files, compresslevel=_LEVEL)


class _Site(StaticFiles):
    async def check_config(self) -> None:
        """Raise RequestError as long as nothing is published."""
        if not Path(str(self.directory)).is_dir():
            raise _nothing()

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file of the site; raises RequestError for a front page that is not there yet."""
        try:
            return await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code == 404 and path in {".", "index.html"}:
                raise _nothing() from None
            raise

    def file_response(
        self,
        full_path: str | PathLike[str],
        stat: stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """Return a file, or that it is the one that the browser has."""
        response = super().file_response(full_path, stat, scope, status_code)
        # The address of the font has its hash.
        is_font = Path(full_path).name == _FONT and scope["query_string"]
        response.headers["Cache-Control"] = _FOR_EVER if is_font else _ASK_AGAIN
        # The same tag stands for compressed and plain bytes: it is a weak one.
        response.headers["ETag"] = f"W/{response.headers['ETag']}"
        return response


def _nothing() -> RequestError:
    return RequestError(404, "nothing is published yet", "results come after the first games")
