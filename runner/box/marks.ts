/** Variables that say what a process was started for. */
export const orderMark = 'SIGNALBOX_ORDER'
export const runnerMark = 'SIGNALBOX_RUNNER'

/**
 * Of what a program inside is given, that which its box is marked with too: bubblewrap's first process waits forever
 * when the one that made it is killed at the wrong moment, and only by its mark can it be found.
 */
export const marksIn = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    [orderMark, runnerMark].flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  )
