import type { Store } from '../git/git.ts'
import { testsIn } from '../reports/printed.ts'
import { clearReports, readReport } from '../reports/read.ts'
import type { Report } from '../reports/report.ts'
import { execute, type Place, type Room } from './execute.ts'
import type { GateDefinition, GatePlan, GateRun } from './gate.ts'
import { judge } from './summary.ts'

/** Prepares a clean checkout of the commit and runs every gate on it. What stops the set-up is the first of the runs. */
export async function runGates(store: Store, commit: string, plan: GatePlan, room: Room): Promise<GateRun[]> {
  if (plan.gates.length === 0) return []
  const worktree = await store.checkout(commit)
  try {
    return await prepared(plan, worktree.folder, room, async (home, trouble) => {
      if (trouble)
        return [trouble, ...plan.gates.map(({ name }) => notRun(name, `Not run: ${trouble.name} failed.`))]
      const runs: GateRun[] = []
      for (const gate of plan.gates)
        runs.push(
          room.cancelled?.aborted
            ? notRun(gate.name, 'Not run: the run was cancelled.')
            : await room.inPlace(home, (place) => runGate(gate, worktree.folder, place, room)),
        )
      return runs
    })
  } finally {
    await worktree.release()
  }
}

/** Sets the project up and goes on with the home in which that was done; `trouble`: the step that failed. */
export const prepared = <T>(
  plan: GatePlan,
  worktree: string,
  room: Room,
  use: (home: string, trouble: GateRun | null) => Promise<T>,
): Promise<T> =>
  room.inPlace(null, async (place) => {
    for (const step of plan.setUp) {
      const run = await runGate({ ...step, name: `Set-up: ${step.name}` }, worktree, place, room)
      if (run.result !== 'passed') return use(place.home, run)
    }
    return use(place.home, null)
  })

export const isSetUp = ({ name }: { name: string }) => name.startsWith('Set-up: ')

async function runGate(gate: GateDefinition, worktree: string, place: Place, room: Room): Promise<GateRun> {
  clearReports(gate, worktree)
  const from = Date.now()
  const ran = await execute(room, worktree, place, gate)
  let report: Report | null = null
  let trouble: string | null = null
  try {
    report = readReport(gate, worktree, ran.printed)
  } catch (error) {
    trouble = `Its report was not read: ${error instanceof Error ? error.message : error}`
  }
  if (!report?.tests && !report?.words) {
    const tests = testsIn(ran.output)
    if (tests) report = { tests, failures: [], words: null }
  }
  const judged = judge(gate, ran, report, trouble)
  room.took?.(gate.name, from, judged.result !== 'passed')
  return {
    name: gate.name,
    ...judged,
    exitCode: ran.code,
    seconds: Math.round(ran.seconds * 10) / 10,
    output: ran.output,
  }
}

const notRun = (name: string, summary: string): GateRun => ({
  name,
  result: 'skipped',
  summary,
  exitCode: null,
  seconds: 0,
  output: '',
  tests: null,
  failures: [],
})
