import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { writeAtomically } from '../disk/write-atomically.ts'
import { ExitError } from '../exit-error.ts'

/** Who this runner is. The same data folder is the same runner, however often it starts. */
export interface Identity {
  readonly instance: string
  /** New with every start. */
  readonly boot: string
  /** What the instance belongs to. It signs registrations, and evidence: that says who reported, not that it is true. */
  readonly key: KeyObject
  /** Its public half as base64 of the raw 32 bytes. */
  readonly publicKey: string
}

export function openIdentity(folder: string): Identity {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const key = keyOf(path.join(folder, 'evidence-key.pem'))
  const { x } = createPublicKey(key).export({ format: 'jwk' })
  return {
    instance: instanceOf(path.join(folder, 'instance')),
    boot: randomUUID(),
    key,
    publicKey: Buffer.from(x!, 'base64url').toString('base64'),
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function instanceOf(file: string): string {
  if (!existsSync(file)) writeAtomically(file, `${randomUUID()}\n`)
  const instance = readFileSync(file, 'utf8').trim()
  if (!uuid.test(instance))
    throw new ExitError(`${file} does not hold the id of a runner. Delete it to start as a new runner.`)
  return instance
}

function keyOf(file: string): KeyObject {
  if (!existsSync(file)) {
    const { privateKey } = generateKeyPairSync('ed25519')
    writeAtomically(file, privateKey.export({ format: 'pem', type: 'pkcs8' }) as string)
  }
  try {
    const key = createPrivateKey(readFileSync(file))
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Said below.
  }
  throw new ExitError(
    `${file} does not hold an Ed25519 key. Put the key back, or start with a fresh data folder as a new runner.`,
  )
}
