import type { WorkPort } from '../../domain/ports/work.ts'

/** Used while no runner is connected: it serves no one, so nothing is handed to it. */
export const nobody: WorkPort = {
  name: 'nobody',
  serves: () => false,
  async hand() {
    throw new Error('No runner is connected.')
  },
}
