import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

/**
 * Signed envelopes as DSSE defines them (github.com/secure-systems-lab/dsse): what is signed is the type and the bytes,
 * so that no canonical form of JSON is needed. Signatures are Ed25519.
 */
export interface Envelope {
  payloadType: string
  /** The bytes, in base64. */
  payload: string
  signatures: { keyid: string; sig: string }[]
}

// RFC 8410: an Ed25519 public key is its 32 bytes behind this fixed DER head.
const publicKeyHead = Buffer.from('302a300506032b6570032100', 'hex')

/** What a signature is made over. */
export const preAuthentication = (type: string, payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `), payload])

/** The raw 32 bytes of a public key, in base64: how keys are named and told. */
export const rawKey = (key: KeyObject): string =>
  (key.type === 'private' ? createPublicKey(key) : key)
    .export({ type: 'spki', format: 'der' })
    .subarray(-32)
    .toString('base64')

/** Null: these are not the bytes of a key. */
export function keyFromRaw(raw: string): KeyObject | null {
  const bytes = Buffer.from(raw, 'base64')
  if (bytes.length !== 32 || bytes.toString('base64') !== raw) return null
  return createPublicKey({ key: Buffer.concat([publicKeyHead, bytes]), format: 'der', type: 'spki' })
}

export const seal = (payloadType: string, payload: Buffer, privateKey: KeyObject): Envelope => ({
  payloadType,
  payload: payload.toString('base64'),
  signatures: [
    {
      keyid: rawKey(privateKey),
      sig: sign(null, preAuthentication(payloadType, payload), privateKey).toString('base64'),
    },
  ],
})

/** The bytes, when this key signed them; null otherwise. */
export function opened({ payloadType, payload, signatures }: Envelope, key: KeyObject): Buffer | null {
  const bytes = Buffer.from(payload, 'base64')
  const said = preAuthentication(payloadType, bytes)
  const isSigned = signatures.some(({ sig }) => {
    const signature = Buffer.from(sig, 'base64')
    return signature.length === 64 && verify(null, said, key, signature)
  })
  return isSigned ? bytes : null
}
