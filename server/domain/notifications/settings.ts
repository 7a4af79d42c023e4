import type { NotificationSettings } from '@signalbox/contract/app/account.ts'
import {
  type NotificationKind,
  type NotificationWays,
  notificationDefaults,
  notificationKinds,
} from '@signalbox/contract/notifications.ts'
import type { Db } from '../../infra/db/db.ts'
import { housekeeping } from '../audit/change.ts'
import { selectBrowsers, selectChosen, upsertChoice } from './person-store.ts'

/** What a person is told of and how, and the browsers that take pushes. */
export async function readSettings(
  db: Db,
  personId: string,
): Promise<Pick<NotificationSettings, 'kinds' | 'browsers'>> {
  const [chosen, browsers] = await Promise.all([selectChosen(db, personId), selectBrowsers(db, personId)])
  const kinds = notificationKinds.map(
    (kind) => chosen.find((one) => one.kind === kind) ?? { kind, ...notificationDefaults[kind] },
  )
  return { kinds, browsers: [...browsers] }
}

/** Chooses in which ways one is told of a kind of thing. */
export const choose = (
  db: Db,
  personId: string,
  kind: NotificationKind,
  ways: NotificationWays,
): Promise<void> =>
  housekeeping(db, 'what somebody wants to be told', (tx) => upsertChoice(tx, personId, kind, ways))
