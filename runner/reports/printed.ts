import type { Tests } from './report.ts'

/** How test runners sum up what they did, for projects that keep no report. The last one that is found counts. */
const sums: ((text: string) => Partial<Tests> | null)[] = [
  // Node: spec and TAP.
  (text) => {
    const count = (word: string) => numberIn(text, new RegExp(`^(?:ℹ|#) ${word} (\\d+)$`, 'gm'))
    const [passed, failed] = [count('pass'), count('fail')]
    return passed === null || failed === null
      ? null
      : {
          passed,
          failed: failed + (count('cancelled') ?? 0),
          skipped: (count('skipped') ?? 0) + (count('todo') ?? 0),
        }
  },
  // Jest and Vitest.
  (text) => counted(lastLine(text, /^[ \t]*Tests:?[ \t].*$/gm, /\d (?:passed|failed|skipped|todo)/)),
  // pytest.
  (text) =>
    counted(
      lastLine(text, /^=* ?\d+ (?:passed|failed|skipped|errors?|xfailed|deselected)\b.*$/gm, / in \d[\d.]*s/),
    ),
  // Mocha.
  (text) => {
    const passed = numberIn(text, /^[ \t]+(\d+) passing\b/gm)
    return passed === null
      ? null
      : {
          passed,
          failed: numberIn(text, /^[ \t]+(\d+) failing\b/gm) ?? 0,
          skipped: numberIn(text, /^[ \t]+(\d+) pending\b/gm) ?? 0,
        }
  },
  // Cargo prints one for each binary.
  (text) => {
    const lines = [...text.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/gm)]
    return lines.length === 0
      ? null
      : { passed: sum(lines, 1), failed: sum(lines, 2), skipped: sum(lines, 3) }
  },
  // .NET prints one for each assembly.
  (text) => {
    const lines = [...text.matchAll(/Failed:\s+(\d+), Passed:\s+(\d+), Skipped:\s+(\d+)/g)]
    return lines.length === 0
      ? null
      : { passed: sum(lines, 2), failed: sum(lines, 1), skipped: sum(lines, 3) }
  },
  // Python's unittest.
  (text) => {
    const ran = numberIn(text, /^Ran (\d+) tests? in /gm)
    if (ran === null) return null
    const of = (word: string) =>
      numberIn(text, new RegExp(`^(?:OK|FAILED) \\(.*\\b${word}=(\\d+)`, 'gm')) ?? 0
    const failed = of('failures') + of('errors')
    return { passed: ran - failed - of('skipped'), failed, skipped: of('skipped') }
  },
]

export function testsIn(output: string): Tests | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are written with one
  const plain = output.replace(/\u001b\[[0-9;]*m/g, '')
  for (const read of sums) {
    const found = read(plain)
    if (found) return { passed: 0, failed: 0, skipped: 0, ...found }
  }
  return null
}

const lastLine = (text: string, form: RegExp, holds: RegExp): string | null =>
  [...text.matchAll(form)].findLast(([line]) => holds.test(line))?.[0] ?? null

const numberIn = (text: string, form: RegExp): number | null => {
  const match = [...text.matchAll(form)].at(-1)
  return match ? Number(match[1]) : null
}

const sum = (lines: RegExpExecArray[], group: number) =>
  lines.reduce((total, line) => total + Number(line[group]), 0)

/** `2 failed, 29 passed, 1 skipped`, with bars or commas between. */
function counted(line: string | null): Partial<Tests> | null {
  if (line === null) return null
  const of = (words: string) =>
    [...line.matchAll(new RegExp(`(\\d+) (?:${words})\\b`, 'g'))].reduce(
      (all, one) => all + Number(one[1]),
      0,
    )
  return { passed: of('passed|xpassed'), failed: of('failed|errors?'), skipped: of('skipped|todo|xfailed') }
}
