import { Sources } from '../domain/sources/registry.ts'
import { Authenticator } from '../domain/tokens/authenticate.ts'
import { Node } from '../infra/cluster.ts'
import { RateLimiter } from '../infra/http/rate-limit.ts'
import type { Base, Part } from './parts.ts'

export interface Admission extends Part {
  authenticator: Authenticator
  sources: Sources
  /** By token. */
  limiter: RateLimiter
  /** By address, for requests without a valid token. */
  strangers: RateLimiter
}

/** Who may ask, and how often: known in memory, under a lease among the nodes. */
export async function startAdmission({ config, clock, log, storage }: Base): Promise<Admission> {
  const { db, pool, connection, secrets, alone } = storage
  const node = new Node({
    pool,
    connection,
    alone,
    onError: (error) =>
      log.warn({ err: error }, 'the lease could not be renewed; tokens are checked in the database'),
  })
  const authenticator = new Authenticator({ db, clock, node: () => node })
  const sources = new Sources({ db, secrets, node: () => node })
  const limiter = new RateLimiter({ limit: config.rateLimitPerMinute, pool })
  const strangers = new RateLimiter({ limit: config.rateLimitPerMinute, pool })
  await node.join({
    onInvalidated: () => {
      authenticator.forget()
      sources.forget()
    },
    onCompany: (company) => limiter.share(company),
  })
  const stop = async () => {
    await node.stop()
    await authenticator.noteUses()
  }
  return { authenticator, sources, limiter, strangers, stop }
}
