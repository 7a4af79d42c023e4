import type { Db } from '../../../infra/db/db.ts'
import { selectErasedOfAllPeople } from './person-store.ts'

/** Who was erased, and when: by id, since nothing else of them is left. */
export const listErased = (db: Db): Promise<readonly { id: string; at: Date }[]> =>
  selectErasedOfAllPeople(db)
