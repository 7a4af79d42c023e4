import type { StoryPage } from '@signalbox/contract/app/stories.ts'
import { ThumbsUp } from 'lucide-react'
import { useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { complain, say } from '../ui/toast.tsx'

/** Makes a draft a story. Where several stand together, `label` says which. */
export function ApproveDraft({
  draft: { key, readinessScore },
  label,
}: {
  draft: Pick<StoryPage, 'key' | 'readinessScore'>
  label?: string
}) {
  const approve = useWrite('requirements.approveDraft', { alsoStale: ['stories', 'teams'] })
  return (
    <Button
      look="primary"
      icon={<ThumbsUp size={14} aria-hidden="true" />}
      aria-label={label}
      busy={approve.isPending}
      forbidden={
        readinessScore < 100 && `Readiness is ${readinessScore} and needs to be 100. Add what’s missing.`
      }
      onClick={() => approve.mutate({ key }, { onSuccess: () => say(`${key} approved`), onError: complain })}
    >
      Approve
    </Button>
  )
}
