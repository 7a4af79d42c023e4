import { positionHeader } from '@signalbox/contract/position.ts'

/** How far the database was when this tab was last told about something: no replica may answer it that is not as far. */
let furthest = 0

export function hearPosition(position = 0): void {
  furthest = Math.max(furthest, position)
}

/** What a read carries; nothing where there is no replica. */
export const positionHeaders = (): Record<string, string> =>
  furthest > 0 ? { [positionHeader]: String(furthest) } : {}
