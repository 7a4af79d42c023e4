import type { Evidence } from '@signalbox/contract/run.ts'
import type { Order } from '@signalbox/contract/runner/messages.ts'
import type { GateRun } from '../gates/gate.ts'

const good = /^\s*(✔|✓|ok\b|PASS|passed|---\s+PASS)|\bPASSED\b|\bok$/
const bad = /^\s*(✖|✗|×|not ok\b|FAIL|failed|---\s+FAIL)|\bFAILED\b/

/**
 * What each criterion is proven by: the check of the acceptance spec that carries its id, and where none does, the spec as
 * a whole. Without a spec nothing is proven, and that is said.
 */
export function proofsOf(
  criteria: Order['story']['acceptanceCriteria'],
  spec: GateRun | null,
): Evidence['criteria'] {
  return criteria.map(({ id }) => {
    if (!spec) return { id, result: 'skipped', proof: 'No acceptance spec was required.' }
    const lines = spec.output
      .split('\n')
      .filter((line) => hasWord(line, id))
      .map((line) => line.trim())
    const failed = lines.find((line) => bad.test(line))
    if (failed) return { id, result: 'failed', proof: failed.slice(0, 500) }
    const passed = lines.find((line) => good.test(line))
    if (passed && spec.result === 'passed') return { id, result: 'passed', proof: passed.slice(0, 500) }
    return { id, result: spec.result, proof: `Acceptance spec: ${spec.summary}` }
  })
}

function hasWord(line: string, word: string): boolean {
  const at = line.indexOf(word)
  return at >= 0 && !/[\w-]/.test(line[at - 1] ?? '') && !/[\w]/.test(line[at + word.length] ?? '')
}
