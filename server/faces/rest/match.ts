import { dictionary } from '@signalbox/contract/dictionary.ts'
import type { Route } from './v1/route.ts'

export interface Match {
  route: Route
  params: Record<string, string>
}

const mostKnown = 1_000

/** Finds the route of a method and a path, and what the path names. Paths that are asked for often are found at once. */
export function matcher(routes: Route[]): (method: string, path: string) => Match | undefined {
  const known = new Map<string, Match>()
  const patterns = routes.map((route) => ({ route, segments: route.path.split('/') }))
  const find = (method: string, path: string): Match | undefined => {
    const given = decoded(path)
    if (!given) return undefined
    for (const { route, segments } of patterns) {
      const takes = route.method === method || (method === 'HEAD' && route.method === 'GET' && route.head)
      const params = takes ? paramsOf(segments, given) : undefined
      if (params) return { route, params }
    }
    return undefined
  }
  return (method, path) => {
    const name = `${method} ${path}`
    const before = known.get(name)
    if (before) return before
    const found = find(method, path)
    // There is no end to paths that lead nowhere; they are not worth keeping.
    if (!found || name.length > 100) return found
    if (known.size >= mostKnown) known.clear()
    known.set(name, found)
    return found
  }
}

/** The segments of a path; undefined where it is not percent-encoded UTF-8, which Fastify refuses in words. */
function decoded(path: string): string[] | undefined {
  const segments = path.split('/')
  if (!path.includes('%')) return segments
  try {
    return segments.map(decodeURIComponent)
  } catch {
    return undefined
  }
}

function paramsOf(segments: string[], given: string[]): Record<string, string> | undefined {
  if (segments.length !== given.length) return undefined
  const params = dictionary<string>({})
  for (const [place, segment] of segments.entries()) {
    const text = given[place]!
    if (segment.startsWith(':')) {
      if (text === '') return undefined
      params[segment.slice(1)] = text
    } else if (segment !== text) return undefined
  }
  return params
}
