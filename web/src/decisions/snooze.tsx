import type { DecisionRow } from '@signalbox/contract/app/decisions.ts'
import { lazy, Suspense } from 'react'
import { code } from '../api/code.ts'

const Menu = lazy(() => code(() => import('./snooze-menu.tsx')))

/** Puts a decision off, for the person who looks. The menu comes after the first paint, into room that is kept for it. */
export const Snooze = (props: { decision: DecisionRow; onSnoozed?: (key: string) => void }) =>
  props.decision.status === 'pending' && (
    <Suspense fallback={<span className="size-8" />}>
      <Menu {...props} />
    </Suspense>
  )
