import type { Context } from '../../context.ts'
import { selectOffersOfAllWorkspaces } from '../orders/claim-store.ts'

/** The workspaces in which an order waits for a runner. */
export const workspacesWithOffers = ({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<string[]> =>
  selectOffersOfAllWorkspaces(db, clock.now())
