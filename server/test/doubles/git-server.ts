import { spawn } from 'node:child_process'
import path from 'node:path'
import type { Double, DoubleAnswer, DoubleRequest } from './double.ts'

/** What is behind a repository over there: a bare one, and git in it. */
export interface GitBehind {
  bare: string
  tip(branch: string): string | null
  git(...command: string[]): string
}

/** Who may do what with a repository, by the password that git sent; null: the password is unknown. */
export type Admit = (password: string, repository: string) => 'read' | 'write' | null

/**
 * Git over HTTP, as a git host serves it: git's own server behind a password. A read-only password is refused a push,
 * as the real hosts do.
 */
export function serveGit(double: Double, repositories: Map<string, GitBehind>, admit: Admit): void {
  const serve = async (request: DoubleRequest): Promise<DoubleAnswer> => {
    const [name, rest] = request.params as [string, string]
    const repository = repositories.get(name)
    const password = passwordIn(request.headers.authorization)
    const unknown = {
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="Git"' },
      text: 'Unauthorized',
    }
    if (password === null) return unknown
    const may = admit(password, name)
    if (may === null) return unknown
    if (!repository) return { status: 404, text: 'Repository not found.' }
    const isPush = rest.includes('receive-pack') || request.query.get('service') === 'git-receive-pack'
    if (isPush && may !== 'write') return { status: 403, text: 'You may not push here.' }
    return backend(request, repository.bare, rest)
  }
  for (const method of ['GET', 'POST'])
    double.on(method, /^\/(.+)\.git\/(info\/refs|git-upload-pack|git-receive-pack|HEAD|objects\/.+)$/, serve)
}

function passwordIn(header: string | undefined): string | null {
  const encoded = /^Basic (.+)$/.exec(header ?? '')?.[1]
  return encoded ? (Buffer.from(encoded, 'base64').toString().split(':')[1] ?? null) : null
}

/** A program of 1995 that still speaks CGI: headers, an empty line, bytes. */
async function backend(request: DoubleRequest, bare: string, rest: string): Promise<DoubleAnswer> {
  const child = spawn('git', ['-c', 'http.receivepack=true', '-c', 'safe.directory=*', 'http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'http.receivepack',
      GIT_CONFIG_VALUE_0: 'true',
      GIT_CONFIG_KEY_1: 'safe.directory',
      GIT_CONFIG_VALUE_1: '*',
      GIT_PROJECT_ROOT: path.dirname(bare),
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: `/${path.basename(bare)}/${rest}`,
      QUERY_STRING: request.query.toString(),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: `${request.raw.length}`,
      HTTP_CONTENT_ENCODING: `${request.headers['content-encoding'] ?? ''}`,
      HTTP_GIT_PROTOCOL: `${request.headers['git-protocol'] ?? ''}`,
      REMOTE_USER: 'signalbox',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.on('error', () => {})
  child.stdin.end(request.raw)
  const parts: Buffer[] = []
  for await (const part of child.stdout as AsyncIterable<Buffer>) parts.push(part)
  const all = Buffer.concat(parts)
  const end = all.indexOf('\r\n\r\n')
  const lines = all.subarray(0, end).toString().split('\r\n')
  const headers = Object.fromEntries(lines.map((line) => line.split(/:\s*/, 2) as [string, string]))
  const { Status: status = '200', ...others } = headers
  return { status: Number.parseInt(status, 10), headers: others, bytes: all.subarray(end + 4) }
}
