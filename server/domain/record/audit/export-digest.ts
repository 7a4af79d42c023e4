import { hash } from 'node:crypto'

/** A digest of an export's entries and their order. It is logged, so an entry that is removed later is noticed. */
export function exportDigest(ids: string[]): string {
  return hash('sha256', ids.map((id) => `${id}\n`).join(''), 'base64')
}
