import type { DecisionInFull, Precedents as Found, Precedent } from '@signalbox/contract/app/decisions.ts'
import { useMay } from '../api/me.ts'
import { useRead, useWorkspace } from '../api/queries.ts'
import { askedOf } from '../policies/suggested.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Coded } from '../ui/coded.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Link } from '../ui/link.ts'
import { Time } from '../ui/time.tsx'
import { precedentOutcomes } from '../words/decisions.ts'
import { changeDraft } from './drafts.ts'
import { Heading, type Level } from './heading.tsx'

/** How similar questions were answered before. Read after the decision itself: nothing waits for it. */
export function Precedents({ decision, level }: { decision: DecisionInFull; level: Level }) {
  const { data } = useRead('decisions.precedents', { key: decision.key })
  const isAsked = useMay('admin') && decision.kind === 'merge_approval'
  const suggestions = useRead('suggestions.list', {}, { enabled: isAsked })
  const suggestion = suggestions.data?.data.find(({ team }) => team === decision.team)
  // All of it at once, so that the answer below moves once.
  if (!data || data.closest.length === 0 || suggestions.isLoading) return null
  return (
    <section>
      <Heading level={level} className="mb-1">
        Answered before
      </Heading>
      <p className="mb-2 text-sm text-muted">{tallied(data)}</p>
      <ul className="flex flex-col divide-y rounded-lg border bg-surface">
        {data.closest.map((precedent) => (
          <li key={precedent.key} className="px-3 py-2.5 text-sm">
            <Answered precedent={precedent} decision={decision} />
          </li>
        ))}
      </ul>
      {suggestion && (
        <p className="mt-2 text-sm text-muted">
          Policy suggestion:{' '}
          <Link
            to="/$ws/teams/$team/settings/policy"
            params={{ team: suggestion.team }}
            className="text-accent hover:underline"
          >
            {askedOf(suggestion)}
          </Link>
        </p>
      )}
    </section>
  )
}

/** `7 similar decisions: “Merge” 6 times, “Reject” once.` */
function tallied({ similar, answers }: Found): string {
  const times = (count: number) => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`)
  const each = answers.slice(0, 3).map(({ answer, count }) => `“${answer}” ${times(count)}`)
  return `${similar === 1 ? '1 similar decision' : `${similar} similar decisions`} in this team: ${each.join(', ')}.`
}

function Answered({ precedent, decision }: { precedent: Precedent; decision: DecisionInFull }) {
  const ws = useWorkspace()
  const { key, title, optionId, answer, note, answeredBy, answeredAt, outcome, commonPaths } = precedent
  // An agent's own suggestions differ from question to question: only the same answer can be given again.
  const isOffered = decision.options.some(({ id, label }) => id === optionId && label === answer)
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <KeyLink to="decision" of={key} className="min-w-0 font-medium break-words hover:underline">
          <bdi>
            <Coded text={title} />
          </bdi>
        </KeyLink>
        {outcome && <Badge {...precedentOutcomes[outcome]} />}
      </div>
      <p className="mt-0.5 text-muted">
        “<bdi>{answer}</bdi>” {answeredBy && <>by {answeredBy}</>}, <Time at={answeredAt} />
        {commonPaths.length > 0 && (
          <>
            {' · '}
            {commonPaths.length === 1
              ? `also changed ${commonPaths[0]}`
              : `${commonPaths.length} files in common`}
          </>
        )}
      </p>
      {note && (
        <p dir="auto" className="mt-1 line-clamp-3 border-l-2 pl-3 break-words whitespace-pre-wrap">
          {note}
        </p>
      )}
      {decision.status === 'pending' && isOffered && (
        <Button
          look="quiet"
          size="small"
          className="mt-1"
          onClick={() => changeDraft(ws, decision.key, { optionId, ...(note ? { note } : {}) })}
        >
          Use this answer
        </Button>
      )}
    </>
  )
}
