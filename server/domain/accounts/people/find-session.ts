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
  /** When they last proved that it is they; at first, by signing in. */
  provenAt: Date
  /** With what it was begun; null: not known. */
  method: string | null
  /** Whether the identity provider made it, or confirmed it for a terminal. */
  throughProvider: boolean
  /** The workspace asked for, when that person is a member of it. */
  workspace: {
    id: string
    slug: string
    name: string
    role: Role
    networks: string[]
    requiresSingleSignOn: boolean
  } | null
}

/** When an unused session ends, when any session does, and how long a proof is fresh. */
export interface SessionLife {
  idleSeconds: number
  mostSeconds: number
  /** 0: for as long as the session lasts. */
  provenSeconds: number
}

/** That a session is in use is written down once in so long, or more often where it would end soon. */
const noteUseEveryMs = 3_600_000
const notesPerIdle = 10

/** Only this digest of a session is stored, so reading the table is not enough to sign in. */
export const sessionDigest = (token: string): string => createHash('sha256').update(token).digest('hex')

/**
 * The valid session of a cookie's token. Read from the database each time, so that a changed role applies immediately.
 */
export async function findSession(
  { db, clock, sessionLife }: { db: Db; clock: Clock; sessionLife: SessionLife },
  token: string,
  workspace?: string,
  /** False where no one has asked: a page that is only open is not in use. */
  isUse = true,
): Promise<SignedIn | null> {
  const row = await selectSessionByDigest(db, sessionDigest(token), clock.now(), workspace ?? '')
  if (!row) return null
  const now = clock.now()
  // Also for sessions that were begun when they could last longer.
  if (now >= endOf(row.createdAt, row.usedAt, sessionLife)) return null
  const noteEveryMs = Math.min(noteUseEveryMs, (sessionLife.idleSeconds * 1000) / notesPerIdle)
  if (isUse && now.getTime() - row.usedAt.getTime() >= noteEveryMs)
    await housekeeping(db, 'a session in use lives on', (tx) =>
      prolongSession(tx, row.personId, row.sessionId, now, endOf(row.createdAt, now, sessionLife)),
    )
  const { sessionId, personId, name, email, provenAt, method, throughProvider, role } = row
  return {
    sessionId,
    personId,
    name,
    email,
    provenAt,
    method,
    throughProvider,
    workspace: role
      ? {
          id: row.workspaceId!,
          slug: row.readWorkspaceSlug!,
          name: row.workspaceName!,
          role,
          networks: row.networks!,
          requiresSingleSignOn: row.requiresSingleSignOn!,
        }
      : null,
  }
}

const endOf = (createdAt: Date, usedAt: Date, { idleSeconds, mostSeconds }: SessionLife) =>
  new Date(Math.min(usedAt.getTime() + idleSeconds * 1000, createdAt.getTime() + mostSeconds * 1000))
