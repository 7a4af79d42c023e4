import type { Secret } from '@signalbox/contract/manage/secret.ts'
import { DomainError } from '../../errors.ts'

/** The value of a secret. Where it is otherwise is known to the machine of the caller, and not to this one. */
export function givenSecret(secret: Secret): string {
  if ('value' in secret) return secret.value
  throw new DomainError(
    'invalid_request',
    'A secret is sent as its value. The command line reads `env` and `file` on your machine and sends what it finds there.',
  )
}
