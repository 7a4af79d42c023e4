import type { Context } from '../../context.ts'
import { selectAnchorsOfInstance } from './store.ts'

/** How sending checkpoints elsewhere goes, for each place. */
export const readAnchors = ({ db }: Pick<Context, 'db'>) => selectAnchorsOfInstance(db)
