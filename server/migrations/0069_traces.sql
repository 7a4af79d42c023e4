-- The trace that a run belongs to, as W3C Trace Context writes it; null: tracing was off when it began.
alter table runs add column traceparent text;
