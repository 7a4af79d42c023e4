import type { AgentEvent } from '../agents/agent.ts'

/** What an agent does, as the log of the run shows it. */
export function lineOf(event: Exclude<AgentEvent, { type: 'session' | 'usage' }>): string {
  if (event.type === 'said') return event.text
  if (event.type === 'thought') return `(${event.text})`
  if (event.type === 'tool_began') return `→ ${event.name} ${event.input}`.slice(0, 2_000)
  if (event.type === 'tool_ended')
    return `${event.ok ? '←' : '✗'} ${event.output.trim() ? event.output : 'no output'}`.slice(0, 4_000)
  if (event.type === 'denied') return `Refused: ${event.what}`
  return event.line
}
