import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import path from 'node:path'
import type { RetentionKind } from '@signalbox/contract/audit-details.ts'
import { dictionary } from '@signalbox/contract/dictionary.ts'
import { withSecretFiles } from '@signalbox/contract/secret-files.ts'
import { trimEnd } from '@signalbox/contract/trim-end.ts'
import type { SessionLife } from '../domain/accounts/people/find-session.ts'
import type { Founding } from '../domain/accounts/workspaces/create-own.ts'
import { eachHost, withAllHosts } from '../infra/db/hosts.ts'
import { samplers, type TelemetrySettings } from '../infra/telemetry/settings.ts'
import {
  namingHost,
  whatForbidsWriting,
  whatIsWrongWithDatabaseUrl,
  whatIsWrongWithFolder,
  whatIsWrongWithProxies,
  whatIsWrongWithTls,
  withVerifiedTls,
} from './check-settings.ts'

/** Everything that can be set from outside. docs/configuration.md and .env.example are made from this table. */
export const settings = {
  DATABASE_URL: {
    default: '',
    about:
      'The URL of a dedicated database on PostgreSQL 15 or later. It may name several hosts, of which the primary is used: postgres://user@one:5432,two:5432/name. Unset: an embedded PostgreSQL in the data folder.',
  },
  DATABASE_DIRECT_URL: {
    default: '',
    about:
      'The URL of the same database past a connection pooler, for migrations and LISTEN. Set it if DATABASE_URL leads to PgBouncer. Unset: DATABASE_URL.',
  },
  DATABASE_READ_URL: {
    default: '',
    about:
      'The URL of a streaming replica of the same database, or of a load balancer for several, for lists, search, exports and insights. Everyone sees what they have written. While it is away or behind, DATABASE_URL is used. Not through a connection pooler. Set it on all nodes. Unset: DATABASE_URL.',
  },
  DATABASE_READ_LAG_SECONDS: {
    default: '5',
    about: 'A replica that is further behind than this is not used. Only with DATABASE_READ_URL.',
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
      'How many database connections a node shares out (with `--workers`, a worker), a third of them read-only. With those for small reads, updates from other nodes, slow reads and a rush of alerts, it opens 26 at most with the default, and about 1.3 more for each that you add.',
  },
  DATABASE_STATEMENT_SECONDS: {
    default: '30',
    about:
      'Statements that take longer are cancelled. A connection that does not answer for a little longer is dropped.',
  },
  EXCHANGE_RATES: {
    default: 'USD=0.92',
    about:
      'The price in euro of each currency that coding agents are billed in, comma-separated: USD=0.92,GBP=1.15. Each bill is stored with the rate at that time.',
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
      'Hosts, networks and folders outside the public internet that repositories may be read from, comma-separated: git.internal,10.20.0.0/16,/srv/git. Every workspace owner and admin can then have them read and, in folders, use a bare repository for their team, which changes are merged into. Unset: public addresses only.',
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
    // What a node of the size in docs/bench.md works off in a minute: with more of one source, everyone's would pile up.
    default: '120000',
    about:
      'Deliveries per alert source and minute that a node accepts. Others get 503 with Retry-After, so that their sender tries again and other sources are not held up. The default is about what a node with two cores works off.',
  },
  SESSION_IDLE_MINUTES: {
    default: '20160',
    about:
      'After how many minutes without a request people are signed out. Also ends sessions that started under a longer limit. The default is 14 days.',
  },
  SESSION_MAX_HOURS: {
    default: '2160',
    about:
      'After how many hours people have to sign in again, however active they are. The default is 90 days.',
  },
  PROOF_MINUTES: {
    default: '15',
    about:
      'How many minutes after signing in people are asked for their password, passkey or identity provider again before they create tokens, add or remove passkeys, sign in terminals, link Slack accounts, invite people, change roles or the secrets of connections, remove people, or delete a team, service, source, webhook or workspace. 0: never.',
  },
  WORKSPACE_FOUNDING: {
    default: 'anyone',
    about:
      'Who can create workspaces: anyone who can sign in, or owners (the owners of the first workspace).',
  },
  MANAGEMENT_API: {
    default: 'off',
    about:
      'on: workspaces can be configured by a file or by Terraform, over /manage/v1, with tokens that an owner or admin creates for it.',
  },
  RUNNERS_PER_WORKSPACE: { default: '1000', about: 'How many runners a workspace can have.' },
  ORDER_HOURS: {
    default: '4',
    about:
      'The longest a single work order can take, in hours, however active its runner is. A stage can take three times as long in one attempt. Runners stop an order on their own after 4 hours.',
  },
  WORKSPACE_FILES_GB: {
    default: '50',
    about:
      'How much a workspace can store of what its runners upload (bundles, diffs, evidence), in GB. At the limit, work orders that upload more fail and say so: allow more, or remove files of old runs sooner with RETENTION_RUN_FILE_DAYS.',
  },
  BACKUP_DIR: {
    default: '',
    about:
      'The folder that the server backs itself up to at regular intervals, each backup in its own folder. With several nodes, one of them does it. Unset: no backups.',
  },
  BACKUP_EVERY_HOURS: { default: '24', about: 'How often, in hours. Only with BACKUP_DIR.' },
  BACKUP_KEEP: {
    default: '14',
    about: 'How many of these backups are kept. The oldest is deleted after a newer one has been made.',
  },
  BACKUP_PASSPHRASE: {
    default: '',
    about:
      'Encrypts backups, those of the command line too: at least 16 characters. Store it away from this machine: without it, the backups cannot be read. Never logged. Unset: they are not encrypted.',
  },
  AUDIT_GUARD: {
    default: 'role',
    about:
      'What prevents the server from rewriting the audit log. role: it acts as the database role signalbox_app, and does not serve if it cannot. triggers: it then serves as the user in DATABASE_URL, which could remove the triggers, and logs a warning at every start.',
  },
  AUDIT_STREAM: {
    default: '',
    about:
      'Where every audit entry of every workspace is sent, in order and at least once: https://siem.example.com/hook (signed webhooks with up to 100 entries each) or syslog+tls://siem.example.com:6514 (RFC 5424 over TLS). Unset: nowhere.',
  },
  AUDIT_STREAM_SECRET: {
    default: '',
    about:
      'Signs the webhooks of AUDIT_STREAM, in the Standard Webhooks format: whsec_ and at least 24 bytes as base64. Never logged.',
  },
  AUDIT_STREAM_CA: {
    default: '',
    about: 'A PEM file with the certificate authority of the syslog receiver. Unset: public authorities.',
  },
  CHECKPOINT_DIR: {
    default: '',
    about:
      'A folder that gets a new file with signed checkpoints of the audit log, such as a mounted write-once share. Unset: none.',
  },
  CHECKPOINT_WEBHOOK: {
    default: '',
    about: 'A URL that signed checkpoints of the audit log are sent to as signed webhooks. Unset: none.',
  },
  CHECKPOINT_WEBHOOK_SECRET: {
    default: '',
    about:
      'Signs the webhooks of CHECKPOINT_WEBHOOK, in the Standard Webhooks format: whsec_ and at least 24 bytes as base64. Never logged.',
  },
  CHECKPOINT_EMAIL: {
    default: '',
    about: 'An email address that gets signed checkpoints of the audit log. Needs SMTP_URL. Unset: none.',
  },
  CHECKPOINT_EVERY_MINUTES: {
    default: '60',
    about:
      'How often checkpoints are sent to CHECKPOINT_DIR, CHECKPOINT_WEBHOOK, CHECKPOINT_EMAIL and TIMESTAMP_URL, if there are new ones.',
  },
  TIMESTAMP_URL: {
    default: '',
    about:
      'The URL of a timestamp authority (RFC 3161) that countersigns checkpoints of the audit log. It only receives a digest, so it may be http. Unset: none.',
  },
  TIMESTAMP_CA: {
    default: '',
    about:
      'A PEM file with the root certificates that timestamps must chain to when the log is verified. Unset: signatures are checked, but not the root.',
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
  RETENTION_RUN_FILE_DAYS: {
    default: '180',
    about:
      'How many days after a run ended the files that its runners uploaded (bundles, diffs) are removed. Its signed evidence stays. 0: never.',
  },
  RETENTION_FINISHED_WORK_DAYS: {
    default: '180',
    about:
      'After how many days finished work orders, calls to connected tools and their results are removed; 30 or more. Runs and incidents stay. 0: never.',
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
  RETENTION_CHECKPOINT_DAYS: {
    default: '30',
    about:
      'After how many days only the last signed checkpoint of each hour of the audit log stays. What the others covered is still proven. 0: all of them stay.',
  },
  RETENTION_WEBHOOK_DAYS: {
    default: '30',
    about:
      'After how many days webhooks that Signalbox sent are removed, with their attempts; 7 or more. 0: never.',
  },
  RETENTION_TOOL_DELIVERY_DAYS: {
    default: '14',
    about:
      'After how many days deliveries from connected tools are removed; 7 or more. Until then, repeated ones are recognized. 0: never.',
  },
  RETENTION_AUDIT_MONTHS: {
    default: '0',
    about:
      'How many whole months of the audit log stay in the database after they ended. Older ones are written to files in AUDIT_ARCHIVE_DIR, read back and removed. 0: all of them.',
  },
  AUDIT_ARCHIVE_DIR: {
    default: '',
    about:
      'The folder for months of the audit log that leave the database. Use one that all nodes reach, and back it up. Required with RETENTION_AUDIT_MONTHS.',
  },
  STOP_GRACE_SECONDS: {
    default: '5',
    about:
      'How long the server keeps serving after SIGTERM while /readyz returns 503, so that load balancers stop sending requests first. 0: not at all.',
  },
  LOG_LEVEL: { default: 'info', about: 'trace, debug, info, warn, error or silent.' },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: '',
    about:
      'The OpenTelemetry collector that traces and metrics are sent to, such as https://otel.example.com:4318. /v1/traces and /v1/metrics are appended. Unset: nothing is traced, and nothing is sent.',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    default: '',
    about:
      'Headers for the collector, comma-separated: authorization=Bearer%20abc,x-tenant=ops. Never logged.',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: { default: 'http/protobuf', about: 'Only http/protobuf is supported.' },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    default: '10000',
    about: 'How long the collector has to answer, in milliseconds.',
  },
  OTEL_SERVICE_NAME: {
    default: 'signalbox',
    about:
      'The name of this service in traces and metrics. Runners have the same name with -runner appended.',
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    default: '',
    about:
      'Attributes for all traces and metrics, comma-separated: deployment.environment.name=production,cloud.region=eu-west-1.',
  },
  OTEL_TRACES_EXPORTER: { default: 'otlp', about: 'otlp, or none to send no traces.' },
  OTEL_METRICS_EXPORTER: { default: 'otlp', about: 'otlp, or none to send no metrics.' },
  OTEL_TRACES_SAMPLER: {
    default: 'parentbased_always_on',
    about:
      'Which traces are sent: always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off or parentbased_traceidratio. A run is sent whole or not at all.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    default: '1',
    about: 'The share of traces that traceidratio and parentbased_traceidratio send, from 0 to 1.',
  },
  OTEL_BSP_SCHEDULE_DELAY: { default: '5000', about: 'How often spans are sent, in milliseconds.' },
  OTEL_METRIC_EXPORT_INTERVAL: { default: '60000', about: 'How often metrics are sent, in milliseconds.' },
} as const

type Setting = keyof typeof settings

/** Each of these can also be read from a file, which the setting with _FILE behind its name names. */
export const secretSettings = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_READ_URL',
  'SECRET_KEY',
  'SECRET_KEY_PREVIOUS',
  'OPERATOR_TOKEN',
  'SPLITTER_KEY',
  'SMTP_URL',
  'OIDC_CLIENT_SECRET',
  'BACKUP_PASSPHRASE',
  'AUDIT_STREAM_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'CHECKPOINT_WEBHOOK_SECRET',
] as const satisfies Setting[]

