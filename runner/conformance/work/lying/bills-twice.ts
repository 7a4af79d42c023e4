import { runLying } from './lie.ts'

/** Reports each usage a second time. */
await runLying({ tells: (event) => (event.type === 'usage' ? [event, event] : [event]) })
