/**
 * How far the database was when a page was told about something, as the stream of events says it. The page sends it with
 * what it reads from then on, so that no replica answers that is not as far.
 */
export const positionHeader = 'x-signalbox-position'
