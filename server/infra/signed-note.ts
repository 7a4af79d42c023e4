import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

/**
 * Signed notes as C2SP defines them (c2sp.org/signed-note): text a person can read, a blank line, and a line per
 * signature. Tools of the transparency world check them without knowing this product.
 */

export interface OpenedNote {
  text: string
  /** Who signed, as the signature line says. */
  name: string
}

const ed25519 = 0x01
const signatureBytes = 64
// RFC 8410: an Ed25519 public key is its 32 bytes behind this fixed DER head.
const publicKeyHead = Buffer.from('302a300506032b6570032100', 'hex')
const usableName = /^[^\s+]+$/

/** One line for each key, in their order. */
export function signNote(text: string, name: string, ...privateKeys: KeyObject[]): string {
  if (!usableName.test(name)) throw new Error(`A note cannot be signed as "${name}".`)
  if (!text.endsWith('\n')) throw new Error('The text of a note ends with a line break.')
  const lines = privateKeys.map((privateKey) => {
    const signature = sign(null, Buffer.from(text), privateKey)
    const signed = Buffer.concat([keyId(name, createPublicKey(privateKey)), signature])
    return `— ${name} ${signed.toString('base64')}\n`
  })
  return `${text}\n${lines.join('')}`
}

/** The text, when this key signed it; throws otherwise. Signatures of other keys (witnesses) are passed over. */
export function openNote(note: string, publicKey: KeyObject): OpenedNote {
  const text = textOf(note)
  for (const line of note.slice(text.length + 1, -1).split('\n')) {
    const { name, id, signature } = readSignature(line)
    if (!id.equals(keyId(name, publicKey))) continue
    if (!verify(null, Buffer.from(text), publicKey, signature))
      throw new Error('The signature does not match the text.')
    return { text, name }
  }
  throw new Error('The note is not signed with this key.')
}

/** Whether it has a line of that key; whether the signature fits, `openNote` says. */
export function isSignedWith(note: string, publicKey: KeyObject): boolean {
  return note
    .slice(textOf(note).length + 1, -1)
    .split('\n')
    .map(readSignature)
    .some(({ name, id }) => id.equals(keyId(name, publicKey)))
}

/** What a note says, no matter who signed it. */
export function textOf(note: string): string {
  const blank = note.lastIndexOf('\n\n')
  if (blank === -1 || !note.endsWith('\n')) throw new Error('This is not a signed note.')
  return note.slice(0, blank + 1)
}

/** The public key as text that says whose it is, in the form other verifiers read. */
export function verifierKey(name: string, publicKey: KeyObject): string {
  const typed = Buffer.concat([Buffer.from([ed25519]), rawKey(publicKey)])
  return `${name}+${keyId(name, publicKey).toString('hex')}+${typed.toString('base64')}`
}

export function readVerifierKey(text: string): { name: string; publicKey: KeyObject } {
  const [, name, id, base64] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/.exec(text.trim()) ?? []
  if (!name || !id || !base64) throw new Error('This is not a verifier key.')
  const typed = Buffer.from(base64, 'base64')
  if (typed[0] !== ed25519) throw new Error('The verifier key is not an Ed25519 key.')
  const publicKey = createPublicKey({
    key: Buffer.concat([publicKeyHead, typed.subarray(1)]),
    format: 'der',
    type: 'spki',
  })
  if (keyId(name, publicKey).toString('hex') !== id)
    throw new Error('The verifier key does not match its own id.')
  return { name, publicKey }
}

function readSignature(line: string): { name: string; id: Buffer; signature: Buffer } {
  const [, name, base64] = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? []
  if (!name || !base64) throw new Error('This is not a signed note.')
  const bytes = Buffer.from(base64, 'base64')
  // The last letter has bits to spare: of all ways to write the same bytes, one counts.
  if (bytes.toString('base64') !== base64) throw new Error('This is not a signed note.')
  return { name, id: bytes.subarray(0, 4), signature: bytes.subarray(4, 4 + signatureBytes) }
}

function keyId(name: string, publicKey: KeyObject): Buffer {
  const typed = Buffer.concat([Buffer.from(`${name}\n`), Buffer.from([ed25519]), rawKey(publicKey)])
  return createHash('sha256').update(typed).digest().subarray(0, 4)
}

function rawKey(publicKey: KeyObject): Buffer {
  const der = publicKey.export({ format: 'der', type: 'spki' })
  if (!der.subarray(0, publicKeyHead.length).equals(publicKeyHead))
    throw new Error('Notes are signed with Ed25519 keys.')
  return der.subarray(publicKeyHead.length)
}
