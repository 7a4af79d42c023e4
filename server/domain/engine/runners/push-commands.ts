import { Readable } from 'node:stream'
import { DomainError } from '../../errors.ts'

/** One command with all that git says about itself is a few hundred bytes. */
const mostBytes = 8_192

/** What a push may ask for beside its command. Others would change what follows, or what it means. */
const known =
  /^(report-status|report-status-v2|side-band-64k|quiet|atomic|ofs-delta|(agent|object-format|session-id)=\S+)$/

/**
 * Lets a push through that creates or moves one branch and nothing else. The list of commands comes first in what git
 * sends, in lines with their length in front; it is read before anything is passed on, and then passed on as it came.
 * A list that can be read in two ways is refused, since the host would read it the other way.
 */
export async function pushOnly(body: Readable, branch: string): Promise<Readable> {
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  let read = Buffer.alloc(0)
  for (;;) {
    const list = listIn(read)
    if (list) {
      if (list.lines.length > 0) {
        checkLines(list.lines, branch)
        return Readable.from(withRest(read, chunks), { objectMode: false })
      }
      // Before a large push git sends an empty list, to see whether it is let in.
      if (read.length > list.bytes || !(await chunks.next()).done) throw unreadable()
      return Readable.from([read], { objectMode: false })
    }
    if (read.length > mostBytes) throw unreadable()
    const next = await chunks.next()
    if (next.done) throw unreadable()
    read = Buffer.concat([read, next.value])
  }
}

async function* withRest(first: Buffer, chunks: AsyncIterator<Buffer>) {
  yield first
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
}

/** The lines up to the empty one that ends the list; null: it has not come whole. */
function listIn(bytes: Buffer): { lines: Buffer[]; bytes: number } | null {
  const lines: Buffer[] = []
  for (let at = 0; at + 4 <= bytes.length; ) {
    const digits = bytes.toString('latin1', at, at + 4)
    if (!/^[0-9a-f]{4}$/.test(digits)) throw unreadable()
    const length = Number.parseInt(digits, 16)
    if (length === 0) return { lines, bytes: at + 4 }
    if (length <= 4 || length > mostBytes) throw unreadable()
    if (at + length > bytes.length) return null
    lines.push(bytes.subarray(at + 4, at + length))
    at += length
  }
  return null
}

function checkLines([line, ...more]: Buffer[], branch: string): void {
  const text = line!.toString('utf8')
  const end = text.indexOf('\0')
  const command = end < 0 ? text.replace(/\n$/, '') : text.slice(0, end)
  const wishes = end < 0 ? '' : text.slice(end + 1).replace(/\n$/, '')
  const [, , after, ref] =
    /^([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) (.+)$/.exec(command) ?? []
  // A certificate, or where a shallow copy ends: neither comes from a runner.
  if (!after || !ref) throw unreadable()
  if (ref !== `refs/heads/${branch}` || more.length > 0)
    throw new DomainError('insufficient_scope', `This work order can only push to ${branch}.`)
  if (/^0+$/.test(after))
    throw new DomainError('insufficient_scope', `This work order cannot delete ${branch}.`)
  const strange = wishes.split(' ').find((wish) => wish !== '' && !known.test(wish))
  if (strange !== undefined)
    throw new DomainError(
      'insufficient_scope',
      'A push through this server has no options and no certificate.',
    )
}

const unreadable = () =>
  new DomainError('invalid_request', 'This is not a push of one branch that this server can read.')
