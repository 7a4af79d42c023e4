import { useQueryClient } from '@tanstack/react-query'
import { type Failure, post, provenIfAsked } from '../api/client.ts'
import { useChange } from '../api/mutation.ts'
import { type Follows, useFollowed } from '../ui/action.ts'

/** Changes how one signs in, and reads the account again. */
export function useSignInChange<I extends object, A = unknown>(path: string, follows: Follows<I, A> = {}) {
  const client = useQueryClient()
  const change = useChange<A, I>({
    mutationFn: (input) => provenIfAsked(() => post<A>(`/api/auth/${path}`, input)),
    onSettled: () => client.invalidateQueries({ queryKey: ['', 'account'] }),
  })
  return useFollowed(change, follows)
}

/** Some of it needs a session that was opened lately. */
export const isTooOld = (error: Failure | null): boolean => error?.code === 'sign_in_again'
