import type { RequirementPage } from '@signalbox/contract/app/requirements.ts'
import { useParams } from '@tanstack/react-router'
import { Lightbulb } from 'lucide-react'
import { useState } from 'react'
import { useRead } from '../api/queries.ts'
import { useShortcuts } from '../browser/shortcuts.ts'
import { Back } from '../ui/back.tsx'
import { Coded } from '../ui/coded.tsx'
import { copy } from '../ui/copy.tsx'
import { Link } from '../ui/link.ts'
import { Markdown } from '../ui/markdown.tsx'
import { Card, Empty, Loaded, Page } from '../ui/page.tsx'
import { TeamName } from '../ui/team-name.tsx'
import { Time } from '../ui/time.tsx'
import { Conversation } from './conversation.tsx'
import { DraftCard } from './draft-card.tsx'
import { Questions } from './questions.tsx'
import { StatusMark, titleOf } from './states.tsx'
import { WriteBar } from './write-bar.tsx'

export function RequirementScreen() {
  const { slug } = useParams({ from: '/$ws/intake/$slug' })
  // A tracker that refuses leaves no entry, so nothing would report it: looked at while one is being asked.
  const [writing, setWriting] = useState(false)
  const requirement = useRead('requirements.read', { slug }, { every: writing && 3_000 })
  const isWriting = requirement.data?.drafts.some(({ state }) => state === 'writing') ?? false
  if (isWriting !== writing) setWriting(isWriting)
  useShortcuts({
    '.': { what: 'Copy key', run: () => void copy(slug, 'Key copied') },
  })
  if (!requirement.data) {
    return (
      <Page title="Requirement" above={<Back to="/$ws/intake" />}>
        <Loaded of={requirement}>{() => null}</Loaded>
      </Page>
    )
  }
  return <Shown requirement={requirement.data} />
}

function Shown({ requirement }: { requirement: RequirementPage }) {
  const { slug, team, text, status, questions, notes, drafts, submittedBy, createdAt } = requirement
  const above = (
    <>
      <Back to="/$ws/intake" />
      <span aria-hidden="true">/</span>
      <span className="font-mono text-xs [overflow-wrap:anywhere]">{slug}</span>
    </>
  )
  return (
    <Page title={titleOf(text)} above={above} wide>
      <div className="mb-5 flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-muted">
        <StatusMark status={status} />
        <span>
          <Link
            to="/$ws/teams/$team/board"
            params={{ team }}
            className="inline-flex min-h-6 items-center text-text hover:underline"
          >
            <TeamName of={team} />
          </Link>
        </span>
        <span>
          Submitted by {submittedBy ?? 'Signalbox'} <Time at={createdAt} />
        </span>
      </div>
      <div className="grid gap-x-8 gap-y-6 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <section aria-labelledby="source-text" className="min-w-0 xl:sticky xl:top-6 xl:self-start">
          <h2 id="source-text" className="mb-3 text-lg font-semibold">
            Original text
          </h2>
          <Card className="p-4 xl:max-h-[75dvh] xl:overflow-y-auto">
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
            <section tabIndex={0} aria-label="Requirement text">
              <Markdown text={text} />
            </section>
          </Card>
          <Notes notes={notes} />
        </section>
        <div className="min-w-0">
          {questions.length > 0 && <Questions requirement={requirement} />}
          {drafts.length > 0 ? (
            <section aria-labelledby="drafts">
              <h2 id="drafts" className="mb-3 text-lg font-semibold">
                Drafts
              </h2>
              <WriteBar requirement={requirement} />
              <div className="flex flex-col gap-4">
                {drafts.map((draft) => (
                  <DraftCard key={draft.key} draft={draft} />
                ))}
              </div>
            </section>
          ) : (
            status !== 'clarifying' && (
              <Empty icon={Lightbulb} title="No drafts left">
                Every draft was rejected. Submit a new requirement to try again.
              </Empty>
            )
          )}
          <div className="mt-6">
            <Conversation slug={slug} />
          </div>
        </div>
      </div>
    </Page>
  )
}

function Notes({ notes }: { notes: string[] }) {
  if (notes.length === 0) return null
  return (
    <div className="mt-4 text-sm text-muted">
      <h3 className="font-medium text-text">Drafting notes</h3>
      <ul className="mt-1 list-disc pl-5">
        {notes.map((note) => (
          <li key={note} dir="auto" className="break-words">
            <Coded text={note} />
          </li>
        ))}
      </ul>
    </div>
  )
}
