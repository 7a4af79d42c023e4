import { setTimeout as pause } from 'node:timers/promises'
import { readConfig } from '../../app/config.ts'
import { portsFrom } from '../../app/ports.ts'
import { systemClock } from '../../infra/clock.ts'
import { openDatabase } from '../../infra/db/db.ts'
import { silentQueue } from '../../infra/jobs/queue.ts'
import { secretsFrom } from '../../infra/secrets.ts'

/** What a server has at hand, for a part of its work in a process of its own that a test can kill. */
export function openAsServer() {
  const config = readConfig(process.env)
  const { db } = openDatabase({
    ...{ connection: { connectionString: config.databaseUrl! }, connections: 3, asAppRole: true },
    onError: () => {},
  })
  const secrets = secretsFrom(config.secretKey!)
  const publicUrl = () => 'https://box.example.com'
  const ports = portsFrom(config, secrets, { db, clock: systemClock, queue: silentQueue, publicUrl })
  return { base: { db, clock: systemClock, queue: silentQueue }, ports, secrets, publicUrl }
}

/** Does it again and again until the test has ended: one that was killed leaves no process behind. */
export async function untilParentEnds(work: () => Promise<unknown>): Promise<never> {
  const parent = process.ppid
  while (process.ppid === parent) {
    await work()
    await pause(50)
  }
  process.exit(0)
}
