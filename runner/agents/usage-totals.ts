import { putIntoHome, readFromHome } from './home.ts'

const file = '.signalbox/totals.json'

/**
 * Makes differences of numbers that an agent tells as totals of its session, which go on over resumed turns. What was
 * told before is kept in the home of the run: the numbers are the agent's own, so it may as well keep them.
 */
export function usageSinceLast(
  home: string,
  session: string,
  totals: Record<string, number>,
): Record<string, number> {
  const known = read(home)
  const before = known[session] ?? {}
  known[session] = { ...before, ...totals }
  putIntoHome(home, file, JSON.stringify(known))
  return Object.fromEntries(
    Object.entries(totals).map(([name, total]) => [name, Math.max(0, total - (before[name] ?? 0))]),
  )
}

function read(home: string): Record<string, Record<string, number>> {
  try {
    return JSON.parse(readFromHome(home, file) ?? '{}')
  } catch {
    return {}
  }
}
