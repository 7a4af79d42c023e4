import type { Writes } from '@signalbox/contract/app/index.ts'
import type { InputOf, ResponseOf } from '@signalbox/contract/app/operation.ts'
import { useState } from 'react'
import { write } from './client.ts'
import { readAgain, useWorkspace } from './queries.ts'

type Secret =
  | 'sources.add'
  | 'sources.rotate'
  | 'connections.connect'
  | 'connections.replaceCredentials'
  | 'connections.replaceSecret'

/** Writes that hold a secret, or whose answer does: it goes to whoever asked, and into no cache, as a mutation's would. */
export function useUnkept<N extends Secret>(name: N) {
  const workspace = useWorkspace()
  const stale = [name.split('.')[0]!, 'services', 'workspaces']
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const send = async (input: InputOf<Writes[N]>, onSuccess: (response: ResponseOf<Writes[N]>) => void) => {
    setPending(true)
    setError(null)
    try {
      onSuccess(await write(workspace, name, input, stale))
    } catch (failure) {
      setError(failure as Error)
    } finally {
      setPending(false)
      void readAgain(workspace, stale)
    }
  }
  return { send, isPending, error }
}
