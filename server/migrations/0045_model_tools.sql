-- What a model's provider may do on the network by itself, past the runner's gateway. Nothing, until somebody says so.
alter table policies add column model_tools text[] not null default '{}';
