import type { AuditEntry, AuditFilter } from '@signalbox/contract/audit.ts'
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type Failure, read } from '../api/client.ts'
import { useRead, useWorkspace } from '../api/queries.ts'

interface Listed {
  data: AuditEntry[]
  nextCursor: string | null
}

/** More than a screen shows, and few enough to be drawn before anyone waits. */
const firstPage = 25

/** Before every entry. */
const first = '00000000-0000-7000-8000-000000000000'

/**
 * The entries as they were when they were read. News of the log does not touch them, because rows that move away under
 * a reader are worse than old ones: what is newer is counted, and shown when it is asked for.
 */
export function useEntries(filter: AuditFilter) {
  const workspace = useWorkspace()
  const client = useQueryClient()
  const queryKey = [workspace, 'audit-shown', filter]
  const pages = useInfiniteQuery<
    Listed,
    Failure,
    InfiniteData<Listed, string | null>,
    unknown[],
    string | null
  >({
    queryKey,
    queryFn: ({ signal, pageParam }) =>
      read(
        workspace,
        'audit.list',
        pageParam ? { ...filter, limit: 50, cursor: pageParam } : { ...filter, limit: firstPage },
        signal,
      ),
    initialPageParam: null,
    getNextPageParam: (last) => last.nextCursor,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  // The same list as long as nothing was read: drawing it again is the dearest thing on the screen.
  const all = useMemo(() => pages.data?.pages.flatMap(({ data }) => data), [pages.data])
  const newer = useRead(
    'audit.count',
    { ...filter, newerThan: all?.[0]?.id ?? first },
    { enabled: all !== undefined, keep: false },
  )
  const showNewer = () => {
    client.setQueryData<InfiniteData<Listed>>(queryKey, (shown) =>
      shown ? { pages: shown.pages.slice(0, 1), pageParams: shown.pageParams.slice(0, 1) } : shown,
    )
    void pages.refetch()
  }
  return { ...pages, data: all, newer: newer.data, showNewer }
}
