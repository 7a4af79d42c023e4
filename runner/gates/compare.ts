import type { Gate } from '@signalbox/contract/run.ts'
import type { GateDefinition, GatePlan, GateRun } from './gate.ts'

export interface Compared {
  gates: Gate[]
  /** Sentences for the reviewers of the change. */
  findings: string[]
}

/** What the gates say of the work: what was red before is named so and not held against the work. */
export function compareRuns(onBase: GateRun[], onHead: GateRun[]): Compared {
  const before = new Map(onBase.map((run) => [run.name, run]))
  return {
    gates: onHead.map((run) => gateOf(run, before.get(run.name))),
    findings: onHead.flatMap((run) => countFindings(run, before.get(run.name))),
  }
}

function gateOf({ name, result, summary, failures, tests }: GateRun, before: GateRun | undefined): Gate {
  if (before?.result !== 'failed' || result === 'skipped') return { name, result, summary }
  if (result === 'passed') return { name, result, summary: `${summary} It was failing on main.` }
  const fresh = failures.filter((failure) => !before.failures.includes(failure))
  const isWorse = fresh.length > 0 || (before.tests && tests && tests.failed > before.tests.failed)
  if (!isWorse) return { name, result: 'skipped', summary: `Already failing on main. ${summary}` }
  const named = fresh.length > 0 ? ` New: ${fresh.slice(0, 3).join('; ')}.` : ''
  return { name, result, summary: `${summary} Some were failing on main already.${named}` }
}

function countFindings({ name, tests, result }: GateRun, before: GateRun | undefined): string[] {
  if (!before?.tests || result === 'skipped') return []
  const all = (counts: GateRun['tests']) => (counts ? counts.passed + counts.failed : 0)
  return [
    ...(all(tests) < all(before.tests)
      ? [`Gate ${name} ran ${all(tests)} tests; on main it runs ${all(before.tests)}.`]
      : []),
    ...((tests?.skipped ?? 0) > before.tests.skipped
      ? [`Gate ${name} skipped ${tests!.skipped} tests; on main it skips ${before.tests.skipped}.`]
      : []),
  ]
}

/** The plan of the base is what was followed; that the work would change it is worth a word. */
export function comparePlans(base: GatePlan, head: GatePlan): string[] {
  const parts = [
    ['set-up step', base.setUp, head.setUp],
    ['gate', base.gates, head.gates],
  ] as const
  return parts.flatMap(([what, before, after]) => [
    ...before.flatMap((one) =>
      differs(
        what,
        one,
        after.find(({ name }) => name === one.name),
      ),
    ),
    ...after.flatMap(({ name }) =>
      before.some((one) => one.name === name)
        ? []
        : [`The change adds the ${what} ${name}; it was not run yet.`],
    ),
  ])
}

function differs(what: string, before: GateDefinition, after: GateDefinition | undefined): string[] {
  if (!after) return [`The change removes the ${what} ${before.name}; it was run as main defines it.`]
  return JSON.stringify(before) === JSON.stringify(after)
    ? []
    : [`The change redefines the ${what} ${before.name}; it was run as main defines it.`]
}
