import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'
import { ByteReader } from './tar.ts'

/**
 * Encryption with a passphrase in the format of age (age-encryption.org/v1, C2SP), so that what is encrypted here can be
 * opened with that tool, without us. Of the format this is the half that takes a passphrase, on the cryptography of
 * Node: the library of its makers does the same in JavaScript, slower and on the thread that serves.
 */

export class CannotDecrypt extends Error {}

const intro = 'age-encryption.org/v1\n'
const chunkBytes = 64 * 1024
const tagBytes = 16
const cipher = 'chacha20-poly1305'
/** 64 MB of memory for a tenth of a second: what a small machine can spare. */
const workFactor = 16
const mostWorkFactor = 20
const longestHeaderBytes = 1_024

export const isAge = (start: Buffer): boolean => start.toString('latin1', 0, intro.length) === intro
export const ageIntroBytes = intro.length

export async function* encrypted(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const fileKey = randomBytes(16)
  const salt = randomBytes(16)
  const wrapped = sealed(await wrappingKey(passphrase, salt, workFactor), Buffer.alloc(12), fileKey)
  const head = `${intro}-> scrypt ${base64(salt)} ${workFactor}\n${base64(wrapped)}\n---`
  yield Buffer.from(`${head} ${base64(macOf(head, fileKey))}\n`)
  const nonce = randomBytes(16)
  yield nonce
  const key = derived(fileKey, nonce, 'payload')
  const bytes = new ByteReader(source)
  let chunk = await bytes.takeUpTo(chunkBytes)
  for (let count = 0; ; count += 1) {
    // Whether a chunk is the last shows only behind it.
    const next = chunk.length < chunkBytes ? empty : await bytes.takeUpTo(chunkBytes)
    yield sealed(key, nonceOf(count, next.length === 0), chunk)
    if (next.length === 0) return
    chunk = next
  }
}

/** Nothing comes out of it that was not checked; what is cut off is noticed at the end. */
export async function* decrypted(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const bytes = new ByteReader(source)
  const fileKey = await readHeader(bytes, passphrase)
  const key = derived(fileKey, await bytes.take(16), 'payload')
  let chunk = await bytes.takeUpTo(chunkBytes + tagBytes)
  for (let count = 0; ; count += 1) {
    const next = chunk.length < chunkBytes + tagBytes ? empty : await bytes.takeUpTo(chunkBytes + tagBytes)
    const text = opened(key, nonceOf(count, next.length === 0), chunk)
    if (text === null) throw new CannotDecrypt('The backup was changed, or is cut short.')
    yield text
    if (next.length === 0) return
    chunk = next
  }
}

async function readHeader(bytes: ByteReader, passphrase: string): Promise<Buffer> {
  let header = ''
  while (!/\n--- \S+\n$/.test(header)) {
    header += (await bytes.take(1)).toString('latin1')
    if (header.length > longestHeaderBytes) throw new CannotDecrypt(notOurs)
  }
  const [, head, salt, factor, wrapped, mac] =
    /^((?:age-encryption\.org\/v1\n)-> scrypt (\S{22}) (\d{1,2})\n(\S{43})\n---) (\S{43})\n$/.exec(header) ??
    []
  if (!head || !salt || !factor || !wrapped || !mac || Number(factor) > mostWorkFactor)
    throw new CannotDecrypt(notOurs)
  const key = await wrappingKey(passphrase, Buffer.from(salt, 'base64'), Number(factor))
  const fileKey = opened(key, Buffer.alloc(12), Buffer.from(wrapped, 'base64'))
  if (fileKey === null) throw new CannotDecrypt('The backup is encrypted with another passphrase.')
  if (!timingSafeEqual(macOf(head, fileKey), Buffer.from(mac, 'base64')))
    throw new CannotDecrypt('The beginning of the backup was changed.')
  return fileKey
}

const notOurs = 'The backup is encrypted, but not with a passphrase.'
const empty = Buffer.alloc(0)

const wrappingKey = (passphrase: string, salt: Buffer, factor: number): Promise<Buffer> =>
  (promisify(scrypt) as (...given: unknown[]) => Promise<Buffer>)(
    passphrase,
    Buffer.concat([Buffer.from('age-encryption.org/v1/scrypt'), salt]),
    32,
    { N: 2 ** factor, r: 8, p: 1, maxmem: 2 ** (factor + 11) },
  )

const derived = (key: Buffer, salt: Buffer, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, 32))

const macOf = (head: string, fileKey: Buffer): Buffer =>
  createHmac('sha256', derived(fileKey, empty, 'header'))
    .update(head)
    .digest()

function nonceOf(count: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(count, 5, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

function sealed(key: Buffer, nonce: Buffer, text: Buffer): Buffer {
  const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes })
  return Buffer.concat([sealing.update(text), sealing.final(), sealing.getAuthTag()])
}

function opened(key: Buffer, nonce: Buffer, bytes: Buffer): Buffer | null {
  if (bytes.length < tagBytes) return null
  const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
  opening.setAuthTag(bytes.subarray(-tagBytes))
  try {
    return Buffer.concat([opening.update(bytes.subarray(0, -tagBytes)), opening.final()])
  } catch {
    return null
  }
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
