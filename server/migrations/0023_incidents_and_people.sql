-- The person in whose name it is done, and the way in they used; null where nobody asked for it.
alter table effects
  add column ordered_by uuid references people,
  add column ordered_through text,
  add check ((ordered_by is null) = (ordered_through is null));
