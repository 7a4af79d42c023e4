import type { SignInWays } from '@signalbox/contract/app/sign-in.ts'
import { useQuery } from '@tanstack/react-query'
import { type Failure, get } from '../api/client.ts'
import { queryClient } from '../api/queries.ts'

const asked = {
  queryKey: ['', 'sign-in'],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const ways = await get<SignInWays>('/api/sign-in', {}, signal)
    return { ...ways, passkey: ways.passkey && isHostName }
  },
}

/** Which ways to sign in this server offers. */
export const useWays = () => useQuery<SignInWays, Failure>(asked)

/** Asks while the code of the screen is on its way, so that the screen does not jump when the answer comes. */
export const waysKnown = () => queryClient.prefetchQuery({ ...asked, retry: false })

// Browsers keep passkeys for a name: a server on this machine has them at localhost, not at 127.0.0.1.
const isHostName = !/^[\d.]+$|^\[/.test(location.hostname)
