import { maxSearchLength } from '@signalbox/contract/limits.ts'
import type { StoryListed } from '@signalbox/contract/story.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type RefObject, useEffect, useState } from 'react'
import { Choice } from '../ui/choice.tsx'
import { Checkbox, Input } from '../ui/field.tsx'
import { Filters } from '../ui/filters.tsx'
import { sizes } from '../words/stories.ts'
import { NewStory } from './new-story.tsx'

/** The filters of the board and of the list, as the address has them. */
export function useStoryFilter() {
  const { q, drafts, size } = useSearch({ strict: false }) as Record<string, string | undefined>
  return {
    ...(q ? { q: q.slice(0, maxSearchLength) } : {}),
    ...(drafts === 'yes' || drafts === 'true' ? { drafts: true } : {}),
    ...(sizes.includes(size as never) ? { size: size as NonNullable<StoryListed['size']> } : {}),
  }
}

/** Changes some filters of the address and leaves the others. */
export function useSetStoryFilter() {
  const navigate = useNavigate()
  return (changed: Record<string, string | undefined>) =>
    void navigate({
      to: '.',
      replace: true,
      search: ((before: Record<string, unknown>) => ({ ...before, ...changed })) as never,
    })
}

export function StoryFilters({
  inputRef,
  team,
}: {
  inputRef?: RefObject<HTMLInputElement | null>
  team: string
}) {
  const [filter, set] = [useStoryFilter(), useSetStoryFilter()]
  const sought = filter.q ?? ''
  const [text, setText] = useState(sought)
  // The address as it was last written or followed. Once it says something else, the field follows it.
  const [known, setKnown] = useState(sought)
  if (sought !== known) {
    setKnown(sought)
    setText(sought)
  }
  // The address follows once the typing rests, so that not every letter is asked for.
  useEffect(() => {
    if (text === known) return
    const timer = setTimeout(() => {
      setKnown(text)
      set({ q: text || undefined })
    }, 250)
    return () => clearTimeout(timer)
  })
  return (
    <div className="flex flex-wrap items-start justify-between gap-2">
      <Filters
        of="stories"
        isSet={Object.keys(filter).length > 0}
        onClear={() => {
          setText('')
          setKnown('')
          set({ q: undefined, size: undefined, drafts: undefined })
        }}
      >
        <Input
          ref={inputRef}
          type="search"
          aria-label="Filter by title or key"
          placeholder="Filter by title or key"
          value={text}
          maxLength={maxSearchLength}
          onChange={({ target }) => setText(target.value)}
        />
        <Choice
          label="Size"
          value={filter.size ?? ''}
          onChange={(size) => set({ size: size || undefined })}
          none="Any size"
          of={sizes.map((size) => [size, `Size ${size.toUpperCase()}`])}
        />
        <Checkbox
          label="Show drafts"
          checked={filter.drafts ?? false}
          onChange={({ target }) => set({ drafts: target.checked ? 'yes' : undefined })}
        />
      </Filters>
      <NewStory team={team} />
    </div>
  )
}
