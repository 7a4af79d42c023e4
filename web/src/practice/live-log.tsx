import type { Practice } from '@signalbox/contract/app/practice.ts'
import { useWorkspace } from '../api/queries.ts'
import { useLog } from '../runs/use-log.ts'
import { KeyLink } from '../ui/key-link.tsx'
import { stages } from '../words/runs.tsx'

const shown = 12

/** The run as it goes by: its stage, and the last lines that it printed. */
export function LiveLog({ run }: { run: NonNullable<Practice['run']> }) {
  const { buffer, count } = useLog(useWorkspace(), run.key, false)
  const lines = buffer.lines.slice(Math.max(0, count - shown), count)
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm">
        <KeyLink to="run" of={run.key} className="font-mono text-xs text-accent hover:underline" />{' '}
        {stages[run.stage]}
      </p>
      {/* Lines that wrap take more room: what does not fit is above. */}
      <pre className="flex h-56 flex-col justify-end overflow-hidden rounded-md border bg-bg p-3 font-mono text-xs text-muted">
        <span className="break-all whitespace-pre-wrap">{lines.join('\n')}</span>
      </pre>
    </div>
  )
}
