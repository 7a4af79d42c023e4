import { anySame } from '../../../../infra/signatures.ts'
import type { Delivered } from '../reading/reading.ts'
import {
  type Proof,
  type ProofResult,
  type ProofSource,
  proven,
  provenByAll,
  refused,
  single,
  usableSecrets,
} from './proof.ts'
import type { Proving } from './proving.ts'
import { send } from './shell.ts'

/** `Authorization: Bearer <secret>` or `X-Service-Token: <secret>`. */
const tokenProof: Proof = (delivered, source) =>
  provenByAll(
    [() => bearerCheck(delivered, source), () => serviceTokenCheck(delivered, source)],
    'There is neither a header Authorization with the scheme Bearer nor a header X-Service-Token.',
  )

const bearer = /^bearer(?: |$)/i

/** Another scheme is no proof of ours: it may be meant for a proxy on the way. */
export function bearerCheck({ headers }: Delivered, source: ProofSource): ProofResult | null {
  const value = single(headers.authorization)
  if (value === null) return refused('The header Authorization is given twice.')
  if (value === undefined || !bearer.test(value)) return null
  return isSecret(value.slice('bearer '.length), source)
    ? proven
    : refused('The token in the header Authorization is not the secret of this source.')
}

function serviceTokenCheck({ headers }: Delivered, source: ProofSource): ProofResult | null {
  const value = single(headers['x-service-token'])
  if (value === undefined) return null
  if (value === null) return refused('The header X-Service-Token is given twice.')
  return isSecret(value, source)
    ? proven
    : refused('The header X-Service-Token is not the secret of this source.')
}

/** Node hands the bytes of a header over as Latin-1, whatever they were meant to be. */
const isSecret = (written: string, source: ProofSource) =>
  anySame(
    [Buffer.from(written, 'latin1')],
    usableSecrets(source).map((secret) => Buffer.from(secret)),
  )

export const byToken: Proving = {
  proof: () => tokenProof,
  sign: ({ secret }) => ({ headers: { authorization: `Bearer ${secret}` } }),
  words:
    'Every request carries the secret, as Authorization: Bearer SECRET or X-Service-Token: SECRET. If both are sent, both must be right.',
  shell: () => [send('-H "Authorization: Bearer $SECRET"')],
}
