"""The options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., None])


def shared_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Put options together, which stand in the help in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


ROLES = ("quasi", "sensitive", "identifier", "weights", "measure")
TABLE = (*ROLES, "delimiter", "encoding", "decimal", "sheet")  # what is said of every table
ORIGINAL = (*TABLE, "keep", "query")  # what is said of a table that is to be released
roles_options = shared_options(
    click.option(
        "--quasi",
        metavar="COLUMNS",
        multiple=True,
        help="Columns that could identify a person, as in age:bands=5,10,zip:prefix. Add a ladder after a colon: "
        "suppress (the default), keep, bands=5,10, date=month,year, prefix=4,2, right, groups=4, taxonomy=FILE or "
        "characters; with limits as in prefix=4,2! or date=month,year/from=month.",
    ),
    click.option(
        "--sensitive",
        metavar="COLUMNS",
        multiple=True,
        help="Columns that could harm a person, as in disease,salary:ordered. Add a space after a colon: "
        "equal (the default), ordered, numeric, tree=FILE or metric=FILE.",
    ),
    click.option("--identifier", metavar="COLUMNS", multiple=True, help="Columns that are dropped, as in name."),
    click.option(
        "--weights",
        metavar="COLUMN=NUMBER",
        multiple=True,
        help="How much a star counts in a column (1 elsewhere).",
    ),
    click.option(
        "--measure",
        metavar="NAME",
        help="What a label costs: loss (the share of its column that it may stand for; the default), level or entropy.",
    ),
)
keep_option = click.option(
    "--keep",
    metavar="COLUMNS",
    multiple=True,
    help="Columns without a role that are released as they are, as in height: without a note, and even if they could "
    "identify a person.",
)
query_option = click.option(
    "--query",
    metavar="SQL",
    help="Read what this query returns, where INPUT is the URL of a database (postgresql://host/database).",
)
policy_options = shared_options(
    click.option("-k", "--k", metavar="K", help="k-anonymity: every group has at least K rows."),
    click.option(
        "-l",
        "--l",
        metavar="L",
        help="l-diversity: at most 1/L of a group shares a sensitive value; of single columns as in disease=3,cost=2.",
    ),
    click.option(
        "--diversity",
        metavar="FORM",
        help="What -l means: frequency (the default), distinct, entropy or recursive:C.",
    ),
    click.option(
        "-t",
        "--t",
        metavar="T",
        help="t-closeness: no group is farther than T from the whole table; of single columns as in disease=0.2.",
    ),
    click.option(
        "--average-t",
        metavar="BITS",
        help="Average t-closeness: on average, groups tell at most BITS bits of the sensitive values.",
    ),
)
printing_options = shared_options(
    click.option("--json", is_flag=True, default=None, help="Print JSON and nothing else."),
    click.option("-q", "--quiet", is_flag=True, default=None, help="Print nothing but errors."),
)
style_options = shared_options(
    click.option("--delimiter", metavar="CHAR", help="What separates the cells of a CSV file (detected if not given)."),
    click.option(
        "--encoding",
        metavar="NAME",
        help="The encoding of a CSV file and of its release, as in windows-1252 (utf-8 if not given).",
    ),
    click.option(
        "--decimal", metavar="SIGN", help="The decimal sign of numbers in text columns: a comma, or . (the default)."
    ),
    click.option("--sheet", metavar="NAME", help="The sheet of an Excel workbook (the first if not given)."),
)
engine_options = shared_options(
    click.option("--engine", metavar="NAME", help="spark: tables are folders of Parquet, read and written by Spark."),
    click.option("--master", metavar="URL", help="Where Spark runs, as in spark://host:7077 (local[*] if not given)."),
)
file_options = shared_options(
    click.option("--config", metavar="FILE", help="Read settings from a TOML file; flags take precedence."),
    style_options,
    engine_options,
)
reading_options = shared_options(
    file_options,
    click.option(
        "--mark",
        metavar="TEXT",
        help="What a suppressed cell looks like (* if not given), also by column, as in zip=?,age=null. With "
        "age=indicator it is empty, and a column age_hidden says where.",
    ),
    printing_options,
)
escape_option = click.option(
    "--escape-formulas",
    is_flag=True,
    default=None,
    help="A CSV release has a single quote before cells that a spreadsheet would take for formulas.",
)
certificate_option = click.option(
    "--certificate",
    metavar="FILE",
    help="Write the proof of the bound for kilt check (JSON; .gz compresses it). It describes the original: do not "
    "publish it.",
)
report_options = shared_options(
    click.option(
        "--by",
        metavar="COLUMNS",
        multiple=True,
        help="Columns by whose values the report says who lost how much, as in sex,age.",
    ),
    click.option(
        "--detail",
        metavar="NAME",
        help="What the report tells: public (the default), or internal, which is not to be published.",
    ),
    click.option(
        "--frontier",
        metavar="FILE",
        help="Show in the report what other policies would cost: a file with what kilt frontier --json printed.",
    ),
)
log_option = click.option(
    "--log/--no-log",
    default=None,
    help="Print a line for each improvement, at most one a second, on a terminal in place of its panel, and beside "
    "--json, too; with --no-log there is neither.",
)
plot_option = click.option("--plot", metavar="FILE", help="Draw stars and bounds, as a picture (.svg).")
