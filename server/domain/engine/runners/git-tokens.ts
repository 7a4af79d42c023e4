import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { MacKeys } from '../../../infra/secrets.ts'
import { DomainError } from '../../errors.ts'

/** Whom git is allowed for: one order of one runner, to one repository, for a while. */
export interface GitToken {
  workspaceId: string
  runnerId: string
  /** Of the API token that the runner asked with. */
  tokenId: string
  run: string
  fence: number
  access: 'read' | 'write'
  repository: { name: string; connectionId: string }
  expiresAt: string
}

/** Tells it from other bearer tokens wherever one leaks into a log. */
const prefix = 'sbg_'

/**
 * Git tokens say what they are for and carry a MAC of it, so every node can check them and none stores them. A token
 * grants what its order may do, which is looked up for each request.
 */
export class GitTokens {
  readonly #keys: MacKeys

  constructor(keys: MacKeys) {
    this.#keys = keys
  }

  seal(gitToken: GitToken): string {
    const said = Buffer.from(JSON.stringify(gitToken)).toString('base64url')
    return `${prefix}${said}.${macOf(this.#keys()[0], said)}`
  }

  open(text: string, now: Date): GitToken {
    const [, said, mac] = /^sbg_([\w-]+)\.([\w-]+)$/.exec(text) ?? []
    // As text: several of them would be read as the same bytes.
    const given = Buffer.from(mac ?? '')
    const isOurs = this.#keys().some((key) => {
      const expected = Buffer.from(macOf(key, said ?? ''))
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
    if (!said || !isOurs) throw refused()
    const gitToken = JSON.parse(Buffer.from(said, 'base64url').toString()) as GitToken
    if (Date.parse(gitToken.expiresAt) <= now.getTime()) throw refused()
    return gitToken
  }
}

const macOf = (key: KeyObject, said: string): string =>
  createHmac('sha256', key).update(said).digest('base64url')

// One sentence for every reason, so that a guess learns nothing.
const refused = () =>
  new DomainError('invalid_token', 'This credential is not valid or has expired. Ask for another one.')