/** Folders that a server writes to. */
const folderSettings = [
  'DATA_DIR',
  'BACKUP_DIR',
  'AUDIT_ARCHIVE_DIR',
  'CHECKPOINT_DIR',
] as const satisfies Setting[]

export type AuditStreamSettings =
  | { kind: 'webhook'; url: string; secret: string }
  | { kind: 'syslog'; host: string; port: number; ca: string | null }

export interface Config {
  readonly databaseUrl: string | null
  readonly databaseDirectUrl: string | null
  readonly databaseReadUrl: string | null
  readonly databaseReadLagSeconds: number
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
  /** Whether to serve only as the role that cannot rewrite the audit log. */
  readonly auditGuard: 'role' | 'triggers'
  /** null: the audit log is not sent anywhere. */
  readonly auditStream: AuditStreamSettings | null
  /** For how many days each kind is kept; 0: forever. */
  readonly retention: Readonly<Record<RetentionKind, number>>
  /** Where checkpoints of the audit log are sent; null: not there. */
  readonly anchors: {
    folder: string | null
    webhook: { url: string; secret: string } | null
    email: string | null
    /** A timestamp authority. */
    timestamps: string | null
    /** The roots that timestamps have to lead to, as PEM. */
    timestampRoots: string | null
    everyMs: number
  }
  /** After how many months the audit log goes to files, and where to; null: it stays in the database. */
  readonly auditMonths: { keep: number; dir: string } | null
  readonly stopGraceSeconds: number
  /** Deliveries of one source that a node accepts. */
  readonly signalsPerMinute: number
  readonly founding: Founding
  /** Whether workspaces can be configured from outside. */
  readonly managementApi: boolean
  readonly sessionLife: SessionLife
  readonly logLevel: string
  /** null: nothing is traced, and nothing of OpenTelemetry is loaded. */
  readonly telemetry: TelemetrySettings | null
}

