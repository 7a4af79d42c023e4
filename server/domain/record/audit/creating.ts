import type { Tx } from '../../../infra/db/db.ts'
import type { Entry } from './change.ts'

/** What else is written in the transaction that creates something, by the id of what is created; gives its entry. */
export type Creating = (tx: Tx, id: string) => Promise<Entry>
