import type { KeyObject } from 'node:crypto'
import { originOf } from '../domain/record/seals/checkpoint.ts'
import { readVerifierKey } from '../infra/signed-note.ts'
import { orUsageError, UsageError } from './usage-error.ts'

/** A file is intact and signed, but its signer is not known to be trusted. */
export const unknownSigner = 3

/** A key that the caller trusts, because it comes from the installation and not from the file. */
export interface TrustedKey {
  name: string
  publicKey: KeyObject
}

export function trustedKey(text: string | undefined): TrustedKey | null {
  if (text === undefined) return null
  if (text.trim() === '') throw new UsageError('--key is empty. Pass the verifier key of the workspace.')
  return orUsageError(() => readVerifierKey(text))
}

/** A key is one workspace's: what another of the same installation has signed is not vouched for by it. */
export const otherWorkspace = (key: TrustedKey | null, workspaceId: string): string[] =>
  key === null || key.name === originOf(workspaceId)
    ? []
    : [`The file is from workspace ${workspaceId}, but the key belongs to ${key.name}.`]

/** What to do about an unknown signer. */
export const howToTrust = (key: string, command: string): string[] => [
  `The file came with its own key, ${key}`,
  'Anyone can create a key and sign a file with it. Get the key of the workspace from its Signalbox: the verifier key on the Audit page, or `verify-audit --print-key` on its server.',
  `Then check again: npm run -s signalbox -- ${command}`,
]
