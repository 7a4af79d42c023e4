import type { NotificationSettings } from '@signalbox/contract/app/account.ts'
import {
  type NotificationKind,
  type NotificationWays,
  notificationDefaults,
  notificationKinds,
} from '@signalbox/contract/notifications.ts'
import type { Db, Tx } from '../../../infra/db/db.ts'
import { type Recording, recordIfChanged } from '../people/record.ts'
import { isInChat, selectBrowsers, selectChosen, upsertChoice } from './person-store.ts'
import { reportSettingsOf } from './report-settings.ts'

/** What a person is told about and how, and the browsers that take pushes. */
export async function readSettings(
  db: Db,
  personId: string,
): Promise<Pick<NotificationSettings, 'kinds' | 'browsers' | 'report' | 'chat'>> {
  const [kinds, browsers, report, chat] = await Promise.all([
    chosenBy(db, personId),
    selectBrowsers(db, personId),
    reportSettingsOf(db, personId),
    isInChat(db, personId),
  ])
  return { kinds, browsers: [...browsers], report, chat }
}

async function chosenBy(db: Db | Tx, personId: string) {
  const chosen = await selectChosen(db, personId)
  return notificationKinds.map(
    (kind) => chosen.find((one) => one.kind === kind) ?? { kind, ...notificationDefaults[kind] },
  )
}

/** Chooses in which ways one is told about a kind of thing. */
export const choose = (
  services: Recording,
  personId: string,
  kind: NotificationKind,
  ways: NotificationWays,
): Promise<void> =>
  recordIfChanged(services, async (tx) => {
    const before = (await chosenBy(tx, personId)).find((one) => one.kind === kind)!
    await upsertChoice(tx, personId, kind, ways)
    const changes = (['inApp', 'byMail', 'byPush'] as const)
      .filter((way) => before[way] !== ways[way])
      .map((field) => ({ field, before: before[field], after: ways[field] }))
    if (changes.length === 0) return null
    return { personId, event: 'notifications_changed', details: { change: 'ways', kind, changes } }
  })
