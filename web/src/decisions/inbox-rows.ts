import type { DecisionRow } from '@signalbox/contract/app/decisions.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import { type Failure, read } from '../api/client.ts'
import { queryKey, useWorkspace } from '../api/queries.ts'
import { inOrder, type listInput } from './inbox-lists.ts'

interface Listed {
  data: DecisionRow[]
  nextCursor: string | null
}

/**
 * The list, as far as it is read. It is read again whenever anything moves in the workspace, so the screen is told
 * only when a row has changed, not of every reading.
 */
export function useInboxRows(input: ReturnType<typeof listInput>, order?: string) {
  const workspace = useWorkspace()
  const list = useInfiniteQuery<Listed, Failure>({
    queryKey: queryKey(workspace, 'decisions.list', input),
    queryFn: ({ signal, pageParam }) => {
      const from = pageParam ? { cursor: pageParam as string } : {}
      return read(workspace, 'decisions.list', { ...input, ...from }, signal)
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    notifyOnChangeProps: ['data', 'error', 'hasNextPage'],
  })
  const { data, error, hasNextPage, fetchNextPage, refetch } = list
  const rows = useMemo(() => inOrder(data?.pages.flatMap((page) => page.data) ?? [], order), [data, order])
  const readMore = useCallback(() => {
    if (hasNextPage) void fetchNextPage({ cancelRefetch: false })
  }, [hasNextPage, fetchNextPage])
  // What is first in another order may be on any page.
  useEffect(() => {
    if (order) readMore()
  })
  return { data, error, refetch, rows, readMore }
}
