import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Failure, post } from '../api/client.ts'

/** Changes how one signs in, and reads the account again. */
export function useSignInChange<I extends object, A = unknown>(path: string) {
  const client = useQueryClient()
  return useMutation<A, Failure, I>({
    mutationFn: (input) => post<A>(`/api/auth/${path}`, input),
    onSettled: () => client.invalidateQueries({ queryKey: ['', 'account'] }),
  })
}

/** Some of it needs a session that was opened lately. */
export const isTooOld = (error: Failure | null): boolean => error?.code === 'sign_in_again'