export const shortestPassphrase = 16

/**
 * Settings that mean nothing without another one: left alone, they would look as if they did what they say. Where a
 * connection is described by several, the function that reads it says so, and OpenTelemetry's may be meant for others.
 */
const onlyWith: [setting: Setting, needs: Setting[]][] = [
  ['DATABASE_READ_LAG_SECONDS', ['DATABASE_READ_URL']],
  ['SPLITTER_API', ['SPLITTER_URL']],
  ['OIDC_NAME', ['OIDC_ISSUER']],
  ['BACKUP_EVERY_HOURS', ['BACKUP_DIR']],
  ['BACKUP_KEEP', ['BACKUP_DIR']],
  ['AUDIT_STREAM_SECRET', ['AUDIT_STREAM']],
  ['AUDIT_STREAM_CA', ['AUDIT_STREAM']],
  ['AUDIT_ARCHIVE_DIR', ['RETENTION_AUDIT_MONTHS']],
  ['CHECKPOINT_WEBHOOK_SECRET', ['CHECKPOINT_WEBHOOK']],
  ['CHECKPOINT_EVERY_MINUTES', ['CHECKPOINT_DIR', 'CHECKPOINT_WEBHOOK', 'CHECKPOINT_EMAIL', 'TIMESTAMP_URL']],
]

