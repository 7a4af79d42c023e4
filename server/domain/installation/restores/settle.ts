import type { Tx } from '../../../infra/db/db.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { changeTogether, type Entry } from '../../record/audit/change.ts'
import { withdrawMessages } from '../../record/outbox/withdraw-messages.ts'
import { noteRestored } from '../../record/seals/note-restored.ts'
import { pauseAllTeams } from '../../work/teams/pause-all.ts'
import {
  deleteSessionsOfAllPeople,
  outdateOrdersOfAllWorkspaces,
  selectAllWorkspaces,
  skipKeysOfAllWorkspaces,
  skipRunnerSessionsOfAllWorkspaces,
  skipSequencesOfAllWorkspaces,
  skipStoryNumbersOfAllWorkspaces,
} from './store.ts'

/** More than are given out between two backups. */
const skipped = { keys: 2_000, storyNumbers: 100, sequences: 10_000, sessions: 10_000, fences: 1_000 }

export interface Settled {
  workspaces: number
  /** Messages to people that were not sent. */
  withdrawn: number
  /** Work orders that runners had; each is given out again. */
  outdated: number
  /** Teams that start nothing until someone resumes them. */
  paused: number
}

/**
 * What follows from having been set back: the world has gone on since the backup, and this installation does not know
 * how. Nothing is sent again that cannot be recognised, no number is given out twice, no one is signed in, and no agent
 * starts before someone has looked. Every workspace has the signed entry that says so.
 */
export async function settleRestore(
  operator: Omit<Context, 'workspaceId'>,
  signing: Secrets['signing'],
  { backup, takenAt, pauseTeams }: { backup: string | null; takenAt: Date; pauseTeams: boolean },
): Promise<Settled> {
  const restoredAt = operator.clock.now()
  const reason = `Restored from a backup of ${takenAt.toISOString()}`
  return changeTogether(operator, async (tx) => {
    const workspaces = await selectAllWorkspaces(tx)
    const withdrawn = await withdrawMessages(tx, `${reason}: it may have been sent`)
    const outdated = await skipNumbers(tx)
    await deleteSessionsOfAllPeople(tx)
    const audit: { ctx: Context; entry: Entry }[] = []
    for (const { id: workspaceId, slug, name } of workspaces) {
      const said = await noteRestored(tx, signing, workspaceId, { takenAt, restoredAt })
      audit.push({
        ctx: { ...operator, workspaceId },
        entry: {
          event: 'workspace_restored',
          entity: { type: 'workspace', id: slug, name },
          details: {
            ...(backup ? { backup } : {}),
            takenAt: takenAt.toISOString(),
            ...said,
            withdrawn: withdrawn.filter((one) => one === workspaceId).length,
          },
        },
      })
    }
    const paused = pauseTeams ? await pauseAllTeams(operator, tx, reason) : []
    const value = {
      workspaces: workspaces.length,
      withdrawn: withdrawn.length,
      outdated,
      paused: paused.length,
    }
    return { value, audit: [...audit, ...paused] }
  })
}

async function skipNumbers(tx: Tx): Promise<number> {
  await skipKeysOfAllWorkspaces(tx, skipped.keys)
  await skipStoryNumbersOfAllWorkspaces(tx, skipped.storyNumbers)
  await skipSequencesOfAllWorkspaces(tx, skipped.sequences)
  await skipRunnerSessionsOfAllWorkspaces(tx, skipped.sessions)
  return outdateOrdersOfAllWorkspaces(tx, skipped.fences)
}
