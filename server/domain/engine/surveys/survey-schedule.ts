import { type MaintenanceSchedule, surveyHour } from '@signalbox/contract/maintenance.ts'

type Repeated = Exclude<MaintenanceSchedule, 'off'>

const at = (year: number, month: number, day: number) => new Date(Date.UTC(year, month, day, surveyHour))

/** The moments of a schedule around a day: some before it, some after it. */
function momentsAround(schedule: Repeated, day: Date): Date[] {
  const [year, month, date] = [day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()]
  if (schedule === 'monthly') return [-1, 0, 1].map((months) => at(year, month + months, 1))
  if (schedule === 'daily') return [-1, 0, 1].map((days) => at(year, month, date + days))
  const monday = date - ((day.getUTCDay() + 6) % 7)
  return [-7, 0, 7].map((days) => at(year, month, monday + days))
}

/** When a survey was last due. Of those that were missed, as while no server ran, only this one is made up for. */
export const lastDue = (schedule: Repeated, now: Date): Date =>
  momentsAround(schedule, now).findLast((moment) => moment <= now)!

/** When the next one is due. */
export const nextDue = (schedule: Repeated, now: Date): Date =>
  momentsAround(schedule, now).find((moment) => moment > now)!

/** Whether one is due now. What was due before the schedule was set is not made up for. */
export function dueOf(
  schedule: Repeated,
  { since, done }: { since: Date; done: Date | null },
  now: Date,
): Date | null {
  const due = lastDue(schedule, now)
  return due >= since && (done === null || done < due) ? due : null
}
