import type { Writes } from '@signalbox/contract/app/index.ts'
import type { InputOf, ResponseOf } from '@signalbox/contract/app/operation.ts'
import { useState } from 'react'
import { write } from './client.ts'
import { readAgain, useWorkspace } from './queries.ts'
import { settleUnkept } from './unkept-settled.ts'

/** Writes that hold a secret, or whose answer does, with what they make old. */
const telling = {
  'sources.add': ['sources', 'services', 'workspaces'],
  'sources.rotate': ['sources', 'services', 'workspaces'],
  'connections.convertApp': ['connections', 'workspaces'],
  'connections.connect': ['connections', 'workspaces'],
  'connections.replaceCredentials': ['connections', 'workspaces'],
  'connections.replaceSecret': ['connections', 'workspaces'],
  'webhooks.add': ['webhooks'],
  'webhooks.rotate': ['webhooks'],
} as const satisfies Partial<Record<keyof Writes, readonly string[]>>

/** Its answer goes to the caller and into no cache. */
export function useUnkept<N extends keyof typeof telling>(name: N) {
  const workspace = useWorkspace()
  const stale = [...telling[name]]
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const send = async (input: InputOf<Writes[N]>, onSuccess: (response: ResponseOf<Writes[N]>) => void) => {
    setPending(true)
    setError(null)
    try {
      const response = await write(workspace, name, input, stale)
      settleUnkept(true)
      onSuccess(response)
    } catch (failure) {
      settleUnkept(false)
      setError(failure as Error)
    } finally {
      setPending(false)
      void readAgain(workspace, stale)
    }
  }
  return { send, isPending, error }
}
