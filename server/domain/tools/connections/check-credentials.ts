import { type ConnectionKind, toolNames } from '@signalbox/contract/connection-kinds.ts'
import { DomainError } from '../../errors.ts'
import type { SignInMethod } from './store.ts'

type Credentials = Record<string, string>

/** Which fields each way to sign in takes; the first that fits is taken. */
const ways: Record<ConnectionKind, { method: SignInMethod; fields: string[]; optional?: string[] }[]> = {
  github: [
    { method: 'token', fields: ['token'] },
    { method: 'app', fields: ['appId', 'installationId', 'privateKey'], optional: ['clientId'] },
  ],
  gitlab: [{ method: 'token', fields: ['token'] }],
  jira: [
    { method: 'basic', fields: ['email', 'token'] },
    { method: 'token', fields: ['token'] },
  ],
  linear: [{ method: 'token', fields: ['token'] }],
  slack: [{ method: 'bot', fields: ['botToken', 'signingSecret'], optional: ['appToken'] }],
}

/** Credentials as they can be sealed, and how one signs in with them. A complaint names fields, never what is in them. */
export function checkedCredentials(
  kind: ConnectionKind,
  given: Credentials,
): { method: SignInMethod; credentials: Credentials } {
  const credentials = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, value.replaceAll('\r\n', '\n').trim()]),
  )
  const names = Object.keys(credentials)
  const way = ways[kind].find(
    ({ fields, optional = [] }) =>
      fields.every((name) => names.includes(name)) &&
      names.every((name) => fields.includes(name) || optional.includes(name)),
  )
  if (!way)
    throw new DomainError(
      'invalid_request',
      `${toolNames[kind]} takes ${ways[kind].map(({ fields }) => fields.join(', ')).join(' or ')}.`,
    )
  for (const [name, value] of Object.entries(credentials)) {
    const isKey = name === 'privateKey'
    if (value === '' || !(isKey ? /^[\x20-\x7e\n]+$/ : /^[\x21-\x7e]+$/).test(value))
      throw new DomainError(
        'invalid_request',
        `${labels[name] ?? name} is empty, or has characters it can’t have.`,
      )
  }
  return { method: way.method, credentials }
}

const labels: Credentials = {
  token: 'The token',
  email: 'The email address',
  appId: 'The app ID',
  clientId: 'The client ID',
  installationId: 'The installation ID',
  privateKey: 'The private key',
  botToken: 'The bot token',
  signingSecret: 'The signing secret',
  appToken: 'The app-level token',
}
