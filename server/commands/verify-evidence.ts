import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { EvidencePack, RunEvidence } from '@signalbox/contract/runner/evidence.ts'
import { DomainError } from '../domain/errors.ts'
import type { Attached } from '../domain/evidence/attached.ts'
import { type Verified, verifyPack } from '../domain/evidence/verify-pack.ts'
import { readVerifierKey } from '../infra/signed-note.ts'

/**
 * Checks the evidence of a run, as it was downloaded, without any database. Exit code 0: it is what the runner signed
 * and the log recorded. 1: what is not, one sentence a line.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { key: { type: 'string' } },
  })
  const [file] = positionals
  if (!file)
    throw new DomainError('invalid_request', 'FILE is missing: download it on the Evidence tab of a run.')
  const pack = parsed(await readFile(file, 'utf8'))
  const checked = verifyPack(pack, values.key ? readVerifierKey(values.key).publicKey : null)
  if ('findings' in checked) {
    for (const finding of checked.findings) process.stdout.write(`${finding}\n`)
    process.exitCode = 1
    return
  }
  for (const line of told(pack as EvidencePack, checked, values.key !== undefined))
    process.stdout.write(`${line}\n`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function told(
  { runner, audit }: EvidencePack,
  { statement, attached }: Verified,
  isOwnKey: boolean,
): string[] {
  const says = statement.predicate
  const passed = (some: { result: string }[]) =>
    `${some.filter(({ result }) => result === 'passed').length} of ${some.length} passed`
  const { backend, ...facts } = says.isolation
  const held = Object.values(facts).filter((fact) => fact === true).length
  return [
    `Verified: ${says.run}, attempt ${says.attempt}, for ${says.story.key} "${says.story.title}".`,
    `Commit ${says.head}, made from ${says.base} under policy version ${says.policyVersion}.`,
    `Gates: ${passed(says.gates)}. Criteria: ${passed(says.criteria)}.`,
    ...(attached ? summedUp(attached) : []),
    `Agent ${says.agent.name} ${says.agent.version ?? ''}, kept in by ${backend ?? 'nothing'}: ${held} of 6 layers held.`,
    ...(says.agent.access === 'subscription'
      ? ['It signed in with a subscription and reached its maker past the gateway.']
      : []),
    ...says.cost.map(costSaid),
    `Signed by runner ${runner.id} with ${runner.key}. Recorded in the audit log at ${audit.entry.timestamp}.`,
    ...(isOwnKey
      ? []
      : [
          `The log is signed with ${audit.key}`,
          'That key came with the file: compare it with one you know, or pass yours with --key.',
        ]),
  ]
}

const costSaid = ({ currency, amount, reported = 0 }: RunEvidence['cost'][number]): string =>
  reported === 0
    ? `Cost by then: ${amount.toFixed(2)} ${currency}.`
    : `Cost by then: ${amount.toFixed(2)} ${currency}, of which ${reported.toFixed(2)} is the agent's own number, not metered.`

function summedUp({ results, summary: { predicate } }: Attached): string[] {
  const { verificationResult, verifiedLevels, policy } = predicate
  const count = `${results.length} ${results.length === 1 ? 'gate' : 'gates'}`
  return [
    `In-toto test results of ${count}, and a SLSA verification summary: ${verificationResult} (${verifiedLevels.join(', ')}).`,
    `Policy ${policy.uri}, sha256 ${policy.digest.sha256}.`,
  ]
}
