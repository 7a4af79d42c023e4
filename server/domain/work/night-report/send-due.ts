import { notificationDefaults, reportDefaults } from '@signalbox/contract/notifications.ts'
import { notify } from '../../accounts/notifications/add.ts'
import { asService, type Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import type { Span } from '../../record/audit/read-span.ts'
import { addEffect } from '../../record/outbox/add.ts'
import { composeReport, isEmpty, type Night } from './compose.ts'
import { isDue, type Morning, morningOf, spanStartOf } from './morning.ts'
import { type PersonContext, readNight, readPersonalInbox } from './read-night.ts'
import { insertReport, selectDueOfAllWorkspaces, selectHoursOfAllPeople, selectLastEnd } from './store.ts'
import { summaryOf, titleOf } from './text.ts'

type Services = Pick<Context, 'db' | 'clock' | 'queue'>
type Due = Awaited<ReturnType<typeof selectDueOfAllWorkspaces>>[number]

/** In one turn; the next is a minute later. */
const mostAtOnce = 500

/**
 * Sends the night shift report to everyone whose hour has come and who has not had this morning's. The row that says so is
 * written together with the notification and what is to be sent: killed before, a node has sent nothing; after, the
 * outbox has it. Nothing happened and nothing waits: the row is written, and no one is told.
 */
export async function sendDueReports(services: Services, onError: (error: Error) => void): Promise<number> {
  const now = services.clock.now()
  const { hour, timeZone } = reportDefaults
  const hours = [
    { hour, timeZone, isDefault: true },
    ...(await selectHoursOfAllPeople(services.db)).map((chosen) => ({ ...chosen, isDefault: false })),
  ]
  const nights = new Nights(services)
  let sent = 0
  for (const chosen of hours) {
    const morning = morningOf(now, chosen)
    if (!isDue(morning, now)) continue
    const due = await selectDueOfAllWorkspaces(services.db, {
      ...{ ...chosen, ...notificationDefaults.report },
      ...{ morning: morning.morning, joinedBefore: morning.evening, rows: mostAtOnce },
    })
    for (const one of due)
      try {
        if (await sendTo(services, nights, one, morning, now)) sent += 1
      } catch (error) {
        // The others have theirs all the same, and this one is tried again in a minute.
        onError(error as Error)
      }
  }
  return sent
}

/** What happened is the same for everyone whose report has the same span: it is read once a turn. */
class Nights {
  readonly #services: Services
  readonly #read = new Map<string, Promise<Night>>()

  constructor(services: Services) {
    this.#services = services
  }

  of(workspaceId: string, span: Span): Promise<Night> {
    const key = `${workspaceId} ${span.from.getTime()} ${span.until.getTime()}`
    const night = this.#read.get(key) ?? readNight(asService(this.#services, workspaceId), span)
    // People come by workspace: of those before no one is left.
    if (!this.#read.has(key) && this.#read.size >= mostNights) this.#read.clear()
    this.#read.set(key, night)
    return night
  }
}

const mostNights = 20

async function sendTo(
  services: Services,
  nights: Nights,
  { workspaceId, personId, name, role, byChat }: Due,
  due: Morning,
  now: Date,
): Promise<boolean> {
  const ctx = asService(services, workspaceId)
  const from = spanStartOf(due, await selectLastEnd(ctx.db, workspaceId, personId, due.morning), now)
  const span = { from, until: now }
  const person: PersonContext = { ...ctx, actor: { type: 'human', name, userId: personId, role } }
  const [night, theirs] = await Promise.all([nights.of(workspaceId, span), readPersonalInbox(person, now)])
  const { morning } = due
  const report = composeReport({ morning, ...span }, night, theirs)
  return change(ctx, async (tx) => {
    const row = { morning, ...span, isEmpty: isEmpty(report) }
    const isFirst = await insertReport(tx, workspaceId, personId, row)
    const isSent = isFirst && !row.isEmpty
    if (isSent) {
      const mailed = await notify(ctx, tx, [personId], {
        ...{ kind: 'report', thing: morning, what: 'sent', title: titleOf(morning), body: summaryOf(report) },
      })
      const data = { person: personId, morning }
      if (mailed.length > 0)
        await addEffect(ctx, tx, { kind: 'mail_report', key: `mail_report/${personId}/${morning}`, data })
      if (byChat)
        await addEffect(ctx, tx, { kind: 'post_report', key: `post_report/${personId}/${morning}`, data })
    }
    // That someone was told something is no change of theirs: the notification is the record of it.
    return { value: isSent, audit: [] }
  })
}
