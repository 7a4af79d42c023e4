-- online
-- formerly: 446cc56fe299b36f31a8fec23840ecfe33cae08ff5d227843511b909e8a93119

-- Keys by how they begin, in any locale. Titles follow in search.sql.
create index concurrently if not exists stories_by_key_start on stories (workspace_id, key text_pattern_ops);
create index concurrently if not exists runs_by_key_start on runs (workspace_id, key text_pattern_ops);
create index concurrently if not exists decisions_by_key_start on decisions (workspace_id, key text_pattern_ops);
create index concurrently if not exists incidents_by_key_start on incidents (workspace_id, key text_pattern_ops);
create index concurrently if not exists requirements_by_slug_start on requirements (workspace_id, slug text_pattern_ops);
