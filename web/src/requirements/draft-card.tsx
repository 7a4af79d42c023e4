import type { Draft } from '@signalbox/contract/app/requirements.ts'
import { ExternalLink, PencilLine, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ApproveDraft } from '../stories/approve-draft.tsx'
import { StoryEditor } from '../stories/editor.tsx'
import { Readiness, Size } from '../stories/marks.tsx'
import { Button } from '../ui/button.tsx'
import { Coded } from '../ui/coded.tsx'
import { OpenButton } from '../ui/dialog.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Markdown } from '../ui/markdown.tsx'
import { Card } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { RejectDialog } from './reject-dialog.tsx'
import { DraftState } from './states.tsx'

/** A story that came from the requirement: what it says, what it lacks, and what can be done with it. */
export function DraftCard({ draft }: { draft: Draft }) {
  const [editing, setEditing] = useState(false)
  return (
    <Card className="min-w-0 p-4">
      <article aria-label={`${draft.key}: ${draft.title}`}>
        {editing ? (
          <StoryEditor story={draft} onClose={() => setEditing(false)} />
        ) : (
          <>
            <Head draft={draft} />
            <Body draft={draft} />
            {draft.state === 'draft' && <Actions draft={draft} onEdit={() => setEditing(true)} />}
          </>
        )}
      </article>
    </Card>
  )
}

function Head({ draft }: { draft: Draft }) {
  const { key, title, size, readinessScore, tracker } = draft
  return (
    <header className="mb-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <KeyLink
          to="story"
          of={key}
          className="inline-flex min-h-6 items-center font-mono text-xs text-muted hover:underline"
        />
        <DraftState draft={draft} />
        <Readiness score={readinessScore} />
        <Size size={size} />
        {tracker && /^https?:/.test(tracker.url) && (
          <a
            href={tracker.url}
            target="_blank"
            rel="noopener noreferrer"
            className="inline-flex min-h-6 items-center gap-1 text-sm text-accent hover:underline"
          >
            {tracker.key}
            <ExternalLink size={12} aria-label="opens in a new tab" />
          </a>
        )}
      </div>
      <h3 dir="auto" className="mt-1 font-semibold break-words">
        <Coded text={title} />
      </h3>
    </header>
  )
}

function Body({ draft }: { draft: Draft }) {
  const { description, acceptanceCriteria, demonstrate, testPlan, missing, failure, state } = draft
  return (
    <div className="flex flex-col gap-3 text-sm">
      {failure && state === 'failing' && (
        <div role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-danger">
          <p className="break-words">The tracker rejected it: {failure.message}</p>
          <p className="mt-0.5 text-xs">
            Tried {failure.attempts === 1 ? 'once' : `${failure.attempts} times`}.
            {failure.nextAt && (
              <>
                {' '}
                Retrying <Time at={failure.nextAt} plain />.
              </>
            )}
          </p>
        </div>
      )}
      {description && <Markdown text={description} />}
      <Part title="Acceptance criteria">
        {acceptanceCriteria.length > 0 ? (
          <ul className="list-disc pl-5">
            {acceptanceCriteria.map(({ id, text }) => (
              <li key={id} dir="auto" className="my-0.5 break-words">
                <Coded text={text} />
              </li>
            ))}
          </ul>
        ) : (
          <p className="text-muted">None yet</p>
        )}
      </Part>
      <Part title="Demonstrate">
        {demonstrate ? <Markdown text={demonstrate} /> : <p className="text-muted">None yet</p>}
      </Part>
      <Part title="Test plan">
        {testPlan ? <Markdown text={testPlan} /> : <p className="text-muted">None yet</p>}
      </Part>
      {state === 'draft' && missing.length > 0 && (
        <div className="rounded-md bg-warn-soft px-3 py-2">
          <p className="font-medium text-warn">Still missing</p>
          <ul className="mt-1 list-disc pl-5">
            {missing.map((what) => (
              <li key={what}>{what}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}

const Part = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <div>
    <h4 className="mb-0.5 text-xs font-medium text-muted">{title}</h4>
    {children}
  </div>
)

function Actions({ draft: { key, title, readinessScore }, onEdit }: { draft: Draft; onEdit: () => void }) {
  return (
    <div className="mt-4 flex flex-wrap gap-2">
      <ApproveDraft draft={{ key, readinessScore }} label={`Approve ${key}`} />
      <Button icon={<PencilLine size={14} aria-hidden="true" />} aria-label={`Edit ${key}`} onClick={onEdit}>
        Edit
      </Button>
      <OpenButton
        label="Reject"
        look="quiet"
        icon={<Trash2 size={14} aria-hidden="true" />}
        aria-label={`Reject ${key}`}
      >
        {(close) => <RejectDialog draft={{ key, title }} onClose={close} />}
      </OpenButton>
    </div>
  )
}
