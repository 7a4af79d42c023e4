import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Manual } from '@signalbox/contract/manual.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { compress, encodingFor, worthCompressing } from '../../infra/http/compress.ts'
import { ownPaths } from '../http/paths.ts'
import { missingPage, pageOf, resultsPage, startPage } from './layout.ts'
import { search } from './search.ts'

export interface DocsServices {
  /** What `npm run build` rendered from docs/manual. */
  folder: string
}

/** Like the app's, without anything that the manual does not have: it calls nothing and sends its form here. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

type Asked = { Querystring: { q?: string | string[] } }
type Named = { Params: { '*': string } }

/**
 * The manual of this very version, for everyone who reaches the server: it holds nothing that its source does not, and
 * those who cannot sign in need it most (docs/decisions/0073-a-refusal-carries-its-remedy.md).
 */
export async function docsFace(app: FastifyInstance, { folder }: DocsServices): Promise<void> {
  const manual = readManual(folder)
  const pages = new Map(manual.pages.map((page) => [page.path, pageOf(manual, page)]))
  const file = (name: string) => readFileSync(path.join(folder, name))
  for (const [name, type] of manual.pages.length > 0 ? files : []) {
    const bytes = file(name)
    app.get(`/docs/${name}`, (request, reply) => send(request, reply, bytes, type))
  }
  app.get('/docs', (request, reply) => sendPage(request, reply, startPage(manual)))
  app.get<Asked>('/docs/search', (request, reply) => {
    const asked = [request.query.q ?? ''].flat().join(' ').slice(0, 200)
    return sendPage(request, reply, resultsPage(manual, asked, search(manual, asked)))
  })
  app.get<Named>('/docs/*', (request, reply) => {
    const named = request.params['*'].replace(/\/$/, '')
    if (named === '') return reply.redirect('/docs', 301)
    // Links of the repository that were copied from a file.
    if (named.endsWith('.md') && pages.has(named.slice(0, -3)))
      return reply.redirect(`/docs/${named.slice(0, -3)}`, 301)
    const page = pages.get(named)
    return sendPage(request, page ? reply : reply.code(404), page ?? missingPage(manual))
  })
  ownPaths(app, ['/docs'])
}

const files: [name: string, type: string][] = [
  ['style.css', 'text/css; charset=utf-8'],
  ['theme.js', 'text/javascript; charset=utf-8'],
  ['geist.woff2', 'font/woff2'],
]

/** Without a build there is a manual without pages, as there is an app without screens. */
function readManual(folder: string): Manual {
  try {
    return JSON.parse(readFileSync(path.join(folder, 'manual.json'), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return { groups: [], pages: [] }
  }
}

const sendPage = (request: FastifyRequest, reply: FastifyReply, html: string) =>
  send(request, reply, Buffer.from(html), 'text/html; charset=utf-8')

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: Buffer,
  type: string,
): Promise<FastifyReply> {
  request.operation = 'manual'
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  reply
    .headers({
      'cache-control': 'no-cache',
      etag,
      vary: 'Accept-Encoding',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': policy,
    })
    .type(type)
  if (reply.statusCode === 200 && request.headers['if-none-match'] === etag) return reply.code(304).send()
  const encoding = type.startsWith('text/') ? encodingFor(request.headers['accept-encoding']) : null
  if (!encoding || !worthCompressing(bytes.toString('latin1'))) return reply.send(bytes)
  return reply.header('content-encoding', encoding).send(await compress(bytes, encoding))
}
