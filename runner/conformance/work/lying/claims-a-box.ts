import { Bare } from '../../../box/bare.ts'
import { runLying } from './lie.ts'

/** Registers six layers, and has none. */
await runLying({
  box: new Bare(
    {
      ...{ backend: 'bubblewrap', version: '0.8.0', environmentCleared: true, descendantsReaped: true },
      ...{ writesOutsideBlocked: true, deniedPathsBlocked: true, secretsUnreadable: true },
      networkOnlyToGateway: true,
    },
    [],
  ),
})
