"""The old release: what would be lost with it, and what is handed on to the new one (owner, grants, comments)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kilt.errors import InputError, raise_all
from kilt.sources.file_format import quoted
from kilt.sources.sql.engine import listed
from kilt.sources.sql.names import TableName, sql_name
from kilt.sources.sql.postgres.connection import Postgres

ABOUT = """
SELECT c.relkind::text, pg_catalog.pg_get_userbyid(c.relowner)::text, pg_catalog.pg_has_role(c.relowner, 'USAGE'),
       c.relrowsecurity OR EXISTS (SELECT FROM pg_catalog.pg_policy p WHERE p.polrelid = c.oid),
       EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal),
       c.relispartition OR EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE c.oid IN (i.inhparent, i.inhrelid)),
       EXISTS (SELECT FROM pg_catalog.pg_publication_rel p WHERE p.prrelid = c.oid),
       pg_catalog.obj_description(c.oid, 'pg_class')
FROM pg_catalog.pg_class c WHERE c.oid = {oid}
"""
DEPENDENTS = """
SELECT DISTINCT 'the view ' || pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(v.relname)
FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_rewrite r ON r.oid = d.objid
JOIN pg_catalog.pg_class v ON v.oid = r.ev_class JOIN pg_catalog.pg_namespace n ON n.oid = v.relnamespace
WHERE d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.refclassid = 'pg_catalog.pg_class'::regclass
  AND d.refobjid = {oid} AND v.oid <> {oid} AND v.relpersistence <> 't'
UNION
SELECT 'the table ' || k.conrelid::regclass::text FROM pg_catalog.pg_constraint k
WHERE k.contype = 'f' AND k.confrelid = {oid} AND k.conrelid <> {oid}
ORDER BY 1
"""
GRANTS = """
SELECT coalesce(a.attname::text, ''), coalesce(pg_catalog.quote_ident(r.rolname), 'PUBLIC'),
       x.privilege_type, x.is_grantable
FROM (SELECT NULL::name AS attname, c.relacl AS acl, c.relowner FROM pg_catalog.pg_class c WHERE c.oid = {oid}
      UNION ALL SELECT a.attname, a.attacl, c.relowner FROM pg_catalog.pg_attribute a
      JOIN pg_catalog.pg_class c ON c.oid = a.attrelid WHERE a.attrelid = {oid} AND NOT a.attisdropped) a
CROSS JOIN LATERAL pg_catalog.aclexplode(a.acl) x LEFT JOIN pg_catalog.pg_roles r ON r.oid = x.grantee
WHERE x.grantee <> a.relowner ORDER BY 1, 2, 3
"""
COMMENTS = """
SELECT a.attname::text, pg_catalog.col_description({oid}, a.attnum) FROM pg_catalog.pg_attribute a
WHERE a.attrelid = {oid} AND a.attnum > 0 AND NOT a.attisdropped
  AND pg_catalog.col_description({oid}, a.attnum) IS NOT NULL
"""
Grant = tuple[str, str, str, bool]  # column or "", grantee, privilege, with the right to grant it


@dataclass(frozen=True)
class OldRelease:
    """What the catalog says of a table that is to be replaced."""

    table: TableName
    kind: str
    owner: str
    is_ours: bool
    lost: tuple[str, ...]  # what it has that a new table would not have
    dependents: tuple[str, ...]
    grants: tuple[Grant, ...]
    comment: str | None
    comments: tuple[tuple[str, str], ...]

    @classmethod
    def read(cls, engine: Postgres, oid: int, table: TableName) -> OldRelease:
        """Read what there is, as the session sees it now."""
        found = engine.rows(ABOUT.format(oid=oid))
        if not found:
            raise InputError(f"the table '{table}' was made or dropped by another session meanwhile: run it again")
        ((kind, owner, is_ours, secured, triggered, related, replicated, comment),) = found
        having = {
            "row-level security": secured,
            "triggers": triggered,
            "parent or child tables": related,
            "a place in a publication": replicated,
        }
        return cls(
            table=table,
            kind=kind,
            owner=owner,
            is_ours=is_ours,
            lost=tuple(what for what, is_there in having.items() if is_there),
            dependents=tuple(row[0] for row in engine.rows(DEPENDENTS.format(oid=oid))),
            grants=tuple(engine.rows(GRANTS.format(oid=oid))),
            comment=comment,
            comments=tuple((row[0], row[1]) for row in engine.rows(COMMENTS.format(oid=oid))),
        )

    def require_replaceable(self) -> None:
        """Raise if something would be lost with the table."""
        problems = []
        if self.kind != "r":
            problems.append(f"'{self.table}' is not an ordinary table")
        if not self.is_ours:
            problems.append(f"it belongs to the user '{self.owner}'")
        if self.lost:
            problems.append(f"it has {' and '.join(self.lost)}, which a new table would not have")
        if self.dependents:
            problems.append(f"{listed(self.dependents)} {'depends' if len(self.dependents) == 1 else 'depend'} on it")
        raise_all(
            [f"the output '{self.table}' cannot be replaced: {'; '.join(problems)}: choose another table"]
            * bool(problems)
        )

    def handed_on(self, engine: Postgres, made: TableName, columns: Sequence[str]) -> Iterator[str]:
        """Return the statements that make owner, grants and comments of a new table those of this one."""
        ((me, oid),) = engine.rows(f"SELECT current_user::text, {quoted(made.sql)}::regclass::oid::int8")
        for grantee in {row[1] for row in engine.rows(GRANTS.format(oid=oid))}:
            yield f"REVOKE ALL ON TABLE {made.sql} FROM {grantee}"  # what new tables are granted by default
        if me != self.owner:
            yield f"ALTER TABLE {made.sql} OWNER TO {sql_name(self.owner)}"
        for column, grantee, privilege, grantable in self.grants:
            if not column or column in columns:
                named = f" ({sql_name(column)})" if column else ""
                option = " WITH GRANT OPTION" if grantable else ""
                yield f"GRANT {privilege}{named} ON TABLE {made.sql} TO {grantee}{option}"
        if self.comment is not None:
            yield f"COMMENT ON TABLE {made.sql} IS {_literal(self.comment)}"
        for column, comment in self.comments:
            if column in columns:
                yield f"COMMENT ON COLUMN {made.sql}.{sql_name(column)} IS {_literal(comment)}"


def _literal(text: str) -> str:
    return quoted(text)  # standard_conforming_strings is on, so that a backslash is itself
