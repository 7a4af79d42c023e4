-- online
-- formerly: ca9bfa9ec451b710a308121afd4f3486945ee28b3fd0911410ef11826b84da2b

-- An effect has the name that chat tools use. Keys go with it: the same wish, written again, is still one. A node of the
-- release before may write that wish again under its old key: the second then stays as it is, which new nodes know too.
do $$
declare
  since uuid := '00000000-0000-0000-0000-000000000000';
  until uuid;
begin
  loop
    -- By the primary key, so that no row is looked at twice.
    select id into until
    from (select id from effects where id > since order by id limit 5000) as batch order by id desc limit 1;
    update effects e
    set kind = 'post_ephemeral_message', key = 'ephemeral/' || substr(key, length('whisper/') + 1)
    where id > since and id <= until and kind = 'whisper' and key like 'whisper/%'
      and not exists (
        select from effects other where other.workspace_id = e.workspace_id
          and other.key = 'ephemeral/' || substr(e.key, length('whisper/') + 1)
      );
    commit;
    exit when until is null;
    since := until;
  end loop;
end $$;
