import { mostFailures, mostPasses, oneLine, type Report } from './report.ts'

const point = /^( *)(not )?ok\b(.*)$/is
const directive = / # *(skip|todo)\b/i

/** The Test Anything Protocol. Points of subtests are counted, and what sums them up is not counted again. */
export function readTap(text: string): Report {
  const tests = { passed: 0, failed: 0, skipped: 0 }
  const failures: string[] = []
  const passes: string[] = []
  let deepest = 0
  let isTap = false
  for (const line of text.split('\n')) {
    isTap ||= /^ *(TAP version \d+|1\.\.\d+)/.test(line)
    const match = point.exec(line.trimEnd())
    if (!match) continue
    isTap = true
    const [, indent, not, rest] = match
    const skipped = directive.exec(rest!)
    const name = rest!.slice(0, skipped?.index).replace(/^ *(?:\d+ *)?(?:- *)?/, '')
    const isSum = indent!.length < deepest
    deepest = indent!.length
    if (isSum) continue
    if (skipped) tests.skipped += 1
    else if (!not) {
      tests.passed += 1
      if (passes.length < mostPasses) passes.push(oneLine(name))
    } else {
      tests.failed += 1
      if (failures.length < mostFailures) failures.push(oneLine(name))
    }
  }
  if (!isTap) throw new Error('It is not TAP.')
  return { tests, failures, passes, words: null }
}
