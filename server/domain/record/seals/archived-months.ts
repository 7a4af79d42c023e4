import { monthOf } from '../audit/month.ts'
import { type ArchivedMonth, MonthTally, openArchivedMonth } from './archived-month.ts'
import type { Findings } from './findings.ts'
import type { LogKeys } from './log-keys.ts'
import type { LeafWithEntry } from './store.ts'

interface Row {
  month: string
  file: string
  note: string
}

/**
 * Months whose entries are in files, while a log is being read. An entry that is missing is excused by the signed note
 * about its month, and the leaves of the month have to be those that the note was signed for.
 */
export class ArchivedMonths {
  readonly #findings: Findings
  readonly #months = new Map<string, { said: ArchivedMonth; file: string; tally: MonthTally }>()

  constructor(workspaceId: string, keys: LogKeys, rows: readonly Row[], findings: Findings) {
    this.#findings = findings
    for (const { month, file, note } of rows) {
      const said = openArchivedMonth(note, workspaceId, keys)
      if (said?.month === month) this.#months.set(month, { said, file, tally: new MonthTally() })
      else
        findings.add(
          `The log says that ${month} was archived, but that is not signed with the key of this log.`,
        )
    }
  }

  has(entryId: string): boolean {
    return this.#months.size > 0 && this.#months.has(monthOf(entryId))
  }

  /** Whether the entry of the leaf is in a file. */
  take({ entry_id, hash }: Pick<LeafWithEntry, 'entry_id' | 'hash'>): boolean {
    const month = this.#months.size > 0 ? this.#months.get(monthOf(entry_id)) : undefined
    month?.tally.add(hash)
    return month !== undefined
  }

  /** After the last leaf. What is worth knowing of each month. */
  end(): string[] {
    return [...this.#months.values()].map(({ said, file, tally }) => {
      const { month, entries, digest, at } = said
      if (tally.entries !== entries || tally.digest() !== digest)
        this.#findings.add(
          `The signed note about ${month} is of ${entries} entries, and the log has ${tally.entries} seals for that month${tally.entries === entries ? ', which are not the same' : ''}.`,
        )
      return `${month} was archived at ${at.toISOString()}: ${entries} entries, in ${file}.`
    })
  }
}
