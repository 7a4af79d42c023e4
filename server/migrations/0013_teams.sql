-- A deleted team is found no more; what it did stays, and nobody else gets its slug or its story keys.
alter table teams add column deleted_at timestamptz;
