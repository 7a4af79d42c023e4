-- An answer changes four fields of a decision as readers see it. The server has the rest at hand and writes it with the
-- answer; building all of it again took longer than everything else about the row. Whoever leaves it as it is, such as
-- the trigger on stories, has it rendered from the row as before.
drop trigger decisions_render on decisions;

create trigger decisions_render_new before insert on decisions
  for each row execute function render_decision();

create trigger decisions_render_changed before update on decisions
  for each row when (new.wire is not distinct from old.wire) execute function render_decision();
