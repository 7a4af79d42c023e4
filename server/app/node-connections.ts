import { mostConnections } from '../infra/db/db.ts'

/** What is shared out in the thread that works off a rush of alerts. */
export const threadConnections = 3

/** How many connections a node opens at most: its own, those of that thread, and the one that listens. */
export const connectionsOfNode = (databaseConnections: number): number =>
  mostConnections(databaseConnections) + mostConnections(threadConnections) + 1
