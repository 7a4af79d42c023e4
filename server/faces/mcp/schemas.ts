import type { Tool as ListedTool } from '@modelcontextprotocol/server'
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
  const result = Object.fromEntries(entries)
  if (Array.isArray(examples) && typeof result.description === 'string')
    result.description = `${result.description}, like ${examples[0]}`
  return result
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
