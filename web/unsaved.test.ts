import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { parseAst } from 'vite'
import { isWritten } from './src/ui/is-written.ts'
import { root } from './texts.ts'

/** What asks before something typed below it is lost. A form that is kept asks nothing. */
const guards = new Set(['Form', 'SaveForm', 'FormDialog', 'Dialog'])
/** What people type into. */
const fields = new Set(['input', 'textarea', 'Input', 'Textarea', 'TextField', 'LongTextField'])
/** They hold nothing that was typed. */
const notTyped = /^(search|checkbox|radio|file|range|color|hidden)$/

/** Where nothing needs to be asked, by file and component, with why. */
const exceptions: [where: string, why: string][] = [
  ['web/src/audit/filters.tsx: Day', 'a filter, which is in the address'],
  ['web/src/audit/filters.tsx: RunFilter', 'the same'],
  ['web/src/runs/run-filters.tsx: StoryField', 'the same'],
  ['web/src/services/preview.tsx: AlertPreview', 'a moment to try the rules with'],
  ['web/src/shell/palette.tsx: Palette', 'a search'],
  ['web/src/changes/line-comments.tsx: Comment', 'stays as a draft, in decisions/drafts.ts'],
  ['web/src/decisions/answer-form.tsx: AnswerForm', 'the same'],
  ['web/src/requirements/new.tsx: SubmitForm', 'stays as a draft, in requirements/unsent.ts'],
  ['web/src/teams/repository.tsx: FolderForm', 'made by a function beside the form that shows it'],
  ['web/src/ui/ticks.tsx: Tick', 'a box to tick, whose type is given where it is used'],
]

interface Node {
  type?: string
  [key: string]: unknown
}
interface Use {
  name: string
  /** Undefined: it is no field. */
  field?: { types: string[]; isPassing: boolean }
  isGuarded: boolean
}
/** A declaration at the top of a file. */
interface Part {
  file: string
  name: string
  uses: Use[]
  /** It says itself what is unsaved. */
  asks: boolean
}

const parts = new Map<string, Part>()
const imported = new Map<string, string>()
for (const name of await readdir(path.join(root, 'web/src'), { recursive: true })) {
  if (!name.endsWith('.tsx')) continue
  const file = path.join('web/src', name)
  // These two are the fields.
  if (/ui\/(text-)?field\.tsx$/.test(file)) continue
  const { body } = parseAst(await readFile(path.join(root, file), 'utf8'), { lang: 'tsx' })
  for (const statement of body as unknown as Node[]) {
    if (statement.type === 'ImportDeclaration') readImports(file, statement)
    for (const { name: declared, node } of declarationsIn(statement)) {
      const part: Part = { file, name: declared, uses: [], asks: false }
      read(part, node, [])
      parts.set(`${file}#${declared}`, part)
    }
  }
}

function readImports(file: string, { source, specifiers }: Node): void {
  const from = (source as { value: string }).value
  if (!from.startsWith('.')) return
  for (const { local, imported: given } of specifiers as { local: Node; imported?: Node }[])
    imported.set(
      `${file}#${local.name}`,
      `${path.join(path.dirname(file), from)}#${given?.name ?? local.name}`,
    )
}

function declarationsIn(statement: Node): { name: string; node: Node }[] {
  const declared = (statement.declaration ?? statement) as Node
  if (declared.type === 'FunctionDeclaration') return [{ name: nameOf(declared.id), node: declared }]
  if (declared.type !== 'VariableDeclaration') return []
  return (declared.declarations as Node[]).map((node) => ({ name: nameOf(node.id), node }))
}

function nameOf(node: unknown): string {
  return String((node as Node | null)?.name ?? '')
}

function read(part: Part, node: unknown, around: string[]): void {
  if (Array.isArray(node)) for (const one of node) read(part, one, around)
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return
  const { type, openingElement, children } = node as Node
  if (type !== 'JSXElement') {
    for (const one of Object.values(node)) read(part, one, around)
    return
  }
  const opening = openingElement as Node
  const name = nameOf(opening.name)
  const attributes = attributesOf(opening)
  if (name === 'LeaveGuard') part.asks = true
  part.uses.push({
    name,
    isGuarded: around.some((one) => guards.has(one)),
    ...(fields.has(name) && {
      field: {
        types: textsIn(attributes.get('type') ?? 'text'),
        isPassing: attributes.has('data-passing') || attributes.get('readOnly') === null,
      },
    }),
  })
  const below = attributes.has('isKept') ? around : [...around, name]
  for (const value of attributes.values()) read(part, value, around)
  read(part, children, below)
}

/** By name. Null: it has no value, and means yes. */
function attributesOf({ attributes }: Node): Map<string, unknown> {
  const named = (attributes as Node[]).filter(({ type }) => type === 'JSXAttribute')
  return new Map(named.map(({ name, value }) => [nameOf(name), value]))
}

/** Every text that an attribute may have. */
function textsIn(node: unknown): string[] {
  if (typeof node === 'string') return [node]
  if (typeof node !== 'object' || node === null) return []
  const { type, value } = node as Node
  if (type === 'Literal' && typeof value === 'string') return [value]
  return Object.values(node).flatMap((one) => (typeof one === 'object' ? textsIn(one) : []))
}

const resolve = (file: string, name: string): string => imported.get(`${file}#${name}`) ?? `${file}#${name}`

const usedBy = new Map<string, { by: Part; isGuarded: boolean }[]>()
for (const part of parts.values())
  for (const { name, isGuarded } of part.uses) {
    const used = resolve(part.file, name)
    usedBy.set(used, [...(usedBy.get(used) ?? []), { by: part, isGuarded }])
  }

/** Whether it is shown somewhere with nothing around it that asks. */
function isBare(part: Part, seen = new Set<Part>()): boolean {
  if (part.asks || seen.has(part)) return false
  seen.add(part)
  const users = usedBy.get(`${part.file}#${part.name}`) ?? []
  return users.length === 0 || users.some(({ by, isGuarded }) => !isGuarded && isBare(by, seen))
}

const typed = [...parts.values()].flatMap((part) =>
  part.uses.flatMap(({ field, isGuarded }) =>
    field && !field.isPassing ? [{ part, field, isGuarded }] : [],
  ),
)

test('whatever is typed asks before it is lost: it is in a form, in a dialog, or beside a LeaveGuard', () => {
  const bare = typed
    .filter(({ field }) => !field.types.every((type) => notTyped.test(type)))
    .filter(({ part, isGuarded }) => !isGuarded && isBare(part))
    .map(({ part }) => `${part.file}: ${part.name}`)
  assert.ok(typed.length > 60, `the fields are found: ${typed.length}`)
  assert.deepEqual([...new Set(bare)].sort(), exceptions.map(([where]) => where).sort())
})

test('every kind of field that people type into counts as typed', () => {
  const forgotten = typed
    .flatMap(({ part, field }) => field.types.map((type) => ({ part, type })))
    .filter(({ type }) => !notTyped.test(type) && !isWritten(type, 'off'))
    .map(({ part, type }) => `${part.file}: ${part.name}: ${type}`)
  assert.deepEqual(forgotten, [])
  for (const filled of ['username webauthn', 'current-password', 'new-password', 'one-time-code'])
    for (const type of ['email', 'password', 'text']) assert.ok(!isWritten(type, filled), `${type} ${filled}`)
})
