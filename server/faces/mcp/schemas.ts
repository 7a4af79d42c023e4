import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import { maxPolicyNumber } from '@signalbox/contract/limits.ts'
import type { AnyTool } from './calls/tool.ts'
import { Untrusted } from './result.ts'

/** What is ours alone, or would make one name stand for several things in one list. */
const omitted = new Set(['$id', 'x-spoken', 'examples'])

/** A schema as clients get it: plain JSON Schema, with examples told in words, since most models never see them. */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain)
  if (typeof schema !== 'object' || schema === null) return schema
  const { examples } = schema as { examples?: string[] }
  const entries = Object.entries(schema)
    .filter(([name]) => !omitted.has(name))
    .map(([name, value]) => [name, plain(value)])
  const result = withoutUnion(Object.fromEntries(entries))
  // Bounds that are never met tell a model nothing.
  if (typeof result.maximum === 'number' && result.maximum >= maxPolicyNumber) delete result.maximum
  if (Array.isArray(examples) && typeof result.description === 'string')
    result.description = `${result.description}, like ${examples[0]}`
  return result
}

/** Something or null, said in one schema instead of three. */
function withoutUnion(schema: Record<string, unknown>): Record<string, unknown> {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1]?.type !== 'null') return schema
  const [one] = anyOf
  if (typeof one?.type !== 'string') return schema
  const enumerated = Array.isArray(one.enum) ? { enum: [...one.enum, null] } : {}
  return { ...one, ...enumerated, type: [one.type, 'null'], ...rest }
}

/** A tool as clients list it. */
export function listed({ name, title, description, hints, input, output, outside }: AnyTool): ListedTool {
  const properties = outside.length > 0 ? { ...output.properties, untrusted: Untrusted } : output.properties
  return {
    name,
    title,
    description,
    inputSchema: plain(input) as ListedTool['inputSchema'],
    outputSchema: plain({ ...output, properties }) as ListedTool['inputSchema'],
    annotations: { title, ...hints },
  }
}
