import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { type Change, changesInWords, inWords } from './wording.ts'

/** `signal_received` is "Signal received". */
export const spoken = (word: string): string => upperFirst(word.replaceAll('_', ' '))

export const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Reads the details of an entry. */
export class Told {
  readonly entry: AuditEntry
  readonly changes: readonly Change[]

  constructor(entry: AuditEntry) {
    this.entry = entry
    this.changes = Array.isArray(entry.details.changes) ? (entry.details.changes as Change[]) : []
  }

  get failed(): boolean {
    return this.entry.result === 'failure'
  }

  /** Whoever acted did it to themselves. */
  get isSelf(): boolean {
    return this.entry.actor.userId === this.entry.entity.id
  }

  is(name: string, value: unknown): boolean {
    return this.entry.details[name] === value
  }

  /** A detail in words, with what stands before and after it; nothing where there is none. */
  word(name: string, before = '', after = ''): string {
    const value = this.entry.details[name]
    return value === undefined || value === null || value === '' ? '' : before + inWords(value, name) + after
  }

  count(name: string): number {
    const value = this.entry.details[name]
    return Array.isArray(value) ? value.length : typeof value === 'number' ? value : 0
  }

  /** A detail that is meant for people, at the end of a sentence. */
  get why(): string {
    return this.word('reason', ': ')
  }

  get changed(): string {
    return this.changes.length > 0 ? `: ${changesInWords(this.changes)}` : this.why
  }

  change(field: string): Change | undefined {
    return this.changes.find((change) => change.field === field)
  }
}

export const kind = (told: Told) => told.word('kind', ' (', ')')
