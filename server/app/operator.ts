import { userInfo } from 'node:os'
import type { Actor } from '../domain/context.ts'

/** Who uses the command line, as the log names them. In a container an account may be a number without a name. */
export function operator(): Extract<Actor, { type: 'system' }> {
  return { type: 'system', name: `operator ${accountName()}` }
}

function accountName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
