import { DomainError } from '../../../errors.ts'
import type { AppMaker, Connectors } from '../../../ports/connector.ts'

export function appsOf(connectors: Connectors): AppMaker {
  const apps = connectors.github?.apps
  if (!apps) throw new DomainError('invalid_request', 'GitHub Apps can’t be created here.')
  return apps
}
