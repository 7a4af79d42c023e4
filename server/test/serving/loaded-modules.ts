import { mkdtemp, rm } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'

/**
 * Starts a server as it is and then one that is traced, and prints which packages of OpenTelemetry were loaded by then,
 * and what it took.
 */

const packages = new Set<string>()
registerHooks({
  load(url, context, next) {
    const [, name] = /node_modules\/(@opentelemetry\/[\w-]+)\//.exec(url) ?? []
    if (name) packages.add(name)
    return next(url, context)
  },
})

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-loaded-'))

async function started(env: Record<string, string | undefined>) {
  const begun = performance.now()
  const { startApp } = await import('../../app/app.ts')
  const { readConfig } = await import('../../app/config.ts')
  const app = await startApp(
    readConfig({
      ...{ DATABASE_URL: process.env.DATABASE_URL!, PORT: '0', OPERATOR_PORT: 'off', DATA_DIR: folder },
      ...{ LOG_LEVEL: 'silent', ...env },
    }),
  )
  await fetch(`${app.url}/v1/teams`)
  const milliseconds = Math.round(performance.now() - begun)
  const megabytes = Math.round(process.memoryUsage().rss / 1e6)
  const told = { packages: [...packages], milliseconds, megabytes }
  await app.stop()
  return told
}

const off = await started({})
const on = await started({ OTEL_EXPORTER_OTLP_ENDPOINT: process.env.COLLECTOR })
process.stdout.write(`${JSON.stringify({ off, on })}\n`)
await rm(folder, { recursive: true })
process.exit()
