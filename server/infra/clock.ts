/** Time is handed in, so that a test can stop it and the demo can write last week. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
