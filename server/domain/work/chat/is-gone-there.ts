import { ToolRefused } from '../../ports/connection.ts'

/** People have deleted the message over there, or the person has left: that is no refusal, and nothing to wait for. */
export const isGoneThere = (error: unknown): boolean =>
  error instanceof ToolRefused && error.reason === 'not_found' && error.extent === 'thing'
