import {
  draggable,
  dropTargetForElements,
  monitorForElements,
} from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { setCustomNativeDragPreview } from '@atlaskit/pragmatic-drag-and-drop/element/set-custom-native-drag-preview'
import type { StoryRow } from '@signalbox/contract/app/stories.ts'
import { type RefObject, useEffect, useRef, useState } from 'react'

type Role = StoryRow['column']['role']

/** Always the newest of what a component was drawn with, for what listens longer than one drawing. */
function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value)
  latest.current = value
  return latest
}

/** Lets a card be dragged, alone or with others. */
export function useDraggable(
  element: RefObject<HTMLElement | null>,
  given: { mayDrag: boolean; keys: () => string[] },
): void {
  const latest = useLatest(given)
  useEffect(
    () =>
      draggable({
        element: element.current!,
        canDrag: () => latest.current.mayDrag,
        getInitialData: () => ({ keys: latest.current.keys() }),
        onGenerateDragPreview: ({ nativeSetDragImage, source }) => {
          const { length } = keysOf(source.data)
          // One card is its own picture.
          if (length > 1)
            setCustomNativeDragPreview({
              nativeSetDragImage,
              render: ({ container }) => {
                container.className = 'rounded-lg border bg-raised px-3 py-2 text-sm font-medium text-text'
                container.textContent = `${length} stories`
              },
            })
        },
      }),
    [element, latest],
  )
}

/** Whether something is dragged over a column. */
export function useIsOver(element: RefObject<HTMLElement | null>, role: Role): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(
    () =>
      dropTargetForElements({
        element: element.current!,
        getData: () => ({ role }),
        onDragEnter: () => setOver(true),
        onDragLeave: () => setOver(false),
        onDrop: () => setOver(false),
      }),
    [element, role],
  )
  return isOver
}

interface Listening {
  onStart: (keys: string[]) => void
  onOver: (keys: string[], role: Role | null) => void
  onDrop: (keys: string[], role: Role | null) => void
}

/** Tells what happens to cards while they are dragged. */
export function useDrags(listening: Listening): void {
  const latest = useLatest(listening)
  useEffect(
    () =>
      monitorForElements({
        onDragStart: ({ source }) => latest.current.onStart(keysOf(source.data)),
        onDropTargetChange: ({ source, location }) =>
          latest.current.onOver(keysOf(source.data), roleOf(location.current)),
        onDrop: ({ source, location }) =>
          latest.current.onDrop(keysOf(source.data), roleOf(location.current)),
      }),
    [latest],
  )
}

const keysOf = (data: Record<string, unknown>) => (data.keys ?? []) as string[]

const roleOf = ({ dropTargets }: { dropTargets: { data: Record<string | symbol, unknown> }[] }) =>
  (dropTargets[0]?.data.role ?? null) as Role | null
