/** One line of the table: what was measured, against what, and the target it has to meet. */
export interface Figure {
  what: string
  ours: string
  peer: string
  ratio: number | null
  target: string
  met: boolean
}

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

export function table(figures: Figure[]): string {
  const rows = figures.map(({ what, ours, peer, ratio, target, met }) =>
    [what, ours, peer, ratio === null ? '' : ratio.toFixed(2), target, met ? 'yes' : '**no**'].join(' | '),
  )
  return [
    '| What | Ours | Peer | Ratio | Target | Met |',
    '|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n')
}
