import { mostFailures, oneLine, type Report } from './report.ts'

interface Found {
  level?: string
  ruleId?: string
  message?: { text?: string }
}

/** SARIF, the results of linters and scanners: counted by level. */
export function readSarif(text: string): Report {
  const { runs } = JSON.parse(text) as { runs?: { results?: Found[] }[] }
  if (!Array.isArray(runs)) throw new Error('It has no runs.')
  const results = runs.flatMap((run) => (Array.isArray(run?.results) ? run.results : []))
  const ofLevel = (level: string) => results.filter((result) => (result.level ?? 'warning') === level)
  const words = ['error', 'warning', 'note'].flatMap((level) => {
    const count = ofLevel(level).length
    return count > 0 ? [`${count} ${level}${count === 1 ? '' : 's'}`] : []
  })
  const failures = ofLevel('error')
    .slice(0, mostFailures)
    .map(({ ruleId, message }) => oneLine([ruleId, message?.text].filter(Boolean).join(': ')))
  return { tests: null, failures, words: words.join(', ') || 'nothing found' }
}
