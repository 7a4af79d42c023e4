import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import path from 'node:path'
import type { RetentionKind } from '@signalbox/contract/audit-details.ts'
import { dictionary } from '@signalbox/contract/dictionary.ts'
import { trimEnd } from '@signalbox/contract/trim-end.ts'
import type { SessionLife } from '../domain/accounts/people/find-session.ts'
import type { Founding } from '../domain/accounts/workspaces/create-own.ts'
import {
  namingHost,
  whatIsWrongWithDatabaseUrl,
  whatIsWrongWithDataDir,
  whatIsWrongWithProxies,
  whatIsWrongWithTls,
  withVerifiedTls,
} from './check-settings.ts'

/** Everything that can be set from outside. docs/configuration.md and .env.example are made from this table. */
export const settings = {
  DATABASE_URL: {
    default: '',
    about:
      'The URL of a dedicated database on PostgreSQL 15 or later. Unset: an embedded PostgreSQL in the data folder.',
  },
  DATABASE_DIRECT_URL: {
    default: '',
    about:
      'The URL of the same database past a connection pooler, for migrations and LISTEN. Set it if DATABASE_URL leads to PgBouncer. Unset: DATABASE_URL.',
  },
  PORT: { default: '4400', about: 'The port to listen on. 0 picks a free one.' },
  HOST: {
    default: '127.0.0.1',
    about:
      'The address to listen on. Anything other than loopback needs TLS_CERT and TLS_KEY, or TRUST_PROXY.',
  },
  PUBLIC_URL: {
    default: '',
    about: 'The URL people and tools use. Unset: the address the server listens on.',
  },
  SIGNAL_URL: { default: '', about: 'The base URL of the alert intake. Unset: PUBLIC_URL/signals.' },
  DATA_DIR: {
    default: 'data',
    about: 'The folder for the embedded database, the secret key and the checkpoint log.',
  },
  SECRET_KEY: {
    default: '',
    about:
      'Encrypts stored secrets and signs the audit log. At least 32 characters, and the same on every node. Unset: generated into the data folder.',
  },
  SECRET_KEY_PREVIOUS: {
    default: '',
    about:
      'The old key while SECRET_KEY is being rotated: both are accepted until everything is encrypted with the new one. doctor says when it can go. Unset: secret.key.previous in the data folder, if there is one.',
  },
  TLS_CERT: {
    default: '',
    about: 'A PEM file with the certificate chain. Turns on https, together with TLS_KEY.',
  },
  TLS_KEY: { default: '', about: 'A PEM file with the private key.' },
  TRUST_PROXY: {
    default: '',
    about: 'Reverse proxies whose X-Forwarded headers are trusted: addresses or networks, comma-separated.',
  },
  OPERATOR_PORT: {
    default: '4401',
    about: 'The port for the operator: /metrics, and /readyz with the reason. off turns it off.',
  },
  OPERATOR_HOST: {
    default: '127.0.0.1',
    about: 'The address to listen on with OPERATOR_PORT. Anything other than loopback needs OPERATOR_TOKEN.',
  },
  OPERATOR_TOKEN: {
    default: '',
    about:
      'The bearer token that OPERATOR_PORT asks for: at least 32 characters, no spaces. Never logged. Unset: none, on loopback only.',
  },
  RATE_LIMIT_PER_MINUTE: {
    default: '120',
    about: 'Requests per token per minute. Raise it only for benchmarks.',
  },
  DATABASE_CONNECTIONS: {
    default: '10',
    about:
      'The maximum number of database connections per node (with `--workers`, per worker), a third of them read-only. Three more carry small reads and updates from other nodes, four more are opened during a rush of alerts, and up to a third more while reads take long.',
  },
  DATABASE_STATEMENT_SECONDS: {
    default: '30',
    about:
      'Statements that take longer are cancelled. A connection that does not answer for a little longer is dropped.',
  },
  EXCHANGE_RATES: {
    default: 'USD=0.92',
    about:
      'The price in euro of each currency that coding agents are billed in, comma-separated: USD=0.92,GBP=1.15. Each bill keeps the rate from when it was recorded.',
  },
  SPLITTER_URL: {
    default: '',
    about:
      'The base URL of a language model that drafts stories from requirements, such as https://api.openai.com/v1. Unset: requirements are split by rules, and nothing leaves the machine.',
  },
  SPLITTER_API: {
    default: 'openai',
    about: "The language model's API: openai (/chat/completions) or anthropic (/v1/messages).",
  },
  SPLITTER_MODEL: { default: '', about: 'The name of the model. Required with SPLITTER_URL.' },
  SPLITTER_KEY: { default: '', about: "The language model's API key, if it needs one. Never logged." },
  SMTP_URL: {
    default: '',
    about:
      'The mail server for notifications, invitations and password resets: smtp://user:password@host:587, or smtps:// for TLS from the start. With a password, smtp:// requires STARTTLS unless the host is this machine. Never logged. Unset: no email is sent.',
  },
  MAIL_FROM: {
    default: '',
    about: 'The sender of these emails, such as Signalbox <alerts@example.com>. Required with SMTP_URL.',
  },
  OIDC_ISSUER: {
    default: '',
    about:
      'The issuer URL of an identity provider that people can sign in with, such as https://login.example.com/realms/staff. The redirect URI is PUBLIC_URL/api/auth/callback/oidc. Unset: passwords and passkeys only.',
  },
  OIDC_CLIENT_ID: { default: '', about: "This server's client ID at the identity provider." },
  OIDC_CLIENT_SECRET: { default: '', about: 'The client secret for OIDC_CLIENT_ID. Never logged.' },
  OIDC_NAME: { default: 'Single sign-on', about: "The provider's name on the sign-in page." },
  UPTIME_ALLOW: {
    default: '',
    about:
      'Hosts and networks outside the public internet that uptime checks may reach, comma-separated: status.internal,10.20.0.0/16. Unset: public addresses only.',
  },
  GIT_ALLOW: {
    default: '',
    about:
      'Hosts, networks and folders outside the public internet that repositories may be read from, comma-separated: git.internal,10.20.0.0/16,/srv/git. Every workspace owner and admin can then have them read and, in folders, make a bare repository their team’s own, which changes are merged into. Unset: public addresses only.',
  },
  CONNECTION_ALLOW: {
    default: '',
    about:
      'Hosts and networks outside the public internet that connections may reach, comma-separated: gitlab.internal,10.20.0.0/16, for your own GitHub Enterprise, GitLab or Jira. Only these may be addressed without https. Unset: public addresses only.',
  },
  PUSH_ALLOW: {
    default: '',
    about:
      "Hosts and networks outside the public internet that push notifications may be sent to, comma-separated, for your own push service. Unset: public addresses only, which is enough for browsers' push services.",
  },
  WEBHOOK_ALLOW: {
    default: '',
    about:
      'Hosts and networks outside the public internet that webhooks may be sent to, comma-separated: ci.internal,10.20.0.0/16. They may also be called without TLS. Every workspace owner and admin can then have events sent there. Unset: public addresses over https only.',
  },
  RUNNERS_PER_TOKEN: {
    default: '250',
    about: 'How many runners can use one API token. Removed ones do not count.',
  },
  SIGNALS_PER_MINUTE: {
    default: '300000',
    about:
      'Deliveries per alert source and minute that a node accepts. Others get 503 with Retry-After, so that their sender tries again and other sources are not held up.',
  },
  SESSION_IDLE_MINUTES: {
    default: '20160',
    about:
      'After how many minutes without a request people are signed out. Also ends sessions that were begun under a longer limit. The default is 14 days.',
  },
  SESSION_MAX_HOURS: {
    default: '2160',
    about:
      'After how many hours people have to sign in again, however active they are. The default is 90 days.',
  },
  PROOF_MINUTES: {
    default: '15',
    about:
      'How many minutes after signing in people are asked for their password, passkey or identity provider again before they create tokens, invite people, change roles or the secrets of connections, or delete a team or workspace. 0: never.',
  },
  WORKSPACE_FOUNDING: {
    default: 'anyone',
    about:
      'Who can create workspaces: anyone who can sign in, or owners (the owners of the first workspace).',
  },
  RUNNERS_PER_WORKSPACE: { default: '1000', about: 'How many runners a workspace can have.' },
  ORDER_HOURS: {
    default: '4',
    about:
      'The longest a single work order can take, in hours, however lively its runner is. A stage can take three times as long in one attempt. Runners stop an order of their own accord after 4 hours.',
  },
  WORKSPACE_FILES_GB: {
    default: '50',
    about:
      'How much a workspace can keep of what its runners upload (bundles, diffs, evidence), in GB. At the limit, work orders that upload more fail and say so.',
  },
  BACKUP_DIR: {
    default: '',
    about:
      'The folder in which the server makes a backup of itself at regular intervals, one folder each. Of several nodes, one makes it. Unset: none are made.',
  },
  BACKUP_EVERY_HOURS: { default: '24', about: 'How often, in hours. Only with BACKUP_DIR.' },
  BACKUP_KEEP: {
    default: '14',
    about: 'How many of these backups are kept. The oldest is deleted after a newer one has been made.',
  },
  BACKUP_PASSPHRASE: {
    default: '',
    about:
      'Encrypts backups, those of the command line too: at least 16 characters. Keep it outside of this machine: without it, they are lost. Never logged. Unset: they are not encrypted.',
  },
  AUDIT_STREAM: {
    default: '',
    about:
      'Where every audit entry of every workspace is sent, in order and at least once: https://siem.example.com/hook (signed webhooks with up to 100 entries each) or syslog+tls://siem.example.com:6514 (RFC 5424 over TLS). Unset: nowhere.',
  },
  AUDIT_STREAM_SECRET: {
    default: '',
    about:
      'Signs the webhooks of AUDIT_STREAM, as Standard Webhooks writes it: whsec_ and at least 24 bytes as base64. Never logged.',
  },
  AUDIT_STREAM_CA: {
    default: '',
    about: 'A PEM file with the certificate authority of the syslog receiver. Unset: public authorities.',
  },
  RETENTION_RUN_LOG_THIN_DAYS: {
    default: '30',
    about:
      'After how many days the log of a run that is over is reduced to its first 100 and last 400 lines. 0: never.',
  },
  RETENTION_RUN_LOG_DAYS: {
    default: '365',
    about: 'After how many days the log of a run that is over is removed. 0: never.',
  },
  RETENTION_DELIVERY_DAYS: {
    default: '90',
    about: 'After how many days deliveries of alerts are removed. Their alerts stay. 0: never.',
  },
  RETENTION_ALERT_DAYS: {
    default: '400',
    about: 'After how many days alerts are removed that recovered and whose incident is not open. 0: never.',
  },
  RETENTION_NOTIFICATION_DAYS: {
    default: '180',
    about: 'After how many days notifications in the app are removed, read or not. 0: never.',
  },
  RETENTION_EXPORT_DAYS: {
    default: '400',
    about:
      'For how many days the proof of an audit export can be downloaded. The entries stay, and so do proofs that you saved. 0: always.',
  },
  STOP_GRACE_SECONDS: {
    default: '5',
    about:
      'How long the server goes on serving after SIGTERM while /readyz says 503, so that load balancers stop sending requests first. 0: not at all.',
  },
  LOG_LEVEL: { default: 'info', about: 'trace, debug, info, warn, error or silent.' },
} as const

