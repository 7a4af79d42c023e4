import pg from 'pg'
import { DatabaseAway } from './away.ts'
import { endQuietly } from './end-quietly.ts'
import { patience } from './timeouts.ts'

/** Where a server of PostgreSQL listens. */
interface Host {
  host: string
  port: number
}

/**
 * Knows which of several hosts is the primary. All are asked at once, when a connection is made and it is not known;
 * it is asked again after one has failed.
 */
export class Primary {
  readonly #addresses: string[]
  #found: Promise<Host> | null = null

  constructor(addresses: string[]) {
    this.#addresses = addresses
  }

  find(): Promise<Host> {
    this.#found ??= this.#look()
    return this.#found
  }

  forget(): void {
    this.#found = null
  }

  async #look(): Promise<Host> {
    try {
      return await Promise.any(this.#addresses.map(askWhetherPrimary))
    } catch (error) {
      this.#found = null
      const { errors } = error as AggregateError
      throw errors.some((one) => one instanceof Standby)
        ? new DatabaseAway(noPrimary, { cause: error })
        : errors[0]
    }
  }
}

const noPrimary =
  'Every database in DATABASE_URL that answers is a standby, which is read-only. Promote one of them, or start the primary.'

/** It cannot be written to. */
export class Standby extends Error {}

async function askWhetherPrimary(connectionString: string): Promise<Host> {
  const client = new pg.Client({
    connectionString,
    ...patience,
    application_name: 'signalbox finds the primary',
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await refuseStandby(client)
    return { host: client.host, port: client.port }
  } finally {
    void endQuietly(client)
  }
}

export async function refuseStandby(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
  if (rows[0]!.standby) throw new Standby('The database is a standby, which is read-only.')
}

const primaries = new Map<string, Primary>()

/** One for each address, so that the failure of one connection is known to all. */
export function primaryOf(address: string, hosts: string[]): Primary {
  const known = primaries.get(address) ?? new Primary(hosts)
  primaries.set(address, known)
  return known
}
