import type { AttemptRow } from '@signalbox/contract/app/webhooks.ts'
import { CheckCircle2, XCircle } from 'lucide-react'
import { grouped } from '../browser/formats.ts'
import { Badge } from '../ui/badge.tsx'
import { RefusalText } from '../ui/refusal-text.tsx'

interface Props {
  of: Pick<AttemptRow, 'status' | 'answer' | 'problem' | 'durationMs'>
}

/** What came back from an endpoint: a status with its text, or why there is none. */
export function Answer({ of: { status, answer, problem, durationMs } }: Props) {
  const isGood = status !== null && status >= 200 && status < 300
  return (
    <div className="flex flex-col gap-2">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <Badge
          tone={isGood ? 'ok' : 'danger'}
          icon={isGood ? CheckCircle2 : XCircle}
          word={status === null ? 'No response' : `Status ${status}`}
        />
        <span className="text-muted">after {grouped(durationMs)} ms</span>
        {status !== null && status >= 300 && status < 400 && (
          <span className="text-muted">Redirects aren’t followed.</span>
        )}
      </p>
      {problem && (
        <p className="text-sm wrap-anywhere text-danger">
          <RefusalText text={problem} />
        </p>
      )}
      {answer !== null && <Text label="Response" text={answer || 'The response has no body.'} />}
    </div>
  )
}

/** Text as it was sent or received; long text scrolls in its box. */
export const Text = ({ label, text }: { label: string; text: string }) => (
  <section
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    tabIndex={0}
    aria-label={label}
    className="max-h-60 overflow-auto rounded-md border bg-bg p-3"
  >
    <pre className="font-mono text-xs whitespace-pre-wrap wrap-anywhere">{text}</pre>
  </section>
)
