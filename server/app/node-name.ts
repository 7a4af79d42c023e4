import { hostname } from 'node:os'

/** What tells a node from the others on its machine. A port that the system chooses is not known yet. */
export const nodeName = (port: number): string =>
  port === 0 ? `${hostname()}, process ${process.pid}` : `${hostname()}:${port}`
