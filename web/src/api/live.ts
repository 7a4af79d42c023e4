import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { newsOf } from './client.ts'
import { meKey, readAgain } from './queries.ts'

export type LiveState = 'connecting' | 'live' | 'lost'

/** What the server says when something has changed: which nouns to read again. */
interface Invalidation {
  nouns: string[]
  /** Those of this person's requests, by their ids. */
  own: Record<string, string[]>
}

type Message = { invalidation: Invalidation } | { reset: true } | { me: true } | { state: LiveState }

/**
 * Keeps what is on the screen true: one stream of events per browser, because a browser opens few connections to one
 * host. The tab that holds the lock listens and passes on to the others; when it closes, the next one takes over.
 */
export function useLive(workspace: string): LiveState {
  const client = useQueryClient()
  const [state, setState] = useState<LiveState>('connecting')
  useEffect(() => {
    const channel = new BroadcastChannel(`signalbox.live.${workspace}`)
    const closing = new AbortController()
    const hear = (message: Message) => {
      if ('state' in message) setState(message.state)
      else if ('me' in message) void client.invalidateQueries({ queryKey: meKey })
      else if ('reset' in message) void client.invalidateQueries({ queryKey: [workspace] })
      else void readAgain(workspace, newsIn(message.invalidation))
    }
    const tell = (message: Message) => {
      hear(message)
      channel.postMessage(message)
    }
    channel.onmessage = ({ data }) => hear(data as Message)
    const lock = `signalbox.live.${workspace}`
    const { signal } = closing
    navigator.locks
      .request(lock, { ifAvailable: true }, async (free) => {
        if (free) await listen(workspace, tell, signal, false)
        return free !== null
      })
      .then((had) =>
        had
          ? undefined
          : navigator.locks.request(lock, { signal }, () => listen(workspace, tell, signal, true)),
      )
      .catch(() => {
        // The tab was closed before its turn came.
      })
    return () => {
      closing.abort()
      channel.close()
    }
  }, [workspace, client])
  return state
}

const newsIn = ({ nouns, own }: Invalidation): Set<string> =>
  new Set([...nouns, ...Object.entries(own).flatMap(([id, some]) => newsOf(id, some))])

/**
 * Listens until the signal. The browser reconnects on its own and sends the id of the last event. Where it cannot, as
 * for what came between the closing of one tab and the turn of the next, what was `missed` is read again.
 */
function listen(
  workspace: string,
  tell: (message: Message) => void,
  signal: AbortSignal,
  missed: boolean,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    let source = open()
    let again: ReturnType<typeof setTimeout> | undefined
    signal.addEventListener('abort', () => {
      clearTimeout(again)
      source.close()
      resolve()
    })
    function open(): EventSource {
      const opened = new EventSource(`/api/w/${workspace}/events`)
      opened.onopen = () => {
        tell({ state: 'live' })
        if (missed) tell({ reset: true })
        missed = false
      }
      opened.onerror = () => {
        tell({ state: 'lost' })
        if (opened.readyState !== EventSource.CLOSED) return
        // Given up for good: after an error page of a proxy, or because the session or the membership has
        // ended, which a read finds out.
        missed = true
        tell({ reset: true })
        tell({ me: true })
        again = setTimeout(() => {
          source = open()
        }, 2_000)
      }
      opened.addEventListener('changed', ({ data }) => tell({ invalidation: JSON.parse(data) }))
      // Their role is another one, or they are no longer a member.
      opened.addEventListener('me', () => tell({ me: true }))
      opened.addEventListener('reset', () => tell({ reset: true }))
      return opened
    }
  })
}
