import type { StoryPage } from '@signalbox/contract/app/stories.ts'
import { ThumbsUp } from 'lucide-react'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'

interface Props {
  draft: Pick<StoryPage, 'key' | 'readinessScore'>
  label?: string
}

/** Makes a draft a story. Where several stand together, `label` says which. */
export function ApproveDraft({ draft: { key, readinessScore }, label }: Props) {
  const approve = useAction('requirements.approveDraft', {
    alsoStale: ['stories', 'teams'],
    said: `${key} approved`,
  })
  return (
    <Button
      look="primary"
      icon={<ThumbsUp size={14} aria-hidden="true" />}
      aria-label={label}
      forbidden={
        readinessScore < 100 && `Readiness is ${readinessScore} and needs to be 100. Add what’s missing.`
      }
      {...approve.button({ key })}
    >
      Approve
    </Button>
  )
}