type Setting = keyof typeof settings

/** Each of these can also be read from a file, which the setting with _FILE behind its name names. */
export const secretSettings = [
  'DATABASE_URL',
  'SECRET_KEY',
  'SECRET_KEY_PREVIOUS',
  'OPERATOR_TOKEN',
  'SPLITTER_KEY',
  'SMTP_URL',
  'OIDC_CLIENT_SECRET',
  'BACKUP_PASSPHRASE',
  'AUDIT_STREAM_SECRET',
] as const satisfies Setting[]

/** The environment with the secrets that are in files. */
function withSecretFiles(
  environment: Partial<Record<string, string>>,
  mistakes: string[],
): Partial<Record<string, string>> {
  const read: Partial<Record<string, string>> = dictionary()
  for (const name of secretSettings) {
    const file = environment[`${name}_FILE`]?.trim()
    if (!file) continue
    if (environment[name]?.trim()) mistakes.push(`${name} and ${name}_FILE are both set. Set one of them.`)
    try {
      read[name] = readFileSync(file, 'utf8')
      if (read[name].trim() === '') mistakes.push(`${name}_FILE: the file ${file} is empty.`)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      mistakes.push(`${name}_FILE: the file ${file} cannot be read (${code}).`)
    }
  }
  return { ...environment, ...read }
}

