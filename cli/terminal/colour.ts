import { styleText } from 'node:util'

type Colour = 'green' | 'red' | 'yellow' | 'cyan' | 'gray' | 'bold'

/** Coloured where standard output is a terminal that shows colours, and NO_COLOR is not set. */
export const colour = (format: Colour, text: string): string =>
  styleText(format, text, { stream: process.stdout })

/** The colour of a status, whatever it is the status of. */
export function statusColour(status: string): Colour {
  if (/^(succeeded|resolved|done|passed)$/.test(status)) return 'green'
  if (/^(failed|timed_out|critical|high)$/.test(status)) return 'red'
  if (/^(pending|waiting|open|medium)$/.test(status)) return 'yellow'
  return /^(running|verifying|in_progress)$/.test(status) ? 'cyan' : 'gray'
}
