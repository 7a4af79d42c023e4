import type { Db } from '../../../infra/db/db.ts'
import { housekeeping } from './change.ts'
import {
  deleteNewsOfAllWorkspaces,
  type News,
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
): Promise<{ now: string; isKnown: boolean; news: News[] | null }> {
  const found = await selectNews(db, workspaceId, moment, most)
  return { ...found, news: found.news.length < most ? found.news : null }
}

/** The same for all the workspaces that someone watches, by their moments: one question, however many there are. */
export async function newsOfWatched(
  db: Db,
  moments: ReadonlyMap<string, string>,
  most: number,
): Promise<{ now: string; told: Map<string, News[] | null> }> {
  const { now, told } = await selectNewsOfAllWorkspaces(db, moments, most)
  return {
    now,
    told: new Map(told.map(({ workspaceId, news }) => [workspaceId, news.length < most ? news : null])),
  }
}

/** A client that was away for longer reads everything again. */
export const forgetNews = (db: Db): Promise<void> =>
  housekeeping(db, 'forget old news', (tx) => deleteNewsOfAllWorkspaces(tx))
