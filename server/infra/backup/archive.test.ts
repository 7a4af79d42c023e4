import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { Decrypter, Encrypter } from 'age-encryption'
import { decrypted, encrypted } from './age.ts'
import { readArchive, writeArchive } from './archive.ts'
import { checkedContents, endName, jsonEntry, manifestName, Tally } from './contents.ts'
import type { TarEntry } from './tar.ts'

const passphrase = 'correct horse battery staple'
/** Around the size of a chunk of age. */
const sizes = [0, 1, 65_535, 65_536, 65_537, 200_000]

test('what is encrypted here is opened by the library of the makers of age, and the other way round', async () => {
  const theirs = new Decrypter()
  theirs.addPassphrase(passphrase)
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(10)
  for (const size of sizes) {
    const text = randomBytes(size)
    const ours = Buffer.concat(await all(encrypted(inParts(text), passphrase)))
    assert.deepEqual(Buffer.from(await theirs.decrypt(ours)), text)
    const made = Buffer.from(await encrypter.encrypt(text))
    assert.deepEqual(Buffer.concat(await all(decrypted(inParts(made), passphrase))), text)
  }
})

test('what comes out of an archive is what went in, encrypted or not, and not a byte can be changed or left out', async () => {
  const entries = sizes.map((size, at) => ({ name: `data/t/${at}.copy`, bytes: randomBytes(size) }))
  for (const secret of [null, passphrase]) {
    const file = await written(entries, secret)
    // The compressor ends with an empty frame of 13 bytes, in which nothing is.
    const end = secret === null ? file.length - 13 : file.length
    assert.deepEqual(await all(readArchive(inParts(file), secret)), entries)
    for (const at of [3, 80, 250, end >> 1, end - 1]) {
      const changed = Buffer.from(file)
      changed[at]! ^= 1
      await assert.rejects(all(readArchive(inParts(changed), secret)), `byte ${at} of ${file.length}`)
    }
    for (const length of [0, 10, 300, end >> 1, end - 1])
      await assert.rejects(all(readArchive(inParts(file.subarray(0, length)), secret)), `${length} bytes`)
  }
})

test('a backup that is encrypted says so, and says when the passphrase is another', async () => {
  const file = await written([{ name: 'a', bytes: Buffer.from('b') }], passphrase)
  await assert.rejects(all(readArchive(inParts(file), null)), /is encrypted\. Set BACKUP_PASSPHRASE/)
  await assert.rejects(all(readArchive(inParts(file), 'another one, also long')), /another passphrase/)
})

test('contents are checked against what their end says: a row, a table or the end that is missing is noticed', async () => {
  const manifest = { format: 1, part: 'database', tables: [{ name: 't', columns: ['a'], partition: null }] }
  const rows = { name: 'data/t/000001.copy', bytes: Buffer.from('1\n2\\n\n') }
  const tally = new Tally()
  tally.add('t', rows.bytes)
  const end = { tables: tally.of(['t']), sequences: {} }
  assert.equal(end.tables.t?.rows, 2)
  const good = [jsonEntry(manifestName, manifest), rows, jsonEntry(endName, end)]
  assert.equal((await all(checkedContents(good.values() as never))).length, 3)
  const refused: [TarEntry[], RegExp][] = [
    [good.slice(0, 2), /its end is missing/],
    [[good[0]!, good[2]!], /table t has 0 rows/],
    [[good[0]!, { ...rows, bytes: Buffer.from('1\n3\\n\n') }, good[2]!], /not the ones that were written/],
    [[...good, rows], /follows its end/],
    [good.slice(1), /not a backup of Signalbox/],
    [[jsonEntry(manifestName, { ...manifest, part: 'secrets' })], /holds the secrets part/],
  ]
  for (const [entries, why] of refused)
    await assert.rejects(all(checkedContents(entries.values() as never)), why)
})

async function written(entries: TarEntry[], secret: string | null): Promise<Buffer> {
  const to = new PassThrough()
  const parts = all(to as AsyncIterable<Buffer>)
  await writeArchive(entries.values() as never, secret, to)
  return Buffer.concat(await parts)
}

async function* inParts(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 10_007) yield bytes.subarray(at, at + 10_007)
}

const all = <T>(source: AsyncIterable<T>): Promise<T[]> => Array.fromAsync(source)
