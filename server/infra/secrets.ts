import {
  argon2,
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'

/** Everything secret grows from one key, so that an operator has one thing to keep and to hand to every node. */
export interface Secrets {
  /** Tells two keys apart without revealing either; kept in the database to refuse a node with another key. */
  fingerprint: string
  derive(purpose: string, bytes?: number): Buffer
  /**
   * Encrypts what must be read again, such as the secret of a source. What was changed does not decrypt, and neither
   * does what was put into a row that it was not made for.
   */
  encrypt(text: string, row: string): Buffer
  /** Also reads what was encrypted before rows were bound. */
  decrypt(bytes: Buffer, row: string): string
  isBound(bytes: Buffer, row: string): boolean
  /** Signs the audit log's checkpoints. The private half never enters the database. */
  signing: { privateKey: KeyObject; publicKey: KeyObject }
}

export function secretsFrom(secretKey: string): Secrets {
  const derive = (purpose: string, bytes = 32) =>
    Buffer.from(hkdfSync('sha256', secretKey, 'signalbox', purpose, bytes))
  // RFC 8410: an Ed25519 private key is a 32-byte seed behind this fixed DER head.
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), derive('audit signing')])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const storing = derive('stored secrets')
  const opened = (bytes: Buffer, row: string | null): string => {
    const decipher = createDecipheriv('aes-256-gcm', storing, bytes.subarray(0, nonceBytes))
    if (row !== null) decipher.setAAD(Buffer.from(row))
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    const text = decipher.update(bytes.subarray(nonceBytes + tagBytes))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  }
  // What was encrypted before begins with a random byte, which may be the same: only the key tells.
  const openBound = (bytes: Buffer, row: string): string | null => {
    if (bytes[0] !== bound[0]) return null
    try {
      return opened(bytes.subarray(bound.length), row)
    } catch {
      return null
    }
  }
  return {
    fingerprint: derive('fingerprint', 16).toString('hex'),
    derive,
    encrypt(text, row) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', storing, nonce).setAAD(Buffer.from(row))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([bound, nonce, cipher.getAuthTag(), sealed])
    },
    decrypt: (bytes, row) => openBound(bytes, row) ?? opened(bytes, null),
    isBound: (bytes, row) => openBound(bytes, row) !== null,
    signing: { privateKey, publicKey: createPublicKey(privateKey) },
  }
}

/** Marks what is bound to its row. */
const bound = Buffer.of(1)
const nonceBytes = 12
const tagBytes = 16

const derived = promisify(argon2).bind(null, 'argon2id')

/** As many hashes are made at a time, so that a rush of sign-ins leaves the rest of the machine to everyone else. */
const slots = 2
let taken = 0
const waiting: (() => void)[] = []

async function argon2id(parameters: Parameters<typeof derived>[0]): Promise<Buffer> {
  if (taken < slots) taken += 1
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    return await derived(parameters)
  } finally {
    const next = waiting.shift()
    if (next) next()
    else taken -= 1
  }
}

// OWASP's minimum for argon2id: 19 MiB, two passes, one lane.
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await argon2id({ message: password, nonce, ...cost })
  const b64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${b64(nonce)}$${b64(tag)}`
}

export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash)
  if (!match) return false
  const [, memory, passes, parallelism, nonce, tag] = match
  const expected = Buffer.from(tag!, 'base64')
  const actual = await argon2id({
    message: password,
    nonce: Buffer.from(nonce!, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  })
  return timingSafeEqual(actual, expected)
}
