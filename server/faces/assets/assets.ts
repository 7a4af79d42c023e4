import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { dictionary } from '@signalbox/contract/dictionary.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { encodingFor } from '../../infra/http/compress.ts'
import { noSuchPath, ownPaths } from '../http/paths.ts'

interface Asset {
  type: string
  etag: string
  /** Hashed by its name: it never changes. */
  immutable: boolean
  bytes: { identity: Buffer; br?: Buffer; gzip?: Buffer }
}

const types: Record<string, string> = dictionary({
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
})

/** Scripts and styles come from here alone and never from the page itself; nothing is framed, nothing is sent away. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

interface AssetsServices {
  folder: string
  /** Refuses what belongs to others although it stands among the pages. */
  beside: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
}

/** Serves the built web app: its files, and its one page at every address that belongs to no other face. */
export async function assetsFace(app: FastifyInstance, { folder, beside }: AssetsServices): Promise<void> {
  const assets = readAssets(folder)
  const page = assets.get('/index.html') ?? notBuilt
  for (const [url, asset] of assets) {
    if (url !== '/index.html') app.get(url, (request, reply) => send(asset, request, reply))
  }
  app.get('/', (request, reply) =>
    wantsHtml(request) ? send(page, request, reply) : reply.redirect('/v1/reference', 302),
  )
  // A file of an older build is gone, and what programs ask for is no page either.
  ownPaths(app, ['/assets', '/.well-known'])
  // A browser that opens an address wants the app; whatever else asks there is told that there is nothing.
  ownPaths(app, [''], (request, reply, done) => {
    const answer = () => {
      if (isRead(request) && wantsHtml(request)) send(page, request, reply)
      else done(noSuchPath())
    }
    beside(request, reply).then(answer, done)
  })
}

const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

const wantsHtml = (request: FastifyRequest) => (request.headers.accept ?? '').includes('text/html')

function send(asset: Asset, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.operation = 'webApp'
  reply
    .headers({
      'cache-control': asset.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag: asset.etag,
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': policy,
    })
    .type(asset.type)
  if (request.headers['if-none-match'] === asset.etag) return reply.code(304).send()
  const encoding = encodingFor(request.headers['accept-encoding'], ['br', 'gzip']) as 'br' | 'gzip' | null
  const compressed = encoding ? asset.bytes[encoding] : undefined
  if (!compressed) return reply.send(asset.bytes.identity)
  return reply.header('content-encoding', encoding!).send(compressed)
}

/** The whole app in memory: it is small, and a start that cannot read it should fail at once. */
function readAssets(folder: string): Map<string, Asset> {
  const assets = new Map<string, Asset>()
  for (const file of filesIn(folder)) {
    const type = types[path.extname(file)]
    if (!type) continue
    const bytes = readFileSync(path.join(folder, file))
    const compressed = (ending: string) => {
      try {
        return readFileSync(path.join(folder, `${file}.${ending}`))
      } catch {
        return undefined
      }
    }
    const [br, gzip] = [compressed('br'), compressed('gz')]
    assets.set(`/${file.replaceAll(path.sep, '/')}`, {
      type,
      etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
      immutable: file.startsWith('assets'),
      bytes: { identity: bytes, ...(br ? { br } : {}), ...(gzip ? { gzip } : {}) },
    })
  }
  return assets
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true }) as string[]
  } catch {
    return []
  }
}

const missing = Buffer.from(
  '<!doctype html><html lang="en"><title>Signalbox</title><p>The web app is not built. Run <code>npm run build</code> and start again.</p></html>',
)
const notBuilt: Asset = {
  type: 'text/html; charset=utf-8',
  etag: '"not-built"',
  immutable: false,
  bytes: { identity: missing },
}
