import { sql } from 'kysely'
import { asService } from '../../domain/context.ts'
import { performEffect } from '../../domain/record/outbox/perform.ts'
import { performersFor } from '../../faces/worker/performers.ts'
import { tables } from '../tables.ts'
import { openAsServer, untilParentEnds } from './own-process.ts'

/**
 * Does what is to be done outside, as a server does, in a process of its own so that a test can kill it between a call
 * and its record.
 */

const { base, ports, secrets, publicUrl } = openAsServer()
const performers = performersFor(ports, { secrets, publicUrl })
await untilParentEnds(async () => {
  const { rows } = await sql<{ id: string; workspaceId: string }>`
    select id, workspace_id as "workspaceId" from effects where due_at <= now() order by id
  `.execute(tables(base.db))
  for (const { id, workspaceId } of rows)
    await performEffect(asService(base, workspaceId), id, performers).catch((error) =>
      process.stderr.write(`${error.message}\n`),
    )
})
