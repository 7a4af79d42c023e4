import type { Evidence } from '@signalbox/contract/run.ts'

type Result = Evidence['gates'][number]['result']
type Checked = Pick<Evidence, 'gates' | 'criteria'>

/** What all of it comes to: one that failed decides, and nothing that passed is nothing proven. */
export function resultOf({ gates, criteria }: Checked): Result {
  const results = [...criteria, ...gates].map(({ result }) => result)
  if (results.includes('failed')) return 'failed'
  return results.includes('passed') ? 'passed' : 'skipped'
}

/** In one line: “2 of 2 criteria, 3 gates passed, 1 skipped”. */
export function verdictOf({ gates, criteria }: Checked): string {
  const count = (wanted: Result) => gates.filter(({ result }) => result === wanted).length
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')]
  const proven = criteria.filter(({ result }) => result === 'passed').length
  const counts: [number, string][] = [
    [failed, 'failed'],
    [passed, 'passed'],
    [skipped, 'skipped'],
  ]
  const said = counts
    .filter(([many]) => many > 0)
    .map(([many, word], at) =>
      at === 0 ? `${many} ${many === 1 ? 'gate' : 'gates'} ${word}` : `${many} ${word}`,
    )
  return [
    criteria.length === 0
      ? 'No criteria'
      : `${proven} of ${criteria.length === 1 ? '1 criterion' : `${criteria.length} criteria`}`,
    ...(said.length === 0 ? ['no gates'] : said),
  ].join(', ')
}
