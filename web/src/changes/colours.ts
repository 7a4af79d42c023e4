import type { HLJSApi, LanguageFn } from 'highlight.js'
import { useEffect, useState } from 'react'
import { code } from '../api/code.ts'
import type { Hunk, Line } from './hunks.ts'
import { type Span, spansOf } from './spans.ts'

/** Colours the lines of a file; null for one that stays plain. */
export type Colours = (hunk: Hunk, line: Line) => Span[] | null

const languages = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  go: () => import('highlight.js/lib/languages/go'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  php: () => import('highlight.js/lib/languages/php'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
} satisfies Record<string, () => Promise<{ default: LanguageFn }>>
type Language = keyof typeof languages

/** What a name ends in, by language. JavaScript is coloured as TypeScript, which has all of it. */
const endings: Record<Language, string> = {
  bash: 'sh bash zsh',
  c: 'c h',
  cpp: 'cc cpp cxx hh hpp',
  csharp: 'cs',
  css: 'css scss less',
  dockerfile: 'dockerfile containerfile',
  go: 'go',
  ini: 'ini toml cfg conf properties tf hcl editorconfig',
  java: 'java',
  json: 'json jsonc json5 webmanifest',
  kotlin: 'kt kts',
  markdown: 'md mdx markdown',
  php: 'php',
  python: 'py pyi',
  ruby: 'rb rake gemfile rakefile',
  rust: 'rs',
  sql: 'sql',
  swift: 'swift',
  typescript: 'ts tsx mts cts js jsx mjs cjs',
  xml: 'xml html htm svg vue svelte xsd',
  yaml: 'yml yaml',
}
const byEnding = new Map(
  Object.entries(endings).flatMap(([language, names]) =>
    names.split(' ').map((name) => [name, language as Language]),
  ),
)
/** Languages that are written inside of another. */
const within: Partial<Record<Language, Language[]>> = { typescript: ['xml'], xml: ['css', 'typescript'] }

const languageOf = (path: string) => byEnding.get(path.split(/[./]/).at(-1)!.toLowerCase())

/** Longer pieces would keep the page waiting; they stay plain. */
const mostColoured = 100_000

let core: HLJSApi | undefined

async function load(language: Language): Promise<void> {
  core ??= (await import('highlight.js/lib/core')).default
  for (const name of [language, ...(within[language] ?? [])])
    if (!core.getLanguage(name)) core.registerLanguage(name, (await languages[name]()).default)
}

const isThere = (language: Language) => core?.getLanguage(language) !== undefined

/** Fetches what colours a file. Until it comes, and where it cannot, the text stands as it is. */
export function useColours(path: string): Colours {
  const language = languageOf(path)
  const [, setLoaded] = useState<Language>()
  useEffect(() => {
    if (!language || isThere(language)) return
    code(() => load(language)).then(
      () => setLoaded(language),
      () => {},
    )
  }, [language])
  if (!language || !isThere(language)) return plain
  return (hunk, line) => {
    if (!coloured.has(hunk)) coloured.set(hunk, colour(hunk, language))
    return coloured.get(hunk)!.get(line) ?? null
  }
}

const plain: Colours = () => null
const coloured = new WeakMap<Hunk, Map<Line, Span[]>>()

/** Each side on its own: only together do its lines make sense. */
function colour({ lines }: Hunk, language: Language): Map<Line, Span[]> {
  const found = new Map<Line, Span[]>()
  for (const other of ['added', 'removed']) {
    const side = lines.filter(({ kind }) => kind !== other)
    const text = side.map((line) => line.text).join('\n')
    if (text.length > mostColoured) continue
    const { value } = core!.highlight(text, { language, ignoreIllegals: true })
    spansOf(value).forEach((spans, index) => {
      found.set(side[index]!, spans)
    })
  }
  return found
}
