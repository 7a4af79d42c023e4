import type { Context } from '../../context.ts'
import { selectPreviewOfPerson } from './person-store.ts'

/** What erasing a person would do, and what it cannot reach. */
export const previewErasure = ({ db }: Pick<Context, 'db'>, { id, email }: { id: string; email: string }) =>
  selectPreviewOfPerson(db, id, email)
