import { lazy, type ReactNode, Suspense } from 'react'
import { code } from '../api/code.ts'
import { useRead } from '../api/queries.ts'
import { Loaded, Skeleton } from '../ui/page.tsx'
import type { ShownDiff } from './diff.tsx'

const DiffView = lazy(() => code(() => import('./diff.tsx')))

/** The change of a run as the server keeps it, or what is there instead. What shows it is fetched when it is needed. */
export function StoredDiff({ missing, ...shown }: Omit<ShownDiff, 'diff'> & { missing: ReactNode }) {
  const read = useRead('runs.diff', { key: shown.run })
  return (
    <Loaded of={read}>
      {({ diff }) =>
        diff ? (
          <Suspense fallback={<Skeleton />}>
            <DiffView {...shown} diff={diff} />
          </Suspense>
        ) : (
          missing
        )
      }
    </Loaded>
  )
}
