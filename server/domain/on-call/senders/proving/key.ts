import { anySame } from '../../../../infra/signatures.ts'
import { type Proof, proven, refused, single, usableSecrets } from './proof.ts'
import type { Proving } from './proving.ts'
import { send } from './shell.ts'

/** `?key=<secret>`, for senders that can be given an address and nothing else. */
export const keyProof = (({ query }, source) => {
  const key = single(query.key)
  if (key === undefined) return refused('The address lacks its key: ?key=<secret>.')
  if (key === null) return refused('The address has more than one key.')
  const expected = usableSecrets(source).map((secret) => Buffer.from(secret))
  return anySame([Buffer.from(key)], expected)
    ? proven
    : refused('The key in the address is not the secret of this source.')
}) satisfies Proof

export const byKey: Proving = {
  proof: () => keyProof,
  sign: ({ secret }) => ({ query: { key: secret } }),
  words: 'The secret is part of the address, as ?key=SECRET, because the tool only takes an address.',
  shell: () => [send().replace('"$URL"', '"$URL?key=$SECRET"')],
}