export type AuditStreamSettings =
  | { kind: 'webhook'; url: string; secret: string }
  | { kind: 'syslog'; host: string; port: number; ca: string | null }

export interface Config {
  readonly databaseUrl: string | null
  readonly databaseDirectUrl: string | null
  readonly port: number
  readonly host: string
  readonly publicUrl: string | null
  readonly signalUrl: string | null
  readonly dataDir: string
  readonly secretKey: string | null
  /** The key before, while it is being replaced. */
  readonly secretKeyPrevious: string | null
  readonly tls: { cert: string; key: string } | null
  readonly trustProxy: string[]
  /** null: nothing is told there. */
  readonly operator: { host: string; port: number; token: string | null } | null
  readonly rateLimitPerMinute: number
  readonly databaseConnections: number
  readonly databaseStatementSeconds: number
  readonly exchangeRates: Readonly<Record<string, number>>
  /** What runners may take of this server. */
  readonly runners: {
    perToken: number
    perWorkspace: number
    orderHours: number
    workspaceBytes: number
  }
  /** null: requirements are split by rules. */
  readonly splitter: {
    url: string
    api: 'openai' | 'anthropic'
    model: string
    key: string | null
  } | null
  /** null: no email is sent. */
  readonly mail: {
    host: string
    port: number
    /** TLS from the first byte. */
    secure: boolean
    /** Without TLS nothing is said to the server. */
    insistOnTls: boolean
    login: { user: string; password: string } | null
    from: { name: string; address: string }
  } | null
  /** null: there is no identity provider. */
  readonly oidc: { issuer: string; clientId: string; clientSecret: string; name: string } | null
  readonly uptimeAllow: string[]
  readonly gitAllow: string[]
  readonly connectionAllow: string[]
  readonly pushAllow: string[]
  readonly webhookAllow: string[]
  readonly backup: {
    /** null: none are made without being asked for. */
    dir: string | null
    everyMs: number
    keep: number
    passphrase: string | null
  }
  /** null: the audit log is not sent anywhere. */
  readonly auditStream: AuditStreamSettings | null
  /** For how many days each kind is kept; 0: for ever. */
  readonly retention: Readonly<Record<RetentionKind, number>>
  readonly stopGraceSeconds: number
  /** Deliveries of one source that a node accepts. */
  readonly signalsPerMinute: number
  readonly founding: Founding
  readonly sessionLife: SessionLife
  readonly logLevel: string
}

