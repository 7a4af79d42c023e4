import type { Access } from '../git/git.ts'
import { type OrderContext, RepositoryRefused, Stopped, WorkFailed } from '../orders/order-context.ts'

const mostTries = 3

/**
 * Lets git in. Where it goes through the server it ends with the server, as when that is restarted, which is no reason
 * to give the work up: the server is asked for another way in, and answers once it is back. `use` may be done again.
 */
export async function withGitCredential<T>(
  context: OrderContext,
  wanted: 'read' | 'write',
  use: (access: Access) => Promise<T>,
  repository?: string,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const access = await context.credential(wanted, repository)
    try {
      return await use(access)
    } catch (error) {
      const isFinal =
        error instanceof Stopped ||
        // What was refused may have been the credential of a server that has been restarted.
        (error instanceof WorkFailed &&
          error.failureClass !== 'transient' &&
          !(error instanceof RepositoryRefused))
      if (!access.isRelayed || isFinal || tries === mostTries) throw error
      context.cancelled.throwIfAborted()
    }
  }
}
