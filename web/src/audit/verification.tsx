import type { Checked, Verification } from '@signalbox/contract/app/audit.ts'
import { ShieldAlert, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { useRead } from '../api/queries.ts'
import { counted } from '../browser/formats.ts'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Card, Loaded } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { many } from './words.ts'

/** How much of the log is under a signature, and a check of it. */
export function VerificationCard() {
  const state = useRead('audit.verification', {}, { keep: true })
  const check = useAction('audit.verify')
  return (
    <Card className="mb-5 px-4 py-3">
      <section aria-labelledby="verification">
        <div className="mb-1 flex items-center justify-between gap-3">
          <h2 id="verification" className="text-sm font-semibold">
            Verification
          </h2>
          <Button
            size="small"
            icon={<ShieldCheck size={14} aria-hidden="true" />}
            forbidden={
              state.data &&
              sizeOf(state.data) > state.data.mostEntries &&
              `Logs of up to ${many(state.data.mostEntries)} entries can be verified here. Ask the server operator to verify this one.`
            }
            {...check.button({})}
          >
            {check.isPending ? 'Verifying…' : 'Verify log'}
          </Button>
        </div>
        {/* About as high as what comes, so that the log below stays where it is. */}
        <div className="max-sm:min-h-[7.4rem] max-sm:pointer-coarse:min-h-[9.1rem]">
          <Loaded of={state} lines={1}>
            {(found) => <Sealed state={found} />}
          </Loaded>
        </div>
        <div role="status">{check.data && <Outcome checked={check.data} />}</div>
      </section>
    </Card>
  )
}

const sizeOf = ({ checkpoint, waiting }: Verification) => (checkpoint?.entries ?? 0) + waiting

function Sealed({ state }: { state: Verification }) {
  const { checkpoint, lastCheck } = state
  if (!checkpoint)
    return (
      <p className="text-sm text-muted">
        No entries sealed yet. New entries are sealed within seconds, under a signed checkpoint.
      </p>
    )
  return (
    <div className="text-sm text-muted">
      <p>
        {many(checkpoint.entries)} of {counted(sizeOf(state), 'entry is', 'entries are')} sealed, most
        recently <Time at={checkpoint.sealedAt} />. If an entry is changed or removed later, verifying the log
        shows it.
      </p>
      <LastCheck check={lastCheck} />
      {!checkpoint.trusted && (
        <p className="mt-1 font-medium text-danger">
          The latest checkpoint isn’t signed with this server’s key. Verify the log and tell the server
          operator.
        </p>
      )}
      <details className="mt-1">
        <summary className="w-fit text-xs leading-6 hover:text-text">Root hash and key</summary>
        <dl className="mt-1 flex flex-col gap-1">
          <Fact name="Root hash" value={checkpoint.root} />
          <Fact name="Key ID" value={checkpoint.keyId} />
          <Fact name="Verifier key" value={checkpoint.key} />
        </dl>
      </details>
    </div>
  )
}

function LastCheck({ check }: { check: Verification['lastCheck'] }) {
  if (!check) return <p>Never verified.</p>
  return (
    <p className={check.findings > 0 ? 'font-medium text-danger' : ''}>
      Last verified <Time at={check.at} /> by {check.by}: {counted(check.entries, 'entry', 'entries')},{' '}
      {check.findings === 0 ? 'no problems found' : counted(check.findings, 'problem')}.
    </p>
  )
}

const Fact = ({ name, value }: { name: string; value: string }) => (
  <div className="flex flex-wrap items-center gap-x-2">
    <dt className="w-24 shrink-0 text-xs">{name}</dt>
    <dd className="flex min-w-0 items-center font-mono text-xs text-text [overflow-wrap:anywhere]">
      {value}
      <CopyButton text={value} label={`Copy ${name.toLowerCase()}`} />
    </dd>
  </div>
)

function Outcome({ checked: { at, entries, checkpoints, findings } }: { checked: Checked }) {
  if (findings.length === 0)
    return (
      <Verdict icon={<ShieldCheck size={16} aria-hidden="true" />} look="bg-ok-soft text-ok">
        <p className="font-medium">{counted(entries, 'entry', 'entries')} verified, no problems found.</p>
        <p className="text-xs">
          Every entry was checked <Time at={at} plain /> against {counted(checkpoints, 'signed checkpoint')}.
        </p>
      </Verdict>
    )
  return (
    <Verdict icon={<ShieldAlert size={16} aria-hidden="true" />} look="bg-danger-soft text-danger">
      <p className="font-medium">
        {counted(entries, 'entry', 'entries')} checked, {counted(findings.length, 'problem')} found.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label="Problems" className="max-h-64 overflow-y-auto">
        <ul className="list-disc pl-5 text-xs">
          {findings.map((finding) => (
            <li key={finding} className="my-0.5 break-words">
              {finding}
            </li>
          ))}
        </ul>
      </section>
    </Verdict>
  )
}

const Verdict = ({ icon, look, children }: { icon: ReactNode; look: string; children: ReactNode }) => (
  <div className={`mt-3 flex gap-2 rounded-md px-3 py-2 text-sm ${look}`}>
    <span className="mt-0.5 shrink-0">{icon}</span>
    <div className="min-w-0 flex-1">{children}</div>
  </div>
)
