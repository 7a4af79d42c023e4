import type { Authenticator } from '../../domain/accounts/tokens/authenticate.ts'

interface Open {
  token: string
  end(error: unknown): void
}

/** How often it is seen that a token has run out while a stream was open. */
const checkEveryMs = 15_000

/**
 * The calls that are being answered. A token that is revoked takes its open streams with it: whenever one may have
 * been, everyone shows once more who they are.
 */
export class OpenCalls {
  readonly #authenticator: Pick<Authenticator, 'authenticate'>
  readonly #open = new Set<Open>()
  #timer: NodeJS.Timeout | undefined

  constructor(authenticator: Pick<Authenticator, 'authenticate'>) {
    this.#authenticator = authenticator
  }

  /** Returns what is to be called when the answer is complete. */
  add(open: Open): () => void {
    this.#open.add(open)
    this.#timer ??= setInterval(() => this.onInvalidated(), checkEveryMs).unref()
    return () => {
      this.#open.delete(open)
      if (this.#open.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  onNews(): void {}

  onInvalidated(): void {
    for (const [token, calls] of Map.groupBy(this.#open, ({ token }) => token)) {
      this.#check(token).then((refused) => {
        if (refused) for (const call of calls) call.end(refused)
      })
    }
  }

  /** What a refused token is told; nothing when it is valid, or that cannot be determined. */
  async #check(token: string): Promise<unknown> {
    try {
      await this.#authenticator.authenticate(token)
      return undefined
    } catch (error) {
      return isRefusal(error) ? error : undefined
    }
  }
}

const isRefusal = (error: unknown) =>
  ['invalid_token', 'token_expired'].includes(String((error as { code?: unknown }).code))
