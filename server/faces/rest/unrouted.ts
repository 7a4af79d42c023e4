import type { onRequestHookHandler } from 'fastify'
import { DomainError } from '../../domain/errors.ts'
import { noSuchPath } from '../http/paths.ts'
import { removedPaths } from './legacy.ts'
import { routes } from './routes.ts'

const served = [...Map.groupBy(routes, (route) => route.path)].map(([path, those]) => ({
  pattern: patternOf(path),
  allow: [
    ...those.flatMap((route) => (route.head ? [route.method, 'HEAD'] : [route.method])),
    'OPTIONS',
  ].join(', '),
}))
const removed = removedPaths.map(patternOf)

/**
 * What is said of a request that no route takes: the path is gone (410, before anything else is looked at), it takes
 * other methods (405), or it does not exist. OPTIONS is answered with what the path takes.
 */
export const refuseUnrouted: onRequestHookHandler = ({ method, url }, reply, done) => {
  const path = url.split('?', 1)[0]!
  const isGone = removed.some((pattern) => pattern.test(path))
  const allow = isGone ? undefined : served.find(({ pattern }) => pattern.test(path))?.allow
  if (method === 'OPTIONS' && (isGone || allow)) {
    reply
      .header('allow', allow ?? 'OPTIONS')
      .code(204)
      .send()
    return
  }
  if (isGone) reply.header('link', '</v1/teams>; rel="successor-version"')
  if (allow) reply.header('allow', allow)
  done(isGone ? gone() : allow ? methodNotAllowed(allow) : noSuchPath())
}

const gone = () =>
  new DomainError(
    'endpoint_removed',
    'Projects and tasks are gone. Teams, stories and runs are under /v1/teams.',
  )

const methodNotAllowed = (allow: string) => new DomainError('method_not_allowed', `This path takes ${allow}.`)

/** A route's path as a pattern: `:name` is one segment, a final `*` is anything. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+').replace(/\*$/, '.*')}$`)
}
