-- An effect has the name that chat tools use. Keys go with it: the same wish, written again, is still one.
update effects set kind = 'post_ephemeral_message', key = 'ephemeral/' || substr(key, length('whisper/') + 1)
where kind = 'whisper' and key like 'whisper/%';
