import { maxSearchLength } from '@signalbox/contract/limits.ts'
import type { StoryListed } from '@signalbox/contract/story.ts'
import { useSearch } from '@tanstack/react-router'
import { type ReactNode, type RefObject, useEffect, useState } from 'react'
import { Checkbox, Input } from '../ui/field.tsx'
import { FilterBy, Filters, useSetFilter } from '../ui/filters.tsx'
import { sizes } from '../words/stories.ts'
import { NewStory } from './new-story.tsx'

const isYes = (value: string | undefined) => value === 'yes' || value === 'true'

/** The filters of the board and of the list, as the address has them. */
export function useStoryFilter() {
  const { q, drafts, size, mine } = useSearch({ strict: false }) as Record<string, string | undefined>
  return {
    ...(q ? { q: q.slice(0, maxSearchLength) } : {}),
    ...(isYes(drafts) ? { drafts: true } : {}),
    ...(isYes(mine) ? { mine: true } : {}),
    ...(sizes.includes(size as never) ? { size: size as NonNullable<StoryListed['size']> } : {}),
  }
}

interface Props {
  inputRef?: RefObject<HTMLInputElement | null>
  team: string
  /** What else can be done with the stories, before the button that creates one. */
  children?: ReactNode
}

export function StoryFilters({ inputRef, team, children }: Props) {
  const [filter, set] = [useStoryFilter(), useSetFilter()]
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
    <div className="flex flex-wrap items-start justify-between gap-2 max-sm:[&>search]:mb-1 max-sm:[&>search]:w-full">
      <Filters
        of="stories"
        value={{ q: undefined, ...filter }}
        set={(changed) => {
          if ('q' in changed) {
            setText('')
            setKnown('')
          }
          set(changed)
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
        <FilterBy name="size" of={sizes.map((size) => [size, `Size ${size.toUpperCase()}`])} />
        <Checkbox
          label="Show drafts"
          checked={filter.drafts ?? false}
          onChange={({ target }) => set({ drafts: target.checked ? 'yes' : undefined })}
        />
        <Checkbox
          label="Mine"
          title="Stories you created or requested, and those you work on yourself"
          checked={filter.mine ?? false}
          onChange={({ target }) => set({ mine: target.checked ? 'yes' : undefined })}
        />
      </Filters>
      <div className="mb-4 flex flex-wrap items-center gap-2 max-sm:w-full">
        {children}
        <NewStory team={team} />
      </div>
    </div>
  )
}
