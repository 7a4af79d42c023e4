import { DomainError } from '../../domain/errors.ts'
import { removedPaths } from './legacy.ts'
import { routes } from './routes.ts'

interface Unrouted {
  /** Null for OPTIONS, which is answered with what the path takes. */
  error: DomainError | null
  allow?: string
  link?: string
}

const served = [...Map.groupBy(routes, (route) => route.path)].map(([path, those]) => ({
  pattern: patternOf(path),
  allow: [
    ...those.flatMap((route) => (route.head ? [route.method, 'HEAD'] : [route.method])),
    'OPTIONS',
  ].join(', '),
}))
const removed = removedPaths.map(patternOf)

/**
 * What to say of a request that no route takes: the path is gone (410, before anything else is looked at), it takes
 * other methods (405), or it does not exist.
 */
export function unrouted(method: string, url: string): Unrouted {
  const path = url.split('?', 1)[0]!
  if (removed.some((pattern) => pattern.test(path))) {
    if (method === 'OPTIONS') return { error: null, allow: 'OPTIONS' }
    const message = 'Projects and tasks are gone. Teams, stories and runs are under /v1/teams.'
    return {
      error: new DomainError('endpoint_removed', message),
      link: '</v1/teams>; rel="successor-version"',
    }
  }
  const known = served.find(({ pattern }) => pattern.test(path))
  if (known) {
    const error =
      method === 'OPTIONS' ? null : new DomainError('method_not_allowed', `This path takes ${known.allow}.`)
    return { error, allow: known.allow }
  }
  return {
    error: new DomainError('not_found', 'There is no such path. The API is described at /v1/openapi.json.'),
  }
}

/** A route's path as a pattern: `:name` is one segment, a final `*` is anything. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+').replace(/\*$/, '.*')}$`)
}
