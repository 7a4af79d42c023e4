import type { Asked } from '@signalbox/contract/command-line.ts'
import type { EvidencePack, RunEvidence } from '@signalbox/contract/runner/evidence.ts'
import type { Attached } from '../domain/work/evidence/attached.ts'
import { type Verified, verifyPack } from '../domain/work/evidence/verify-pack.ts'
import type { verifyEvidenceLine } from './command-lines.ts'
import { readNamed } from './read-named.ts'
import { howToTrust, otherWorkspace, type TrustedKey, trustedKey, unknownSigner } from './trusted-key.ts'
import { printVerdict, type Verdict } from './verdict.ts'

/**
 * Checks the evidence of a run, as it was downloaded, without any database. Exit code 0: it is what the runner signed
 * and the log recorded, and the log is signed with a key that the caller trusts. 1: what is not, one sentence a
 * line.
 * 2: the arguments are wrong. 3: all of it fits together, but the signer is unknown: anyone who makes
 * up a file can sign it, too.
 */
export async function run({ values, positionals }: Asked<typeof verifyEvidenceLine>): Promise<void> {
  const [file] = positionals
  const key = trustedKey(values.key)
  printVerdict(check(file!, parsed((await readNamed(file!)).toString()), key), values.json)
}

function check(file: string, pack: unknown, key: TrustedKey | null): Verdict {
  const checked = verifyPack(pack, key?.publicKey ?? null)
  const findings =
    'findings' in checked ? checked.findings : otherWorkspace(key, (pack as EvidencePack).audit.workspace)
  if ('findings' in checked || findings.length > 0)
    return { exitCode: 1, lines: findings, findings, facts: {} }
  const [first, ...rest] = told(pack as EvidencePack, checked)
  const unknown = howToTrust((pack as EvidencePack).audit.key, `verify-evidence --key KEY ${file}`)
  const { run, attempt, base, head } = checked.statement.predicate
  return {
    exitCode: key ? 0 : unknownSigner,
    lines: [
      `${key ? 'Verified' : 'Signature valid, signer unknown'}: ${first}`,
      ...rest,
      ...(key ? [] : unknown),
    ],
    findings,
    facts: { run, attempt, base, head },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** What the file says. Whether that is true is a matter of who has signed it. */
function told({ runner, audit }: EvidencePack, { statement, attached }: Verified): string[] {
  const says = statement.predicate
  const passed = (some: { result: string }[]) =>
    `${some.filter(({ result }) => result === 'passed').length} of ${some.length} passed`
  const { backend, ...facts } = says.isolation
  const held = Object.values(facts).filter((fact) => fact === true).length
  return [
    `${says.run}, attempt ${says.attempt}, for ${says.story.key} "${says.story.title}".`,
    `Commit ${says.head}, made from ${says.base} under policy version ${says.policyVersion}.`,
    `Gates: ${passed(says.gates)}. Criteria: ${passed(says.criteria)}.`,
    ...(attached ? summedUp(attached) : []),
    `Agent ${says.agent.name} ${says.agent.version ?? ''}, sandboxed by ${backend ?? 'nothing'}: ${held} of 6 layers held.`,
    ...(says.agent.access === 'subscription'
      ? ['It signed in with a subscription and called its provider directly, not through the gateway.']
      : []),
    ...says.cost.map(costSaid),
    `Signed by runner ${runner.id} with ${runner.key}. Recorded in the audit log at ${audit.entry.timestamp}.`,
  ]
}

const costSaid = ({ currency, amount, reported = 0 }: RunEvidence['cost'][number]): string =>
  reported === 0
    ? `Cost up to then: ${amount.toFixed(2)} ${currency}.`
    : `Cost up to then: ${amount.toFixed(2)} ${currency}, of which ${reported.toFixed(2)} was reported by the agent, not metered.`

function summedUp({ results, summary: { predicate } }: Attached): string[] {
  const { verificationResult, verifiedLevels, policy } = predicate
  const count = `${results.length} ${results.length === 1 ? 'gate' : 'gates'}`
  return [
    `In-toto test results of ${count}, and a SLSA verification summary: ${verificationResult} (${verifiedLevels.join(', ')}).`,
    `Policy ${policy.uri}, sha256 ${policy.digest.sha256}.`,
  ]
}