const whatIsIgnored = (isSet: (name: Setting) => boolean): string[] =>
  onlyWith
    .filter(([name, needs]) => isSet(name) && !needs.some(isSet))
    .map(
      ([name, needs]) =>
        `${name} is set, but it does nothing without ${needs.join(' or ')}. Set that too, or remove ${name}.`,
    )

export class ConfigError extends Error {}

/** Reads the whole environment and reports every mistake at once. */
export function readConfig(given: Partial<Record<string, string>>): Config {
  const mistakes: string[] = []
  const environment = withSecretFiles(given, secretSettings, mistakes)
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
    const isBegun = protocols.some((protocol) => value.startsWith(`${protocol}//`))
    mistakes.push(
      isBegun
        ? `${name} is not an address that can be read. Check its host and port, and percent-encode characters such as @, / and % in a password.`
        : `${name} must be an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}.`,
    )
    return null
  }

  /** Where people and tools reach this server: what it is told is continued with paths of ours. */
  function base(name: 'PUBLIC_URL' | 'SIGNAL_URL'): string | null {
    const address = url(name, ['http:', 'https:'])
    if (address === null) return null
    const { username, password, pathname, search, hash } = new URL(address)
    if (username || password || search || hash)
      mistakes.push(`${name} must not contain a user name, password, query or fragment.`)
    if (name === 'PUBLIC_URL' && pathname !== '/')
      mistakes.push(
        `PUBLIC_URL must not contain a path such as ${pathname}: Signalbox needs a host name of its own, as in https://signalbox.example.com.`,
      )
    return address
  }

  function database(name: 'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'DATABASE_READ_URL'): string | null {
    const given = eachHost(namingHost(optional(name)) ?? '')
    const addresses = given.flatMap((one) => url(name, ['postgres:', 'postgresql:'], one || null) ?? [])
    const [address] = addresses
    if (!address || addresses.length < given.length) return null
    mistakes.push(...whatIsWrongWithDatabaseUrl(name, address))
    if (name === 'DATABASE_DIRECT_URL' && optional('DATABASE_URL') === null)
      mistakes.push('DATABASE_DIRECT_URL is the same database as DATABASE_URL, reached directly. Set both.')
    if (name === 'DATABASE_READ_URL' && optional('DATABASE_URL') === null)
      mistakes.push('DATABASE_READ_URL is a replica of the database in DATABASE_URL. Set both.')
    if (name === 'DATABASE_READ_URL' && addresses.length > 1)
      mistakes.push('DATABASE_READ_URL must name one host: a replica, or a load balancer for several.')
    return withAllHosts(addresses.map(withVerifiedTls))
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
  mistakes.push(...whatIsWrongWithProxies(trustProxy))
  for (const name of folderSettings) if (text(name)) mistakes.push(...whatIsWrongWithFolder(name, text(name)))
  // As addresses write it.
  const host = text('HOST').replace(/^\[(.*)\]$/, '$1')
  if (/[/\s]/.test(host) || (host.includes(':') && isIP(host) === 0))
    mistakes.push(`HOST must be an address or a name without scheme and port, not "${host}".`)
  else if (!isLoopback(host) && !optional('TLS_CERT') && trustProxy.length === 0)
    mistakes.push(
      `HOST ${host} would carry tokens over plain HTTP. Set TLS_CERT and TLS_KEY, or TRUST_PROXY to the proxy that speaks https.`,
    )
  const logLevel = text('LOG_LEVEL')
  if (!['trace', 'debug', 'info', 'warn', 'error', 'silent'].includes(logLevel))
    mistakes.push(`LOG_LEVEL cannot be "${logLevel}". Use trace, debug, info, warn, error or silent.`)
  const founding = text('WORKSPACE_FOUNDING') as Founding
  if (!['anyone', 'owners'].includes(founding)) mistakes.push('WORKSPACE_FOUNDING must be anyone or owners.')
  const auditGuard = text('AUDIT_GUARD') as Config['auditGuard']
  if (!['role', 'triggers'].includes(auditGuard)) mistakes.push('AUDIT_GUARD must be role or triggers.')
  if (!['on', 'off'].includes(text('MANAGEMENT_API'))) mistakes.push('MANAGEMENT_API must be on or off.')

  function operator(): Config['operator'] {
    if (text('OPERATOR_PORT') === 'off') return null
    const [address, token] = [text('OPERATOR_HOST'), optional('OPERATOR_TOKEN')]
    if (token !== null && !/^[\x21-\x7e]{32,}$/.test(token))
      mistakes.push('OPERATOR_TOKEN must have at least 32 characters, and no spaces.')
    if (token === null && !isLoopback(address))
      mistakes.push(
        `OPERATOR_HOST ${address} would show metrics to everyone who can reach it. Set OPERATOR_TOKEN, or OPERATOR_PORT to off.`,
      )
    const port = whole('OPERATOR_PORT', 0, 65_535)
    const isSameAddress = address === host || [address, host].some((one) => ['0.0.0.0', '::'].includes(one))
    if (port !== 0 && text('PORT') === String(port) && isSameAddress)
      mistakes.push(`PORT and OPERATOR_PORT are both ${port}. Set one of them to another port.`)
    return { host: address, port, token }
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
      mistakes.push('SPLITTER_URL must not contain a user name or password. Put the key into SPLITTER_KEY.')
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
        'SMTP_URL must contain a user name and a password, or neither. Write special characters as %40.',
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
      mistakes.push('OIDC_ISSUER must be a URL without a user name, password or query.')
    if (protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, '')))
      mistakes.push('OIDC_ISSUER must be https, unless it is on this machine.')
    return { issuer, clientId, clientSecret, name: text('OIDC_NAME') }
  }

  /** 0: forever; otherwise at least so many. */
  function days(name: Setting, least = 1): number {
    const number = whole(name, 0, 36_500)
    if (number > 0 && number < least) mistakes.push(`${name} must be 0 or at least ${least}.`)
    return number
  }

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

  function auditMonths(): Config['auditMonths'] {
    const [keep, dir] = [whole('RETENTION_AUDIT_MONTHS', 0, 1_200), optional('AUDIT_ARCHIVE_DIR')]
    if (keep === 0) return null
    if (dir === null)
      mistakes.push('AUDIT_ARCHIVE_DIR is needed with RETENTION_AUDIT_MONTHS: the folder for old months.')
    return { keep, dir: path.resolve(dir ?? '') }
  }

  function signingSecret(name: 'AUDIT_STREAM_SECRET' | 'CHECKPOINT_WEBHOOK_SECRET'): string {
    const secret = optional(name) ?? ''
    if (!/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret))
      mistakes.push(
        `${name} must be whsec_ and at least 24 bytes as base64, as \`echo "whsec_$(openssl rand -base64 32)"\` prints it.`,
      )
    return secret
  }

  function refuseClear(name: Setting, address: string, allowed: string): void {
    const { protocol, hostname } = new URL(address)
    if (protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, '')))
      mistakes.push(`${name} must be ${allowed}, unless it is on this machine.`)
  }

  /** Our clients send no name and no password of an address: a receiver that wants them would refuse for no reason to see. */
  function refuseLogin(name: Setting, address: string, instead: string): void {
    const { username, password } = new URL(address)
    if (username || password) mistakes.push(`${name} must not contain a user name or password. ${instead}`)
  }

  function anchors(): Config['anchors'] {
    const hook = url('CHECKPOINT_WEBHOOK', ['https:', 'http:'])
    if (hook !== null) refuseLogin('CHECKPOINT_WEBHOOK', hook, isSigned)
    if (hook !== null) refuseClear('CHECKPOINT_WEBHOOK', hook, 'https')
    const authority = url('TIMESTAMP_URL', ['https:', 'http:'])
    if (authority !== null)
      refuseLogin(
        'TIMESTAMP_URL',
        authority,
        'Use an authority, or a proxy in front of it, that asks for none.',
      )
    const folder = optional('CHECKPOINT_DIR')
    const email = optional('CHECKPOINT_EMAIL')
    if (email !== null && senderIn(email)?.address !== email)
      mistakes.push('CHECKPOINT_EMAIL must be an email address.')
    if (email !== null && optional('SMTP_URL') === null)
      mistakes.push('SMTP_URL is needed with CHECKPOINT_EMAIL.')
    return {
      folder: folder && path.resolve(folder),
      webhook: hook === null ? null : { url: hook, secret: signingSecret('CHECKPOINT_WEBHOOK_SECRET') },
      email,
      timestamps: authority,
      timestampRoots: file('TIMESTAMP_CA'),
      everyMs: whole('CHECKPOINT_EVERY_MINUTES', 1, 10_080) * 60_000,
    }
  }

  function auditStream(): Config['auditStream'] {
    const address = url('AUDIT_STREAM', ['https:', 'http:', 'syslog+tls:'])
    const ca = file('AUDIT_STREAM_CA')
    if (address === null) return null
    refuseLogin('AUDIT_STREAM', address, isSigned)
    const { protocol, hostname, port } = new URL(address)
    if (protocol === 'syslog+tls:' && optional('AUDIT_STREAM_SECRET') !== null)
      mistakes.push('AUDIT_STREAM_SECRET signs webhooks, but AUDIT_STREAM leads to syslog. Remove it.')
    if (protocol !== 'syslog+tls:' && optional('AUDIT_STREAM_CA') !== null)
      mistakes.push('AUDIT_STREAM_CA is for syslog, but AUDIT_STREAM leads to a webhook. Remove it.')
    if (protocol === 'syslog+tls:')
      return { kind: 'syslog', host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6514), ca }
    refuseClear('AUDIT_STREAM', address, 'https or syslog+tls')
    return { kind: 'webhook', url: address, secret: signingSecret('AUDIT_STREAM_SECRET') }
  }

  function telemetry(): Config['telemetry'] {
    const endpoint = url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:'])
    // Others on this machine may be set by the same names: without an address, they are no business of ours.
    if (endpoint === null) return null
    refuseLogin(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      endpoint,
      'Put them into OTEL_EXPORTER_OTLP_HEADERS, as authorization=Basic%20 and the two in base64.',
    )
    if (text('OTEL_EXPORTER_OTLP_PROTOCOL') !== 'http/protobuf')
      mistakes.push(
        'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf. Collectors usually take it on port 4318.',
      )
    const sampler = samplers.find((name) => name === text('OTEL_TRACES_SAMPLER'))
    if (!sampler) mistakes.push(`OTEL_TRACES_SAMPLER must be one of ${samplers.join(', ')}.`)
    const samplerRatio = Number(text('OTEL_TRACES_SAMPLER_ARG'))
    if (!(samplerRatio >= 0 && samplerRatio <= 1))
      mistakes.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.')
    const isSent = (name: 'OTEL_TRACES_EXPORTER' | 'OTEL_METRICS_EXPORTER') => {
      if (!['otlp', 'none'].includes(text(name))) mistakes.push(`${name} must be otlp or none.`)
      return text(name) === 'otlp'
    }
    const settings = {
      headers: pairs('OTEL_EXPORTER_OTLP_HEADERS', /^[\w!#$%&'*+.^`|~-]+$/),
      serviceName: text('OTEL_SERVICE_NAME'),
      resourceAttributes: pairs('OTEL_RESOURCE_ATTRIBUTES', /^[\w./:-]+$/),
      sampler: sampler ?? 'always_off',
      samplerRatio,
      traces: isSent('OTEL_TRACES_EXPORTER'),
      metrics: isSent('OTEL_METRICS_EXPORTER'),
      metricIntervalMs: whole('OTEL_METRIC_EXPORT_INTERVAL', 100, 86_400_000),
      spanDelayMs: whole('OTEL_BSP_SCHEDULE_DELAY', 10, 600_000),
      timeoutMs: whole('OTEL_EXPORTER_OTLP_TIMEOUT', 100, 600_000),
    }
    if (!settings.traces && !settings.metrics) return null
    const { protocol, hostname, username, password, search, hash } = new URL(endpoint)
    if (username || password || search || hash)
      mistakes.push(
        'OTEL_EXPORTER_OTLP_ENDPOINT must not contain a user name, password or query. Put secrets into OTEL_EXPORTER_OTLP_HEADERS.',
      )
    const inTheClear = protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''))
    if (inTheClear && Object.keys(settings.headers).length > 0)
      mistakes.push(
        'OTEL_EXPORTER_OTLP_ENDPOINT would carry OTEL_EXPORTER_OTLP_HEADERS over plain HTTP. Use https.',
      )
    return { endpoint, ...settings }
  }

  /** `name=value,name=value`, as OpenTelemetry writes them. */
  function pairs(name: Setting, wanted: RegExp): Record<string, string> {
    const found: Record<string, string> = dictionary()
    for (const pair of text(name)
      .split(',')
      .filter((part) => part.trim() !== '')) {
      const at = pair.indexOf('=')
      const [key, value] = [pair.slice(0, Math.max(at, 0)).trim(), decoded(pair.slice(at + 1).trim())]
      if (wanted.test(key) && value !== null) found[key] = value
      // The value may be a secret, so it is not repeated.
      else
        mistakes.push(`${name} must be name=value pairs, comma-separated, with % and commas as %25 and %2C.`)
    }
    return found
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

  mistakes.push(...whatIsIgnored((name) => Boolean(environment[name]?.trim())))
  const config: Config = {
    databaseUrl: database('DATABASE_URL'),
    databaseDirectUrl: database('DATABASE_DIRECT_URL'),
    databaseReadUrl: database('DATABASE_READ_URL'),
    databaseReadLagSeconds: whole('DATABASE_READ_LAG_SECONDS', 1, 300),
    port: whole('PORT', 0, 65_535),
    host,
    publicUrl: base('PUBLIC_URL'),
    signalUrl: base('SIGNAL_URL'),
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
    auditGuard,
    auditStream: auditStream(),
    retention: {
      run_logs: days('RETENTION_RUN_LOG_DAYS'),
      run_log_lines: days('RETENTION_RUN_LOG_THIN_DAYS'),
      deliveries: days('RETENTION_DELIVERY_DAYS'),
      alerts: days('RETENTION_ALERT_DAYS'),
      notifications: days('RETENTION_NOTIFICATION_DAYS'),
      exports: days('RETENTION_EXPORT_DAYS'),
      checkpoints: days('RETENTION_CHECKPOINT_DAYS'),
      run_files: days('RETENTION_RUN_FILE_DAYS'),
      // A rehearsal of a policy looks at the orders of 30 days; what is sent again for some days must be there for as long.
      finished_work: days('RETENTION_FINISHED_WORK_DAYS', 30),
      webhooks: days('RETENTION_WEBHOOK_DAYS', 7),
      tool_deliveries: days('RETENTION_TOOL_DELIVERY_DAYS', 7),
    },
    anchors: anchors(),
    auditMonths: auditMonths(),
    stopGraceSeconds: whole('STOP_GRACE_SECONDS', 0, 600),
    telemetry: telemetry(),
    signalsPerMinute: whole('SIGNALS_PER_MINUTE', 1, 1_000_000_000),
    founding,
    managementApi: text('MANAGEMENT_API') === 'on',
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

/**
 * Fails for a folder that this process could not write to. A server asks before it touches anything: it would notice
 * hours later, when the first backup is due. Commands write to none of them, or to DATA_DIR alone.
 */
export function refuseUnwritableFolders({ dataDir, backup, auditMonths, anchors }: Config): void {
  const folders: Record<(typeof folderSettings)[number], string | null> = {
    DATA_DIR: dataDir,
    BACKUP_DIR: backup.dir,
    AUDIT_ARCHIVE_DIR: auditMonths?.dir ?? null,
    CHECKPOINT_DIR: anchors.folder,
  }
  const mistakes = folderSettings.flatMap((name) =>
    folders[name] === null ? [] : whatForbidsWriting(name, folders[name]),
  )
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'))
}

/** The folder setting that a file belongs to; null: it is elsewhere. */
export const folderSettingOf = (
  file: string,
  environment: Partial<Record<string, string>>,
): (typeof folderSettings)[number] | null =>
  folderSettings.find((name) => {
    const folder = environment[name]?.trim() || settings[name].default
    return folder !== '' && `${path.resolve(file)}/`.startsWith(`${path.resolve(folder)}/`)
  }) ?? null

const isSigned = 'What is sent there is signed instead.'

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

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

function isHostOrNetwork(entry: string): boolean {
  const [address, prefix, ...more] = entry.split('/') as [string, ...string[]]
  if (prefix === undefined) return isIP(address) > 0 || /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/.test(address)
  const most = isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : -1
  return more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= most
}
