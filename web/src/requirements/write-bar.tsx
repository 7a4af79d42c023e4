import type { Draft, RequirementPage } from '@signalbox/contract/app/requirements.ts'
import { Send } from 'lucide-react'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { Link } from '../ui/link.ts'
import { Card } from '../ui/page.tsx'

/** Where the drafts stand, and how they become issues of the tracker or, without one, stories here. */
export function WriteBar({ requirement: { slug, drafts, hasTracker } }: { requirement: RequirementPage }) {
  const write = useAction('requirements.write', {
    alsoStale: ['stories', 'teams'],
    said: ({ keys }) =>
      hasTracker ? `Writing ${keys.join(', ')} to the tracker` : `Created ${keys.join(', ')} in Ready`,
  })
  const count = (...states: Draft['state'][]) => drafts.filter(({ state }) => states.includes(state)).length
  const approved = count('approved')
  const undecided = count('draft')
  const inTracker = drafts.filter(({ tracker }) => tracker !== null).length
  const parts = [
    [undecided, 'to review'],
    [approved, 'approved'],
    [count('writing'), 'writing to tracker'],
    [count('failing'), 'failed in tracker'],
    [inTracker, 'in tracker'],
    [count('written') - inTracker, 'created'],
  ] as const
  return (
    <Card className="mb-4 flex flex-wrap items-center justify-between gap-3 px-4 py-3">
      <p role="status" className="text-sm text-muted">
        {parts
          .filter(([some]) => some > 0)
          .map(([some, what]) => `${some} ${what}`)
          .join(' · ')}
      </p>
      {(approved > 0 || undecided > 0) && (
        <Button
          look="primary"
          icon={<Send size={14} aria-hidden="true" />}
          forbidden={approved === 0 && 'Approve a draft first'}
          {...write.button({ slug })}
        >
          {hasTracker ? writing(approved) : creating(approved)}
        </Button>
      )}
      {!hasTracker && approved + undecided > 0 && <WithoutTracker />}
    </Card>
  )
}

const writing = (approved: number) =>
  approved > 0
    ? `Write ${approved} approved ${approved === 1 ? 'draft' : 'drafts'} to the tracker`
    : 'Write approved drafts to the tracker'

const creating = (approved: number) =>
  approved > 0 ? `Create ${approved} ${approved === 1 ? 'story' : 'stories'}` : 'Create stories'

function WithoutTracker() {
  return (
    <p className="basis-full text-xs text-muted">
      Approved drafts become stories in Ready. No tracker is connected, so no issues are created; see{' '}
      <Link to="/$ws/settings/connections" className="text-accent underline">
        Connections
      </Link>
      .
    </p>
  )
}
