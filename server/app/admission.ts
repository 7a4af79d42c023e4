import { Authenticator } from '../domain/accounts/tokens/authenticate.ts'
import { LastSeen } from '../domain/engine/runners/last-seen.ts'
import { Sessions } from '../domain/engine/runners/sessions.ts'
import { Sources } from '../domain/on-call/sources/registry.ts'
import { Node } from '../infra/cluster.ts'
import { appRole } from '../infra/db/db.ts'
import { newestMigration } from '../infra/db/migrate.ts'
import { RateLimiter } from '../infra/http/rate-limit.ts'
import type { Config } from './config.ts'
import { nodeName } from './node-name.ts'
import type { Base, Part } from './parts.ts'
import type { Storage } from './storage.ts'
import { version } from './version.ts'

export interface Admission extends Part, Limiters {
  /** This process among the others. */
  node: Pick<Node, 'id'>
  authenticator: Authenticator
  sources: Sources
  /** Sessions of runners, and when each was last seen. */
  sessions: Sessions
  lives: LastSeen
  /** Tells listeners what this node receives from the others. */
  listen(listener: Listener): void
}

interface Limiters {
  /** By token. */
  limiter: RateLimiter
  /** By token, for what runners say. Each node counts for itself. */
  runnerLimiter: RateLimiter
  /** By token, for the MCP server. Each node counts for itself. */
  mcpLimiter: RateLimiter
  /** By session, for the web app. Each node counts for itself. */
  sessionLimiter: RateLimiter
  /** By token of an identity provider, for SCIM. Each node counts for itself. */
  scimLimiter: RateLimiter
  /** By source, for deliveries of alerts. Each node counts for itself. */
  sourceLimiter: RateLimiter
  /** By address, for requests without a valid token. */
  strangers: RateLimiter
}

/** What a node receives from the others. */
interface Listener {
  /** What was known of tokens and runners may be untrue. */
  onInvalidated(): void
  onNews(news: string): void
}

/** A runner with sixty slots that print without end stays below it. */
const runnerCallsPerMinute = 30_000

/** An agent that works on a story and polls for an answer asks more often than a script does. */
const mcpCallsPerRequest = 2

/** A screen reads several things, and reads them again when something happens. */
const appCallsPerRequest = 100

/** A provider that brings a whole company the first time asks several times a second. */
const scimCallsPerRequest = 10

/** Who may ask, and how often: known in memory, under a lease among the nodes. */
export async function startAdmission({ config, clock, log, storage }: Base): Promise<Admission> {
  const { db, pool, direct, asAppRole, secrets, alone } = storage
  const onError = (error: Error) =>
    log.warn({ err: error }, 'the lease could not be renewed; tokens are checked in the database')
  const about = { version, migration: await newestMigration(), host: nodeName(config.port) }
  const onDeaf = () =>
    log.warn(
      'DATABASE_URL goes through a connection pooler, where LISTEN does not work: this node learns of changes by other nodes a little later. Set DATABASE_DIRECT_URL to the database itself.',
    )
  const role = asAppRole ? appRole : null
  const node = new Node({
    ...{ pool, connection: direct, role, alone, about, onError, onDeaf },
    keys: secrets,
  })
  const authenticator = new Authenticator({ db, clock, node: () => node })
  const sources = new Sources({ db, secrets, node: () => node })
  const sessions = new Sessions({ db, node: () => node })
  const lives = new LastSeen({ db, clock })
  const limiters = limitersFrom(config, storage)
  const listeners: Listener[] = []
  const joined = node.join({
    onInvalidated: () => {
      for (const known of [authenticator, sources, sessions]) known.forget()
      for (const listener of listeners) listener.onInvalidated()
    },
    onNews: (news) => {
      for (const listener of listeners) listener.onNews(news)
    },
    onCompany: (company) => limiters.limiter.share(company),
  })
  // The next attempt is another node.
  await joined.catch(async (error) => {
    await node.stop()
    throw error
  })
  const listen = (listener: Listener) => void listeners.push(listener)
  const stop = async () => {
    await node.stop()
    await authenticator.noteUses()
    await lives.write()
  }
  return { node, authenticator, sources, sessions, lives, ...limiters, listen, stop }
}

function limitersFrom({ rateLimitPerMinute, signalsPerMinute }: Config, { pool }: Storage): Limiters {
  const perMinute = (limit: number) => new RateLimiter({ limit, pool })
  return {
    limiter: perMinute(rateLimitPerMinute),
    runnerLimiter: perMinute(runnerCallsPerMinute),
    mcpLimiter: perMinute(rateLimitPerMinute * mcpCallsPerRequest),
    sessionLimiter: perMinute(rateLimitPerMinute * appCallsPerRequest),
    scimLimiter: perMinute(rateLimitPerMinute * scimCallsPerRequest),
    sourceLimiter: perMinute(signalsPerMinute),
    strangers: perMinute(rateLimitPerMinute),
  }
}
