import type { Draft, RequirementPage } from '@signalbox/contract/app/requirements.ts'
import { Send } from 'lucide-react'
import { useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/page.tsx'
import { complain, say } from '../ui/toast.tsx'

/** Where the drafts stand, and the way into the tracker. */
export function WriteBar({ requirement: { slug, drafts } }: { requirement: RequirementPage }) {
  const write = useWrite('requirements.write', { alsoStale: ['stories', 'teams'] })
  const count = (...states: Draft['state'][]) => drafts.filter(({ state }) => states.includes(state)).length
  const approved = count('approved')
  const undecided = count('draft')
  const parts = [
    [undecided, 'to review'],
    [approved, 'approved'],
    [count('writing'), 'writing to tracker'],
    [count('failing'), 'failed in tracker'],
    [count('written'), 'in tracker'],
  ] as const
  const press = () =>
    write.mutate(
      { slug },
      {
        onSuccess: ({ keys }) => say(`Writing ${keys.join(', ')} to the tracker`),
        onError: complain,
      },
    )
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
          busy={write.isPending}
          forbidden={approved === 0 && 'Approve a draft first'}
          onClick={press}
        >
          {approved > 0
            ? `Write ${approved} approved ${approved === 1 ? 'draft' : 'drafts'} to the tracker`
            : 'Write approved drafts to the tracker'}
        </Button>
      )}
    </Card>
  )
}
