import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { newsOf } from './client.ts'
import { type LiveState, watchLiveness } from './liveness.ts'
import { meKey, readAgain } from './queries.ts'
import { probe } from './reach.ts'
import { hearPosition } from './replica-position.ts'
import { keepStream } from './stream.ts'

/** What the server says when something has changed: which nouns to read again. */
interface Invalidation {
  nouns: string[]
  /** Those of this person's requests, by their ids. */
  own: Record<string, string[]>
  /** How far the database has to be that answers; absent where there is only one. */
  position?: number
}

type Message =
  | { invalidation: Invalidation }
  | { reset: true; position?: number }
  | { me: true }
  | { beat: true }
  | { lost: true }

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
    const readEverything = () => void client.invalidateQueries({ queryKey: [workspace] })
    const pulse = watchLiveness({
      onState: (next) => {
        setState(next)
        if (next === 'lost') void probe()
      },
      poll: readEverything,
    })
    const hear = (message: Message) => {
      if ('lost' in message) return pulse.lose()
      pulse.beat()
      if ('me' in message) void client.invalidateQueries({ queryKey: meKey })
      else if ('reset' in message) {
        hearPosition(message.position)
        readEverything()
      } else if ('invalidation' in message) {
        hearPosition(message.invalidation.position)
        void readAgain(workspace, newsIn(message.invalidation))
      }
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
      pulse.stop()
      channel.close()
    }
  }, [workspace, client])
  return state
}

const newsIn = ({ nouns, own }: Invalidation): Set<string> =>
  new Set([...nouns, ...Object.entries(own).flatMap(([id, some]) => newsOf(id, some))])

/**
 * Listens until the signal. What came between the closing of one tab and the turn of the next was `missed`, as is what
 * came while a stream was silent: it is read again.
 */
function listen(
  workspace: string,
  tell: (message: Message) => void,
  signal: AbortSignal,
  missed: boolean,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const stream = keepStream({
      address: () => `/api/w/${workspace}/events`,
      on: {
        listening: () => {},
        changed: (data) => tell({ invalidation: JSON.parse(data) }),
        // Their role is another one, or they are no longer a member.
        me: () => tell({ me: true }),
        reset: (data) => tell({ ...JSON.parse(data), reset: true }),
      },
      onHeard: (isNew) => {
        tell({ beat: true })
        if (missed || isNew) tell({ reset: true })
        missed = false
      },
      onBroken: () => tell({ lost: true }),
      // Why it was refused, a read finds out.
      onRefused: () => {
        tell({ reset: true })
        tell({ me: true })
      },
    })
    signal.addEventListener('abort', () => {
      stream.close()
      resolve()
    })
  })
}
