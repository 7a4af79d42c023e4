import { lazy, type ReactNode, Suspense } from 'react'
import { code } from '../api/code.ts'
import { useRead } from '../api/queries.ts'
import { Loaded, Skeleton } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import type { ShownDiff } from './diff.tsx'

const DiffView = lazy(() => code(() => import('./diff.tsx')))

interface Props extends Omit<ShownDiff, 'diff' | 'run'> {
  run: string
  /** Instead of a diff that was never there. */
  missing: ReactNode
  /** What is left of one that was removed because of its age. */
  left?: ReactNode
}

/** The change of a run as the server keeps it, or what is there instead. What shows it is fetched when it is needed. */
export function StoredDiff({ missing, left, ...shown }: Props) {
  const { run: key, agent } = shown
  const read = useRead('runs.diff', { key, ...(agent ? { agent } : {}) })
  return (
    <Loaded of={read}>
      {({ diff, removedAt }) => {
        if (diff) return <ReadDiff {...shown} diff={diff} />
        if (!removedAt) return missing
        return (
          <>
            <p className="mb-3 text-sm text-muted">
              The diff was removed <Time at={removedAt} /> because of its age.
            </p>
            {left}
          </>
        )
      }}
    </Loaded>
  )
}

/** A change that is there already. */
export const ReadDiff = (shown: ShownDiff) => (
  <Suspense fallback={<Skeleton />}>
    <DiffView {...shown} />
  </Suspense>
)
