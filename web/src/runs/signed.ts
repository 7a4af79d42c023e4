import type { EvidencePack, RunEvidence, Statement } from '@signalbox/contract/runner/evidence.ts'

/** What the runner has signed. The server has checked the signature; whoever wants to check it again downloads it. */
export function signedIn({ envelope }: Pick<EvidencePack, 'envelope'>): RunEvidence {
  const { payload } = JSON.parse(envelope) as { payload: string }
  const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0))
  return (JSON.parse(new TextDecoder().decode(bytes)) as Statement).predicate
}
