import { type ReportSettings, reportDefaults } from '@signalbox/contract/notifications.ts'
import type { Db, Tx } from '../../../infra/db/db.ts'
import { DomainError } from '../../errors.ts'
import { isTimeZone } from '../../wall-clock.ts'
import { type Recording, recordIfChanged } from '../people/record.ts'
import { selectReportSettings, upsertReportSettings } from './person-store.ts'

/** When a person gets the night shift report, and whether in a chat tool too. */
export const reportSettingsOf = async (db: Db | Tx, personId: string): Promise<ReportSettings> =>
  (await selectReportSettings(db, personId)) ?? reportDefaults

export async function chooseReport(
  services: Recording,
  personId: string,
  settings: ReportSettings,
): Promise<void> {
  if (!isTimeZone(settings.timeZone))
    throw new DomainError('invalid_request', '`timeZone` must be a name like Europe/Oslo.')
  await recordIfChanged(services, async (tx) => {
    const before = await reportSettingsOf(tx, personId)
    await upsertReportSettings(tx, personId, settings)
    const changes = (['hour', 'timeZone', 'byChat'] as const)
      .filter((field) => before[field] !== settings[field])
      .map((field) => ({ field, before: before[field], after: settings[field] }))
    if (changes.length === 0) return null
    return { personId, event: 'notifications_changed', details: { change: 'report', changes } }
  })
}
