import { createHmac, timingSafeEqual } from 'node:crypto'
import { DomainError } from '../errors.ts'

/** Whom git is let through for: one order of one runner, to one repository, for a while. */
export interface Pass {
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

/** Told from other bearer tokens at a look, in a log that should not have it. */
const prefix = 'sbg_'

/**
 * Passes say what they are for and carry a MAC of it, so that every node knows them and none keeps them. Whoever has
 * one can do what its order may do, and that is looked up anew for each request.
 */
export class Passes {
  readonly #key: Buffer

  constructor(key: Buffer) {
    this.#key = key
  }

  seal(pass: Pass): string {
    const said = Buffer.from(JSON.stringify(pass)).toString('base64url')
    return `${prefix}${said}.${this.#mac(said)}`
  }

  open(text: string, now: Date): Pass {
    const [, said, mac] = /^sbg_([\w-]+)\.([\w-]+)$/.exec(text) ?? []
    // As text: several of them would be read as the same bytes.
    const given = Buffer.from(mac ?? '')
    const expected = Buffer.from(this.#mac(said ?? ''))
    if (!said || given.length !== expected.length || !timingSafeEqual(given, expected)) throw refused()
    const pass = JSON.parse(Buffer.from(said, 'base64url').toString()) as Pass
    if (Date.parse(pass.expiresAt) <= now.getTime()) throw refused()
    return pass
  }

  #mac(said: string): string {
    return createHmac('sha256', this.#key).update(said).digest('base64url')
  }
}

// One sentence for every reason, so that a guess learns nothing.
const refused = () =>
  new DomainError('invalid_token', 'This credential is not valid or has expired. Ask for another one.')
