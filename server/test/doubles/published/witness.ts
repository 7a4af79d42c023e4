import { schema as githubSchema } from '@octokit/graphql-schema'
import type { GraphQLSchema } from 'graphql'
import type { Double, DoubleAnswer, DoubleRequest } from '../double.ts'
import type { GithubDouble } from '../github.ts'
import type { GitlabDouble } from '../gitlab.ts'
import type { JiraDouble } from '../jira.ts'
import type { LinearDouble } from '../linear.ts'
import type { SlackDouble } from '../slack.ts'
import { complaintsAbout, type Held } from './compile.ts'
import type { Exchange } from './exchange.ts'
import { githubPreamble, heldOfGithub } from './github.ts'
import { gitlabPreamble, heldOfGitlab } from './gitlab.ts'
import { type Asked, graphqlComplaints, schemaOf } from './graphql.ts'
import { complaintsOfJira } from './jira.ts'
import { linearSchema } from './linear-schema.ts'
import { heldOfSlack, slackPreamble } from './slack.ts'

/**
 * Watches what is asked of doubles and what they answer, and holds both against what the tools publish about
 * themselves: types by the compiler, GraphQL by its schema.
 */
export class Witness {
  readonly #held: Held[] = []
  readonly #wrong: string[] = []
  readonly #graphql: { tool: 'GitHub' | 'Linear'; asked: Asked; answer: unknown }[] = []

  github(double: GithubDouble): void {
    this.#watch(double, (exchange) => {
      if (/^(?:\/api)?\/graphql$/.test(exchange.path)) this.#ofGraphql('GitHub', exchange)
      // Everything else that it serves are pages for people, and git.
      else if (
        /^(?:\/api\/v3)?\/(?:user|repos|repositories|installation|app|app-manifests)\b/.test(exchange.path)
      )
        this.#held.push(...heldOfGithub(exchange))
    })
  }

  gitlab(double: GitlabDouble): void {
    this.#watch(double, (exchange) => {
      if (exchange.path.startsWith('/api/v4/')) this.#held.push(...heldOfGitlab(exchange))
    })
  }

  jira(double: JiraDouble): void {
    this.#watch(double, (exchange) => {
      if (exchange.path.startsWith('/rest/api/')) this.#wrong.push(...complaintsOfJira(exchange))
    })
  }

  linear(double: LinearDouble): void {
    this.#watch(double, (exchange) => {
      if (exchange.path === '/graphql') this.#ofGraphql('Linear', exchange)
    })
  }

  slack(double: SlackDouble): void {
    double.answered = (method, given, answer) => {
      this.#held.push(...heldOfSlack(method, overTheWire(given), overTheWire(answer)))
    }
  }

  /** What the descriptions say against all that was seen; an empty list: nothing. */
  async complaints(): Promise<string[]> {
    const wrong = this.#graphql.flatMap(({ tool, asked, answer }) =>
      graphqlComplaints(schemaAt(tool), asked, answer).map(
        (said) => `${tool} ${nameOf(asked.query)}: ${said}`,
      ),
    )
    return [
      ...new Set([
        ...this.#wrong,
        ...wrong,
        ...(await complaintsAbout(this.#held, [githubPreamble, gitlabPreamble, slackPreamble].join('\n'))),
      ]),
    ]
  }

  #watch(double: Double, record: (exchange: Exchange) => void): void {
    double.answered = (request, answer) => {
      record(exchangeOf(request, answer))
    }
  }

  #ofGraphql(tool: 'GitHub' | 'Linear', { body, answer, status }: Exchange): void {
    // Who is refused altogether gets no answer of the schema.
    if (status === 200) this.#graphql.push({ tool, asked: body as Asked, answer })
  }
}

/** What is undefined here was not there. */
const overTheWire = <T>(value: T): T =>
  value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T)

const exchangeOf = (request: DoubleRequest, { status = 200, json }: DoubleAnswer): Exchange => ({
  ...{ method: request.method, path: request.path, query: request.query, status },
  body: request.body,
  answer: overTheWire(json),
})

const schemas = new Map<string, GraphQLSchema>()
/** Reading one takes a second. */
function schemaAt(tool: 'GitHub' | 'Linear'): GraphQLSchema {
  const made = schemas.get(tool) ?? schemaOf(tool === 'GitHub' ? githubSchema.idl : linearSchema())
  schemas.set(tool, made)
  return made
}

const nameOf = (query: string) => query.trim().replaceAll(/\s+/g, ' ').slice(0, 60)
