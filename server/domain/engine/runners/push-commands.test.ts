import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { DomainError } from '../../errors.ts'
import { pushOnly } from './push-commands.ts'

const branch = 'signalbox/run-7k2q/2'
const ref = `refs/heads/${branch}`
const [before, after, nothing] = ['a'.repeat(40), 'b'.repeat(40), '0'.repeat(40)]
const wishes = ' report-status-v2 side-band-64k quiet object-format=sha1 agent=git/2.39.5'

const line = (text: string) => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`
const list = (...lines: string[]) => `${lines.map(line).join('')}0000`
const pack = Buffer.concat([Buffer.from('PACK'), randomBytes(300)])
const pushing = (head: string, rest = pack) => Buffer.concat([Buffer.from(head), rest])

/** In pieces, cut anywhere. */
function cut(bytes: Buffer, most = 40): Readable {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = randomInt(1, most)
    pieces.push(bytes.subarray(at, at + length))
    at += length
  }
  return Readable.from(pieces, { objectMode: false })
}

const refused = async (bytes: Buffer, reason: RegExp) =>
  assert.rejects(pushOnly(cut(bytes), branch), (error) => {
    assert.ok(error instanceof DomainError, String(error))
    assert.match(error.message, reason)
    return true
  })

test('a push of the one branch goes through byte by byte as it came, however it was cut', async () => {
  for (const head of [
    list(`${before} ${after} ${ref}\0${wishes}`),
    list(`${nothing} ${after} ${ref}\0${wishes}\n`),
    list(`${nothing} ${after} ${ref}`),
    list(`${'a'.repeat(64)} ${'b'.repeat(64)} ${ref}\0 object-format=sha256`),
  ])
    for (let time = 0; time < 25; time += 1) {
      const bytes = pushing(head)
      assert.deepEqual(await buffer(await pushOnly(cut(bytes, time + 2), branch)), bytes)
    }
})

test('before a large push git looks whether it is let in: an empty list goes through, and nothing behind it', async () => {
  assert.equal((await buffer(await pushOnly(cut(Buffer.from('0000')), branch))).toString(), '0000')
  await refused(pushing('0000'), /not a push/)
  await refused(Buffer.from(`0000${list(`${before} ${after} refs/heads/main`)}`), /not a push/)
})

test('no other branch, tag or ref is touched, alone or beside the right one', async () => {
  for (const other of [
    'refs/heads/main',
    'refs/heads/signalbox/run-7k2q/1',
    'refs/heads/signalbox/run-7k2q/22',
    'refs/heads/signalbox/run-7k2q/2/../../../main',
    'refs/tags/signalbox/run-7k2q/2',
    'refs/heads/Signalbox/run-7k2q/2',
    `${ref} `,
    `${ref}\n`,
    branch,
    'HEAD',
  ]) {
    await refused(
      pushing(list(`${before} ${after} ${other}\0${wishes}`)),
      /only push to signalbox|not a push/,
    )
    const right = `${before} ${after} ${ref}\0${wishes}`
    await refused(pushing(list(right, `${before} ${after} ${other}`)), /only push to/)
    await refused(pushing(list(`${before} ${after} ${other}\0${wishes}`, right)), /only push to|not a push/)
  }
})

test('a branch is not deleted, and no options, certificates or unknown wishes go with it', async () => {
  await refused(pushing(list(`${before} ${nothing} ${ref}\0${wishes}`)), /cannot delete/)
  for (const wish of ['push-options', 'push-cert=1', 'something-new', 'agent='])
    await refused(
      pushing(list(`${before} ${after} ${ref}\0${wishes} ${wish}`)),
      /no options and no certificate/,
    )
  await refused(pushing(list(`push-cert\0${wishes}`, 'certificate version 0.1')), /not a push/)
  await refused(pushing(list(`shallow ${before}`, `${before} ${after} ${ref}\0${wishes}`)), /not a push/)
})

test('what can be read in two ways, has no end, or is too long is refused', async () => {
  const right = line(`${before} ${after} ${ref}\0${wishes}`)
  for (const head of [
    '',
    right,
    `0001${right}0000`,
    `0004${right}0000`,
    `+0a0${right}0000`,
    ` 0a0${right}0000`,
    `00A0${right}0000`,
    `PACK`,
    `ffff${'x'.repeat(10_000)}`,
    list('x'.repeat(3_000), 'x'.repeat(3_000), 'x'.repeat(3_000)),
    list(`${before}  ${after} ${ref}\0${wishes}`),
    list(`${before.toUpperCase()} ${after} ${ref}\0${wishes}`),
    list(`${before} ${after}\t${ref}\0${wishes}`),
  ])
    await refused(Buffer.from(head), /not a push|only push/)
})

test('whatever one byte of the list is changed to, what goes through still names the branch alone', async () => {
  const head = list(`${before} ${after} ${ref}\0${wishes}`)
  for (let time = 0; time < 2_000; time += 1) {
    const changed = Buffer.from(head)
    changed[randomInt(changed.length)] = randomInt(256)
    const through = await pushOnly(Readable.from([changed], { objectMode: false }), branch).then(
      buffer,
      (error) => assert.ok(error instanceof DomainError, String(error)),
    )
    if (through)
      assert.match(through.toString('latin1'), new RegExp(`^[0-9a-f]{4}[0-9a-f]{40} [0-9a-f]{40} ${ref}\0`))
  }
})
