import { specGate } from '@signalbox/contract/runner/evidence.ts'
import { type Execution, execute, type Room } from '../gates/execute.ts'
import type { GatePlan, GateRun } from '../gates/gate.ts'
import { prepared } from '../gates/run.ts'
import { judge, lastLine } from '../gates/summary.ts'
import type { Store } from '../git/git.ts'
import { testsIn } from '../reports/printed.ts'
import { placeSpec } from './place.ts'
import type { Spec } from './spec.ts'

/** Where and how a spec is tried. */
export interface Trial {
  store: Store
  commit: string
  /** Where the spec lies in the repository. */
  folder: string
  spec: Spec
  /** Its set-up comes first. */
  plan: GatePlan
  room: Room
}

/** `right`: it fails on the base, as far as can be told because the work is not done yet. Words are for people. */
export type Red = { right: boolean; words: string; output: string }

const timeoutSeconds = 600
const gate = { name: specGate, folder: '.', timeoutSeconds, report: null, network: 'none' as const }

/** Runs the spec on a clean checkout of the base. One that passes there, or is broken itself, measures nothing. */
export async function proveRed(trial: Trial): Promise<Red> {
  const ran = await run(trial)
  if ('result' in ran)
    return { right: false, words: `The project could not be prepared. ${ran.summary}`, output: ran.output }
  const { output } = ran
  if (ran.code === 0 && !ran.stopped)
    return {
      right: false,
      words:
        'The acceptance spec passes before any work is done, so it proves nothing. It has to fail on the base.',
      output,
    }
  const broken = whyBroken(ran, trial)
  if (broken) return { right: false, words: `The acceptance spec itself does not work: ${broken}.`, output }
  return { right: true, words: `Fails on the base, as it should. ${verdictOn(ran).summary}`, output }
}

/** Runs the pinned copy on a clean checkout of the head, whatever is in its place there. */
export async function proveGreen(trial: Trial): Promise<GateRun> {
  const ran = await run(trial)
  if ('result' in ran)
    return { ...ran, name: gate.name, summary: `The project could not be prepared. ${ran.summary}` }
  const judged = verdictOn(ran)
  const ranNothing = judged.result === 'passed' && judged.tests && judged.tests.passed === 0
  return {
    name: gate.name,
    ...judged,
    ...(ranNothing ? { result: 'failed' as const, summary: 'No test of the acceptance spec ran.' } : {}),
    exitCode: ran.code,
    seconds: Math.round(ran.seconds * 10) / 10,
    output: ran.output,
  }
}

async function run({ store, commit, folder, spec, plan, room }: Trial): Promise<Execution | GateRun> {
  const worktree = await store.checkout(commit)
  try {
    return await prepared(plan, worktree.folder, room, async (home, trouble) => {
      if (trouble) return trouble
      placeSpec(worktree.folder, folder, spec)
      return room.inPlace(home, (place) =>
        execute(room, worktree.folder, place, { ...gate, run: spec.command }),
      )
    })
  } finally {
    await worktree.release()
  }
}

function verdictOn(ran: Execution) {
  const tests = testsIn(ran.output)
  return judge({ ...gate, run: '' }, ran, tests && { tests, failures: [], words: null }, null)
}

const noTests =
  /\bno tests? (?:were |was )?(?:found|collected|ran|to run)|\bno test files?\b|collected 0 items/i
const notThere =
  /cannot find module|could not find|no such file or directory|can't open|file or directory not found|cannot open/i
const badSyntax =
  /\b(?:SyntaxError|IndentationError|TabError|ParseError|syntax error|parse error|ERR_INVALID_TYPESCRIPT_SYNTAX)\b/i
/** These read like a mistake of the spec, and say that the work is not there yet. */
const notYet = /does not provide an export named|JSON/
const place = /[\w/-]{1,100}\.\w{1,20}["']?(?:[:,(]| line)/

/** As far as it can be told: a spec that cannot be run fails for the wrong reason. */
function whyBroken(ran: Execution, { folder, spec }: Trial): string | null {
  if (ran.stopped === 'timeout') return `it had not ended after ${timeoutSeconds} seconds`
  if (ran.overdrawn) return `it was stopped: ${ran.overdrawn}`
  if (ran.stopped) return 'it was stopped'
  if (ran.code === null) return 'it was killed'
  const said = lastLine(ran.output)
  if (ran.code === 126) return `its command cannot be executed (${said}); call it by the program that runs it`
  if (ran.code === 127) return `its command was not found (${said})`
  if (noTests.test(ran.output) || (/\bpytest\b/.test(spec.command) && ran.code === 5))
    return 'it has no test that ran'
  if (/\bpytest\b/.test(spec.command) && ran.code === 4) return `pytest cannot be called like this (${said})`
  const lines = ran.output.split('\n')
  const missing = lines.find((line) => notThere.test(line) && beforeWhom(line).includes(folder))
  if (missing) return `it names a file that is not part of it (${missing.trim().slice(0, 200)})`
  const wrong = lines.findIndex(
    (line, at) => badSyntax.test(line) && !notYet.test(line) && isIn(folder, lines, at),
  )
  return wrong < 0 ? null : `it cannot be read (${lines[wrong]!.trim().slice(0, 200)})`
}

/** Who asked for it may well be the spec. */
const beforeWhom = (line: string) => line.split(/imported from|required by/i)[0]!

/** The place that was named last before the line is one of the spec. */
const isIn = (folder: string, lines: string[], at: number): boolean =>
  lines
    .slice(Math.max(0, at - 8), at + 1)
    .findLast((line) => place.test(line))
    ?.includes(folder) ?? false
