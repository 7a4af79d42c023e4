import { createHash } from 'node:crypto'
import type { Role } from '@signalbox/contract/member.ts'
import type { Clock } from '../../infra/clock.ts'
import type { Db } from '../../infra/db/db.ts'
import { selectSession } from './store.ts'

/** Someone who is signed in. */
export interface SignedIn {
  sessionId: string
  personId: string
  name: string
  email: string
  /** The workspace asked for, when that person is a member of it. */
  workspace: { id: string; slug: string; name: string; role: Role } | null
}

/** At rest a session is known by this digest alone: whoever reads the table cannot sign in with it. */
export const sessionDigest = (token: string): string => createHash('sha256').update(token).digest('hex')

/** The living session of a cookie's token. Read anew each time, so that a role that changes bites at once. */
export async function findSession(
  { db, clock }: { db: Db; clock: Clock },
  token: string,
  workspace?: string,
): Promise<SignedIn | null> {
  const row = await selectSession(db, sessionDigest(token), clock.now(), workspace ?? '')
  if (!row) return null
  const { sessionId, personId, name, email, role } = row
  return {
    sessionId,
    personId,
    name,
    email,
    workspace: role
      ? { id: row.workspaceId!, slug: row.workspaceSlug!, name: row.workspaceName!, role }
      : null,
  }
}
