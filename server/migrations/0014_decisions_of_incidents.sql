-- The page of an incident shows what was asked about it; without this, every decision of the workspace is read for it.
create index decisions_by_incident on decisions (workspace_id, incident_id, id desc) where incident_id is not null;
