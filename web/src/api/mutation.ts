import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import type { Failure } from './client.ts'

/**
 * What is to be done after one call is done even when the form that made it is gone: what the call changed is read
 * again before the call is over, and a form often goes with what it made. Only a person who has left the page is not
 * told, and not taken anywhere.
 */
export function useChange<A, I>(options: UseMutationOptions<A, Failure, I>) {
  const mutation = useMutation(options)
  const mutate = (input: I, { onSuccess, onError, onSettled }: After<A> = {}): void => {
    const { pathname } = location
    const after = (then: () => unknown) => {
      if (location.pathname !== pathname) return
      then()
      onSettled?.()
    }
    mutation.mutateAsync(input).then(
      (answer) => after(() => onSuccess?.(answer)),
      (error: Failure) => after(() => onError?.(error)),
    )
  }
  return { ...mutation, mutate }
}

interface After<A> {
  onSuccess?: (answer: A) => unknown
  onError?: (error: Failure) => unknown
  onSettled?: () => unknown
}
