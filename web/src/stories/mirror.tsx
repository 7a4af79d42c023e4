import type { StoryMirror } from '@signalbox/contract/app/mirror.ts'
import type { StoryPage } from '@signalbox/contract/app/stories.ts'
import { toolNames } from '@signalbox/contract/connection-kinds.ts'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { Time } from '../ui/time.tsx'
import { partNames } from './editing.ts'

/** Whether the story and its issue say the same, in a few words. */
export function MirrorState({ mirror }: { mirror: StoryMirror }) {
  if (mirror.left) return <>{leftWords[mirror.left]}</>
  if (!mirror.isBound) return <>Not connected</>
  if (mirror.trouble) return <>Can’t be reached</>
  if (mirror.isWriting) return <>Being updated</>
  if (mirror.inStepSince)
    return (
      <>
        In sync since <Time at={mirror.inStepSince} />
      </>
    )
  return <>Differs from the story</>
}

const leftWords = { closed: 'Closed', moved: 'Moved elsewhere', deleted: 'Deleted' }

/** What people should know about a story’s issue, and what they can do about it. */
export function MirrorNotice({ story: { key, mirror } }: { story: StoryPage }) {
  const tool = mirror && toolNames[mirror.tool]
  const settle = useAction('mirror.settle', {
    alsoStale: ['stories'],
    said: (_, { keep }) => (keep === 'ours' ? 'Your version is kept' : `${tool}’s version is kept`),
  })
  if (!mirror) return null
  const notes = [mirror.trouble, mirror.notice].filter((note) => note !== null)
  if (notes.length === 0 && mirror.conflicts.length === 0) return null
  return (
    <div className="mb-6 rounded-lg border bg-warn-soft p-3 text-sm">
      {notes.map((note) => (
        <p key={note} className="mb-1">
          {note}
        </p>
      ))}
      {mirror.conflicts.length > 0 && (
        <>
          <p className="font-semibold">Edited here and in {tool} at the same time</p>
          <p className="mt-1">{tool}’s version is shown. Nothing was overwritten there.</p>
          <dl className="mt-2 flex flex-col gap-2">
            {mirror.conflicts.map(({ field, ours, theirs }) => (
              <div key={field}>
                <dt className="text-muted">
                  {partNames[field as keyof typeof partNames] ?? field}, edited here
                </dt>
                <dd className="break-words whitespace-pre-wrap">{ours || 'Empty'}</dd>
                <dt className="text-muted">In {tool}</dt>
                <dd className="break-words whitespace-pre-wrap">{theirs || 'Empty'}</dd>
              </div>
            ))}
          </dl>
          <div className="mt-3 flex flex-wrap gap-2">
            <Button {...settle.button({ key, keep: 'ours' })}>Use the version from here</Button>
            <Button {...settle.button({ key, keep: 'theirs' })}>Keep {tool}’s version</Button>
          </div>
        </>
      )}
    </div>
  )
}
