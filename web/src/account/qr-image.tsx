import { encode } from 'uqr'

/** For a camera. Black on white in every theme: many readers know it no other way. */
export function QrImage({ text, label }: { text: string; label: string }) {
  // Nothing on a screen gets scratched, so the lowest grade of correction leaves the largest dots.
  const { data, size } = encode(text, { ecc: 'L', border: 4 })
  const dots = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-48 self-center rounded-md border"
    >
      <rect width={size} height={size} className="fill-white" />
      <path d={dots.join('')} className="fill-black" />
    </svg>
  )
}
