import { readFileSync } from 'node:fs'
import path from 'node:path'

/** Everything that can be set from outside. docs/configuration.md and .env.example are made from this table. */
export const settings = {
  DATABASE_URL: {
    default: '',
    about:
      'A PostgreSQL server, version 15 or later, in a database of its own. Unset: an embedded PostgreSQL in the data folder.',
  },
  PORT: { default: '4400', about: 'Where the server listens; 0 takes a free port.' },
  HOST: {
    default: '127.0.0.1',
    about: 'The address to listen on. Anything but loopback needs TLS_CERT and TLS_KEY, or TRUST_PROXY.',
  },
  PUBLIC_URL: { default: '', about: 'The address people and tools use. Unset: what the server listens on.' },
  SIGNAL_URL: { default: '', about: 'The base address of the alert intake. Unset: PUBLIC_URL/signals.' },
  DATA_DIR: {
    default: 'data',
    about: 'The folder for the embedded database, the secret key and the checkpoint log.',
  },
  SECRET_KEY: {
    default: '',
    about:
      'At least 32 characters; encrypts stored secrets and signs the audit log. The same on every node. Unset: generated into the data folder.',
  },
  TLS_CERT: {
    default: '',
    about: 'File with the certificate chain, PEM. Together with TLS_KEY it turns on https.',
  },
  TLS_KEY: { default: '', about: 'File with the private key, PEM.' },
  TRUST_PROXY: {
    default: '',
    about:
      'Addresses or networks of reverse proxies, comma-separated, whose X-Forwarded headers are believed.',
  },
  OPERATOR_PORT: { default: '4401', about: 'Where /metrics is served, on loopback only; off turns it off.' },
  RATE_LIMIT_PER_MINUTE: { default: '120', about: 'Requests per token and minute. Raised only to measure.' },
  DATABASE_CONNECTIONS: { default: '10', about: 'The most connections a node opens to the database.' },
  EXCHANGE_RATES: {
    default: 'USD=0.92',
    about:
      'Euro for one unit of each currency that coding agents are billed in, comma-separated, as in USD=0.92,GBP=1.15. Each bill keeps the rate it was entered with.',
  },
  SPLITTER_URL: {
    default: '',
    about:
      'A language model that drafts stories from requirements: the base address of its API, as https://api.openai.com/v1. Unset: requirements are split by rules, and nothing leaves the machine.',
  },
  SPLITTER_API: {
    default: 'openai',
    about: 'What the language model speaks: openai (/chat/completions) or anthropic (/v1/messages).',
  },
  SPLITTER_MODEL: { default: '', about: 'The name of the model. Needed with SPLITTER_URL.' },
  SPLITTER_KEY: { default: '', about: 'The key for the language model, if it wants one. Never logged.' },
  LOG_LEVEL: { default: 'info', about: 'trace, debug, info, warn, error or silent.' },
} as const

type Setting = keyof typeof settings

export interface Config {
  readonly databaseUrl: string | null
  readonly port: number
  readonly host: string
  readonly publicUrl: string | null
  readonly signalUrl: string | null
  readonly dataDir: string
  readonly secretKey: string | null
  readonly tls: { cert: string; key: string } | null
  readonly trustProxy: string[]
  readonly operatorPort: number | null
  readonly rateLimitPerMinute: number
  readonly databaseConnections: number
  readonly exchangeRates: Readonly<Record<string, number>>
  /** null: requirements are split by rules. */
  readonly splitter: {
    url: string
    api: 'openai' | 'anthropic'
    model: string
    key: string | null
  } | null
  readonly logLevel: string
}

export class ConfigError extends Error {}

/** Reads the whole environment and reports every mistake at once. */
export function readConfig(environment: Partial<Record<string, string>>): Config {
  const mistakes: string[] = []
  const text = (name: Setting) => environment[name]?.trim() || settings[name].default
  const optional = (name: Setting) => text(name) || null

  function whole(name: Setting, smallest: number, largest: number): number {
    const value = /^\d+$/.test(text(name)) ? Number(text(name)) : Number.NaN
    if (value >= smallest && value <= largest) return value
    mistakes.push(`${name} must be a whole number from ${smallest} to ${largest}, not "${text(name)}".`)
    return smallest
  }

  function url(name: Setting, protocols: string[]): string | null {
    const value = optional(name)
    if (value === null) return null
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value.replace(/\/+$/, '')
    // The value may hold a password, so it is not repeated.
    mistakes.push(
      `${name} must be an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}.`,
    )
    return null
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
    mistakes.push('TLS_CERT and TLS_KEY go together; one of them is not set.')
  const secretKey = optional('SECRET_KEY')
  if (secretKey !== null && secretKey.length < 32)
    mistakes.push('SECRET_KEY must have at least 32 characters.')
  const trustProxy = text('TRUST_PROXY')
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
  const host = text('HOST')
  if (!isLoopback(host) && !optional('TLS_CERT') && trustProxy.length === 0) {
    mistakes.push(
      `HOST ${host} would carry tokens over plain HTTP. Set TLS_CERT and TLS_KEY, or TRUST_PROXY to the proxy that speaks https.`,
    )
  }
  const logLevel = text('LOG_LEVEL')
  if (!['trace', 'debug', 'info', 'warn', 'error', 'silent'].includes(logLevel))
    mistakes.push(`LOG_LEVEL has no level "${logLevel}".`)

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

  const config: Config = {
    databaseUrl: url('DATABASE_URL', ['postgres:', 'postgresql:']),
    port: whole('PORT', 0, 65_535),
    host,
    publicUrl: url('PUBLIC_URL', ['http:', 'https:']),
    signalUrl: url('SIGNAL_URL', ['http:', 'https:']),
    dataDir: path.resolve(text('DATA_DIR')),
    secretKey,
    tls: cert && key ? { cert, key } : null,
    trustProxy,
    operatorPort: text('OPERATOR_PORT') === 'off' ? null : whole('OPERATOR_PORT', 0, 65_535),
    rateLimitPerMinute: whole('RATE_LIMIT_PER_MINUTE', 1, 1_000_000_000),
    databaseConnections: whole('DATABASE_CONNECTIONS', 2, 500),
    exchangeRates: rates('EXCHANGE_RATES'),
    splitter: splitter(),
    logLevel,
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'))
  return Object.freeze(config)
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.')
