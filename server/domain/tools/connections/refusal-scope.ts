/** As people are told what of a connection a refusal is about. */
export function wordsFor(scope: string): string {
  if (scope === '') return 'account'
  return scope.startsWith('effect/') ? 'one request' : scope.replace('/', ' ')
}
