import { startAdmission } from '../../app/admission.ts'
import { readConfig } from '../../app/config.ts'
import { createServer } from '../../app/http.ts'
import { serveMcp } from '../../faces/mcp/mcp.ts'
import { OpenCalls } from '../../faces/mcp/open-calls.ts'
import { silentQueue } from '../../infra/jobs/queue.ts'
import { createLog } from '../../infra/log.ts'
import { createMetrics } from '../../infra/metrics.ts'
import type { testApp } from '../app.ts'
import { fixtureServer } from './fixtures.ts'

/** The door of the MCP server, with its tokens, its quota and its addresses, and the suite's fixtures behind it. */
export async function mountFixtures({ storage, clock, databaseUrl }: Awaited<ReturnType<typeof testApp>>) {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    PORT: '0',
    OPERATOR_PORT: 'off',
    RATE_LIMIT_PER_MINUTE: '1000000',
    SECRET_KEY: 'a key for tests that is long enough',
  })
  const log = createLog({ level: 'error' })
  const base = { config, clock, log, storage, metrics: createMetrics(storage) }
  const admission = await startAdmission(base)
  const http = createServer(base, admission)
  const { authenticator, mcpLimiter: limiter } = admission
  const openCalls = new OpenCalls(authenticator)
  admission.listen(openCalls)
  const { publicUrl } = http
  const services = { db: storage.db, clock, queue: silentQueue, authenticator, limiter, openCalls, publicUrl }
  serveMcp(http.app, '/mcp', services, fixtureServer)
  await http.listen()
  return {
    url: publicUrl(),
    async stop() {
      await http.stop()
      await admission.stop()
    },
  }
}
