-- Keys by how they begin, in any locale. Titles follow in search.sql.
create index stories_by_key_start on stories (workspace_id, key text_pattern_ops);
create index runs_by_key_start on runs (workspace_id, key text_pattern_ops);
create index decisions_by_key_start on decisions (workspace_id, key text_pattern_ops);
create index incidents_by_key_start on incidents (workspace_id, key text_pattern_ops);
create index requirements_by_slug_start on requirements (workspace_id, slug text_pattern_ops);
