import type { DecisionRow } from '@signalbox/contract/app/decisions.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { usePages, useRead, useWorkspace } from '../api/queries.ts'
import { useShortcuts } from '../browser/shortcuts.ts'
import { Kbd } from '../ui/badge.tsx'
import { buttonClass } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Link, useGo } from '../ui/link.ts'
import { Page, Skeleton, Unreadable } from '../ui/page.tsx'
import { useAnswering } from './answering.ts'
import { DecisionContext, hasContext } from './decision-context.tsx'
import { DecisionDetail } from './decision-detail.tsx'
import { currentOf, waiting } from './inbox-lists.ts'
import { Snooze } from './snooze.tsx'
import { tellOutcome } from './tell-outcome.ts'

/** One decision on a screen of its own, for links from chat, mail and a phone. */
export function DecisionScreen() {
  const { key } = useParams({ from: '/$ws/decisions/$key' })
  const navigate = useGo()
  const read = useRead('decisions.read', { key })
  const answering = useAnswering((resolved) => tellOutcome(resolved, null))
  const decision = currentOf(useListed(key), read.data)
  const inbox = {
    to: '/$ws/inbox',
    search: decision?.status === 'pending' ? { key } : {},
  } as const
  useShortcuts({
    u: { what: 'Back to inbox', run: () => void navigate(inbox) },
  })
  const back = (
    <>
      <Link {...inbox} className="inline-flex min-h-6 items-center gap-1 hover:text-text">
        <ArrowLeft size={14} aria-hidden="true" /> Inbox
      </Link>
      <span className="font-mono text-xs">{key}</span>
      <CopyButton text={key} label="Copy key" />
      {decision && <Snooze decision={decision} />}
    </>
  )
  if (!decision) {
    return (
      <Page title={key} above={back}>
        {read.error ? <Unreadable error={read.error} retry={() => void read.refetch()} /> : <Skeleton />}
      </Page>
    )
  }
  return (
    <Page
      title={decision.title}
      above={back}
      aside={decision.status !== 'pending' && <NextOne after={key} />}
    >
      <div className="grid grid-cols-1 gap-8 lg:grid-cols-[minmax(0,1fr)_17rem]">
        <DecisionDetail key={key} decision={decision} read={read} answering={answering} level={2} />
        {(!read.data || hasContext(read.data)) && (
          <aside aria-label="Context" className="min-w-0 lg:border-l lg:pl-6">
            {read.data && <DecisionContext full={read.data} level={2} />}
          </aside>
        )}
      </div>
    </Page>
  )
}

/** The way on, once this one is answered. */
function NextOne({ after }: { after: string }) {
  const navigate = useGo()
  const next = usePages('decisions.list', waiting).data?.find(({ key }) => key !== after)
  useShortcuts({
    j: {
      what: 'Next decision',
      run: () => next && void navigate({ to: '/$ws/decisions/$key', params: { key: next.key } }),
    },
  })
  if (!next) return null
  return (
    <KeyLink to="decision" of={next.key} className={buttonClass('primary')}>
      Next decision <Kbd>j</Kbd>
    </KeyLink>
  )
}

/** The decision as a list has it that was read before: shown until the page's own answer comes. */
function useListed(key: string): DecisionRow | undefined {
  const [ws, client] = [useWorkspace(), useQueryClient()]
  return client
    .getQueriesData<{ pages: { data: DecisionRow[] }[] }>({ queryKey: [ws, 'decisions', 'decisions.list'] })
    .flatMap(([, list]) => list?.pages ?? [])
    .flatMap((page) => page.data)
    .find((row) => row.key === key)
}
