import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { parseAst } from 'vite'

const folder = path.join(import.meta.dirname, 'src')

/** What things are called that people, agents and alerts write. */
const written = new Set(['title', 'reason', 'note', 'summary'])

/** Our own headings and hints, which are in one language. */
const ours = new Set([
  'audit/entry-details.tsx: title',
  'audit/entry-table.tsx: title',
  'connections/connection.tsx: note',
  'decisions/decision-context.tsx: title',
  'incidents/linked.tsx: title',
  'insights/chart.tsx: title',
  'insights/waiting-chart.tsx: title',
  'practice/practice.tsx: title',
  'requirements/draft-card.tsx: title',
  'runners/connect.tsx: title',
  'runs/reason.tsx: reason',
  'runs/trouble.tsx: title',
  'services/overview.tsx: reason',
  'shell/sidebar.tsx: reason',
  'sign-in/entry.tsx: title',
  'sources/deliveries.tsx: reason',
  'sources/recipe.tsx: note',
  'stories/mirror.tsx: note',
  'system/system.tsx: title',
  'ui/dialog-shown.tsx: title',
  'ui/page.tsx: title',
  'ui/table.tsx: title',
  'workspaces/checklist.tsx: title',
  'workspaces/danger.tsx: title',
])

type Node = Record<string, unknown> & { type?: string }

/** The last name of `incident.resolution!.reason`. */
function lastName(node: Node | undefined): string | null {
  if (node?.type === 'Identifier') return node.name as string
  if (node?.type === 'MemberExpression') return lastName(node.property as Node)
  if (node?.type === 'TSNonNullExpression' || node?.type === 'ChainExpression')
    return lastName(node.expression as Node)
  return null
}

const isIsolated = ({ name, attributes }: { name: Node; attributes: Node[] }): boolean =>
  name.name === 'bdi' || attributes.some((attribute) => (attribute.name as Node | undefined)?.name === 'dir')

/** What is written by others and shown in the direction of the page instead of its own. */
function findIn(source: string): string[] {
  const found: string[] = []
  const visit = (node: unknown, isSafe: boolean): void => {
    if (Array.isArray(node)) for (const part of node) visit(part, isSafe)
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return
    const { type, openingElement, children } = node as Node
    if (type !== 'JSXElement' && type !== 'JSXFragment') {
      for (const part of Object.values(node)) visit(part, isSafe)
      return
    }
    const opening = openingElement as { name: Node; attributes: Node[] } | undefined
    const inside = isSafe || (opening !== undefined && isIsolated(opening))
    if (opening?.name.name === 'Coded' && !isSafe) found.push('Coded')
    // What is handed to a component is shown wherever that puts it.
    visit(opening?.attributes, false)
    for (const child of children as Node[]) {
      const name = child.type === 'JSXExpressionContainer' ? lastName(child.expression as Node) : null
      if (name !== null && written.has(name) && !inside) found.push(name)
      visit(child, inside)
    }
  }
  visit(parseAst(source, { lang: 'tsx' }), false)
  return found
}

test('what people wrote is shown in the direction of its own script, wherever it is shown', async () => {
  const found = new Set<string>()
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.tsx')) continue
    for (const what of findIn(await readFile(path.join(folder, name), 'utf8'))) found.add(`${name}: ${what}`)
  }
  const wrong = [...found].filter((one) => !ours.has(one))
  assert.deepEqual(
    wrong,
    [],
    'put it into <bdi>, or dir="auto" on its element; the app’s own words go to `ours`',
  )
  const gone = [...ours].filter((one) => !found.has(one))
  assert.deepEqual(gone, [], 'these are no longer there')
})
