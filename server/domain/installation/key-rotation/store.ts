import { reads, writes } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

export const selectRotationOfInstance = reads.one<Sql.SelectRotationOfInstance>()(`
  select secret_fingerprint as fingerprint, previous_fingerprint as previous,
    rotation_started_at as "startedAt", rotation_finished_at as "finishedAt"
  from instance`)

/** Of two nodes, one starts it. */
export const lockKeyOfInstance = writes.only<Sql.LockKeyOfInstance>()(`
  select secret_fingerprint as fingerprint, previous_fingerprint as previous, push_seed as "pushSeed"
  from instance
  for update`)

/** Whether a node that serves was started without that SECRET_KEY. One of the release before does not say. */
export const isKeyMissingOnNode = writes.exists<Sql.IsKeyMissingOnNode>('key')(`
  select from nodes
  where lease_until > clock_timestamp() and secret_keys[1] is distinct from :key
  limit 1`)

/** Whether a node that serves still seals with another key. */
export const isOtherKeyUsedOnNode = reads.exists<Sql.IsOtherKeyUsedOnNode>('key')(`
  select from nodes
  where lease_until > clock_timestamp() and seals_with is distinct from :key
  limit 1`)

export const startRotationOfInstance = writes.run<Sql.StartRotationOfInstance>(
  '{ fingerprint, previous, pushSeed, startedAt }',
)(`
  update instance
  set secret_fingerprint = :fingerprint, previous_fingerprint = :previous, push_seed = :pushSeed,
    rotation_started_at = :startedAt, rotation_finished_at = null, resealed = 0`)

export const countResealedOfInstance = writes.run<Sql.CountResealedOfInstance>('count')(
  'update instance set resealed = resealed + :count',
)

export const updatePushSeedOfInstance = writes.run<Sql.UpdatePushSeedOfInstance>('pushSeed')(
  'update instance set push_seed = :pushSeed',
)

/** How many secrets were encrypted again; undefined where another node has finished it. */
export const finishRotationOfInstance = writes.value<Sql.FinishRotationOfInstance>('finishedAt')(`
  update instance set previous_fingerprint = null, rotation_finished_at = :finishedAt
  where previous_fingerprint is not null
  returning resealed`)

export const selectAllWorkspaces = reads.many<Sql.SelectAllWorkspaces>()(
  'select id, slug, name from workspaces order by id',
)