export const shortestPassphrase = 16

export class ConfigError extends Error {}

/** Reads the whole environment and reports every mistake at once. */
export function readConfig(given: Partial<Record<string, string>>): Config {
  const mistakes: string[] = []
  const environment = withSecretFiles(given, mistakes)
  const text = (name: Setting) => environment[name]?.trim() || settings[name].default
  const optional = (name: Setting) => text(name) || null

  function whole(name: Setting, smallest: number, largest: number): number {
    const value = /^\d+$/.test(text(name)) ? Number(text(name)) : Number.NaN
    if (value >= smallest && value <= largest) return value
    mistakes.push(`${name} must be a whole number from ${smallest} to ${largest}, not "${text(name)}".`)
    return smallest
  }

  function url(name: Setting, protocols: string[], value = optional(name)): string | null {
    if (value === null) return null
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return trimEnd(value, '/')
    // The value may hold a password, so it is not repeated.
    mistakes.push(
      `${name} must be an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}.`,
    )
    return null
  }

  function database(name: 'DATABASE_URL' | 'DATABASE_DIRECT_URL'): string | null {
    const address = url(name, ['postgres:', 'postgresql:'], namingHost(optional(name)))
    if (address === null) return null
    mistakes.push(...whatIsWrongWithDatabaseUrl(name, address))
    if (name === 'DATABASE_DIRECT_URL' && optional('DATABASE_URL') === null)
      mistakes.push('DATABASE_DIRECT_URL is the same database as DATABASE_URL, reached directly. Set both.')
    return withVerifiedTls(address)
  }

  function file(name: Setting): string | null {
    const value = optional(name)
    if (value === null) return null
    try {
      return readFileSync(value, 'utf8')
    } catch (error) {
      mistakes.push(`${name}: the file ${value} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
      return null
    }
  }

  function rates(name: Setting): Record<string, number> {
    const pairs = text(name)
      .split(',')
      .map((pair) => /^\s*([A-Z]{3})\s*=\s*(\d+(?:\.\d+)?)\s*$/.exec(pair))
    if (pairs.some((pair) => !pair || Number(pair[2]) <= 0))
      mistakes.push(`${name} must be currencies with their price in euro, as in USD=0.92,GBP=1.15.`)
    return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1]!, Number(pair[2])]] : [])))
  }

  const [cert, key] = [file('TLS_CERT'), file('TLS_KEY')]
  if (Boolean(optional('TLS_CERT')) !== Boolean(optional('TLS_KEY')))
    mistakes.push('TLS_CERT and TLS_KEY must be set together; one of them is missing.')
  if (cert !== null && key !== null) mistakes.push(...whatIsWrongWithTls(cert, key))
  const secretKey = optional('SECRET_KEY')
  if (secretKey !== null && secretKey.length < 32)
    mistakes.push('SECRET_KEY must have at least 32 characters.')
  const secretKeyPrevious = optional('SECRET_KEY_PREVIOUS')
  if (secretKeyPrevious !== null && secretKeyPrevious === secretKey)
    mistakes.push('SECRET_KEY_PREVIOUS is the same as SECRET_KEY. Set it to the old key, or remove it.')
  const trustProxy = text('TRUST_PROXY')
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
  mistakes.push(...whatIsWrongWithProxies(trustProxy), ...whatIsWrongWithDataDir(text('DATA_DIR')))
  const host = text('HOST')
  if (!isLoopback(host) && !optional('TLS_CERT') && trustProxy.length === 0) {
    mistakes.push(
      `HOST ${host} would carry tokens over plain HTTP. Set TLS_CERT and TLS_KEY, or TRUST_PROXY to the proxy that speaks https.`,
    )
  }
  const logLevel = text('LOG_LEVEL')
  if (!['trace', 'debug', 'info', 'warn', 'error', 'silent'].includes(logLevel))
    mistakes.push(`LOG_LEVEL has no level "${logLevel}".`)
  const founding = text('WORKSPACE_FOUNDING') as Founding
  if (!['anyone', 'owners'].includes(founding)) mistakes.push('WORKSPACE_FOUNDING must be anyone or owners.')

  function operator(): Config['operator'] {
    if (text('OPERATOR_PORT') === 'off') return null
    const [address, token] = [text('OPERATOR_HOST'), optional('OPERATOR_TOKEN')]
    if (token !== null && !/^[\x21-\x7e]{32,}$/.test(token))
      mistakes.push('OPERATOR_TOKEN must have at least 32 characters, and no spaces.')
    if (token === null && !isLoopback(address))
      mistakes.push(
        `OPERATOR_HOST ${address} would show metrics to everyone who can reach it. Set OPERATOR_TOKEN, or OPERATOR_PORT to off.`,
      )
    return { host: address, port: whole('OPERATOR_PORT', 0, 65_535), token }
  }

  function splitter(): Config['splitter'] {
    const [address, model, secret] = [
      url('SPLITTER_URL', ['http:', 'https:']),
      optional('SPLITTER_MODEL'),
      optional('SPLITTER_KEY'),
    ]
    const api = text('SPLITTER_API')
    if (api !== 'openai' && api !== 'anthropic') {
      mistakes.push('SPLITTER_API must be openai or anthropic.')
      return null
    }
    if (!optional('SPLITTER_URL')) {
      if (model || secret) mistakes.push('SPLITTER_URL is not set, but SPLITTER_MODEL or SPLITTER_KEY is.')
      return null
    }
    if (!model) mistakes.push('SPLITTER_MODEL is needed with SPLITTER_URL.')
    if (address === null || !model) return null
    const { protocol, hostname, username, password } = new URL(address)
    if (username || password)
      mistakes.push('SPLITTER_URL must not hold a name or a password. Put the key into SPLITTER_KEY.')
    if (secret && protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, '')))
      mistakes.push('SPLITTER_URL would carry SPLITTER_KEY over plain HTTP. Use https.')
    return { url: address, api, model, key: secret }
  }

  function mail(): Config['mail'] {
    const [address, sender] = [url('SMTP_URL', ['smtp:', 'smtps:']), optional('MAIL_FROM')]
    if (Boolean(optional('SMTP_URL')) !== Boolean(sender))
      mistakes.push('SMTP_URL and MAIL_FROM go together; one of them is not set.')
    const from = sender === null ? null : senderIn(sender)
    if (sender !== null && from === null)
      mistakes.push('MAIL_FROM must be an email address, as in Signalbox <alerts@example.com>.')
    if (address === null || from === null) return null
    const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(address)
    const login = username || password ? decodedLogin(username, password) : null
    const host = hostname.replace(/^\[|\]$/g, '')
    if (!host || (pathname !== '' && pathname !== '/') || search || hash)
      mistakes.push('SMTP_URL must be smtp://user:password@host:port, with nothing after the port.')
    if (login && !(login.user && login.password))
      mistakes.push(
        'SMTP_URL must hold a user name and a password, or neither. Write special characters as %40.',
      )
    const secure = protocol === 'smtps:'
    return {
      host,
      port: port ? Number(port) : secure ? 465 : 587,
      secure,
      insistOnTls: login !== null && !isLoopback(host),
      login,
      from,
    }
  }

  function oidc(): Config['oidc'] {
    const [issuer, clientId, clientSecret] = [
      url('OIDC_ISSUER', ['http:', 'https:']),
      optional('OIDC_CLIENT_ID'),
      optional('OIDC_CLIENT_SECRET'),
    ]
    if (!optional('OIDC_ISSUER')) {
      if (clientId || clientSecret)
        mistakes.push('OIDC_ISSUER is not set, but OIDC_CLIENT_ID or OIDC_CLIENT_SECRET is.')
      return null
    }
    if (!clientId || !clientSecret)
      mistakes.push('OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are needed with OIDC_ISSUER.')
    if (issuer === null || !clientId || !clientSecret) return null
    const { protocol, hostname, username, password, search, hash } = new URL(issuer)
    if (username || password || search || hash)
      mistakes.push('OIDC_ISSUER must be an address without a name, a password or a query.')
    if (protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, '')))
      mistakes.push('OIDC_ISSUER must be https, unless it is on this machine.')
    return { issuer, clientId, clientSecret, name: text('OIDC_NAME') }
  }

  const days = (name: Setting) => whole(name, 0, 36_500)

  function backup(): Config['backup'] {
    const [dir, passphrase] = [optional('BACKUP_DIR'), optional('BACKUP_PASSPHRASE')]
    if (passphrase !== null && passphrase.length < shortestPassphrase)
      mistakes.push(`BACKUP_PASSPHRASE must have at least ${shortestPassphrase} characters.`)
    return {
      dir: dir && path.resolve(dir),
      everyMs: whole('BACKUP_EVERY_HOURS', 1, 8_760) * 3_600_000,
      keep: whole('BACKUP_KEEP', 1, 10_000),
      passphrase,
    }
  }

  function auditStream(): Config['auditStream'] {
    const address = url('AUDIT_STREAM', ['https:', 'http:', 'syslog+tls:'])
    const [secret, ca] = [optional('AUDIT_STREAM_SECRET'), file('AUDIT_STREAM_CA')]
    if (address === null) return null
    const { protocol, hostname, port } = new URL(address)
    if (protocol === 'syslog+tls:')
      return { kind: 'syslog', host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6514), ca }
    if (protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, '')))
      mistakes.push('AUDIT_STREAM must be https or syslog+tls, unless it is on this machine.')
    if (!/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret ?? ''))
      mistakes.push(
        'AUDIT_STREAM_SECRET must be whsec_ and at least 24 bytes as base64, as `echo "whsec_$(openssl rand -base64 32)"` prints it.',
      )
    return { kind: 'webhook', url: address, secret: secret ?? '' }
  }

  function allowed(name: Setting, { folders = false } = {}): string[] {
    const isFolder = (entry: string) => folders && entry.startsWith('/')
    const entries = text(name)
      .split(',')
      .map((entry) => entry.trim())
      .map((entry) => (isFolder(entry) ? path.normalize(entry) : entry.toLowerCase()))
      .filter(Boolean)
    const wrong = entries.find((entry) => !isFolder(entry) && !isHostOrNetwork(entry))
    if (wrong !== undefined)
      mistakes.push(
        `${name} has "${wrong}", which is neither a host nor a network such as 10.20.0.0/16${folders ? ' nor a folder such as /srv/git' : ''}. Leave out scheme and port.`,
      )
    return entries
  }

  const config: Config = {
    databaseUrl: database('DATABASE_URL'),
    databaseDirectUrl: database('DATABASE_DIRECT_URL'),
    port: whole('PORT', 0, 65_535),
    host,
    publicUrl: url('PUBLIC_URL', ['http:', 'https:']),
    signalUrl: url('SIGNAL_URL', ['http:', 'https:']),
    dataDir: path.resolve(text('DATA_DIR')),
    secretKey,
    secretKeyPrevious,
    tls: cert && key ? { cert, key } : null,
    trustProxy,
    operator: operator(),
    rateLimitPerMinute: whole('RATE_LIMIT_PER_MINUTE', 1, 1_000_000_000),
    databaseConnections: whole('DATABASE_CONNECTIONS', 2, 500),
    databaseStatementSeconds: whole('DATABASE_STATEMENT_SECONDS', 1, 3_600),
    exchangeRates: rates('EXCHANGE_RATES'),
    runners: {
      perToken: whole('RUNNERS_PER_TOKEN', 1, 1_000_000),
      perWorkspace: whole('RUNNERS_PER_WORKSPACE', 1, 1_000_000),
      orderHours: whole('ORDER_HOURS', 1, 168),
      workspaceBytes: whole('WORKSPACE_FILES_GB', 1, 1_000_000) * 1_000_000_000,
    },
    splitter: splitter(),
    mail: mail(),
    oidc: oidc(),
    uptimeAllow: allowed('UPTIME_ALLOW'),
    gitAllow: allowed('GIT_ALLOW', { folders: true }),
    connectionAllow: allowed('CONNECTION_ALLOW'),
    pushAllow: allowed('PUSH_ALLOW'),
    webhookAllow: allowed('WEBHOOK_ALLOW'),
    backup: backup(),
    auditStream: auditStream(),
    retention: {
      run_logs: days('RETENTION_RUN_LOG_DAYS'),
      run_log_lines: days('RETENTION_RUN_LOG_THIN_DAYS'),
      deliveries: days('RETENTION_DELIVERY_DAYS'),
      alerts: days('RETENTION_ALERT_DAYS'),
      notifications: days('RETENTION_NOTIFICATION_DAYS'),
      exports: days('RETENTION_EXPORT_DAYS'),
    },
    stopGraceSeconds: whole('STOP_GRACE_SECONDS', 0, 600),
    signalsPerMinute: whole('SIGNALS_PER_MINUTE', 1, 1_000_000_000),
    founding,
    sessionLife: {
      idleSeconds: whole('SESSION_IDLE_MINUTES', 5, 525_600) * 60,
      mostSeconds: whole('SESSION_MAX_HOURS', 1, 8_760) * 3_600,
      provenSeconds: whole('PROOF_MINUTES', 0, 525_600) * 60,
    },
    logLevel,
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'))
  return Object.freeze(config)
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.')

/** `Name <address>`, or the address alone. Whatever could end a header line or hold a second address is refused. */
function senderIn(text: string): { name: string; address: string } | null {
  const address = /^[^\s\p{Cc}<>@,;:"()[\]\\]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/iu
  const [, name = '', inner = text] = /^([^<>\p{Cc}]*)<([^<>]*)>$/u.exec(text) ?? []
  return address.test(inner) ? { name: name.trimEnd().replace(/^"(.*)"$/, '$1'), address: inner } : null
}

function decodedLogin(username: string, password: string): { user: string; password: string } {
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    return { user: '', password: '' }
  }
}

function isHostOrNetwork(entry: string): boolean {
  const [address, prefix, ...more] = entry.split('/') as [string, ...string[]]
  if (prefix === undefined) return isIP(address) > 0 || /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/.test(address)
  const most = isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : -1
  return more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= most
}
