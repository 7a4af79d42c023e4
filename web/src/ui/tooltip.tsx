import { lazy, type ReactElement, Suspense } from 'react'
import { code } from '../api/code.ts'

const Hovering = lazy(() => code(() => import('./tooltip-hovering.tsx')))

export interface Tooltipped {
  text: string
  children: ReactElement<Record<string, unknown>>
  /** A press shows it too: a finger does not hover, and what it presses does nothing else. */
  onPress?: boolean
}

/** Shown on hover and on focus; Escape puts it away. What it is about is there first, and works without it. */
export const Tooltip = (props: Tooltipped) => (
  <Suspense fallback={props.children}>
    <Hovering {...props} />
  </Suspense>
)
