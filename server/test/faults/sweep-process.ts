import { sweepTrackers } from '../../domain/reach/mirror/sweep.ts'
import { openAsServer, untilParentEnds } from './own-process.ts'

/**
 * Looks at trackers whose turn it is, as a server does, in a process of its own that a test can kill in the middle. Says
 * how much memory it has taken, in megabytes, several times a second.
 */

const { base, ports, secrets } = openAsServer()
setInterval(() => process.stdout.write(`${Math.round(process.memoryUsage.rss() / 2 ** 20)}\n`), 250).unref()
await untilParentEnds(() =>
  sweepTrackers(base, { trackers: ports.trackers, secrets }, (error) =>
    process.stderr.write(`${error.message}\n`),
  ),
)
