import type { ReactElement } from 'react'
import { later } from './later.ts'

const hovering = later(() => import('./tooltip-hovering.tsx'))

export interface Tooltipped {
  text: string
  children: ReactElement<Record<string, unknown>>
  /** A press shows it too: a finger does not hover, and what it presses does nothing else. */
  onPress?: boolean
}

/** Shown on hover and on focus; Escape puts it away. What it is about is there first, and works without it. */
export function Tooltip(props: Tooltipped) {
  const there = hovering.useWhen(true)
  return there ? <there.Hovering {...props} /> : props.children
}
