import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { parseAst } from 'vite'
import { root } from './texts.ts'

/** “1 runs”: a number that can be one has two words after it, chosen where the sentence is put together. */

const nouns =
  'answer|alert|agent|attempt|call|change|character|check|comment|criteri|day|deliver|decision|draft|entr|error|event|failure|file|finding|gate|hour|incident|issue|line|member|merge|message|minute|place|problem|proposal|pull request|question|repositor|request|run|runner|second|service|source|statement|stor|team|test|time|token|webhook|week'
const several = new RegExp(`^ (?:[a-z]+ )?(?:${nouns})(?:s|ies|a)\\b`)

const isAboutOne = /[=!]== 1\b|> 1\b|< 2\b/

/** Never one: limits, the days that can be chosen, and what is only said of several. What is no number is no count. */
const neverOne = new Set([
  'changed.length',
  'days',
  'days.length',
  'grouped(minutes)',
  'grouped(last - first + 1)',
  'grouped(most)',
  'length',
  'many(matching.data.count)',
  'many(state.data.mostEntries)',
  'maxCriteria',
  'maxRunnerLabelLength',
  'maxSnoozeDays',
  'merges.length',
  'passwordLength.least',
  'pollMs / 1_000',
  'query.range',
  'runs',
  'saved.name',
  'secretLength.most',
  'status',
  'titles[status]',
])

interface Node {
  type?: string
  [key: string]: unknown
}

function pluralsIn(file: string, source: string): string[] {
  const found: string[] = []
  const textOf = ({ start, end }: Node) => source.slice(start as number, end as number)
  const look = (number: Node, after: string) => {
    const text = textOf(number)
    if (several.test(after) && !neverOne.has(text)) found.push(`${file}: \${${text}}${after.slice(0, 40)}`)
  }
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const part of node) visit(part)
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return
    const one = node as Node
    // How many there are has been asked.
    const asked = (one.type === 'ConditionalExpression' ? one.test : one.left) as Node | undefined
    if (/^(Conditional|Logical)Expression$/.test(one.type ?? '') && isAboutOne.test(textOf(asked!))) return
    if (one.type === 'TemplateLiteral') {
      const texts = one.quasis as { value: { cooked: string } }[]
      for (const [index, number] of (one.expressions as Node[]).entries())
        look(number, texts[index + 1]!.value.cooked)
    }
    if (one.type === 'JSXElement' || one.type === 'JSXFragment') {
      const children = one.children as Node[]
      for (const [index, child] of children.entries()) {
        const next = children[index + 1]
        if (child.type === 'JSXExpressionContainer' && next?.type === 'JSXText')
          look(child.expression as Node, (next.value as string).replaceAll(/\s+/g, ' '))
      }
    }
    for (const part of Object.values(one)) visit(part)
  }
  visit(parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }))
  return found
}

test('a number that can be one has a word for one', async () => {
  const found: string[] = []
  for (const name of await readdir(path.join(root, 'web/src'), { recursive: true })) {
    if (!/\.tsx?$/.test(name) || name.endsWith('.test.ts')) continue
    const file = path.join('web/src', name)
    found.push(...pluralsIn(file, await readFile(path.join(root, file), 'utf8')))
  }
  assert.deepEqual(found, [])
})
