/** How series are told apart: each has a colour and a pattern, so that neither is needed alone. */
const looks = [
  { colour: 'var(--accent-fill)', lines: '' },
  { colour: 'var(--warn)', lines: 'M-1,1 l2,-2 M0,6 l6,-6 M5,7 l2,-2' },
  { colour: 'var(--ok)', lines: 'M0,3 h6' },
  { colour: 'var(--danger-fill)', lines: 'M0,0 l6,6 M6,0 l-6,6' },
  { colour: 'var(--info)', lines: 'M3,0 v6' },
  { colour: 'var(--line-strong)', lines: 'M0,3 h6 M3,0 v6' },
]

export const mostLooks = looks.length

/** The patterns that `fillOf` refers to; once in each picture. */
export const Patterns = ({ id }: { id: string }) => (
  <defs>
    {looks.map(({ colour, lines }, index) => (
      <pattern key={colour} id={`${id}-${index}`} width="6" height="6" patternUnits="userSpaceOnUse">
        <rect width="6" height="6" style={{ fill: colour }} />
        {lines && <path d={lines} style={{ stroke: 'var(--surface)', strokeWidth: 1.5 }} />}
      </pattern>
    ))}
  </defs>
)

export const fillOf = (id: string, index: number) => `url(#${id}-${index})`
