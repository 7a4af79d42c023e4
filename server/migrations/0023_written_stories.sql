-- When an approved story was written: to the tracker or, where none is connected, only here.
alter table stories add column written_at timestamptz;
