-- Whether a review at the git host that asks for changes starts another attempt.
alter table policies add column rework_on_review boolean not null default false;
