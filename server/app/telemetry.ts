import { hostname } from 'node:os'
import type { OpenTelemetry } from '../infra/telemetry/open-telemetry.ts'
import type { Base } from './parts.ts'
import { version } from './version.ts'

/** Nothing where no collector is set: then nothing of OpenTelemetry is even loaded. */
export async function startTelemetry({
  config,
  log,
  metrics,
}: Pick<Base, 'config' | 'log'> & { metrics: Pick<Base['metrics'], 'registry'> }): Promise<{
  telemetry?: OpenTelemetry
}> {
  if (!config.telemetry) return {}
  const { OpenTelemetry } = await import('../infra/telemetry/open-telemetry.ts')
  const instance = `${hostname()}-${process.pid}`
  const telemetry = new OpenTelemetry(config.telemetry, { version, instance, log })
  telemetry.exportMetrics(metrics.registry)
  return { telemetry }
}
