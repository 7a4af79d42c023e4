import { type ConnectionKind, toolNames } from '@signalbox/contract/connection-kinds.ts'
import { DomainError } from '../../errors.ts'
import { ToolBusy, ToolRefused } from '../../ports/connection.ts'
import type { Connector, Connectors } from '../../ports/connector.ts'

export function connectorOf(connectors: Connectors, kind: ConnectionKind): Connector {
  const connector = connectors[kind]
  if (!connector) throw new DomainError('invalid_request', `${toolNames[kind]} can’t be connected here.`)
  return connector
}

/** Asks a tool while a person waits for the answer: they are told in words what it refused. */
export async function asking<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ToolRefused) throw new DomainError('tool_refused', error.message)
    if (error instanceof ToolBusy) throw new DomainError('tool_unavailable', error.message)
    throw error
  }
}
