import type { Details } from '@signalbox/contract/audit-details.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { type Context, theService } from '../../context.ts'
import { changeTogether, changeWhenBegun, type Entry } from '../../record/audit/change.ts'
import {
  deleteChallenges,
  deleteSessionByDigest,
  proveAddress,
  selectMembershipsOf,
  updateMethodByDigest,
  updateProvenAt,
} from './store.ts'

export type Recording = Pick<Context, 'db' | 'clock' | 'queue' | 'origin'>

/** How a person signs in. */
export type Method = Details['signed_in']['method']

/** Something they sign in with, and what was done about it. */
export type MethodChange = Details['sign_in_method_changed']

type OfPerson = Unplaced<
  Entry<
    | 'signed_in'
    | 'sign_in_failed'
    | 'signed_out'
    | 'identity_confirmed'
    | 'session_revoked'
    | 'sign_in_method_changed'
    | 'member_renamed'
    | 'notifications_changed'
  >
>
type Unplaced<E> = E extends unknown ? Omit<E, 'entity'> : never

/** What a person did about signing in. */
export type Happening = OfPerson & {
  personId: string
  /** Of an attempt that failed it is not known who made it. */
  byNobodyKnown?: true
  /** What follows from it, in the same transaction. */
  also?: (tx: Tx, now: Date) => Promise<void>
}

/** Of a session: the digest of its token, and what else is known of how it was begun. */
interface Begun {
  digest: string
  /** When the person proved who they are, where that was before: a provider may have known them for hours. */
  provenAt?: Date | null
  /** Of a terminal: whether the identity provider made the session that confirmed its code. */
  throughProvider?: boolean
}

export const signedIn = (personId: string, method: Method, begun: Begun): Happening => ({
  personId,
  event: 'signed_in',
  details: { method },
  also: (tx, now) => {
    const { digest, provenAt = null, throughProvider = false } = begun
    // A provider whose clock is ahead does not make a proof last longer.
    const earlier = provenAt && provenAt < now ? provenAt : null
    return updateMethodByDigest(tx, digest, { method, provenAt: earlier, throughProvider })
  },
})

export const signInFailed = (personId: string, method: Method): Happening => ({
  personId,
  event: 'sign_in_failed',
  result: 'denied',
  details: { method },
  byNobodyKnown: true,
})

export const signedOut = (personId: string): Happening => ({ personId, event: 'signed_out' })

/** A person who is signed in proved again that it is they. `opened` is what the proof opened, which is not needed. */
export const identityConfirmed = (
  { personId, sessionId }: { personId: string; sessionId: string },
  method: Method,
  { opened, at }: { opened: string | null; at: Date },
): Happening => ({
  personId,
  event: 'identity_confirmed',
  details: { method },
  async also(tx, now) {
    if (opened) await deleteSessionByDigest(tx, opened)
    await updateProvenAt(tx, personId, sessionId, at < now ? at : now)
  },
})

/** A person's sign-in method was added, changed or removed. */
export const methodChanged = (personId: string, details: MethodChange): Happening => ({
  personId,
  event: 'sign_in_method_changed',
  details,
  // What was begun with the old password, or with a link to forget it, ends with it.
  ...(details.method === 'password' ? { also: (tx) => deleteChallenges(tx, personId) } : {}),
})

/** A person chose a new password with a link that was mailed to them or that the operator handed out. */
export const passwordReset = (personId: string): Happening => ({
  personId,
  event: 'sign_in_method_changed',
  details: { method: 'password', action: 'reset' },
  async also(tx, now) {
    await proveAddress(tx, personId, now)
    await deleteChallenges(tx, personId)
  },
})

/** Writes it into the log of each workspace that person is in, together with what `work` does. */
export async function recordOfPerson<T>(
  services: Recording,
  happening: Happening,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return changeTogether(services, async (tx) => ({
    value: await work(tx),
    audit: await entriesOf(services, tx, [happening]),
  }))
}

/** The same where `work` may find that nothing changes. */
export async function recordIfChanged(
  services: Recording,
  work: (tx: Tx) => Promise<Happening | null>,
): Promise<void> {
  await changeTogether(services, async (tx) => {
    const happening = await work(tx)
    return { value: null, audit: happening ? await entriesOf(services, tx, [happening]) : [] }
  })
}

/**
 * The same for what `work` finds to have happened. What it writes in the transaction that it begins is committed
 * together with the entries, or not at all.
 */
export async function recordSigningIn<T>(
  services: Recording,
  work: (begin: () => Promise<Tx>) => Promise<{ value: T; happenings: Happening[] }>,
): Promise<T> {
  return changeWhenBegun(services, async (begin) => {
    const { value, happenings } = await work(begin)
    const audit = happenings.length > 0 ? await entriesOf(services, await begin(), happenings) : []
    return { value, audit }
  })
}

async function entriesOf(services: Recording, tx: Tx, happenings: Happening[]) {
  const audit: { ctx: Context; entry: Entry }[] = []
  for (const { personId, byNobodyKnown, also, ...entry } of happenings) {
    await also?.(tx, services.clock.now())
    for (const { workspaceId, role, name } of await selectMembershipsOf(tx, personId))
      audit.push({
        ctx: {
          ...services,
          workspaceId,
          actor: byNobodyKnown ? theService : { type: 'human', name, userId: personId, role },
          channel: 'app',
        },
        entry: { ...entry, entity: { type: 'member', id: personId, name } },
      })
  }
  return audit
}
