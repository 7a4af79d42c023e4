import { visible } from '@signalbox/contract/visible.ts'
import { useParams } from '@tanstack/react-router'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { useRead } from '../api/queries.ts'
import { useShortcuts } from '../browser/shortcuts.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton, copy } from '../ui/copy.tsx'
import { Link } from '../ui/link.ts'
import { Loaded, Page } from '../ui/page.tsx'
import { StoryActivity } from './activity.tsx'
import { ApproveDraft } from './approve-draft.tsx'
import { StoryContent } from './content.tsx'
import { StoryEditor } from './editor.tsx'
import { StoryFacts } from './facts.tsx'
import { HeldBy } from './held.tsx'
import { DraftMark, ExpediteMark } from './marks.tsx'
import { MoveMenu } from './move-menu.tsx'

export function StoryScreen() {
  const { key } = useParams({ from: '/$ws/stories/$key' })
  // Another story is another page: it does not open in the middle of an edit.
  return <Story key={key} of={key} />
}

function Story({ of: key }: { of: string }) {
  const story = useRead('stories.read', { key })
  const [isEditing, setIsEditing] = useState(false)
  const found = story.data
  useShortcuts({
    '.': { what: 'Copy key', run: () => void copy(key, `${key} copied`) },
    e: { what: 'Edit story', run: () => setIsEditing(true) },
  })
  return (
    <Page
      title={found ? visible(found.title) : key}
      above={
        <>
          {found && (
            <>
              <Link
                to="/$ws/teams/$team/board"
                params={{ team: found.team }}
                className="hover:text-text hover:underline"
              >
                {found.teamName}
              </Link>
              <span aria-hidden="true">/</span>
            </>
          )}
          <span className="font-mono">{key}</span>
          <CopyButton text={key} label="Copy key" />
          {found?.draft && <DraftMark />}
          {found?.classOfService === 'expedite' && <ExpediteMark />}
        </>
      }
      aside={
        found &&
        !isEditing && (
          <>
            {found.draft && <ApproveDraft draft={found} />}
            <MoveMenu story={{ ...found, run: found.runs[0] ?? null }} withWords />
            <Button icon={<Pencil size={14} />} onClick={() => setIsEditing(true)}>
              Edit
            </Button>
          </>
        )
      }
    >
      <Loaded of={story}>
        {(read) => (
          <div className="grid gap-x-10 lg:grid-cols-[minmax(0,1fr)_18rem]">
            <div className="min-w-0">
              {read.heldBy.length > 0 && (
                <div className="mb-5 rounded-lg border bg-warn-soft px-3 py-2">
                  <p className="mb-1 text-sm font-semibold">In Ready, but not picked up yet</p>
                  <HeldBy story={{ ...read, run: read.runs[0] ?? null }} />
                </div>
              )}
              {isEditing ? (
                <StoryEditor story={read} onClose={() => setIsEditing(false)} />
              ) : (
                <StoryContent story={read} />
              )}
              <StoryActivity story={read} />
            </div>
            <StoryFacts story={read} />
          </div>
        )}
      </Loaded>
    </Page>
  )
}
