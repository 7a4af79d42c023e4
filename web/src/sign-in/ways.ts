import type { SignInWays } from '@signalbox/contract/app/sign-in.ts'
import { useQuery } from '@tanstack/react-query'
import { type Failure, get } from '../api/client.ts'

/** Which ways to sign in this server offers. */
export const useWays = () =>
  useQuery<SignInWays, Failure>({
    queryKey: ['', 'sign-in'],
    queryFn: async ({ signal }) => {
      const ways = await get<SignInWays>('/api/sign-in', {}, signal)
      return { ...ways, passkey: ways.passkey && isHostName }
    },
  })

// Browsers keep passkeys for a name: a server on this machine has them at localhost, not at 127.0.0.1.
const isHostName = !/^[\d.]+$|^\[/.test(location.hostname)
