import { firstIdAt, timeOfId } from '../../../infra/ids.ts'

/** The month of an entry, in UTC: its id begins with its time. */
export const monthOf = (entryId: string): string => timeOfId(entryId).toISOString().slice(0, 7)

/** The first moment of the month that comes so many months after this one. */
export function monthAfter(month: string, months: number): Date {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, number - 1 + months))
}

/** Between which ids the entries of a month are. */
export const idsOfMonth = (month: string): { firstId: string; pastId: string } => ({
  firstId: firstIdAt(monthAfter(month, 0)),
  pastId: firstIdAt(monthAfter(month, 1)),
})
