"""`etude site`: the static site."""

import gc
import shlex
from dataclasses import replace
from pathlib import Path

import click

from grader.cli import options
from grader.errors import UsageError
from sitegen.build import build_site
from sitegen.from_collection.builder import ContentBuilder, open_site_cache
from sitegen.hosting import Hosting
from sitegen.pyodide import PUBLIC_PACKAGES, list_packages, read_distribution

# Most objects of a build live until its end, so the garbage collector seldom needs to run.
_GC_THRESHOLD = 200_000


@click.group("site")
def command() -> None:
    """Build the static site from the same definitions that are graded."""


@command.command("build")
@options.path_option("--output", "Where to write it.", metavar="DIR", required=True)
@click.option(
    "--base-url",
    metavar="PATH",
    help="Where the host will have it, such as /etude/; for the page that says 'not found'. "
    "By default / or the path of --site-url.",
)
@click.option(
    "--site-url",
    metavar="URL",
    help="Its whole address, such as https://example.org/etude/. Only then are there a sitemap, a "
    "feed, canonical links and addresses in what other sites show of a page.",
)
@click.option(
    "--pyodide-url",
    metavar="URL",
    help="The folder that pages load Python from; by default that of a public network.",
)
@options.path_option(
    "--pyodide-dir",
    "A Pyodide distribution with NumPy to copy into the site, which then needs no other host.",
    options.EXISTING_FOLDER,
)
@click.option(
    "--embed-in",
    multiple=True,
    metavar="ORIGIN",
    help="A site that may show pages in frames, such as https://lms.example.org; may be repeated.",
)
@click.option(
    "--with-solutions",
    is_flag=True,
    help="Publish the model answers and their explanations too, for anyone to read.",
)
@click.option(
    "--certified",
    is_flag=True,
    help="Keep hidden tests out of pages, whatever course.yaml says: for `etude serve`.",
)
@click.option("--no-cache", is_flag=True, help="Make every page again, and remember nothing of it.")
@options.exercises_option
def build(
    output: Path,
    base_url: str | None,
    site_url: str | None,
    pyodide_url: str | None,
    pyodide_dir: Path | None,
    embed_in: tuple[str, ...],
    with_solutions: bool,
    certified: bool,
    no_cache: bool,
    exercises: tuple[Path, ...],
) -> None:
    """Write an index, and a page for each track, each lesson and each exercise.

    Every lesson is run, so that its page shows what its code gives now. Exercises are solved in the
    browser, by Python that runs there.

    \b
    Examples:
      etude site build --output build/site
      etude site build --output build/site --site-url https://example.org/etude/
    """
    if pyodide_url and pyodide_dir:
        raise UsageError("--pyodide-url and --pyodide-dir are two places for one thing")
    packages = list_packages(pyodide_dir) if pyodide_dir else PUBLIC_PACKAGES
    hosting = Hosting.from_options(
        base_url=base_url, site_url=site_url, pyodide_url=pyodide_url, embed_in=embed_in
    )
    folders = options.collection_folders(exercises)
    gc.set_threshold(_GC_THRESHOLD)
    with ContentBuilder(
        with_solutions=with_solutions,
        certified=certified,
        cache=None if no_cache else open_site_cache(),
        page_packages=packages,
    ) as builder:
        content = builder.build_collection(*folders)
        if pyodide_dir:
            hosting = replace(hosting, pyodide=read_distribution(pyodide_dir, content.packages))
        pages = build_site(content, output, hosting=hosting, processes=options.cores())
    click.echo(f"{pages} pages in {output}; their programs run only from a server, such as")
    click.echo(f"python3 -m http.server --bind 127.0.0.1 --directory {shlex.quote(str(output))}")
