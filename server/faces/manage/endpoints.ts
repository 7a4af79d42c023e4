import { Configuration, resourceSchemas } from '@signalbox/contract/manage/configuration.ts'
import { Applied, ApplyRequest, Plan, PlanRequest } from '@signalbox/contract/manage/plan.ts'
import { managedState } from '@signalbox/contract/manage/resource.ts'
import { type ResourceKind, resourceKinds, resourceNouns } from '@signalbox/contract/resource-kinds.ts'
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { applyConfiguration } from '../../domain/configuration/plans/apply.ts'
import { deleteResource } from '../../domain/configuration/plans/delete-resource.ts'
import { exportConfiguration } from '../../domain/configuration/plans/export.ts'
import { listResources } from '../../domain/configuration/plans/list-resources.ts'
import { planConfiguration } from '../../domain/configuration/plans/plan.ts'
import { putResource } from '../../domain/configuration/plans/put-resource.ts'
import { readResource } from '../../domain/configuration/plans/read-resource.ts'
import type { Tools } from '../../domain/configuration/resources/kind.ts'
import type { Context } from '../../domain/context.ts'

/** One endpoint. The same value becomes a route and an operation of the OpenAPI document. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  operation: string
  summary: string
  tag: string
  body?: TObject
  /** Null: 204, without a body. */
  response: TSchema | null
  respond(ctx: Context, tools: Tools, given: { name: string; body: never }): Promise<unknown>
}

const wholeTag = 'Configuration'

const whole: Endpoint[] = [
  {
    method: 'GET',
    path: '/manage/v1/configuration',
    operation: 'exportConfiguration',
    summary: 'Export the whole configuration',
    tag: wholeTag,
    response: Configuration,
    respond: (ctx, tools) => exportConfiguration(ctx, tools),
  },
  {
    method: 'POST',
    path: '/manage/v1/plan',
    operation: 'planConfiguration',
    summary: 'Preview what applying a configuration would change',
    tag: wholeTag,
    body: PlanRequest,
    response: Plan,
    respond: async (ctx, tools, { body }) => {
      const { configuration, ...options } = body as Static<typeof PlanRequest>
      return (await planConfiguration(ctx, tools, resourcesOf(configuration), options)).plan
    },
  },
  {
    method: 'POST',
    path: '/manage/v1/apply',
    operation: 'applyConfiguration',
    summary: 'Apply a configuration, one change at a time',
    tag: wholeTag,
    body: ApplyRequest,
    response: Applied,
    respond: (ctx, tools, { body }) => {
      const { configuration, ...options } = body as Static<typeof ApplyRequest>
      return applyConfiguration(ctx, tools, resourcesOf(configuration), options)
    },
  },
]

const resourcesOf = ({ version: _, ...resources }: Static<typeof Configuration>) => resources

function ofKind(kind: ResourceKind): Endpoint[] {
  const [noun, path, spec] = [resourceNouns[kind], `/manage/v1/${kind}`, resourceSchemas[kind]]
  const state = managedState(kind, spec)
  const Noun = noun.replaceAll(/(?:^| )(.)/g, (_, first: string) => first.toUpperCase())
  const plural = kind[0]!.toUpperCase() + kind.slice(1)
  const one = { path: `${path}/:name`, tag: plural }
  return [
    {
      ...{ method: 'GET', path, operation: `list${plural}`, tag: plural },
      summary: `List ${kind}, by name`,
      response: Type.Object({ data: Type.Array(state) }, { additionalProperties: false }),
      respond: async (ctx, tools) => ({ data: await listResources(ctx, tools, kind) }),
    },
    {
      ...{ ...one, method: 'GET', operation: `read${Noun}`, response: state },
      summary: `Read one ${noun}`,
      respond: (ctx, tools, { name }) => readResource(ctx, tools, kind, name),
    },
    {
      ...{ ...one, method: 'PUT', operation: `put${Noun}`, body: spec, response: state },
      summary: `Create or update a ${noun}`,
      respond: (ctx, tools, { name, body }) => putResource(ctx, tools, { kind, name, spec: body }),
    },
    {
      ...{ ...one, method: 'DELETE', operation: `delete${Noun}`, response: null },
      summary: `Delete a ${noun}, or stop managing it if it belongs to something else`,
      respond: (ctx, tools, { name }) => deleteResource(ctx, tools, kind, name),
    },
  ]
}

/** Every endpoint of the management API. */
export const endpoints: Endpoint[] = [...whole, ...resourceKinds.flatMap(ofKind)]
