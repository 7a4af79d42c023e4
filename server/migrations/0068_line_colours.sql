-- online
-- formerly: a63a3627897e96ad557b7c819c207d27b5556d2b28f14d24239430b408a11022

-- In which colours a line was printed, as `contract/line-colours.ts` writes them. Its text is searched and shown without.
alter table run_log add column if not exists colours text;

-- What a removed practice project has left is in no list: revoked tokens of its runner, and its team in the charts.
alter table api_tokens add column if not exists hidden boolean not null default false;
alter table teams add column if not exists hidden boolean not null default false;
