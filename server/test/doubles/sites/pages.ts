import type { DoubleAnswer, DoubleRequest } from '../double.ts'
import type { Site, SiteIssue, SitePull } from './site.ts'

export const pathOf = (...parts: (string | number)[]): string => `/${parts.join('/')}`

/**
 * Pages for people who try the demo: what is in the tool, and a button that says an issue is ready. Plain HTML, read
 * again every few seconds; nothing here is part of the tool's API.
 */
export function servePages(site: Site): void {
  const { double } = site
  double.on('GET', /^\/$/, () => page(site, listed(site)))
  // The paths of the APIs end alike.
  const paths = [
    /^\/(?!api\/|rest\/|repos\/).+\/(?:issues|issue|pull|merge_requests)\/[\w-]+$/,
    /^\/browse\/[\w-]+$/,
  ]
  for (const path of paths) double.on('GET', path, (request) => shown(site, request))
  // A repository or project: what the app calls it by leads to the list.
  if (site.project.key.includes('/'))
    double.on('GET', new RegExp(`^/${site.project.key}/?$`), () => page(site, listed(site)))
  double.on('POST', /^\/demo\/ready\/([\w-]+)$/, (request) => markReady(site, request))
}

/** Only from a page of this site: a page of another site cannot press the button. */
function markReady(site: Site, { params: [id], headers }: DoubleRequest): DoubleAnswer {
  if (headers.origin !== undefined && headers.origin !== site.double.url)
    return { status: 403, text: 'Only from this page.' }
  if (!site.issues().some((issue) => issue.id === id)) return { status: 404, text: 'No such issue.' }
  site.markReady(id!)
  return { status: 303, headers: { location: '/' } }
}

function shown(site: Site, { path }: DoubleRequest): DoubleAnswer {
  const isHere = ({ url }: { url: string }) => new URL(url).pathname === path
  const issue = site.issues().find(isHere)
  if (issue) return page(site, issueOf(site, issue))
  const pull = site.pulls().find(isHere)
  return pull ? page(site, pullOf(site, pull)) : { status: 404, text: 'Not found' }
}

const listed = (site: Site) => `
<h1>${html(site.project.key)}</h1>
<h2>Issues</h2>
<table><tr><th>Issue</th><th>Title</th><th>Status</th><th></th></tr>
${site
  .issues()
  .map(
    (issue) => `<tr><td>${link(issue.url, issue.key)}</td><td>${html(issue.title)}</td>
<td>${html(issue.status)}</td><td>${readyButton(site, issue)}</td></tr>`,
  )
  .join('\n')}
</table>
${
  site.kind === 'github' || site.kind === 'gitlab'
    ? `<h2>${site.pullName}s</h2>
<table><tr><th>Number</th><th>Title</th><th>Branch</th><th>State</th><th>Checks</th></tr>
${
  site
    .pulls()
    .map(
      (pull) => `<tr><td>${link(pull.url, `${pull.number}`)}</td><td>${html(pull.title)}</td>
<td>${html(pull.branch)}</td><td>${pull.state}</td><td>${checksOf(pull)}</td></tr>`,
    )
    .join('\n') || '<tr><td colspan="5">None yet.</td></tr>'
}
</table>`
    : ''
}`

const issueOf = (site: Site, issue: SiteIssue) => `
<p>${link('/', site.project.key)}</p>
<h1>${html(issue.key)} ${html(issue.title)}</h1>
<p>${html(issue.status)} ${readyButton(site, issue)}</p>
<pre>${html(visible(issue.text))}</pre>
${issue.links.map((url) => `<p>${link(url, url)}</p>`).join('\n')}
<h2>Comments</h2>
${issue.comments.map((text) => `<pre>${linked(html(visible(text)))}</pre>`).join('\n') || '<p>None yet.</p>'}`

const pullOf = (site: Site, pull: SitePull) => `
<p>${link('/', site.project.key)}</p>
<h1>${pull.number} ${html(pull.title)}</h1>
<p>${pull.state}, ${html(pull.branch)} at ${pull.head.slice(0, 12)}. ${checksOf(pull)}</p>
<pre>${linked(html(visible(pull.text)))}</pre>`

const readyButton = (site: Site, { id, isReady, isClosed }: SiteIssue) =>
  isReady || isClosed
    ? ''
    : `<form method="post" action="/demo/ready/${id}"><button>${html(site.readyWord)}</button></form>`

const checksOf = ({ verdicts }: SitePull) =>
  verdicts.map(({ name, state, url }) => `${link(url, name)}: ${html(state)}`).join(', ')

/** Markers that the tools do not show either. */
const visible = (text: string) => text.replaceAll(/<!--.*?-->\n*/gs, '').trim()

const html = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const link = (url: string, text: string) =>
  /^(https?:\/\/|\/)/.test(url) ? `<a href="${html(url)}">${html(text)}</a>` : html(text)

/** Markdown's links, in text that is escaped already. */
const linked = (text: string) =>
  text.replaceAll(/\[([^\]]+)\]\((https?:[^)\s]+)\)/g, (_, words, url) => `<a href="${url}">${words}</a>`)

const page = ({ name, project }: Site, content: string): DoubleAnswer => ({
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
    'cache-control': 'no-store',
  },
  text: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="3">
<title>${html(project.key)}, ${name} of the demo</title>
<style>
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid #8886; vertical-align: top }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid #8886; border-radius: 6px; padding: .75rem }
form { display: inline }
.note { border: 1px solid #8886; border-radius: 6px; padding: .5rem .75rem }
</style>
</head>
<body>
<p class="note">This is a stand-in for ${name} that belongs to the Signalbox demo. It is not connected to the real ${name}.</p>
${content}
</body>
</html>
`,
})
