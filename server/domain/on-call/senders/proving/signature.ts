import { anySame, hexBytes, hmacSha256 } from '../../../../infra/signatures.ts'
import { type ProofSource, usableSecrets } from './proof.ts'

const sha256Bytes = 32

export const signatureOf = (secret: string, text: string): string => hmacSha256(secret, text).toString('hex')

/** The bytes of a signature in hex; null for anything else, so that nothing is hashed for it. */
export const signatureBytes = (hex: string): Buffer | null => hexBytes(hex, sha256Bytes)

/** Whether one of the signatures was made over these parts, one after the other, with a secret of the source. */
export function signedBySource(
  signatures: readonly Buffer[],
  source: ProofSource,
  ...parts: readonly (string | Buffer)[]
): boolean {
  const expected = usableSecrets(source).map((secret) => hmacSha256(secret, ...parts))
  return anySame(signatures, expected)
}
