import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { literalsIn } from './literals.ts'
import { superlinear } from './speed.ts'

/** All of our expressions take linear time, because the texts they read come from others. */

const root = path.join(import.meta.dirname, '..', '..', '..', '..')
const files = globSync(
  ['{contract,client,cli,server,runner}/**/*.ts', 'web/src/**/*.{ts,tsx}', 'web/public/*.js'],
  {
    cwd: root,
    exclude: ['**/node_modules', '**/*.test.ts', 'server/test/**', 'runner/test/**', 'runner/dist/**'],
  },
).sort()
const sources = files.map((file) => {
  const text = readFileSync(path.join(root, file), 'utf8')
  // Where an element ends, no expression begins.
  return { file, text: file.endsWith('.tsx') ? text.replaceAll(/<\/|\/>/g, '  ') : text }
})

/** What may be slower, and why that is harmless: the text is ours, or was cut before. By file and beginning. */
const excused: [file: string, begins: string, why: string][] = [
  ['contract/guard/manifests.ts', '^\\s*(?:<\\/?(?:dependency|', 'what it refers to is one of seven words'],
  ['contract/guard/package-sources.ts', '[a-z][a-z0-9+.-]*$', 'it is cut to the longest scheme'],
  ['contract/shell-lines.ts', '^ *(`{3,}|~{3,})', 'a Demonstrate block is short'],
  ['runner/acceptance/demonstrate.ts', '^ *(`{3,}|~{3,})', 'a Demonstrate block is short'],
  ['runner/conformance/work/turn.ts', '\\{secret:', 'the lines are those of the kit'],
  ['runner/doctor/machine.ts', '(\\d+)\\.(\\d+)', 'git says its own version'],
  ['server/domain/on-call/senders/azure-monitor/format.ts', '\\/providers\\/', 'it is cut to 2,000 letters'],
  ['server/infra/db/statement.ts', '\\[\\[(.*?)\\]\\]', 'statements are ours'],
  ['server/integrations/git-hosts/gitlab.ts', 'removed .*from', 'GitLab writes its own notes'],
  ['server/integrations/git-hosts/scripted.ts', '\\d+$', 'the address is ours'],
]

/** Expressions that are put together; what is put in is ours, or a constant beside it. Look at one before it is added. */
const putTogether: Record<string, number> = {
  'contract/address.ts': 3,
  'contract/guard/characters.ts': 2,
  'contract/guard/lookalike.ts': 1,
  'contract/guard/manifests.ts': 3,
  'contract/guard/measured.ts': 1,
  'contract/manage/resource.ts': 1,
  'contract/visible.ts': 2,
  'runner/box/resource-limits.ts': 1,
  'runner/conformance/work/scenarios/others.ts': 1,
  'runner/conformance/work/world.ts': 1,
  'runner/gates/rules.ts': 1,
  'runner/gateway/long-texts.ts': 2,
  'runner/git/bundle.ts': 1,
  'runner/git/store.ts': 1,
  'runner/reports/printed.ts': 3,
  'server/domain/reach/conversations/parse-reply.ts': 1,
  'server/domain/on-call/incidents/clues.ts': 2,
  'server/domain/reach/mirror/block.ts': 1,
  'server/faces/docs/layout.ts': 1,
  'server/faces/mcp/prompts.ts': 2,
  'server/faces/mcp/resources.ts': 3,
  'server/faces/rest/rest.ts': 1,
  'server/faces/rest/unrouted.ts': 1,
  'web/public/early.js': 1,
}

const verdict = (source: string, flags: string): string | null => {
  try {
    return superlinear(source, flags)
  } catch (error) {
    return (error as Error).message
  }
}

test('every regular expression takes time in proportion to its text', () => {
  const all = sources.flatMap(({ file, text }) => literalsIn(text).map((each) => ({ file, ...each })))
  assert.ok(all.length > 500, `only ${all.length} were found`)
  const used = new Set<unknown>()
  const slow = all.flatMap(({ file, source, flags, line }) => {
    const why = verdict(source, flags)
    if (why === null) return []
    const excuse = excused.find((one) => one[0] === file && source.startsWith(one[1]))
    if (excuse) used.add(excuse)
    return excuse ? [] : [`${file}:${line} /${source}/${flags}: ${why}`]
  })
  assert.deepEqual(slow, [])
  assert.deepEqual(
    excused.filter((one) => !used.has(one)),
    [],
    'an excuse that nobody needs any more',
  )
})

test('an expression that is put together at run time has been looked at', () => {
  const found = sources.flatMap(({ file, text }) => {
    const count = text.split('new RegExp(').length - 1
    return count > 0 ? [[file, count] as const] : []
  })
  assert.deepEqual(Object.fromEntries(found), putTogether)
})

test('what is slow is found, and what only looks like it is not', () => {
  const slow = [
    ...[
      '^\\s*(\\S*)\\s*([\\s\\S]*?)\\s*$',
      '<(https?:[^|>]+)(?:\\|[^>]*)?>',
      '\\s+$',
      'a+b',
      '(a*)*b',
      '^(a|a)*$',
    ],
    ...['^(\\w+):\\s*(.*)$', '(?=.*x)y', '(?:x+x+)+y', '\\n*<!--', '\\[([^\\]]*)\\]\\('],
  ]
  for (const source of slow) assert.notEqual(verdict(source, ''), null, source)
  const quick = [
    '^[a-z]+$',
    '\\s+',
    '^a+b',
    '^(?:[^,]+,)*x$',
    '\\d{1,3}x',
    '^[a-z0-9]+(-[a-z0-9]+)*$',
    '//.*',
  ]
  for (const source of [...quick, '(?<!a)a+b']) assert.equal(verdict(source, ''), null, source)
  assert.equal(verdict('^(\\w+):\\s*(.*)$', 's'), null)
  assert.notEqual(verdict('^\\s+x', 'm'), null)
  assert.equal(verdict('^ +x', 'm'), null)
})
