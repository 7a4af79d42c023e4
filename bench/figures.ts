/** One line of the table: what was measured, against what, and the target it has to meet. */
export interface Figure {
  what: string
  ours: string
  peer?: string
  ratio?: number
  /** Not there where none was set: then nothing can be met. */
  target?: string
  met?: boolean
  /** What our side does and the peer does not. */
  leftOut?: string
}

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

export function table(figures: Figure[]): string {
  const rows = figures.map(({ what, ours, peer = '', ratio, target = '', met, leftOut = '' }) =>
    [what, ours, peer, leftOut, ratio?.toFixed(2) ?? '', target, verdict(met)].join(' | '),
  )
  return [
    '| What | Ours | Peer | Left out of the peer | Ratio | Target | Met |',
    '|---|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n')
}

const verdict = (met: boolean | undefined) => (met === undefined ? '' : met ? 'yes' : '**no**')
