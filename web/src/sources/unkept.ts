import type { Writes } from '@signalbox/contract/app/index.ts'
import type { InputOf, ResponseOf } from '@signalbox/contract/app/operation.ts'
import { useState } from 'react'
import { write } from '../api/client.ts'
import { readAgain, useWorkspace } from '../api/queries.ts'

type Telling = 'sources.add' | 'sources.rotate'
const stale = ['sources', 'services', 'workspaces']

/** Writes whose answer holds a secret: it goes to whoever asked, and into no cache, as a mutation's would. */
export function useUnkept<N extends Telling>(name: N) {
  const workspace = useWorkspace()
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
