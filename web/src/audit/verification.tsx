import type { Checked, Verification } from '@signalbox/contract/app/audit.ts'
import { ShieldAlert, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { useRead, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Card, Loaded } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { complain } from '../ui/toast.tsx'
import { counted } from './wording.ts'
import { many } from './words.ts'

/** How much of the log is under a signature, and a check of it. */
export function VerificationCard() {
  const state = useRead('audit.verification', {}, { keep: true })
  const check = useWrite('audit.verify')
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
            busy={check.isPending}
            forbidden={
              state.data &&
              sizeOf(state.data) > state.data.mostEntries &&
              `Up to ${many(state.data.mostEntries)} entries are checked here. Run npm run signalbox -- verify-audit on the server.`
            }
            onClick={() => check.mutate({}, { onError: complain })}
          >
            {check.isPending ? 'Checking the log' : 'Check the log'}
          </Button>
        </div>
        <Loaded of={state} lines={1}>
          {(found) => <Sealed state={found} />}
        </Loaded>
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
        Nothing is sealed yet. Entries are sealed within seconds, under a signed checkpoint.
      </p>
    )
  return (
    <div className="text-sm text-muted">
      <p>
        {many(checkpoint.entries)} of {counted(sizeOf(state), 'entry is', 'entries are')} sealed, the last of
        them <Time at={checkpoint.sealedAt} />. An entry that is changed or taken away later no longer fits
        the signed checkpoint: a check finds it.
      </p>
      <LastCheck check={lastCheck} />
      {!checkpoint.trusted && (
        <p className="mt-1 font-medium text-danger">
          The newest checkpoint is not signed with this server’s key. Check the log, and the key.
        </p>
      )}
      <details className="mt-1">
        <summary className="w-fit text-xs leading-6 hover:text-text">Root hash and key</summary>
        <dl className="mt-1 flex flex-col gap-1">
          <Fact name="Root hash" value={checkpoint.root} />
          <Fact name="Key id" value={checkpoint.keyId} />
          <Fact name="Verifier key" value={checkpoint.key} />
        </dl>
      </details>
    </div>
  )
}

function LastCheck({ check }: { check: Verification['lastCheck'] }) {
  if (!check) return <p>Nobody has checked the log from here yet.</p>
  return (
    <p className={check.findings > 0 ? 'font-medium text-danger' : ''}>
      Last checked <Time at={check.at} /> by {check.by}: {counted(check.entries, 'entry', 'entries')},{' '}
      {check.findings === 0 ? 'unbroken' : counted(check.findings, 'finding')}.
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
        <p className="font-medium">{counted(entries, 'entry', 'entries')} verified, unbroken.</p>
        <p className="text-xs">
          Every entry was read <Time at={at} plain /> and held against{' '}
          {counted(checkpoints, 'signed checkpoint')}. Copies of checkpoints kept outside the database are
          compared by <code>npm run signalbox -- verify-audit</code>.
        </p>
      </Verdict>
    )
  return (
    <Verdict icon={<ShieldAlert size={16} aria-hidden="true" />} look="bg-danger-soft text-danger">
      <p className="font-medium">
        {counted(entries, 'entry', 'entries')} read, {counted(findings.length, 'finding')}.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label="Findings" className="max-h-64 overflow-y-auto">
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
