import { docsPath, type Manual, type ManualPage } from '@signalbox/contract/manual.ts'
import { type Found, wordsIn } from './search.ts'

/** A page of the manual with its table of contents, in plain HTML: it can be read without scripts. */
export function pageOf(manual: Manual, page: ManualPage): string {
  const headings = page.sections.filter(({ level }) => level > 1)
  const here = headings.map(
    ({ id, level, heading }) =>
      `<li${level > 2 ? ' class="deeper"' : ''}><a href="#${escaped(id!)}">${escaped(heading)}</a></li>`,
  )
  return layout(manual, {
    title: page.title,
    current: page.path,
    main: `<h1>${escaped(page.title)}</h1>\n${page.html}\n${around(manual, page)}`,
    aside:
      here.length === 0
        ? ''
        : `<nav class="here" aria-label="On this page"><h2>On this page</h2><ul>${here.join('')}</ul></nav>`,
  })
}

/** Where a reader begins: everything there is, by subject. */
export const startPage = (manual: Manual): string =>
  layout(manual, {
    title: 'Manual',
    main: `<h1>Manual</h1>
<p>How to install, operate and use Signalbox. The <a href="/v1/reference">API reference</a> and the <a href="/v1/errors">error codes</a> have pages of their own.</p>
${contentsOf(manual)}`,
  })

export function resultsPage(manual: Manual, asked: string, found: Found[]): string {
  const words = wordsIn(asked)
  const results = found.map(({ page, section, excerpt }) => {
    const href = docsPath(page.path) + (section.id === null ? '' : `#${section.id}`)
    const where = section.id === null ? '' : ` <span class="muted">in ${escaped(page.title)}</span>`
    return `<li><a href="${escaped(href)}">${marked(section.heading, words)}</a>${where}<p>${marked(excerpt, words)}</p></li>`
  })
  const nothing =
    words.length === 0
      ? '<p>Enter one or more words to search for.</p>'
      : '<p>No results. Try fewer or other words.</p>'
  return layout(manual, {
    title: 'Search',
    asked,
    main: `<h1>Search</h1>\n${found.length > 0 ? `<ul class="results">${results.join('\n')}</ul>` : nothing}`,
  })
}

export const missingPage = (manual: Manual): string =>
  layout(manual, {
    title: 'Page not found',
    main: '<h1>Page not found</h1>\n<p>The manual has no page at this address. Search for it, or choose one from the table of contents.</p>',
  })

interface Shown {
  title: string
  main: string
  current?: string
  asked?: string
  aside?: string
}

const layout = (manual: Manual, { title, main, current, asked = '', aside = '' }: Shown) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Signalbox</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/style.css">
<script src="/docs/theme.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<a class="name" href="/">Signalbox</a>
<a href="/docs">Manual</a>
<form action="/docs/search" role="search"><input type="search" name="q" value="${escaped(asked)}" aria-label="Search the manual" placeholder="Search the manual" maxlength="200"><button>Search</button></form>
</header>
<div class="columns">
<nav class="contents" aria-label="Manual" tabindex="0"><details><summary>Contents</summary>${contentsOf(manual, current)}</details></nav>
<main id="main">
${main}
</main>
${aside}
</div>
</body>
</html>
`

function contentsOf({ groups, pages }: Manual, current?: string): string {
  const titles = new Map(pages.map(({ path, title }) => [path, title]))
  return groups
    .map(({ name, paths }) => {
      const items = paths.map((path) => {
        const mark = path === current ? ' aria-current="page"' : ''
        const deeper = path.includes('/') ? ' class="deeper"' : ''
        return `<li${deeper}><a href="${docsPath(path)}"${mark}>${escaped(titles.get(path)!)}</a></li>`
      })
      return `<h2>${escaped(name)}</h2><ul>${items.join('')}</ul>`
    })
    .join('\n')
}

function around({ pages }: Manual, page: ManualPage): string {
  const at = pages.indexOf(page)
  const link = (one: ManualPage | undefined, label: string) =>
    one ? `<a href="${docsPath(one.path)}">${label}: ${escaped(one.title)}</a>` : '<span></span>'
  return `<p class="around">${link(pages[at - 1], 'Previous')}${link(pages[at + 1], 'Next')}</p>`
}

/** The words that were looked for stand out. */
function marked(text: string, words: string[]): string {
  const sorted = words.toSorted((a, b) => b.length - a.length).map((word) => RegExp.escape(word))
  const pieces = text.split(new RegExp(`(${sorted.join('|')})`, 'giu'))
  return pieces
    .map((piece, at) => (at % 2 === 1 ? `<mark>${escaped(piece)}</mark>` : escaped(piece)))
    .join('')
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
