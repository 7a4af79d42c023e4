import type { Report } from '../reports/report.ts'
import type { Execution } from './execute.ts'
import type { GateDefinition, GateRun } from './gate.ts'

type Judged = Pick<GateRun, 'result' | 'summary' | 'tests' | 'failures' | 'passes'>

/** What a gate came to. Neither its exit code nor its report is believed when the other says that something failed. */
export function judge(
  gate: GateDefinition,
  ran: Execution,
  report: Report | null,
  trouble: string | null,
): Judged {
  const tests = report?.tests ?? null
  const failures = report?.failures ?? []
  const told = (result: GateRun['result'], summary: string): Judged => ({
    ...{ result, summary, tests, failures },
    ...(report?.passes ? { passes: report.passes } : {}),
  })
  if (ran.stopped === 'timeout') return told('failed', `Stopped after ${gate.timeoutSeconds} seconds.`)
  if (ran.stopped === 'overdrawn') return told('failed', `Stopped. ${ran.overdrawn}`)
  if (ran.stopped === 'cancelled') return told('skipped', 'Stopped: the run was cancelled.')
  if (tests && tests.failed > 0) return told('failed', failedTests(tests, failures))
  const counted = tests ? `${passedTests(tests)}` : report?.words
  if (ran.code === 0) {
    const words = [counted, trouble].filter(Boolean).join('. ')
    return told('passed', sentence(words || 'Passed'))
  }
  const how =
    ran.code === 127
      ? 'A command was not found'
      : ran.code === null
        ? 'It was killed'
        : `It ended with ${ran.code}`
  const although = tests ? `, although ${passedTests(tests)}` : report?.words ? ` (${report.words})` : ''
  const last = lastLine(ran.output)
  return told('failed', sentence(`${how}${although}${last ? `: ${last}` : ''}`))
}

const mostNamed = 3

function failedTests({ passed, failed, skipped }: NonNullable<GateRun['tests']>, names: string[]): string {
  const all = passed + failed + skipped
  const named = names.slice(0, mostNamed).join('; ')
  const more = names.length > mostNamed ? ` and ${failed - mostNamed} more` : ''
  return sentence(
    `${failed} of ${all} ${all === 1 ? 'test' : 'tests'} failed${named ? `: ${named}${more}` : ''}`,
  )
}

function passedTests({ passed, skipped }: NonNullable<GateRun['tests']>): string {
  if (passed + skipped === 0) return 'no test ran'
  const tests = `${passed} ${passed === 1 ? 'test' : 'tests'} passed`
  return skipped > 0 ? `${tests}, ${skipped} skipped` : tests
}

const sentence = (text: string) => {
  const whole = `${text.charAt(0).toUpperCase()}${text.slice(1)}`
  return /[.!?…]$/.test(whole) ? whole : `${whole}.`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are written with one
const colours = /\u001b\[[0-9;]*[A-Za-z]/g

export function lastLine(output: string): string {
  const lines = output
    .replace(colours, '')
    .split('\n')
    .map((line) => line.trim())
  return (lines.findLast((line) => /\p{L}/u.test(line)) ?? '').slice(0, 200)
}
