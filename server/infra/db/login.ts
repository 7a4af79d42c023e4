import { createHmac } from 'node:crypto'
import pg from 'pg'
import { appRole } from './db.ts'

/**
 * Who the server is in its embedded database. It owns what is in there and has no other right: it cannot become
 * superuser, read files of the machine or run programs. The superuser only prepares it.
 */
export const login = 'signalbox_server'

/** Follows from the superuser's, and does not lead back to it. */
export const loginPassword = (superuserPassword: string) =>
  createHmac('sha256', superuserPassword).update(login).digest('base64url')

/** Two processes may come at the same time. */
const loginLock = 4402

/**
 * Makes the login and gives it the database and everything in it; called by the superuser, at every start. Folders of
 * older versions belong to the superuser, and what an older version adds when it comes back does too.
 */
export async function prepareLogin(superuser: pg.Client, superuserPassword: string): Promise<void> {
  await superuser.query(`
    do $$
    declare
      command text;
    begin
      perform pg_advisory_xact_lock(${loginLock});
      if not exists (select from pg_roles where rolname = '${appRole}') then
        create role ${appRole} nologin;
      end if;
      if not exists (select from pg_roles where rolname = '${login}') then
        create role ${login} login password ${pg.escapeLiteral(loginPassword(superuserPassword))};
        grant ${appRole} to ${login};
      end if;
      for command in ${transfers} loop
        execute command;
      end loop;
    end $$`)
}

/** REASSIGN OWNED refuses the superuser that made the cluster: what the system itself needs is its own as well. */
const transfers = `
  with ours as (
    select oid, nspname, nspowner from pg_namespace
    where nspname <> 'information_schema' and nspname not like 'pg\\_%'
  )
  select format('alter database %I owner to ${login}', datname) from pg_database
  where datname = current_database() and datdba = current_user::regrole
  union all
  select format('alter schema %I owner to ${login}', nspname) from ours where nspowner = current_user::regrole
  union all
  select format('alter table %s owner to ${login}', class.oid::regclass)
  from pg_class class join ours on ours.oid = relnamespace
  where relowner = current_user::regrole and (relkind in ('r', 'p', 'v', 'm') or relkind = 'S' and not exists (
    -- One that belongs to a column follows its table.
    select from pg_depend where classid = 'pg_class'::regclass and objid = class.oid and deptype in ('a', 'i')
  ))
  union all
  select format('alter routine %s owner to ${login}', routine.oid::regprocedure)
  from pg_proc routine join ours on ours.oid = pronamespace
  where proowner = current_user::regrole
  union all
  select format('alter type %s owner to ${login}', type.oid::regtype)
  from pg_type type join ours on ours.oid = typnamespace
  where typowner = current_user::regrole and typtype in ('d', 'e', 'r')`
