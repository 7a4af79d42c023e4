import {
  CommentInputSchema,
  CommentSchema,
  ContainerForWebhookIDsSchema,
  CreatedIssueSchema,
  IssueSchema,
  IssueTypeWithStatusSchema,
  IssueUpdateDetailsSchema,
  PageOfCommentsSchema,
  PageProjectSchema,
  PageWebhookSchema,
  PermissionsSchema,
  ProjectSchema,
  RemoteIssueLinkIdentifiesSchema,
  RemoteIssueLinkRequestSchema,
  SearchAndReconcileRequestSchema,
  SearchAndReconcileResultsSchema,
  TransitionsSchema,
  UserDetailsSchema,
  WebhooksExpirationDateSchema,
} from 'jira.js/cloud'
import type { Exchange } from './exchange.ts'

interface Schema {
  shape: Record<string, unknown>
  safeParse(value: unknown): {
    success: boolean
    error?: { issues: { path: PropertyKey[]; message: string }[] }
  }
}

interface Endpoint {
  path: RegExp
  answer: Schema | null
  body?: Schema
}

/** What Jira publishes about its cloud, as jira.js has it. */
const endpoints: Endpoint[] = [
  { path: /^GET \/myself$/, answer: UserDetailsSchema },
  { path: /^GET \/mypermissions$/, answer: PermissionsSchema },
  { path: /^GET \/project\/search$/, answer: PageProjectSchema },
  { path: /^GET \/project\/[A-Z]+\/statuses$/, answer: IssueTypeWithStatusSchema },
  { path: /^GET \/project\/[A-Z]+$/, answer: ProjectSchema },
  { path: /^GET \/webhook$/, answer: PageWebhookSchema },
  {
    path: /^PUT \/webhook\/refresh$/,
    answer: WebhooksExpirationDateSchema,
    body: ContainerForWebhookIDsSchema,
  },
  {
    path: /^POST \/search\/jql$/,
    ...{ answer: SearchAndReconcileResultsSchema, body: SearchAndReconcileRequestSchema },
  },
  { path: /^POST \/issue$/, answer: CreatedIssueSchema, body: IssueUpdateDetailsSchema },
  { path: /^GET \/issue\/[^/]+$/, answer: IssueSchema },
  { path: /^PUT \/issue\/[^/]+$/, answer: null, body: IssueUpdateDetailsSchema },
  { path: /^GET \/issue\/[^/]+\/transitions$/, answer: TransitionsSchema },
  { path: /^POST \/issue\/[^/]+\/transitions$/, answer: null, body: IssueUpdateDetailsSchema },
  { path: /^GET \/issue\/[^/]+\/comment$/, answer: PageOfCommentsSchema },
  { path: /^GET \/issue\/[^/]+\/comment\/\d+$/, answer: CommentSchema },
  { path: /^POST \/issue\/[^/]+\/comment$/, answer: CommentSchema, body: CommentInputSchema },
  { path: /^PUT \/issue\/[^/]+\/comment\/\d+$/, answer: CommentSchema, body: CommentInputSchema },
  {
    path: /^POST \/issue\/[^/]+\/remotelink$/,
    ...{ answer: RemoteIssueLinkIdentifiesSchema, body: RemoteIssueLinkRequestSchema },
  },
]

/** What speaks against one exchange; an empty list: nothing. Webhooks of administrators are in no description. */
export function complaintsOfJira({ method, path, status, body, answer }: Exchange): string[] {
  const at = `${method} ${path.replace(/^\/rest\/api\/[23]/, '')}`
  const found = endpoints.find((one) => one.path.test(at))
  const what = `Jira ${at} ${status}`
  if (!found) return [`${what} is not known`]
  return [
    ...(body === undefined ? [] : against(`${what} body`, found.body ?? null, body)),
    ...(answer === undefined || status >= 300 ? [] : against(`${what} answer`, found.answer, answer)),
  ]
}

/** Schemas let names pass that they do not know; at the top they are looked at. */
function against(what: string, schema: Schema | null, value: unknown): string[] {
  if (!schema) return [`${what} is not described`]
  if (Array.isArray(value)) return value.flatMap((one, place) => against(`${what}[${place}]`, schema, one))
  const { error } = schema.safeParse(withoutBodies(value))
  return [
    ...(error?.issues ?? []).map(({ path, message }) => `${what}.${path.join('.')}: ${message}`),
    ...Object.keys(value as object)
      .filter((name) => !(name in schema.shape))
      .map((name) => `${what}.${name} is not known`),
  ]
}

/** Version 2 of the API has wiki markup where the description, which is of version 3, has documents. */
const withoutBodies = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, one) =>
    key === 'body' && typeof one === 'string' ? undefined : one,
  )
