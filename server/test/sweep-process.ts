import { setTimeout as pause } from 'node:timers/promises'
import { readConfig } from '../app/config.ts'
import { portsFrom } from '../app/ports.ts'
import { sweepTrackers } from '../domain/mirror/sweep.ts'
import { systemClock } from '../infra/clock.ts'
import { openDatabase } from '../infra/db/db.ts'
import { silentQueue } from '../infra/jobs/queue.ts'
import { secretsFrom } from '../infra/secrets.ts'

/**
 * Looks at trackers whose turn it is, as a server does, in a process of its own that a test can kill in the middle. Says
 * how much memory it has taken, in megabytes, several times a second.
 */

const config = readConfig(process.env)
const { db } = openDatabase({
  ...{ connection: { connectionString: config.databaseUrl! }, connections: 3, asAppRole: true },
  onError: () => {},
})
const secrets = secretsFrom(config.secretKey!)
const publicUrl = () => 'https://box.example.com'
const { trackers } = portsFrom(config, secrets, { db, clock: systemClock, publicUrl })
setInterval(() => process.stdout.write(`${Math.round(process.memoryUsage.rss() / 2 ** 20)}\n`), 250).unref()
// A test that was killed leaves no process behind.
const parent = process.ppid
while (process.ppid === parent) {
  await sweepTrackers({ db, clock: systemClock, queue: silentQueue }, { trackers, secrets }, (error) =>
    process.stderr.write(`${error.message}\n`),
  )
  await pause(50)
}
process.exit(0)
