import { ToolRefused } from '../../domain/ports/connection.ts'

/** What is not there any more is no mistake. */
export async function orNull<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ToolRefused && error.reason === 'not_found') return null
    throw error
  }
}
