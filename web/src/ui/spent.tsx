import { money } from '../browser/formats.ts'

/** What is spent of a budget, as a bar and in words. */
export function Spent({ cents, ofCents }: { cents: number; ofCents: number | null }) {
  if (ofCents === null) return <span className="text-sm">{money(cents)}, no limit</span>
  const share = ofCents === 0 ? 1 : Math.min(1, cents / ofCents)
  return (
    <div className="flex min-w-0 items-center gap-2 text-sm">
      <div
        aria-hidden="true"
        className="h-1.5 w-16 shrink-0 overflow-hidden rounded-full bg-line forced-color-adjust-none"
      >
        <div
          className={`h-full rounded-full ${share >= 1 ? 'bg-danger-fill' : share >= 0.8 ? 'bg-warn' : 'bg-accent-fill'}`}
          style={{ width: `${share * 100}%` }}
        />
      </div>
      <span className="whitespace-nowrap tabular-nums">
        {money(cents)} <span className="text-muted">of {money(ofCents)}</span>
      </span>
    </div>
  )
}
