import type { Context } from '../../context.ts'
import type { Identity } from '../../ports/identity.ts'
import type { Mailer } from '../../ports/mailer.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { mailReset } from './mail-reset.ts'
import { type Method, recordOfPerson, signInFailed } from './record.ts'
import {
  deleteFollowUpById,
  type FollowUp,
  hasDueFollowUpsOfAllPeople,
  selectPersonBy,
  takeFollowUpsOfAllPeople,
} from './store.ts'

export interface FollowUpServices extends Pick<Context, 'db' | 'clock' | 'queue'> {
  identity: Pick<Identity, 'resetToken'>
  /** Null: no mail is sent. */
  mailer: Mailer | null
  publicUrl: () => string
  /** A sign-in failed for an account we do not know. */
  onStranger: (attempt: { requestId: string; method: Method }) => void
  onError: (error: Error) => void
}

/** Longer than a mail server takes. If the node that took one dies, another takes it then. */
const holdMs = 60_000
/** A link that could not be mailed by then is not waited for any more. */
const worthMailingMs = 3_600_000
const most = 100

/** Does what answered sign-ins and requests for a link have left to be done. */
export async function settleFollowUps(services: FollowUpServices): Promise<void> {
  const now = services.clock.now()
  // Mostly nothing is: a read costs less than a transaction, and goes out together with the others of this second.
  if (!(await hasDueFollowUpsOfAllPeople(services.db, now))) return
  const due = await housekeeping(services.db, 'take what answers have left to be done', (tx) =>
    takeFollowUpsOfAllPeople(tx, now, new Date(now.getTime() + holdMs), most),
  )
  for (const followUp of due) await settle(services, followUp, now).catch(services.onError)
}

async function settle(services: FollowUpServices, followUp: FollowUp, now: Date): Promise<void> {
  const { id, personId, method, requestId, at } = followUp
  if (personId && method) return recordFailure(services, followUp, signInFailed(personId, method))
  if (method) services.onStranger({ requestId, method })
  else if (personId && now.getTime() - at.getTime() < worthMailingMs) await mailLink(services, personId)
  await housekeeping(services.db, 'forget what an answer had left to be done', (tx) =>
    deleteFollowUpById(tx, id),
  )
}

/** Reports the time of the attempt. The note goes with it, so that it is reported once. */
async function recordFailure(
  { db, queue }: FollowUpServices,
  { id, requestId, address, at }: FollowUp,
  failure: ReturnType<typeof signInFailed>,
): Promise<void> {
  const recording = {
    db,
    queue,
    clock: { now: () => at },
    origin: { requestId, ...(address ? { address } : {}) },
  }
  await recordOfPerson(recording, failure, async (tx) => {
    if (!(await deleteFollowUpById(tx, id))) throw new Error('someone else has recorded it already')
  })
}

/** The link is made here: what is kept until now opens nothing. */
async function mailLink(
  { db, identity, mailer, publicUrl }: FollowUpServices,
  personId: string,
): Promise<void> {
  const person = await selectPersonBy(db, { id: personId })
  if (!person || !mailer) return
  const token = await identity.resetToken(personId)
  await mailReset(mailer, person, `${publicUrl()}/login/reset?token=${token}`)
}
