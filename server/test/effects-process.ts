import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { readConfig } from '../app/config.ts'
import { portsFrom } from '../app/ports.ts'
import { asService } from '../domain/context.ts'
import { performEffect } from '../domain/outbox/perform.ts'
import { performersFor } from '../faces/worker/performers.ts'
import { systemClock } from '../infra/clock.ts'
import { openDatabase } from '../infra/db/db.ts'
import { silentQueue } from '../infra/jobs/queue.ts'
import { secretsFrom } from '../infra/secrets.ts'

/**
 * Does what is to be done outside, as a server does, in a process of its own so that a test can kill it between a call
 * and its record.
 */

const config = readConfig(process.env)
const { db } = openDatabase({
  ...{ connection: { connectionString: config.databaseUrl! }, connections: 3, asAppRole: true },
  onError: () => {},
})
const secrets = secretsFrom(config.secretKey!)
const publicUrl = () => 'https://box.example.com'
const base = { db, clock: systemClock, queue: silentQueue }
const performers = performersFor(portsFrom(config, secrets, { db, clock: systemClock, publicUrl }), {
  ...{ secrets, publicUrl },
})
// A test that was killed leaves no process behind.
const parent = process.ppid
while (process.ppid === parent) {
  const { rows } = await sql<{ id: string; workspaceId: string }>`
    select id, workspace_id as "workspaceId" from effects where due_at <= now() order by id
  `.execute(db as never)
  for (const { id, workspaceId } of rows)
    await performEffect(asService(base, workspaceId), id, performers).catch((error) =>
      process.stderr.write(`${error.message}\n`),
    )
  await pause(50)
}
process.exit(0)
