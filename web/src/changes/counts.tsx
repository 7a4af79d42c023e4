import { grouped } from '../browser/formats.ts'

interface Props {
  of: { additions: number; deletions: number }
}

/** How many lines were added and removed. */
export const Counts = ({ of: { additions, deletions } }: Props) => (
  <span className="flex shrink-0 gap-1.5 font-mono text-xs tabular-nums">
    <span className="text-ok">
      <span aria-hidden="true">+{grouped(additions)}</span>
      <span className="sr-only">{additions} added, </span>
    </span>
    <span className="text-danger">
      <span aria-hidden="true">−{grouped(deletions)}</span>
      <span className="sr-only">{deletions} removed</span>
    </span>
  </span>
)
