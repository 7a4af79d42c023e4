import type { Db } from '../../../infra/db/db.ts'
import { rangesBeside } from '../../../infra/merkle.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import { MonthTally, signArchivedMonth } from '../seals/archived-month.ts'
import { checkEntry } from '../seals/check-entry.ts'
import { checkpointOver, monthLeaves } from '../seals/month-leaves.ts'
import { hashesOf, keyPart } from '../seals/prove.ts'
import { type MonthHead, monthFormat } from './month-file.ts'

/** Why a month has to stay for now. */
export class MonthStays extends Error {}

export interface MonthToWrite {
  workspace: { id: string; slug: string }
  month: string
  /** The positions of its first and last entry. */
  first: number
  last: number
  at: Date
}

/** The head of a month's file, and the lines after it. Everything is held against its seal first. */
export async function writeMonth(
  db: Db,
  signing: Secrets['signing'],
  about: MonthToWrite,
): Promise<{ head: MonthHead; lines: AsyncIterable<string> }> {
  const { workspace, month, at } = about
  const tally = new MonthTally()
  const positions: number[] = []
  for await (const leaf of monthLeaves(db, about.workspace.id, about)) {
    const [finding] = checkEntry(workspace.id, leaf)
    if (finding) throw new MonthStays(`${finding} Verify the log with verify-audit.`)
    tally.add(leaf.hash)
    positions.push(leaf.position)
  }
  const covering = await checkpointOver(db, workspace.id, about.last)
  if (!covering) throw new MonthStays('Its last entries are not sealed yet.')
  const { size, root, note: checkpoint } = covering
  const said = { workspaceId: workspace.id, month, entries: tally.entries, digest: tally.digest() }
  const keys = [signing, ...(signing.also ?? [])].map(({ privateKey }) => privateKey)
  const head: MonthHead = {
    format: monthFormat,
    ...{ workspace: workspace.id, slug: workspace.slug, month, entries: tally.entries, checkpoint },
    note: signArchivedMonth({ ...said, size, root, at }, ...keys),
    ...(await keyPart(db, signing.publicKey, workspace.id)),
  }
  const beside = await hashesOf(db, workspace.id, rangesBeside(size, positions))
  return { head, lines: linesOf(db, about, head, beside) }
}

async function* linesOf(
  db: Db,
  about: MonthToWrite,
  head: MonthHead,
  beside: readonly { from: number; to: number; hash: Buffer }[],
): AsyncGenerator<string> {
  yield `${JSON.stringify(head)}\n`
  const left = [...beside].reverse()
  const hashesUpTo = function* (position: number) {
    while (left.length > 0 && left.at(-1)!.from < position) {
      const { from, to, hash } = left.pop()!
      yield `${JSON.stringify({ from, to, hash: hash.toString('base64') })}\n`
    }
  }
  for await (const { position, hash, entry } of monthLeaves(db, about.workspace.id, about)) {
    yield* hashesUpTo(position)
    // As it is sealed: names and addresses are references, so that who is erased later is in no file either.
    yield `{"position":${position},"hash":"${hash.toString('base64')}","entry":${entry}}\n`
  }
  yield* hashesUpTo(Number.POSITIVE_INFINITY)
}
