import { createServer } from 'node:http'
import type { Metrics } from '../../infra/metrics.ts'

/** The operator's side: metrics, on loopback alone, away from the public address. */
export async function operatorFace(
  port: number,
  metrics: Pick<Metrics['registry'], 'contentType' | 'metrics'>,
): Promise<{ stop(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end('Only /metrics is here.\n')
      return
    }
    response.writeHead(200, { 'content-type': metrics.contentType })
    response.end(await metrics.metrics())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return { stop: () => new Promise((resolve) => server.close(() => resolve())) }
}
