import { createHmac } from 'node:crypto'
import { type Tx, write } from '../infra/db/db.ts'
import { statement } from '../infra/db/statement.ts'
import type * as Sql from './keys.types.ts'

export type KeyKind = 'run' | 'dec' | 'inc'

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'
const rounds = 8

/** Keys have four characters, as the specification says, until all of these are used up; then six. */
export const shortKeys = alphabet.length ** 4
/** As many as the counter can count. Keys of six characters last longer. */
export const mostKeys = 2 ** 31

/**
 * The `n`-th key of a workspace: a keyed permutation of 0 … 36⁴-1, and of 0 … 36⁶-1 behind it. Two counts never give the
 * same key, so nothing is retried, and the count alone says when the short ones are used up; without the workspace's
 * secret the next key cannot be told from the last one.
 */
export function keyOf(kind: KeyKind, n: number, secret: Buffer): string {
  if (n < 0 || n >= mostKeys) throw new RangeError(`A workspace has ${mostKeys} ${kind}- keys; all are used.`)
  return `${kind}-${n < shortKeys ? permuted(kind, n, 2, secret) : permuted(`${kind}6`, n - shortKeys, 3, secret)}`
}

/** A Feistel network over halves of so many base-36 digits: each round is undone by subtracting what it added. */
function permuted(purpose: string, n: number, digits: number, secret: Buffer): string {
  const half = alphabet.length ** digits
  let left = Math.floor(n / half)
  let right = n % half
  for (let round = 0; round < rounds; round += 1) {
    const mixed = createHmac('sha256', secret).update(`${purpose}:${round}:${right}`).digest().readUInt32BE(0)
    ;[left, right] = [right, (left + mixed) % half]
  }
  return [left, right].map((part) => part.toString(alphabet.length).padStart(digits, '0')).join('')
}

const nextKeySql = statement<Sql.NextKey>(`
  insert into key_counters (workspace_id, kind, last)
  values (:workspaceId, :kind, 0)
  on conflict (workspace_id, kind) do update set last = key_counters.last + 1
  returning last, (select key_secret as "key_secret!" from workspaces where id = :workspaceId)`)

/** Takes the workspace's next key of that kind. */
export async function nextKey(tx: Tx, workspaceId: string, kind: KeyKind): Promise<string> {
  const rows = await write(tx, nextKeySql, { workspaceId, kind })
  return keyOf(kind, rows[0]!.last, rows[0]!.key_secret)
}
