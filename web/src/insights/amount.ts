import { microsPerCent } from '@signalbox/contract/money.ts'
import { money } from '../browser/formats.ts'

export const centsOf = (micros: number) => Math.round(micros / microsPerCent)

/** Less than a cent is not nothing. */
export const amount = (micros: number) =>
  micros > 0 && micros < microsPerCent / 2 ? 'under €0.01' : money(centsOf(micros))
