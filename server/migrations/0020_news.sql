-- What open pages are told: which entries of the audit log were written lately, by which transaction. Transactions are
-- numbered by the database, so nobody's clock has a say in what is new. Kept for a day; see domain/audit/news.ts.
create table audit_news (
  workspace_id uuid not null,
  written_by xid8 not null default pg_current_xact_id(),
  entry_id uuid not null,
  written_at timestamptz not null default now(),
  primary key (workspace_id, written_by, entry_id)
)
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
