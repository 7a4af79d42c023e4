import type { Db, Tx } from '../../../infra/db/db.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import { isSignedWith } from '../../../infra/signed-note.ts'
import { resealTwoFactors } from '../../accounts/people/reseal-two-factors.ts'
import { asService, type Context } from '../../context.ts'
import { resealSources } from '../../on-call/sources/reseal.ts'
import type { Identity } from '../../ports/identity.ts'
import { changeTogether, type Entry, housekeeping } from '../../record/audit/change.ts'
import { changeLogKey } from '../../record/seals/change-key.ts'
import { newestCheckpoints } from '../../record/seals/newest-checkpoints.ts'
import { resealApps } from '../../tools/connections/apps/reseal.ts'
import { resealConnections } from '../../tools/connections/reseal.ts'
import { resealEndpoints } from '../../tools/webhooks/reseal.ts'
import { pushPurpose, pushSeedRow } from './push-seed.ts'
import {
  countResealedOfInstance,
  finishRotationOfInstance,
  isKeyMissingOnNode,
  isOtherKeyUsedOnNode,
  lockKeyOfInstance,
  selectAllWorkspaces,
  selectRotationOfInstance,
  startRotationOfInstance,
  updatePushSeedOfInstance,
} from './store.ts'

export interface RotationServices extends Pick<Context, 'db' | 'clock' | 'queue'> {
  secrets: Secrets
  identity: Pick<Identity, 'reseal'>
  /** Called with what neither key opens. It was lost before. */
  onUnreadable: (row: string) => void
}

/**
 * Carries a rotation of SECRET_KEY on, as far as it gets now. It starts when every node has the new key: until then all
 * of them go on with the old one, which each of them knows. Then everything is encrypted with the new key, and when
 * nothing is left and no node seals with the old one, it is finished.
 */
export async function rotateKey(
  services: RotationServices,
): Promise<'idle' | 'waiting' | 'under way' | 'finished'> {
  const { db, secrets } = services
  const before = (await selectRotationOfInstance(db))!
  const wanted = secrets.known[0]!
  if (before.fingerprint !== wanted && before.previous === null && !(await start(services, wanted)))
    return 'waiting'
  const { fingerprint, previous } = (await selectRotationOfInstance(db))!
  if (previous === null) return 'idle'
  secrets.use(fingerprint)
  const count = await resealAll(services)
  if (count > 0)
    await housekeeping(db, 'count what was encrypted again', (tx) => countResealedOfInstance(tx, count))
  const isDone =
    count === 0 && !(await isOtherKeyUsedOnNode(db, fingerprint)) && (await isLogSigned(services))
  if (!isDone) return 'under way'
  await finish(services)
  return 'finished'
}

/** False while a node has not been started with the new key. */
async function start(services: RotationServices, wanted: string): Promise<boolean> {
  const { clock, secrets } = services
  return changeTogether(services, async (tx) => {
    const { fingerprint, previous, pushSeed } = await lockKeyOfInstance(tx)
    if (fingerprint === wanted || previous !== null) return { value: true, audit: [] }
    if (!secrets.use(fingerprint) || (await isKeyMissingOnNode(tx, wanted)))
      return { value: false, audit: [] }
    const at = clock.now()
    const { also, ...old } = secrets.signing
    const audit = await forEachWorkspace(services, tx, async (workspaceId) => ({
      change: 'started' as const,
      ...(await changeLogKey(tx, workspaceId, { before: old, after: also![0]!, at })),
    }))
    const seed = secrets.derive(pushPurpose)
    // Should the transaction fail, the node is told within a second to use the old key again.
    secrets.use(wanted)
    secrets.carry(pushPurpose, seed)
    await startRotationOfInstance(tx, {
      ...{ fingerprint: wanted, previous: fingerprint, startedAt: at },
      pushSeed: pushSeed ?? secrets.encrypt(seed.toString('hex'), pushSeedRow),
    })
    return { value: true, audit }
  })
}

/** Everything that is encrypted with SECRET_KEY. What is only signed with it is short-lived, and either key is accepted. */
async function resealAll({ db, secrets, identity, onUnreadable }: RotationServices): Promise<number> {
  const reseal = (bytes: Buffer, row: string) => {
    try {
      return secrets.reseal(bytes, row)
    } catch {
      onUnreadable(row)
      return null
    }
  }
  const twoFactor = async (text: string) =>
    identity.reseal(text).catch(() => {
      onUnreadable('two_factors')
      return null
    })
  const counts = [
    await resealSources(db, reseal),
    await resealConnections(db, reseal),
    await resealApps(db, reseal),
    await resealEndpoints(db, reseal),
    await resealTwoFactors(db, twoFactor),
    await resealPushSeed(db, reseal),
  ]
  return counts.reduce((sum, count) => sum + count, 0)
}

const resealPushSeed = (db: Db, reseal: Secrets['reseal']): Promise<number> =>
  housekeeping(db, 'encrypt secrets with the new key', async (tx) => {
    const { pushSeed } = await lockKeyOfInstance(tx)
    const again = pushSeed && reseal(pushSeed, pushSeedRow)
    if (!again) return 0
    await updatePushSeedOfInstance(tx, again)
    return 1
  })

/** A log goes on only from a checkpoint that a known key has signed: each must have one of the new key. */
async function isLogSigned({ db, secrets }: RotationServices): Promise<boolean> {
  const { publicKey } = secrets.signing
  return (await newestCheckpoints(db)).every((note) => isSignedWith(note, publicKey))
}

async function finish(services: RotationServices): Promise<void> {
  await changeTogether(services, async (tx) => {
    const resealed = await finishRotationOfInstance(tx, services.clock.now())
    if (resealed === undefined) return { value: undefined, audit: [] }
    const audit = await forEachWorkspace(services, tx, async () => ({
      change: 'finished' as const,
      resealed,
    }))
    return { value: undefined, audit }
  })
}

type Said = Extract<Entry, { event: 'secret_key_rotated' }>['details']

async function forEachWorkspace(
  services: RotationServices,
  tx: Tx,
  detailsOf: (workspaceId: string) => Promise<Said>,
): Promise<{ ctx: Context; entry: Entry }[]> {
  const audit: { ctx: Context; entry: Entry }[] = []
  for (const { id, slug, name } of await selectAllWorkspaces(tx))
    audit.push({
      ctx: asService(services, id),
      entry: {
        event: 'secret_key_rotated',
        entity: { type: 'workspace', id: slug, name },
        details: await detailsOf(id),
      },
    })
  return audit
}
