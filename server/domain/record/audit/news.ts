import { type Db, longestLagMs } from '../../../infra/db/db.ts'
import type { Position } from '../../../infra/db/position.ts'
import { housekeeping } from './change.ts'
import {
  deleteNewsOfAllWorkspaces,
  type News,
  selectLatestNews,
  selectNews,
  selectNewsOfAllWorkspaces,
  selectSnapshotOfAllWorkspaces,
} from './store.ts'

export type { News } from './store.ts'

/** What can be seen of the log at a moment, in PostgreSQL's words: which transactions had been committed. */
const snapshot = /^\d{1,19}:\d{1,19}:(\d{1,19}(,\d{1,19})*)?$/

export const isMoment = (text: string): boolean => snapshot.test(text)

/** The moment of now. */
export const presentMoment = (db: Db): Promise<string> => selectSnapshotOfAllWorkspaces(db)

/**
 * What has happened in a workspace since a moment: what is committed now and was not then, regardless of clocks. Null
 * if it is too much to tell. If the moment is older than what is kept, the news may be incomplete.
 */
export async function newsSince(
  db: Db,
  workspaceId: string,
  moment: string,
  most: number,
): Promise<{ now: string; isKnown: boolean } & Told> {
  const { position, ...found } = await selectNews(db, workspaceId, moment, most)
  return { ...found, position: ofReplica(db, position), news: found.news.length < most ? found.news : null }
}

/** The same for all the workspaces that someone watches, by their moments: one question, however many there are. */
export async function newsOfWatched(
  db: Db,
  moments: ReadonlyMap<string, string>,
  most: number,
): Promise<{ now: string; position: Position | null; told: Map<string, News[] | null> }> {
  const { now, position, told } = await selectNewsOfAllWorkspaces(db, moments, most)
  return {
    now,
    position: ofReplica(db, position),
    told: new Map(told.map(({ workspaceId, news }) => [workspaceId, news.length < most ? news : null])),
  }
}

/**
 * What a page may not have seen that has just been read from a replica: what has happened in the last seconds. Nothing
 * where there is no replica.
 */
export async function newsLately(db: Db, workspaceId: string, most: number): Promise<Told> {
  const lagMs = longestLagMs(db)
  if (lagMs === null) return { news: [], position: null }
  const { news, position } = await selectLatestNews(
    db,
    workspaceId,
    lagMs / 1_000 + longestChangeSeconds,
    most,
  )
  return { news: news.length < most ? news : null, position }
}

/** An entry has the time at which its transaction began. */
const longestChangeSeconds = 10

interface Told {
  /** Null if it is too much to tell. */
  news: News[] | null
  /** How far a replica has to be to show it; null: there is none. */
  position: Position | null
}

const ofReplica = (db: Db, position: Position): Position | null =>
  longestLagMs(db) === null ? null : position

/** A client that was away for longer reads everything again. */
export const forgetNews = (db: Db): Promise<void> =>
  housekeeping(db, 'forget old news', (tx) => deleteNewsOfAllWorkspaces(tx))
