import {
  argon2,
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'

/** Everything secret grows from one key, so that an operator has one thing to keep and to hand to every node. */
export interface Secrets {
  /** Tells two keys apart without revealing either: that of the key in use is kept in the database. */
  readonly fingerprint: string
  /** Those of SECRET_KEY and, while it is being rotated, of the key before it. */
  readonly known: readonly string[]
  /** Has everything from here on be made with the known key of that fingerprint. False: it is not known here. */
  use(fingerprint: string): boolean
  derive(purpose: string, bytes?: number): Buffer
  /** Has `derive` give this for a purpose whose key outlives the one that it was derived from. */
  carry(purpose: string, bytes: Buffer): void
  /** For MACs. The first makes them, each of them is accepted: what was made before a rotation counts after it. */
  macKeys(purpose: string): MacKeys
  /**
   * Encrypts what must be read again, such as the secret of a source. What was changed does not decrypt, and neither
   * does what was put into a row that it was not made for.
   */
  encrypt(text: string, row: string): Buffer
  /** Also reads what was encrypted with the key before, and what was encrypted before rows were bound. */
  decrypt(bytes: Buffer, row: string): string
  isBound(bytes: Buffer, row: string): boolean
  /** The same encrypted with the key in use; null when it is already. */
  reseal(bytes: Buffer, row: string): Buffer | null
  /** Signs the audit log's checkpoints. The private halves never enter the database. */
  readonly signing: Signing
}

export type MacKeys = () => readonly [KeyObject, ...KeyObject[]]

export interface SigningKey {
  privateKey: KeyObject
  publicKey: KeyObject
}

/** The key in use. While SECRET_KEY is being rotated, the other signs as well, so that either can check. */
interface Signing extends SigningKey {
  also?: readonly SigningKey[]
}

/** With the key before, while it is being replaced. `use` says which of the two is in use; it begins with the first. */
export function secretsFrom(secretKey: string, previous: string | null = null): Secrets {
  const keys = [secretKey, ...(previous === null || previous === secretKey ? [] : [previous])].map(oneKey)
  const carried = new Map<string, Buffer>()
  let current = keys[0]!
  const inOrder = () => [current, ...keys.filter((key) => key !== current)] as const
  const opened = (bytes: Buffer, row: string): string => {
    for (const key of inOrder()) {
      const text = key.openBound(bytes, row) ?? key.open(bytes, null)
      if (text !== null) return text
    }
    throw new Error(`What is stored as ${row} cannot be decrypted with this SECRET_KEY, or was changed.`)
  }
  const encrypt = (text: string, row: string) => current.encrypt(text, row)
  return {
    get fingerprint() {
      return current.fingerprint
    },
    known: keys.map(({ fingerprint }) => fingerprint),
    use(fingerprint) {
      const found = keys.find((key) => key.fingerprint === fingerprint)
      if (found) current = found
      return found !== undefined
    },
    derive: (purpose, bytes) => carried.get(purpose) ?? current.derive(purpose, bytes),
    carry: (purpose, bytes) => void carried.set(purpose, bytes),
    macKeys(purpose) {
      // Made once: from bytes, a key would be made for each MAC, which takes longer than the MAC.
      const made = new Map(keys.map((key) => [key, createSecretKey(key.derive(purpose))]))
      return () => inOrder().map((key) => made.get(key)!) as unknown as ReturnType<MacKeys>
    },
    encrypt,
    decrypt: opened,
    isBound: (bytes, row) => keys.some((key) => key.openBound(bytes, row) !== null),
    reseal: (bytes, row) =>
      current.openBound(bytes, row) === null ? encrypt(opened(bytes, row), row) : null,
    get signing() {
      const [own, ...also] = inOrder().map((key) => key.signing)
      return { ...own!, also }
    },
  }
}

function oneKey(secretKey: string) {
  const derive = (purpose: string, bytes = 32) =>
    Buffer.from(hkdfSync('sha256', secretKey, 'signalbox', purpose, bytes))
  // RFC 8410: an Ed25519 private key is a 32-byte seed behind this fixed DER head.
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), derive('audit signing')])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const storing = derive('stored secrets')
  const open = (bytes: Buffer, row: string | null): string | null => {
    try {
      const decipher = createDecipheriv('aes-256-gcm', storing, bytes.subarray(0, nonceBytes))
      if (row !== null) decipher.setAAD(Buffer.from(row))
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      const text = decipher.update(bytes.subarray(nonceBytes + tagBytes))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    } catch {
      return null
    }
  }
  return {
    fingerprint: derive('fingerprint', 16).toString('hex'),
    derive,
    open,
    // What was encrypted before begins with a random byte, which may be the same: only the key tells.
    openBound: (bytes: Buffer, row: string) =>
      bytes[0] === bound[0] ? open(bytes.subarray(bound.length), row) : null,
    encrypt(text: string, row: string) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', storing, nonce).setAAD(Buffer.from(row))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([bound, nonce, cipher.getAuthTag(), sealed])
    },
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
