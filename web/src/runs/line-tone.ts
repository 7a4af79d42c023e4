export type LineTone = 'plain' | 'good' | 'bad' | 'warning'

/** Lines that say that nothing went wrong: `0 failed`, `fail 0`, `no errors`. */
const harmless =
  /\b(?:0|no) (?:errors?|failed|failures?|failing)\b|\b(?:errors?|failed|failures?|fail):? 0\b/i
const bad =
  /^\s*(?:✖|✗|×|not ok\b|FAIL\b|FAILED\b|npm (?:ERR!|error)|Traceback\b|panic:)|\b(?:error|fatal|exception)\b(?:\s?[:[(]| TS\d)|\w(?:Error|Exception)\b(?: \[\w+\])?:|(?<!\w)\d+ (?:failed|failing|errors?)\b|\b(?:tests?|gates?|build|step) failed\b/i
const warning = /^\s*(?:⚠|warn(?:ing)?\b)|\bwarning:|\bdeprecated\b|^\s*retrying\b/i
const good = /^\s*(?:✔|✓|ok\b|PASS\b)/

/** What a line of a log says, as far as it can be read off the marks and words that tools print. */
export function toneOf(line: string): LineTone {
  if (bad.test(line) && !harmless.test(line)) return 'bad'
  if (warning.test(line)) return 'warning'
  return good.test(line) ? 'good' : 'plain'
}

export const lineTones: Record<LineTone, string> = {
  plain: '',
  good: 'text-ok',
  bad: 'text-danger',
  warning: 'text-warn',
}
