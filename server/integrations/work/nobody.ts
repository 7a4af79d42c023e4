import type { WorkPort } from '../../domain/ports/work.ts'

/** Stands in while no runner is connected: serves nobody, so nothing is handed to it. */
export const nobody: WorkPort = {
  name: 'nobody',
  serves: () => false,
  async hand() {
    throw new Error('No runner is connected.')
  },
}
