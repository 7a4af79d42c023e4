-- What is inside of the box that a repository's work runs in: the runner's own tools, a named image, or the image that the
-- repository's devcontainer.json names.
alter table team_repositories
  add column inside text not null default 'tools' check (inside in ('tools', 'image', 'devcontainer')),
  add column image text,
  add check ((inside = 'image') = (image is not null));
