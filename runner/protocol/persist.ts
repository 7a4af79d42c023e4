/** Makes a call again and again until it is answered, and gives up only when it is refused or no longer wanted. */
export type Persist = <T>(call: (signal: AbortSignal) => Promise<T>, signal: AbortSignal) => Promise<T>
