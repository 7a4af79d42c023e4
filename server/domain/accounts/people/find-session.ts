import { createHash } from 'node:crypto'
import type { Role } from '@signalbox/contract/roles.ts'
import type { Clock } from '../../../infra/clock.ts'
import type { Db } from '../../../infra/db/db.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { prolongSession, selectSessionByDigest } from './store.ts'

/** Someone who is signed in. */
export interface SignedIn {
  sessionId: string
  personId: string
  name: string
  email: string
  /** With what it was begun; null: not known. */
  method: string | null
  /** The workspace asked for, when that person is a member of it. */
  workspace: { id: string; slug: string; name: string; role: Role } | null
}

/** An unused session ends after two weeks, and any session after three months. */
export const sessionLife = { idleSeconds: 14 * 86_400, mostSeconds: 90 * 86_400 }

/** That a session is in use is written down once in so long. */
const noteUseEveryMs = 3_600_000

/** Only this digest of a session is stored, so reading the table is not enough to sign in. */
export const sessionDigest = (token: string): string => createHash('sha256').update(token).digest('hex')

/**
 * The valid session of a cookie's token. Read from the database each time, so that a changed role applies immediately.
 */
export async function findSession(
  { db, clock }: { db: Db; clock: Clock },
  token: string,
  workspace?: string,
): Promise<SignedIn | null> {
  const row = await selectSessionByDigest(db, sessionDigest(token), clock.now(), workspace ?? '')
  if (!row) return null
  const now = clock.now()
  if (now.getTime() - row.usedAt.getTime() >= noteUseEveryMs)
    await housekeeping(db, 'a session in use lives on', (tx) =>
      prolongSession(tx, row.personId, row.sessionId, now, endOf(row.createdAt, now)),
    )
  const { sessionId, personId, name, email, method, role } = row
  return {
    sessionId,
    personId,
    name,
    email,
    method,
    workspace: role
      ? { id: row.workspaceId!, slug: row.readWorkspaceSlug!, name: row.workspaceName!, role }
      : null,
  }
}

const endOf = (createdAt: Date, now: Date) =>
  new Date(
    Math.min(
      now.getTime() + sessionLife.idleSeconds * 1000,
      createdAt.getTime() + sessionLife.mostSeconds * 1000,
    ),
  )
