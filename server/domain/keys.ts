import { createHmac } from 'node:crypto'
import { type Tx, write } from '../infra/db/db.ts'
import { statement } from '../infra/db/statement.ts'
import type * as Sql from './keys.types.ts'

export type KeyKind = 'run' | 'dec' | 'inc'

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'
const half = alphabet.length ** 2
export const keysPerKind = half * half
const rounds = 8

/**
 * The `n`-th key of a workspace: a keyed permutation of 0 … 36⁴-1. Two counts never give the same key, so nothing
 * is retried; without the workspace's secret the next key cannot be told from the last one.
 */
export function keyOf(kind: KeyKind, n: number, secret: Buffer): string {
  if (n < 0 || n >= keysPerKind)
    throw new RangeError(`A workspace has ${keysPerKind} ${kind}- keys; all are used.`)
  let left = Math.floor(n / half)
  let right = n % half
  // A Feistel network over pairs of base-36 digits: each round is undone by subtracting what it added.
  for (let round = 0; round < rounds; round += 1) {
    const mixed = createHmac('sha256', secret).update(`${kind}:${round}:${right}`).digest().readUInt32BE(0)
    ;[left, right] = [right, (left + mixed) % half]
  }
  return `${kind}-${digits(left)}${digits(right)}`
}

const digits = (pair: number) =>
  alphabet[Math.floor(pair / alphabet.length)]! + alphabet[pair % alphabet.length]!

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
