import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Held } from './compile.ts'
import type { Exchange } from './exchange.ts'

/** What GitHub publishes about its REST API, as @octokit/openapi-types has it. */

export const githubPreamble = `import type { components, paths } from '@octokit/openapi-types'
type Operation<P extends keyof paths, M extends string> = M extends keyof paths[P] ? paths[P][M] : never
type Json<T> = T extends { content: { 'application/json': infer J } } ? J : never
type GithubAnswer<P extends keyof paths, M extends string, S> =
  Operation<P, M> extends { responses: infer R } ? (S extends keyof R ? Json<R[S]> : never) : never
type GithubRefusal = components['schemas']['basic-error'] & { errors?: unknown[] }
type GithubBody<P extends keyof paths, M extends string> =
  Operation<P, M> extends { requestBody?: infer B } ? Json<NonNullable<B>> : never
type InWords<T> = T extends number | boolean ? \`\${T}\` : T
type GithubQuery<P extends keyof paths, M extends string> =
  Operation<P, M> extends { parameters: { query?: infer Q } } ? { [K in keyof Q]: InWords<Q[K]> } : never
type GithubStatus<P extends keyof paths, M extends string> =
  Operation<P, M> extends { responses: infer R } ? keyof R : never`

let templates: { name: string; pattern: RegExp; literals: number }[] | null = null

/** The paths that are documented; the types have them as names. */
function documented() {
  templates ??= [...pathsIn(typesOfGithub())].map((name) => {
    const parts = name.split('/')
    const pattern = new RegExp(
      `^${parts.map((part) => (/^\{\w+\}$/.test(part) ? '[^/]+' : RegExp.escape(part))).join('/')}$`,
    )
    return { name, pattern, literals: parts.filter((part) => !part.includes('{')).length }
  })
  return templates
}

const typesOfGithub = () =>
  readFileSync(
    createRequire(import.meta.url)
      .resolve('@octokit/openapi-types/package.json')
      .replace('package.json', 'types.d.ts'),
    'utf8',
  )

function* pathsIn(types: string): Iterable<string> {
  const end = types.indexOf('\nexport ', types.indexOf('export interface paths') + 1)
  for (const [, name] of types.slice(0, end).matchAll(/^ {2}"(\/[^"]*)": \{$/gm)) yield name!
}

/** Where the types say what GitHub does not mean: an account that is a person and an enterprise at the same time. */
const meant: Record<string, string> = {
  'GithubAnswer<"/app/installations", \'get\', 200>': "components['schemas']['installation'][]",
}

/** One exchange, as the values that the compiler is asked about. */
export function heldOfGithub({ method, path, query, status, body, answer }: Exchange): Held[] {
  const at = path.replace(/^\/api\/v3(?=\/)/, '')
  const [template] = documented()
    .filter(({ pattern }) => pattern.test(at))
    .sort((a, b) => b.literals - a.literals)
  const what = `GitHub ${method} ${at} ${status}`
  if (!template) return [{ what: `${what} is not documented`, type: 'never', value: null }]
  const operation = `${JSON.stringify(template.name)}, '${method.toLowerCase()}'`
  const given = Object.fromEntries(query)
  // 304 is documented for all of them in one place, not for each.
  const isDone = status < 300
  return [
    ...(isDone ? [{ what: `${what} status`, type: `GithubStatus<${operation}>`, value: status }] : []),
    ...(answer === undefined
      ? []
      : [
          {
            what: `${what} answer`,
            type: isDone ? answerType(operation, status) : 'GithubRefusal',
            value: answer,
          },
        ]),
    ...(body === undefined ? [] : [{ what: `${what} body`, type: `GithubBody<${operation}>`, value: body }]),
    ...(Object.keys(given).length > 0
      ? [{ what: `${what} query`, type: `GithubQuery<${operation}>`, value: given }]
      : []),
  ]
}

function answerType(operation: string, status: number): string {
  const type = `GithubAnswer<${operation}, ${status}>`
  return meant[type] ?? type
}
