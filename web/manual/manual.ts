import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Manual } from '@signalbox/contract/manual.ts'
import { contents } from './contents.ts'
import { renderPage } from './render.ts'

export const docs = path.join(import.meta.dirname, '..', '..', 'docs')

/** Pages of the server that are not the manual’s. */
const elsewhere = new Map([['errors.md', '/v1/errors']])

export async function renderManual(): Promise<Manual> {
  const files = contents.flatMap(({ pages }) => Object.entries(pages))
  const paths = new Map(files.map(([page, file]) => [file, page]))
  return {
    groups: contents.map(({ name, pages }) => ({ name, paths: Object.keys(pages) })),
    pages: await Promise.all(
      files.map(async ([page, file]) =>
        renderPage(page, await readFile(path.join(docs, file), 'utf8'), (href) => {
          const [, name = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(href)!
          if (name === '') return anchor
          const target = path.posix.join(path.posix.dirname(file), name)
          const found = paths.get(target)
          return found === undefined ? (elsewhere.get(target) ?? null) : `/docs/${found}${anchor}`
        }),
      ),
    ),
  }
}
