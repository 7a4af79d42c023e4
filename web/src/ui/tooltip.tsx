import { cloneElement, useId } from 'react'
import { later } from './later.ts'
import type { Tooltipped } from './tooltip-hovering.tsx'

const hovering = later(() => import('./tooltip-hovering.tsx'))

/** Shown on hover and on focus; Escape puts it away. What it is about is there first, and works without it. */
export function Tooltip(props: Tooltipped) {
  const id = useId()
  const there = hovering.useWhen(true)
  return there ? <there.Hovering {...props} id={id} /> : cloneElement(props.children, { 'data-tooltip': id })
}
