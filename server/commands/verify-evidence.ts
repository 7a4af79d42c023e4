import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { EvidencePack, RunEvidence } from '@signalbox/contract/runner/evidence.ts'
import type { Attached } from '../domain/evidence/attached.ts'
import { type Verified, verifyPack } from '../domain/evidence/verify-pack.ts'
import { print } from './print.ts'
import { howToTrust, otherWorkspace, trustedKey, unknownSigner } from './trusted-key.ts'
import { UsageError, understood } from './usage-error.ts'

/**
 * Checks the evidence of a run, as it was downloaded, without any database. Exit code 0: it is what the runner signed
 * and the log recorded, and the log is signed with a key that whoever asks trusts. 1: what is not, one sentence a line.
 * 2: the arguments are wrong. 3: all of it fits together, but nobody has said whose signature that is: whoever makes up
 * a file can sign it, too.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = understood(() =>
    parseArgs({ args, allowPositionals: true, options: { key: { type: 'string' } } }),
  )
  const [file, more] = positionals
  if (!file || more !== undefined)
    throw new UsageError('Name one FILE: download it on the Evidence tab of a run.')
  const key = trustedKey(values.key)
  const pack = parsed(await textOf(file))
  const checked = verifyPack(pack, key?.publicKey ?? null)
  const findings =
    'findings' in checked ? checked.findings : otherWorkspace(key, (pack as EvidencePack).audit.workspace)
  for (const finding of findings) print(finding)
  if ('findings' in checked || findings.length > 0) {
    process.exitCode = 1
    return
  }
  const [first, ...rest] = told(pack as EvidencePack, checked)
  print(`${key ? 'Verified' : 'Signature valid, signer unknown'}: ${first}`)
  for (const line of rest) print(line)
  if (key) return
  const again = `verify-evidence --key KEY ${file}`
  for (const line of howToTrust((pack as EvidencePack).audit.key, again)) print(line)
  process.exitCode = unknownSigner
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}.`)
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
    `Agent ${says.agent.name} ${says.agent.version ?? ''}, kept in by ${backend ?? 'nothing'}: ${held} of 6 layers held.`,
    ...(says.agent.access === 'subscription'
      ? ['It signed in with a subscription and reached its maker past the gateway.']
      : []),
    ...says.cost.map(costSaid),
    `Signed by runner ${runner.id} with ${runner.key}. Recorded in the audit log at ${audit.entry.timestamp}.`,
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
