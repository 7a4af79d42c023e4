-- Whence an attempt to sign in came, for its audit entry.
alter table sign_in_follow_ups add column address text;
