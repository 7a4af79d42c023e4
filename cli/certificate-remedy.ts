import { dictionary } from '@signalbox/contract/dictionary.ts'

const unknown =
  'This machine does not trust who issued its certificate (CODE). If that is your own certificate authority, set NODE_EXTRA_CA_CERTS to the PEM file of the authority.'
const notNow =
  'Its certificate is not valid now (CODE). Renew it on the server, or set the clock of this machine.'
const otherName =
  'Its certificate is for another name (CODE). Use the name in the certificate as the address.'
const broken = 'Its certificate cannot be used (CODE). Have it replaced on the server.'

/** What Node calls a certificate that it does not accept: the codes of OpenSSL, and its own for the name. */
const remedies: Record<string, string> = dictionary({
  SELF_SIGNED_CERT_IN_CHAIN: unknown,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknown,
  UNABLE_TO_GET_ISSUER_CERT: unknown,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknown,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknown,
  CERT_UNTRUSTED: unknown,
  CERT_REJECTED: unknown,
  CERT_NOT_YET_VALID: notNow,
  CERT_HAS_EXPIRED: notNow,
  ERR_TLS_CERT_ALTNAME_INVALID: otherName,
  HOSTNAME_MISMATCH: otherName,
  CERT_CHAIN_TOO_LONG: broken,
  CERT_REVOKED: broken,
  CERT_SIGNATURE_FAILURE: broken,
  ERROR_IN_CERT_NOT_AFTER_FIELD: broken,
  ERROR_IN_CERT_NOT_BEFORE_FIELD: broken,
  INVALID_CA: broken,
  INVALID_PURPOSE: broken,
  PATH_LENGTH_EXCEEDED: broken,
  UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY: broken,
  UNABLE_TO_DECRYPT_CERT_SIGNATURE: broken,
})

/** What to do where a connection failed because of the server's certificate; null: it failed for another reason. */
export function certificateRemedy(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { code = '' } = error as { code?: string }
  return remedies[code]?.replace('CODE', code) ?? certificateRemedy(error.cause)
}
