import type { Delivered } from '../reading/reading.ts'

/** What of a source its proof is checked with. */
export interface ProofSource {
  /** The secret and, while it is being rotated, the former one. */
  secrets: readonly string[]
  /** What the person who set the source up said of its sender, such as the name of a header. */
  settings: Readonly<Record<string, string>>
}

/** The reason is a sentence for that person. It never repeats the secret or anything that was received. */
export type ProofResult = { proven: true } | { proven: false; reason: string }

export type Proof = (
  delivered: Delivered,
  source: ProofSource,
  now: Date,
) => ProofResult | Promise<ProofResult>

export const proven: ProofResult = { proven: true }

export const refused = (reason: string): ProofResult => ({ proven: false, reason })

/**
 * Every proof that a request carries has to be right, and it has to carry at least one. A check returns null when its
 * proof is missing. The cheapest comes first, because checking stops at the first wrong one.
 */
export function provenByAll(checks: readonly (() => ProofResult | null)[], missing: string): ProofResult {
  let found = false
  for (const check of checks) {
    const result = check()
    if (result?.proven === false) return result
    if (result !== null) found = true
  }
  return found ? proven : refused(missing)
}

/** The value; undefined when there is none, null when there are several and it is unclear which is meant. */
export function single(value: string | string[] | undefined): string | null | undefined {
  if (typeof value === 'string') return value
  if (!Array.isArray(value) || value.length === 0) return undefined
  return value.length === 1 ? value[0]! : null
}

/** An empty secret is the lack of one: with it, everybody could sign. */
export const usableSecrets = ({ secrets }: ProofSource): string[] => secrets.filter((secret) => secret !== '')
