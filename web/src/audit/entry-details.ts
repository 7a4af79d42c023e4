import type { AuditEntry, AuditEvent } from '@signalbox/contract/audit.ts'
import type { Details } from '@signalbox/contract/audit-details.ts'
import { type Change, changesInWords, inWords } from './wording.ts'

/** `signal_received` is "Signal received". */
export const spoken = (word: string): string => upperFirst(word.replaceAll('_', ' '))

export const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** The fields that entries of an event have, whichever of its shapes they take, and their values. */
type Field<D> = D extends unknown ? keyof D & string : never
type Value<D, F> = D extends unknown ? (F extends keyof D ? D[F] : never) : never

/** Reads the details of an entry. What an entry lacks was not said, or an earlier version said it otherwise. */
export class EntryDetails<E extends AuditEvent = AuditEvent> {
  readonly entry: AuditEntry
  readonly changes: readonly Change[]

  constructor(entry: AuditEntry) {
    this.entry = entry
    this.changes = Array.isArray(entry.details.changes) ? (entry.details.changes as Change[]) : []
  }

  get failed(): boolean {
    return this.entry.result === 'failure'
  }

  /** The actor and the subject are the same person. */
  get isSelf(): boolean {
    return this.entry.actor.userId === this.entry.entity.id
  }

  is<F extends Field<Details[E]>>(field: F, value: Value<Details[E], F>): boolean {
    return this.entry.details[field] === value
  }

  /** What stands for a field's value in a table of all that it can be. */
  of<F extends Field<Details[E]>>(
    field: F,
    table: Record<Value<Details[E], F> & string, string>,
  ): string | undefined {
    return new Map(Object.entries<string>(table)).get(String(this.entry.details[field]))
  }

  /** A detail in words, with what stands before and after it; nothing where there is none. */
  word(field: Field<Details[E]>, before = '', after = ''): string {
    return this.once(field, before, after)
  }

  /** The same for a field that earlier versions wrote. */
  once(field: string, before = '', after = ''): string {
    const value = this.entry.details[field]
    return value === undefined || value === null || value === '' ? '' : before + inWords(value, field) + after
  }

  count(field: Field<Details[E]>): number {
    const value = this.entry.details[field]
    return Array.isArray(value) ? value.length : typeof value === 'number' ? value : 0
  }

  /** What a person or an outside tool said, at the end of a sentence. */
  get why(): string {
    return this.once('reason', ': ')
  }

  get changed(): string {
    return this.changes.length > 0 ? `: ${changesInWords(this.changes)}` : this.why
  }

  change(field: string): Change | undefined {
    return this.changes.find((change) => change.field === field)
  }
}

export const kind = (details: { once: EntryDetails['once'] }) => details.once('kind', ' (', ')')
