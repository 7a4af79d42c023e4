import { mostFailures, mostPasses, oneLine, type Report } from './report.ts'

const results = { pass: 'passed', fail: 'failed', skip: 'skipped' } as const

/** What `go test -json` prints: one event in a line. A test with subtests is what its subtests are. */
export function readGo(text: string): Report {
  const found = new Map<string, keyof typeof results>()
  const parents = new Set<string>()
  let events = 0
  for (const line of text.split('\n')) {
    if (!line.startsWith('{')) continue
    const event = parsed(line)
    if (!event) continue
    events += 1
    const { Action, Package, Test } = event
    if (typeof Test !== 'string' || typeof Action !== 'string' || !Object.hasOwn(results, Action)) continue
    found.set(`${Package}: ${Test}`, Action as keyof typeof results)
    for (let at = Test.lastIndexOf('/'); at > 0; at = Test.lastIndexOf('/', at - 1))
      parents.add(`${Package}: ${Test.slice(0, at)}`)
  }
  if (events === 0) throw new Error('It is not what `go test -json` prints.')
  const tests = { passed: 0, failed: 0, skipped: 0 }
  const failures: string[] = []
  const passes: string[] = []
  for (const [name, action] of found) {
    if (parents.has(name)) continue
    tests[results[action]] += 1
    if (action === 'fail' && failures.length < mostFailures) failures.push(oneLine(name))
    if (action === 'pass' && passes.length < mostPasses) passes.push(oneLine(name))
  }
  return { tests, failures, passes, words: null }
}

function parsed(line: string): { Action?: unknown; Package?: unknown; Test?: unknown } | null {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
