import { errors } from '@signalbox/contract/error.ts'
import type { OpenApi, Operation } from './openapi.ts'

/**
 * The API reference as one page of plain HTML: readable without scripts, so it can be served under a policy that
 * allows none, and with nothing fetched from elsewhere.
 */
export function referencePage(api: OpenApi, exampleUrl: string): string {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const groups = api.tags.map((tag) => ({
    ...tag,
    operations: operations.filter((o) => o.operation.tags.includes(tag.name)),
  }))
  return page(
    'Signalbox REST API',
    `<nav aria-label="Endpoints"><p><strong>Signalbox</strong> REST API</p>
${groups.map(navigation).join('\n')}
<h2>Shapes</h2>
<ul>${Object.keys(api.components.schemas)
      .map((name) => `<li><a href="#shape-${name}">${name}</a></li>`)
      .join('')}</ul>
</nav>
<main>
<h1>REST API</h1>
<p>${inline(String(api.info.description))} The same as a document for tools: <a href="/v1/openapi.json">openapi.json</a>.</p>
<pre>curl ${escaped(exampleUrl)}/v1/teams -H "Authorization: Bearer $SIGNALBOX_TOKEN"</pre>
${groups.map((group) => `<h2>${group.name}</h2><p>${escaped(group.description)}</p>${group.operations.map(section).join('\n')}`).join('\n')}
<h2>Shapes</h2>
${Object.entries(api.components.schemas).map(shape).join('\n')}
</main>`,
  )
}

/** What each error code means: the target of the link in an error. */
export const errorsPage = (): string =>
  page(
    'Signalbox error codes',
    `<main>
<h1>Error codes</h1>
<p>Every error body is <code>{"error": {"code": …, "message": …}}</code>. The <a href="/v1/reference">reference</a> has the endpoints.</p>
<table><thead><tr><th>Code</th><th>Status</th><th>Means</th></tr></thead>
<tbody>${Object.entries(errors)
      .map(
        ([code, { status, means }]) =>
          `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${escaped(means)}</td></tr>`,
      )
      .join('')}</tbody></table>
</main>`,
  )

const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/v1/reference.css">
</head>
<body>
${body}
</body>
</html>
`

interface Located {
  path: string
  method: string
  operation: Operation
}

const navigation = (group: { name: string; operations: Located[] }) =>
  `<h2>${group.name}</h2><ul>${group.operations
    .map(({ path, operation }) => `<li><a href="#${operation.operationId}">${escaped(path)}</a></li>`)
    .join('')}</ul>`

const section = ({ path, method, operation }: Located) => `
<section id="${operation.operationId}">
<h3><code>${method} ${escaped(path)}</code>${operation.deprecated ? ' <em>deprecated</em>' : ''}</h3>
<p>${escaped(operation.summary)}. ${inline(operation.description)}</p>
${operation.parameters.length === 0 ? '' : parameters(operation)}
${operation.requestBody ? `<p>Takes${jsonShape(operation.requestBody)}, as JSON.</p>` : ''}
<p>Answers ${Object.entries(operation.responses)
  .map(([status, response]) => `${status}${jsonShape(response)}`)
  .join(', ')}.</p>
</section>`

const parameters = (operation: Operation) => `<table class="parameters">
<thead><tr><th>Parameter</th><th>In</th><th>Type</th><th>Meaning</th></tr></thead>
<tbody>${operation.parameters
  .map(
    (p) =>
      `<tr><td><code>${p.name}</code></td><td>${p.in}</td><td>${typeOf(p.schema)}</td><td>${escaped(p.description ?? '')}</td></tr>`,
  )
  .join('')}</tbody>
</table>`

function jsonShape(message: unknown): string {
  const media = (message as { content?: Record<string, { schema: Record<string, unknown> }> }).content
  const schema = media?.['application/json']?.schema
  return schema ? ` (${typeOf(schema)})` : ''
}

const shape = ([name, schema]: [string, Record<string, unknown>]) => `
<section id="shape-${name}">
<h3>${name}</h3>
${schema.description ? `<p>${escaped(String(schema.description))}</p>` : ''}
<table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead>
<tbody>${Object.entries((schema.properties ?? {}) as Record<string, Record<string, unknown>>)
  .map(
    ([field, s]) =>
      `<tr><td><code>${field}</code></td><td>${typeOf(s)}</td><td>${escaped(String(s.description ?? ''))}</td></tr>`,
  )
  .join('')}</tbody></table>
</section>`

/** A type in a few words: `Team`, `array of Run`, `string or null`. */
function typeOf(schema: Record<string, unknown>): string {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1)!
    return `<a href="#shape-${name}">${name}</a>`
  }
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(typeOf).join(' or ')
  if (Array.isArray(schema.enum))
    return schema.enum.map((value) => `<code>${escaped(String(value))}</code>`).join(' ')
  if (schema.type === 'array') return `array of ${typeOf((schema.items ?? {}) as Record<string, unknown>)}`
  if (schema.type === 'object' && schema.properties) {
    const fields = Object.entries(schema.properties as Record<string, Record<string, unknown>>)
    return `{ ${fields.map(([name, field]) => `${name}: ${typeOf(field)}`).join(', ')} }`
  }
  return escaped(String(schema.format ?? schema.type ?? 'any'))
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const inline = (text: string) => escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

export const referenceStyle = `
:root { color-scheme: light dark; --line: light-dark(#d9dbe1, #33363d); --soft: light-dark(#f4f5f7, #1d1f24); --link: light-dark(#2f4fc4, #9db2ff); }
body { margin: 0; } body:has(nav) { display: grid; grid-template-columns: 17rem minmax(0, 1fr); } body { font: 15px/1.55 system-ui, sans-serif; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem 1.25rem; box-sizing: border-box; border-right: 1px solid var(--line); }
nav h2 { font-size: .8rem; margin: 1.25rem 0 .25rem; } nav ul { list-style: none; margin: 0; padding: 0; } nav li { font-size: .85rem; overflow-wrap: anywhere; }
main { padding: 1rem 2.5rem 6rem; max-width: 60rem; }
h2 { margin-top: 3rem; } section { border-top: 1px solid var(--line); padding-top: .5rem; margin-top: 1.5rem; scroll-margin-top: 1rem; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; } pre { background: var(--soft); padding: .75rem 1rem; overflow: auto; border-radius: 6px; }
tr:target { background: var(--soft); } table { border-collapse: collapse; width: 100%; font-size: .9rem; } th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); }
td { overflow-wrap: anywhere; } th:first-child { width: 11rem; } .parameters th:nth-child(2) { width: 4.5rem; } .parameters th:nth-child(3) { width: 32%; } a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
@media (max-width: 50rem) { body:has(nav) { display: block; } table { display: block; overflow-x: auto; } td { overflow-wrap: normal; } nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); } main { padding: 1rem 1.25rem 4rem; } }
`
