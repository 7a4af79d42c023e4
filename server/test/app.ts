import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type AppOptions, startApp } from '../app/app.ts'
import { readConfig } from '../app/config.ts'
import type { Certificates } from '../domain/ports/certificates.ts'
import type { Clock } from '../infra/clock.ts'
import { createLog } from '../infra/log.ts'
import { template } from './cluster.ts'
import { emptyDatabase, type testDatabase } from './database.ts'

/** A whole server on a database of its own, and everything it has logged. */
export async function testApp(
  options: {
    env?: Record<string, string>
    clock?: Clock
    databaseUrl?: string
    certificates?: Certificates
    connect?: NonNullable<AppOptions['connect']>
  } = {},
) {
  const lines: string[] = []
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-app-'))
  const databaseUrl = options.databaseUrl ?? urlOf(await emptyDatabase(template))
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    PORT: '0',
    OPERATOR_PORT: 'off',
    SECRET_KEY: 'a key for tests that is long enough',
    DATABASE_CONNECTIONS: '5',
    // What waits for others on a busy machine is not what a test is about.
    DATABASE_STATEMENT_SECONDS: '300',
    ...options.env,
  })
  const log = createLog({
    level: config.logLevel,
    to: { write: (line) => lines.push(line) },
    traced: config.telemetry !== null,
  })
  const app = await startApp(config, {
    log,
    ...(options.clock ? { clock: options.clock } : {}),
    ...(options.certificates ? { certificates: options.certificates } : {}),
    ...(options.connect ? { connect: options.connect } : {}),
  })
  return {
    ...app,
    async stop() {
      await app.stop()
      await rm(folder, { recursive: true, force: true })
    },
    databaseUrl,
    log: lines,
    get: (path: string, token?: string, init: RequestInit = {}) => get(app.url + path, token, init),
  }
}

export function get(url: string, token?: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  if (token) headers.set('authorization', `Bearer ${token}`)
  return fetch(url, { ...init, headers })
}

export function urlOf(connection: Awaited<ReturnType<typeof testDatabase>>['connection']): string {
  const { user, password, host, port, database } = connection
  return `postgresql://${user}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/${database}`
}
