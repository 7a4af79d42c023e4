-- A word has one meaning: a place is a place of a chat tool, a telling is one of an incident, an answer is a person's.
alter table runs rename column place to phase;
alter index runs_by_place rename to runs_by_phase;
alter table run_events rename column place to phase;
alter table uptime_states rename column told to signalled;
alter table idempotency_keys rename column answer to response;
