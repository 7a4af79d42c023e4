import type {
  PersonalReads,
  PersonalWrites,
  ReadInputs,
  ReadResponses,
  Reads,
  Writes,
} from '@signalbox/contract/app/index.ts'
import type { InputOf, ResponseOf } from '@signalbox/contract/app/operation.ts'
import { QueryCache, QueryClient, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Failure, read, readPersonal, write, writePersonal } from './client.ts'
import { useChange } from './mutation.ts'
import { onReached } from './reach.ts'

/**
 * Asked again only where that can help: not after an answer that will be the same. What a browser thinks of its
 * connection says nothing of a server on the same network, so nothing waits for that.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 30_000,
      retry: (count, error) =>
        count < 2 && (!(error instanceof Failure) || error.status >= 500 || error.status === 0),
    },
  },
  queryCache: new QueryCache({ onError: (error) => leaveWhenSignedOut(error) }),
})

// What could not be read because the server was away is read as soon as it is back.
onReached(
  () =>
    void queryClient.refetchQueries({
      type: 'active',
      predicate: ({ state: { error } }) => error instanceof Failure && error.code === 'unreachable',
    }),
)

/** A session that has ended leads to the sign-in and back again. What was typed stays in the tab until then. */
function leaveWhenSignedOut(error: unknown): void {
  if (!(error instanceof Failure) || isOutside()) return
  const next = encodeURIComponent(location.pathname + location.search)
  // Signed in, but not in the way that this workspace asks for.
  if (error.code === 'single_sign_on_required') location.assign(`/login/single-sign-on?next=${next}`)
  if (error.code !== 'not_signed_in') return
  const wasIn = queryClient.getQueryData(meKey) !== undefined
  location.assign(`/login?next=${next}${wasIn ? '&error=session_ended' : ''}`)
}

const isOutside = () => /^\/(login|setup|invite)?(\/|$)/.test(location.pathname)

/** Under which it is kept who is signed in. */
export const meKey = ['', 'me', 'me', {}] as const

/** The workspace of the address. */
export function useWorkspace(): string {
  return useParams({ strict: false, select: (params) => (params as { ws?: string }).ws ?? '' })
}

export const queryKey = (workspace: string, name: string, input: object) =>
  [workspace, name.split('.')[0], name, input] as const

export function useRead<N extends keyof Reads>(
  name: N,
  input: ReadInputs[N],
  options: { enabled?: boolean; keep?: boolean; every?: number | false } = {},
) {
  const workspace = useWorkspace()
  return useQuery<ReadResponses[N], Failure>({
    queryKey: queryKey(workspace, name, input as object),
    queryFn: ({ signal }) => read(workspace, name, input, signal),
    enabled: options.enabled ?? true,
    ...(options.every ? { refetchInterval: options.every } : {}),
    // What was there stays while a filter changes; nothing jumps.
    ...(options.keep ? { placeholderData: (before: ReadResponses[N] | undefined) => before as never } : {}),
  })
}

type Paged = {
  [N in keyof Reads]: ReadResponses[N] extends { nextCursor: unknown } ? N : never
}[keyof Reads]
type ElementOf<N extends Paged> = ReadResponses[N] extends { data: (infer E)[] } ? E : never

const pagesOf = (workspace: string, name: Paged, input: object) => ({
  queryKey: queryKey(workspace, name, input),
  queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: unknown }) =>
    read(
      workspace,
      name,
      { ...input, ...(pageParam ? { cursor: pageParam } : {}) } as never,
      signal,
    ) as Promise<never>,
  initialPageParam: null as string | null,
})

/** A list that grows page by page: its data are the rows of all that has been read so far. */
export function usePages<N extends Paged>(
  name: N,
  input: Omit<ReadInputs[N], 'cursor'>,
  options: { every?: number } = {},
) {
  const workspace = useWorkspace()
  const pages = useInfiniteQuery<{ data: ElementOf<N>[]; nextCursor: string | null }, Failure>({
    ...pagesOf(workspace, name, input as object),
    getNextPageParam: (last) => last.nextCursor,
    ...(options.every ? { refetchInterval: options.every } : {}),
  })
  return { ...pages, data: pages.data?.pages.flatMap((page) => (page as { data: ElementOf<N>[] }).data) }
}

/** Asks while the code of the screen is still on its way. What goes wrong is told by the screen itself. */
export function readEarly<N extends Paged>(
  workspace: string,
  name: N,
  input: Omit<ReadInputs[N], 'cursor'>,
): void {
  void queryClient.prefetchInfiniteQuery(pagesOf(workspace, name, input as object))
}

/** Asks for what will probably be looked at next. */
export function readAhead<N extends keyof Reads>(workspace: string, name: N, input: ReadInputs[N]): void {
  void queryClient.prefetchQuery({
    queryKey: queryKey(workspace, name, input as object),
    queryFn: ({ signal }) => read(workspace, name, input, signal),
  })
}

/** Makes whatever is on the screen of these nouns be read again; done once it is. */
export const readAgain = (workspace: string, nouns: Iterable<string>): Promise<unknown> =>
  Promise.all(Array.from(nouns, (noun) => queryClient.invalidateQueries({ queryKey: [workspace, noun] })))

/** Does something and makes what it touches be read again: the noun of the operation, and the others that are named. */
export function useWrite<N extends keyof Writes>(name: N, options: { alsoStale?: string[] } = {}) {
  const workspace = useWorkspace()
  const stale = [(name as string).split('.')[0]!, ...(options.alsoStale ?? [])]
  return useChange<ResponseOf<Writes[N]>, InputOf<Writes[N]>>({
    mutationFn: (input) => write(workspace, name, input, stale),
    onSettled: async (_, error) => {
      if (error) leaveWhenSignedOut(error)
      const reads = readAgain(workspace, stale)
      // It is done once it is seen: a form that lets go of what was typed would show the old value for a moment. What
      // went wrong is told at once, and not after reads that may go wrong as well.
      if (!error) await reads
    },
  })
}

export function usePersonal<N extends keyof PersonalReads>(name: N, input: InputOf<PersonalReads[N]>) {
  return useQuery<ResponseOf<PersonalReads[N]>, Failure>({
    queryKey: ['', name.split('.')[0], name, input],
    queryFn: ({ signal }) => readPersonal(name, input, signal),
  })
}

export function usePersonalWrite<N extends keyof PersonalWrites>(name: N) {
  const client = useQueryClient()
  return useChange<ResponseOf<PersonalWrites[N]>, InputOf<PersonalWrites[N]>>({
    mutationFn: (input) => writePersonal(name, input),
    // One after the other: what was chosen last is what stays.
    scope: { id: name },
    onSettled: async (_, error) => {
      const reads = client.invalidateQueries({ queryKey: [''] })
      if (!error) await reads
    },
  })
}
