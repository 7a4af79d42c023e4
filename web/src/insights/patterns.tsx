/**
 * How series differ: each has a colour and a pattern, so that neither is needed alone. Colours are mixed with
 * the surface as far as a contrast of three to one allows, and lines are thin.
 */
const looks = [
  { colour: 'var(--accent-fill)', lines: '' },
  { colour: 'var(--warn)', lines: 'M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4' },
  { colour: 'var(--ok)', lines: 'M0,4 h8' },
  { colour: 'var(--danger-fill)', lines: 'M0,0 l8,8 M8,0 l-8,8' },
  { colour: 'var(--info)', lines: 'M4,0 v8' },
  { colour: 'var(--line-strong)', lines: 'M0,4 h8 M4,0 v8' },
]

export const mostLooks = looks.length

const calm = (colour: string) => `color-mix(in srgb, ${colour} 76%, var(--surface))`

/** The patterns that `fillOf` refers to; once in each picture. */
export const Patterns = ({ id }: { id: string }) => (
  <defs>
    {looks.map(({ colour, lines }, index) => (
      <pattern key={colour} id={`${id}-${index}`} width="8" height="8" patternUnits="userSpaceOnUse">
        <rect width="8" height="8" style={{ fill: calm(colour) }} />
        {lines && <path d={lines} style={{ stroke: 'var(--surface)', strokeWidth: 1, strokeOpacity: 0.6 }} />}
      </pattern>
    ))}
  </defs>
)

export const fillOf = (id: string, index: number) => `url(#${id}-${index})`
